"""What the files tell of how reports arrived: nothing once compacted, checkpointed or stopped."""

import logging
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from tacit.collector.storage.interface import Outcome, Post, Verification
from tacit.collector.storage.sqlite import compaction
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
SEEDS = draw(300)
CODES = [bytes([number, 255 - number]) * 16 for number in range(40)]
HEADER = 100  # bytes, in which SQLite counts its transactions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "reports.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """A store with one study."""
    store = new_store(path)
    yield store
    store.close()


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> int:
    """Bundles so small that a few reports fill several."""
    monkeypatch.setattr(compaction, "FULL", 16)
    return 16


def singly(store: SQLiteStore, seeds: Seeds, day: str = DAY) -> None:
    """A commit for each report."""
    for seed in seeds:
        put(store, seed[None], day)


def log_of(path: Path) -> Path:
    """The write-ahead log beside the file."""
    return path.with_name(path.name + "-wal")


def sizes(store: SQLiteStore, day: str) -> list[int]:
    """How many reports each of a day's bundles has."""
    return [len(piece) for piece in store.seeds(STUDY.id, day)]


def test_reports_lie_in_the_file_by_their_bytes(path: Path) -> None:
    """Sent one by one and stopped, no place in the file tells when its report came."""
    store = new_store(path)
    singly(store, SEEDS)
    assert len(sizes(store, DAY)) > 1
    store.close()
    content = path.read_bytes()
    places = [content.find(seed) for seed in as_bytes(SEEDS)[1:]]  # the least is the key as well
    whole = [place for place in places if place >= 0]  # a few lie across two pages
    assert len(whole) > len(places) // 2
    assert whole == sorted(whole)


@pytest.mark.usefixtures("small")
def test_the_file_is_the_same_however_reports_came(tmp_path: Path) -> None:
    """Two orders, by one, by seven or all in one commit: the same bytes."""
    contents = []
    for name, seeds, step in [("a", SEEDS, 1), ("b", SEEDS[::-1], 7), ("c", SEEDS, 300)]:
        path = tmp_path / name
        store = new_store(path)
        for start in range(0, len(seeds), step):
            put(store, seeds[start : start + step], DAY)
        store.close()
        contents.append(path.read_bytes()[HEADER:])
    assert contents[0] == contents[1] == contents[2]


@pytest.mark.usefixtures("small")
def test_the_file_is_the_same_whoever_used_which_code(tmp_path: Path) -> None:
    """Codes burnt in two orders with other reports, one commit each: the same bytes."""
    contents = []
    for name, codes in [("a", CODES[:30]), ("b", CODES[:30][::-1])]:
        path = tmp_path / name
        store = new_store(path, needs_code=True)
        store.add_codes(STUDY.id, CODES)
        for seed, code in zip(SEEDS, codes, strict=False):
            assert store.append([Post(STUDY.id, seed[None], code)], DAY) == [Outcome.STORED]
        store.close()
        contents.append(path.read_bytes()[HEADER:])
    assert contents[0] == contents[1]


def test_past_days_are_tidied_and_today_is_not(store: SQLiteStore, small: int) -> None:
    """Full bundles that do not overlap; reports and tallies stay, and twice is once."""
    today = datetime.now(UTC).date().isoformat()
    days = {DAY: SEEDS[:100], NEXT_DAY: SEEDS[100:132], today: SEEDS[132:140]}
    for day, seeds in days.items():
        singly(store, seeds, day)
    store.compact()
    assert sizes(store, DAY) == [small] * 6 + [4]
    assert sizes(store, NEXT_DAY) == [small] * 2
    assert sizes(store, today) == [1] * 8
    pieces = np.concatenate(list(store.seeds(STUDY.id, DAY)))
    assert [seed.tobytes() for seed in pieces] == as_bytes(days[DAY])
    for day, seeds in days.items():
        assert store.tally(STUDY.id, day) == tally_of(seeds)
    changes = store.database.writer.total_changes
    store.compact()
    assert store.database.writer.total_changes == changes
    assert store.verify() == Verification(140, 0, 0, True)


def test_who_reads_while_days_are_tidied_goes_on(store: SQLiteStore, small: int) -> None:
    """A snapshot outlives the rewriting of everything it looks at."""
    singly(store, SEEDS[:40])
    pieces = store.seeds(STUDY.id)
    first = next(pieces)
    store.compact()
    assert sizes(store, DAY) == [small] * 2 + [8]
    assert as_bytes(np.concatenate([first, *pieces])) == as_bytes(SEEDS[:40])


def test_a_tidied_day_that_gets_more_is_tidied_again(path: Path, small: int) -> None:
    """In the same process and in the next; a bundle that is full may still be one commit's."""
    store = new_store(path)
    for start, stop in [(0, small), (small, 3 * small)]:
        put(store, SEEDS[start:stop])
        store.compact()
    assert sizes(store, DAY) == [small] * 3
    put(store, SEEDS[3 * small : 4 * small])
    store.close()
    again = SQLiteStore.open(path)
    assert sizes(again, DAY) == [small] * 4
    whole = np.concatenate(list(again.seeds(STUDY.id)))
    assert [seed.tobytes() for seed in whole] == as_bytes(SEEDS[: 4 * small])
    again.close()


def test_damage_is_still_found_after_tidying(store: SQLiteStore) -> None:
    """A checksum moves with its report, and a day that lacks reports is left as it is."""
    singly(store, SEEDS[:10], DAY)
    singly(store, SEEDS[10:20], NEXT_DAY)
    first = as_bytes(SEEDS[:10])[3]
    change = store.database.writer.execute
    change("UPDATE bundle SET checks = x'00000000' WHERE least = ?", (first,))
    change("DELETE FROM bundle WHERE least = ?", (as_bytes(SEEDS[10:20])[3],))
    store.compact()
    assert sizes(store, NEXT_DAY) == [1] * 9
    assert store.verify() == Verification(18, 1, 1, False)
    assert first not in stored_seeds(store)
    assert store.verify() == Verification(18, 0, 0, True)


def test_settling_empties_the_log(path: Path) -> None:
    """Neither reports nor burnt codes stay in it, and both are where they should be."""
    store = new_store(path, needs_code=True)
    store.add_codes(STUDY.id, CODES)
    store.append([Post(STUDY.id, SEEDS[:1], CODES[0])], DAY)
    seed = SEEDS[0].tobytes()
    assert seed in log_of(path).read_bytes()
    store.checkpoint()
    assert log_of(path).read_bytes() == b""
    content = path.read_bytes()
    assert seed in content
    assert CODES[0] not in content
    assert CODES[1] in content
    store.close()
    assert not log_of(path).exists()


def test_a_log_that_starts_again_is_cut(store: SQLiteStore, path: Path) -> None:
    """Under load, without settling, commits that were folded in do not linger behind new ones."""
    put(store, draw(300_000, 2))  # more than the log may hold before it is folded in
    singly(store, SEEDS[:2])
    assert log_of(path).stat().st_size < 100_000


def test_settling_waits_for_no_reader(store: SQLiteStore, path: Path) -> None:
    """Who reads keeps the log, nothing fails, and the next time it is emptied."""
    put(store, SEEDS[:10])
    pieces = store.seeds(STUDY.id)
    next(pieces)
    put(store, SEEDS[10:20])
    store.checkpoint()
    assert log_of(path).stat().st_size > 0
    assert list(pieces) == []
    store.checkpoint()
    assert log_of(path).stat().st_size == 0


def test_a_stop_that_cannot_tidy_still_stops(
    path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It says so, everything is there, and the next stop tidies."""
    store = new_store(path)
    singly(store, SEEDS[:10])
    with monkeypatch.context() as patch, caplog.at_level(logging.WARNING, "tacit.collector"):
        patch.setattr("tacit.collector.storage.sqlite.store.compact_day", _no_room)
        store.close()
    assert "no room" in caplog.text
    again = SQLiteStore.open(path)
    assert again.opened == Verification(10, 0, 0, True)
    assert sizes(again, DAY) == [1] * 10
    again.close()
    last = SQLiteStore.open(path)
    assert sizes(last, DAY) == [10]
    last.close()


def _no_room(*arguments: object) -> bool:
    raise StorageError("no room")
