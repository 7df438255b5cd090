"""The embedded store: each report once, whatever comes and in whatever pieces."""

import contextlib
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from tacit.collector.storage.interface import (
    Outcome,
    Post,
    Verification,
)
from tacit.collector.storage.sqlite import bundles
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import StorageError
from tests.collector.stores import (
    DAY,
    as_bytes,
    draw,
    example_study,
    new_store,
    put,
    stored_seeds,
    tally_of,
)

STUDY = example_study()
OTHER = example_study("Diet")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the store is."""
    return tmp_path / "reports.db"


@pytest.fixture
def store(path: Path) -> Iterator[SQLiteStore]:
    """A store with two studies."""
    store = new_store(path, STUDY, OTHER)
    yield store
    store.close()


def reopened(store: SQLiteStore, path: Path) -> SQLiteStore:
    """The store as another process would find it."""
    store.close()
    return SQLiteStore.open(path)


def test_codes_in_the_file(path: Path) -> None:
    """A closed study burns none; of a burnt one the hash is nowhere once the log is in the file."""
    codes = [bytes([number + 1]) * 32 for number in range(3)]
    store = new_store(path, OTHER, STUDY, needs_code=True)
    for study in (STUDY, OTHER):
        store.add_codes(study.id, codes)
    store.close_study(OTHER.id)
    closed, stored = Post(OTHER.id, draw(1), codes[2]), Post(STUDY.id, draw(1), codes[1])
    assert store.append([closed, stored], DAY) == [Outcome.CLOSED, Outcome.STORED]
    store.close()
    with contextlib.closing(sqlite3.connect(path)) as db:
        kept = db.execute("SELECT hash FROM code ORDER BY hash").fetchall()
    assert kept == [(codes[place],) for place in (0, 0, 1, 2, 2)]


def test_what_is_stored_already_takes_the_path_of_what_is_new(
    store: SQLiteStore, path: Path
) -> None:
    """The same statements between one BEGIN and one COMMIT, and both commits reach the disk."""
    before, log = draw(50), path.with_name("reports.db-wal")
    put(store, before)
    paths = []
    for seeds in (draw(50, 2), before):
        size, said = log.stat().st_size, list[str]()
        store.database.writer.set_trace_callback(said.append)
        put(store, seeds)
        store.database.writer.set_trace_callback(None)
        assert log.stat().st_size > size
        undoing = ("SAVEPOINT", "ROLLBACK TO", "RELEASE")
        paths.append([each.split("(")[0] for each in said if not each.startswith(undoing)])
    assert paths[0] == paths[1]
    assert (paths[0][0], paths[0][-1]) == ("BEGIN IMMEDIATE", "COMMIT")
    assert stored_seeds(store) == as_bytes(np.concatenate([before, draw(50, 2)]))


def test_small_bundles_are_merged(store: SQLiteStore, path: Path) -> None:
    """Many small appends leave few bundles, every report, and no order of arrival."""
    seeds = draw(1_000)
    for start in range(0, 1_000, 5):
        put(store, seeds[start : start + 5])
    assert len(list(store.seeds(STUDY.id))) <= 66
    assert stored_seeds(store) == as_bytes(seeds)
    assert store.verify() == Verification(1_000, 0, 0, True)
    for piece in store.seeds(STUDY.id):
        assert as_bytes(piece) == [seed.tobytes() for seed in piece]


def test_pieces_are_bounded(store: SQLiteStore) -> None:
    """A large post is read back in pieces."""
    seeds = draw(bundles.LARGEST + 10)
    put(store, seeds)
    sizes = sorted(len(piece) for piece in store.seeds(STUDY.id))
    assert sizes == [10, bundles.LARGEST]
    assert store.tally(STUDY.id) == tally_of(seeds)


def test_a_store_in_use_is_refused(store: SQLiteStore, path: Path) -> None:
    """By the same process, too; after closing it opens."""
    with pytest.raises(StorageError, match="another process uses"):
        SQLiteStore.open(path)
    put(store, draw(3))
    again = reopened(store, path)
    assert again.opened == Verification(3, 0, 0, True)
    again.close()


@pytest.mark.parametrize("content", [b"not a database, but long enough to look at" * 100, None])
def test_another_file_is_refused(path: Path, content: bytes | None) -> None:
    """Neither a file of something else nor another program's database is touched."""
    if content is None:
        with sqlite3.connect(path) as db:
            db.execute("CREATE TABLE notes(text)")
        db.close()
    else:
        path.write_bytes(content)
    before = path.read_bytes()
    with pytest.raises(StorageError, match="choose another file") as told:
        SQLiteStore.open(path)
    assert "reports.db" in str(told.value)
    assert path.read_bytes() == before


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    """The message says where."""
    with pytest.raises(StorageError, match="nowhere"):
        SQLiteStore.open(tmp_path / "nowhere" / "reports.db")


def test_only_its_owner_reads_the_file(store: SQLiteStore, path: Path) -> None:
    """Whatever the umask; the log beside it likewise."""
    put(store, draw(1))
    for name in ("reports.db", "reports.db-wal", "reports.db.lock"):
        assert path.with_name(name).stat().st_mode & 0o077 == 0
