"""Damage to the file: every report that comes back is one that was stored, and loss is counted."""

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from tacit.collector.storage.interface import Outcome, Verification
from tacit.collector.storage.sqlite import bundles
from tacit.collector.storage.sqlite.bundles import checksums
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import StorageError
from tacit.study.report import Seeds
from tests.collector.stores import (
    DAY,
    NEXT_DAY,
    as_bytes,
    draw,
    example_study,
    new_store,
    put,
    stored_seeds,
    tally_of,
)

STUDY = example_study()
SEEDS = draw(600)
FIRST, SECOND = SEEDS[:400], SEEDS[400:]
PAGE = 4096


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A closed store of two days, all of it in one file."""
    path = tmp_path / "reports.db"
    store = new_store(path)
    put(store, FIRST, DAY)
    put(store, SECOND, NEXT_DAY)
    store.close()
    return path


def flip(path: Path, position: int, bit: int = 0) -> None:
    """Change one bit of the file."""
    with path.open("r+b") as file:
        file.seek(position)
        value = file.read(1)[0] ^ (1 << bit)
        file.seek(position)
        file.write(bytes([value]))


def place_of_seed(path: Path) -> tuple[bytes, int]:
    """A seed of the first day that lies in one page, and where."""
    content = path.read_bytes()
    seeds = [seed.tobytes() for seed in bundles.sorted_once(FIRST)[5:]]
    return next((seed, content.find(seed)) for seed in seeds if seed in content)


def place_of_check(path: Path) -> tuple[bytes, int]:
    """The same for a seed's checksum, known by its neighbours."""
    content = path.read_bytes()
    ordered = bundles.sorted_once(FIRST)
    stated = checksums(ordered, STUDY.tag).astype("<u4")
    for place in range(5, len(ordered) - 1):
        found = content.find(stated[place - 1 : place + 2].tobytes())
        if found >= 0:
            return ordered[place].tobytes(), found + 4
    raise AssertionError("no checksum lies in one page")


@pytest.fixture(params=[place_of_seed, place_of_check])
def damaged(request: pytest.FixtureRequest) -> Callable[[Path], bytes]:
    """Flips a bit in a report or in its checksum, and says which report is lost."""

    def damage(path: Path) -> bytes:
        seed, position = request.param(path)
        flip(path, position, bit=3)
        return bytes(seed)

    return damage


def expect_all_but(store: SQLiteStore, lost: bytes) -> None:
    """One report is in quarantine, and every tally is that of the others."""
    kept = SEEDS[[seed.tobytes() != lost for seed in SEEDS]]
    assert store.quarantined(STUDY.id) == 1
    assert stored_seeds(store) == as_bytes(kept)
    assert store.tally(STUDY.id) == tally_of(kept)
    assert store.tally(STUDY.id, DAY) == tally_of(kept[:399])
    assert store.tally(STUDY.id, NEXT_DAY) == tally_of(SECOND)


def test_a_flipped_bit_is_found_when_opening(path: Path, damaged: Callable[[Path], bytes]) -> None:
    """One report is set aside and taken out of its tally; once, and it may come again."""
    lost = damaged(path)
    store = SQLiteStore.open(path)
    assert store.opened == Verification(599, 1, 0, True)
    expect_all_but(store, lost)
    store.close()
    again = SQLiteStore.open(path)
    assert again.opened == again.verify() == Verification(599, 0, 0, True)
    expect_all_but(again, lost)
    assert put(again, SEEDS) == [Outcome.STORED]
    assert again.tally(STUDY.id) == tally_of(SEEDS)
    again.close()


def test_a_flipped_bit_is_found_by_a_check(path: Path, damaged: Callable[[Path], bytes]) -> None:
    """The same while the store is open; before the check nobody is given the damaged report."""
    store = SQLiteStore.open(path)
    lost = damaged(path)
    assert lost not in stored_seeds(store)
    assert len(stored_seeds(store)) == 599
    assert store.verify() == Verification(599, 1, 0, True)
    expect_all_but(store, lost)
    assert store.verify() == Verification(599, 0, 0, True)
    assert put(store, SEEDS) == [Outcome.STORED]
    assert store.tally(STUDY.id) == tally_of(SEEDS)
    store.close()


def test_the_quarantine_keeps_the_bytes(path: Path) -> None:
    """What was damaged can still be looked at."""
    seed, position = place_of_seed(path)
    flip(path, position)
    SQLiteStore.open(path).close()
    with sqlite3.connect(path) as db:
        (kept,) = db.execute("SELECT seed FROM quarantine").fetchone()
    db.close()
    assert kept == bytes([seed[0] ^ 1]) + seed[1:]


def test_a_bundle_with_nothing_left(path: Path) -> None:
    """All of a day's reports damaged: the day is empty, and counted."""
    alter(path, "UPDATE bundle SET checks = zeroblob(length(checks)) WHERE length(seeds) < 6400")
    store = SQLiteStore.open(path)
    assert store.opened == Verification(400, 200, 0, True)
    assert [segment.day for segment in store.segments(STUDY.id)] == [DAY]
    assert store.tally(STUDY.id) == tally_of(FIRST)
    assert store.verify() == Verification(400, 0, 0, True)
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE tally SET tally = zeroblob(100)",
        "UPDATE tally SET tally = x'00'",
        "DELETE FROM tally",
        "UPDATE tally SET day = day + 40",
        "UPDATE bundle SET day = day + 40",
    ],
)
def test_tallies_follow_the_reports(path: Path, change: str) -> None:
    """A tally that is damaged, missing or of other reports is made anew, and that is told."""
    alter(path, change)
    store = SQLiteStore.open(path)
    assert store.opened == Verification(600, 0, 0, False)
    assert store.tally(STUDY.id) == tally_of(SEEDS)
    assert store.verify() == Verification(600, 0, 0, True)
    for segment in store.segments(STUDY.id):
        found = np.concatenate(list(store.seeds(STUDY.id, segment.day)))
        assert store.tally(STUDY.id, segment.day) == tally_of(found)
    store.close()


def test_a_tally_of_other_reports_is_found_by_a_check(path: Path) -> None:
    """Opening compares numbers of reports; a check compares their sums too."""
    wrong = tally_of(draw(400, 99)).to_bytes().hex()
    alter(path, f"UPDATE tally SET tally = x'{wrong}' WHERE day = (SELECT min(day) FROM tally)")
    store = SQLiteStore.open(path)
    assert store.opened == Verification(600, 0, 0, True)
    assert store.verify() == Verification(600, 0, 0, False)
    assert store.tally(STUDY.id) == tally_of(SEEDS)
    assert store.verify() == Verification(600, 0, 0, True)
    store.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE study SET open = 0",
        "UPDATE study SET planned = 5",
        "UPDATE study SET number = 2",
        "UPDATE study SET file = substr(file, 2)",
        "UPDATE bundle SET day = -1",
        "UPDATE bundle SET day = 'x'",
    ],
)
def test_what_cannot_be_mended_is_an_error(path: Path, change: str) -> None:
    """An altered study or an impossible day: restore a backup."""
    alter(path, change)
    with pytest.raises(StorageError, match="restore a backup"):
        SQLiteStore.open(path)


def alter(path: Path, statement: str) -> None:
    """Change the file behind the store's back."""
    with sqlite3.connect(path) as db:
        db.execute(statement)
    db.close()


def test_garbage_over_any_page(path: Path, tmp_path: Path) -> None:
    """Whichever page is overwritten: an error that says what to do, or what is left is right."""
    garbage = np.random.default_rng(5).bytes(PAGE)
    copy = tmp_path / "copy.db"
    refused = 0
    for start in range(0, path.stat().st_size, PAGE):
        shutil.copy(path, copy)
        with copy.open("r+b") as file:
            file.seek(start)
            file.write(garbage)
        refused += not survives(copy)
    assert refused >= 3  # at least the header and the roots of the tables with content


@pytest.mark.parametrize("part", range(3))
def test_a_bit_flipped_anywhere(path: Path, tmp_path: Path, part: int) -> None:
    """At random places of the file: never a wrong report, never another kind of error."""
    generator = np.random.default_rng(part)
    copy = tmp_path / "copy.db"
    for _ in range(100):
        shutil.copy(path, copy)
        flip(copy, int(generator.integers(path.stat().st_size)), int(generator.integers(8)))
        survives(copy)


def survives(path: Path) -> bool:
    """Whether the store opens and checks; then reports are true ones and tallies are theirs."""
    try:
        store = SQLiteStore.open(path)
    except StorageError as error:
        return says_what_to_do(error)
    try:
        store.verify()
        expect_truth(store)
    except StorageError as error:
        return says_what_to_do(error)
    finally:
        store.close()
    return True


def says_what_to_do(error: StorageError) -> bool:
    """An error must; then the answer is that the file does not survive."""
    advice = ("restore a backup", "choose another file")
    assert any(words in str(error) for words in advice), str(error)
    return False


def expect_truth(store: SQLiteStore) -> None:
    """Only reports that were sent, each once, and tallies of exactly these."""
    if not store.studies():
        return
    found: list[Seeds] = [draw(0), *store.seeds(STUDY.id)]
    seeds = np.concatenate(found)
    assert len(set(as_bytes(seeds))) == len(seeds)
    assert set(as_bytes(seeds)) <= set(as_bytes(SEEDS))
    assert store.tally(STUDY.id) == tally_of(seeds)
