"""A store that is killed, or whose disk is full."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.collector.storage.interface import Outcome, Post, Verification
from tacit.collector.storage.sqlite.fingerprints import ReportSet
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import StorageError
from tests.collector.appending import batches, fill, resume
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
REPOSITORY = Path(__file__).parents[2]


@contextlib.contextmanager
def program(*arguments: object) -> Iterator[subprocess.Popen[str]]:
    """A process of `appending`, ended whatever happens."""
    command = [sys.executable, "-m", "tests.collector.appending", *map(str, arguments)]
    process = subprocess.Popen(
        command, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def kill_after(path: Path, round_number: int, acknowledged: int) -> int:
    """Kill a round while it works on; how many batches it acknowledged in all."""
    with program("forever", path, round_number) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(acknowledged)]
        if round_number == 0:
            with pytest.raises(StorageError, match="another process uses"):
                SQLiteStore.open(path)
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
        assert process.wait() == -signal.SIGKILL
    assert lines[-1] == f"{len(lines) - 1}\n"
    return len(lines)


def expect_rounds(path: Path, acknowledged: list[int]) -> None:
    """Every acknowledged batch is stored once, and of those on their way at most one, whole."""
    with contextlib.closing(SQLiteStore.open(path)) as store:
        stored = stored_seeds(store)
        assert len(set(stored)) == len(stored)
        found = set(stored)
        counted = 0
        for round_number, count in enumerate(acknowledged):
            *sure, last = islice(batches(round_number), count + 1)
            assert all(found.issuperset(as_bytes(batch)) for batch in sure)
            present = found.intersection(as_bytes(last))
            assert len(present) in (0, len(last))
            counted += sum(map(len, sure)) + len(present)
        assert counted == len(stored)
        assert store.opened == store.verify() == Verification(len(stored), 0, 0, True)
        array = np.frombuffer(b"".join(stored), np.uint8).reshape(-1, 16)
        assert store.tally(STUDY.id) == tally_of(array)


def killed_often(path: Path, times: int) -> None:
    """One store, killed again and again at moments that nobody chose."""
    generator = np.random.default_rng(17)
    moments = generator.integers(1, 40, times)
    expect_rounds(path, [kill_after(path, n, int(at)) for n, at in enumerate(moments)])


def test_killed_while_appending(tmp_path: Path) -> None:
    """kill -9: what was acknowledged is there once, and the tally is that of the reports."""
    killed_often(tmp_path / "reports.db", 2)


@pytest.mark.assure
def test_killed_fifty_times(tmp_path: Path) -> None:
    """The same store survives fifty kills."""
    killed_often(tmp_path / "reports.db", 50)


def test_a_file_that_may_not_grow(tmp_path: Path) -> None:
    """Refused, nothing changed, and goes on once there is room."""
    with program("limited", tmp_path / "reports.db") as process:
        _, problems = process.communicate()
    assert process.returncode == 0, problems


def test_no_room_for_a_code_burns_none(tmp_path: Path) -> None:
    """Reports, codes, tallies and what is in memory are undone together."""
    with contextlib.closing(new_store(tmp_path / "reports.db", needs_code=True)) as store:
        store.add_codes(STUDY.id, [b"c" * 32])
        other = example_study("large")
        store.create(other, planned=None, needs_code=False)
        small, large = Post(STUDY.id, draw(1), b"c" * 32), Post(other.id, draw(50_000, 2))
        allow_pages(store, 20)
        with pytest.raises(StorageError, match="free some space"):
            store.append([small, large], DAY)
        assert store.tally(STUDY.id).count == store.tally(other.id).count == 0
        assert stored_seeds(store) == stored_seeds(store, other) == []
        allow_pages(store, 2**30)
        assert store.append([small, large], DAY) == [Outcome.STORED] * 2
        assert store.verify() == Verification(50_001, 0, 0, True)


def allow_pages(store: SQLiteStore, count: int) -> None:
    """As if the disk had so much room."""
    store.database.writer.execute(f"PRAGMA max_page_count = {count}")


def test_a_failing_commit_is_undone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error in the midst of an append leaves the store usable and unchanged."""
    with contextlib.closing(new_store(tmp_path / "reports.db")) as store:
        put(store, draw(10))
        with monkeypatch.context() as patch:
            patch.setattr("tacit.collector.storage.sqlite.state.write_tally", _broken)
            with pytest.raises(StorageError, match="look at the disk"):
                put(store, draw(20, 2))
        assert store.tally(STUDY.id) == tally_of(draw(10))
        assert put(store, draw(20, 2)) == [Outcome.STORED]
        assert store.verify() == Verification(30, 0, 0, True)


class CommitThenFail:
    """The writing connection, once short of memory right after a commit."""

    def __init__(self, store: SQLiteStore) -> None:
        self._database, self._real = store.database, store.database.writer
        self._database.writer = self  # type: ignore[assignment]

    def execute(self, statement: str, *values: Any) -> sqlite3.Cursor:
        """As asked, but for the commit."""
        cursor = self._real.execute(statement, *values)
        if statement == "COMMIT":
            self._database.writer = self._real
            raise MemoryError
        return cursor

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)


@pytest.mark.parametrize("moment", ["commit", "seen"])
def test_out_of_memory_after_the_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """Reports are stored though nobody was told so; sent again they are counted once."""
    with contextlib.closing(new_store(tmp_path / "reports.db")) as store:
        put(store, draw(10))
        with monkeypatch.context() as patch:
            if moment == "commit":
                CommitThenFail(store)
            else:
                patch.setattr(ReportSet, "note", _out_of_memory)
            with pytest.raises(MemoryError):
                put(store, draw(20, 2))
        assert put(store, draw(5, 3)) == put(store, draw(20, 2)) == [Outcome.STORED]
        expected = np.concatenate([draw(10), draw(20, 2), draw(5, 3)])
        assert store.tally(STUDY.id) == tally_of(expected)
        assert store.verify() == Verification(35, 0, 0, True)


def _out_of_memory(*arguments: object) -> None:
    raise MemoryError


def _broken(*arguments: object) -> None:
    raise sqlite3.OperationalError("disk I/O error")


@pytest.mark.assure
def test_a_full_disk(tmp_path: Path) -> None:
    """A real file system of one megabyte, then of sixteen; without root, a limit on files."""
    if os.geteuid() != 0:
        test_a_file_that_may_not_grow(tmp_path)
        return
    disk = tmp_path / "disk"
    disk.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", disk], check=True)
    try:
        with contextlib.closing(new_store(disk / "reports.db")) as store:
            stored = fill(store)
            assert store.tally(STUDY.id) == tally_of(stored)
            subprocess.run(["mount", "-o", "remount,size=16m", disk], check=True)
            resume(store, stored)
    finally:
        subprocess.run(["umount", disk], check=True)
