"""The database file: its layout, who may open it, transactions, and its errors in words."""

import fcntl
import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from tacit.errors import StorageError

VERSION = 1
APPLICATION = 0x7ACC17  # marks the file as a collector's

# No table has an order of arrival, and no column a time finer than a day.
SCHEMA = """
CREATE TABLE study(
    number INTEGER PRIMARY KEY, file BLOB NOT NULL, open INTEGER NOT NULL,
    planned INTEGER, needs_code INTEGER NOT NULL, checksum INTEGER NOT NULL);
CREATE TABLE public(study INTEGER PRIMARY KEY, parquet BLOB NOT NULL);
CREATE TABLE bundle(
    study INTEGER, day INTEGER, least BLOB, seeds BLOB NOT NULL, checks BLOB NOT NULL,
    PRIMARY KEY(study, day, least)) WITHOUT ROWID;
CREATE TABLE tally(
    study INTEGER, day INTEGER, tally BLOB NOT NULL, PRIMARY KEY(study, day)) WITHOUT ROWID;
CREATE TABLE code(study INTEGER, hash BLOB, PRIMARY KEY(study, hash)) WITHOUT ROWID;
CREATE TABLE quarantine(
    study INTEGER, day INTEGER, seed BLOB, checksum BLOB,
    PRIMARY KEY(study, day, seed, checksum)) WITHOUT ROWID;
CREATE TABLE refusal(
    study TEXT, reason TEXT, count INTEGER NOT NULL, PRIMARY KEY(study, reason)) WITHOUT ROWID;
CREATE TABLE secret(name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
"""

_MARK = f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = {VERSION};"

_PRAGMAS = (
    "synchronous = FULL",  # a commit is on disk before it is acknowledged
    "fullfsync = ON",  # where a plain sync leaves data in the drive's cache
    "secure_delete = ON",  # a burnt code leaves no trace in free pages
    "cell_size_check = ON",
    "wal_autocheckpoint = 1000",  # 4 MB: no commit waits long for the log to be moved
    "journal_size_limit = 0",  # a log that starts again keeps no commit it held before
)

_PATIENCE = 5_000  # milliseconds, for another program that looks into the file

# The statements are always the same: one that SQLite does not understand meets a damaged schema.
_DAMAGED = {
    sqlite3.SQLITE_CORRUPT,
    sqlite3.SQLITE_ERROR,
    sqlite3.SQLITE_CONSTRAINT,
    sqlite3.SQLITE_MISMATCH,
}


class Database:
    """One file, one process, one writing connection; reading ones are opened as needed."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        self._lock = _lock(self.path.with_name(self.path.name + ".lock"))
        try:
            with self._errors():
                self.writer = self._open()
        except BaseException:
            self._lock.close()
            raise

    @property
    def closed(self) -> bool:
        """Whether another process may have it."""
        return self._lock.closed

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """A transaction: committed to disk at the end, or undone."""
        with self._errors():
            self.writer.execute("BEGIN IMMEDIATE")
            try:
                yield self.writer
                self.writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # after some errors SQLite has rolled back itself
                    self.writer.execute("ROLLBACK")
                raise

    @contextmanager
    def read(self) -> Iterator[sqlite3.Connection]:
        """A snapshot, for any thread, beside the writer."""
        with self._errors():
            reader = _connect(f"{self.path.absolute().as_uri()}?mode=ro")
            try:
                reader.execute("BEGIN")
                yield reader
            finally:
                reader.close()

    def forget(self) -> None:
        """Drop the writer's copies of pages, to see what is really on disk."""
        with self._errors():
            self.writer.execute("PRAGMA shrink_memory")

    def checkpoint(self) -> None:
        """Move the write-ahead log into the file and empty it, unless somebody reads just now."""
        with self._errors():
            self.writer.execute("PRAGMA busy_timeout = 0")  # a reader may take its time
            try:
                self.writer.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
            finally:
                self.writer.execute(f"PRAGMA busy_timeout = {_PATIENCE}")

    def rebuild(self) -> None:
        """Write the file anew, in the order of its keys: pages are numbered as they were filled."""
        with self._errors():
            refuse_damaged_pages(self.writer)  # what is lost in a damaged tree stays in the file
            self.writer.execute("VACUUM")

    def close(self) -> None:
        """Move the write-ahead log into the file and let another process open it."""
        try:
            with self._errors():
                self.writer.close()
        finally:
            self._lock.close()

    def _open(self) -> sqlite3.Connection:
        self.path.touch(mode=0o600)
        writer = _connect(self.path.absolute().as_uri())
        try:
            _prepare(writer, self.path)
        except BaseException:
            writer.close()
            raise
        return writer

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise StorageError(_in_words(self.path, error)) from error
        except UnicodeDecodeError as error:  # what SQLite complained about has a flipped bit
            raise StorageError(_damaged(self.path, error)) from error
        except OSError as error:
            raise StorageError(f"{self.path} cannot be opened: {error}") from error


def _lock(path: Path) -> IO[bytes]:
    """Held until closed, or until the process ends however it ends; another one is refused."""
    try:
        lock = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o600), "rb")
    except OSError as error:
        message = f"{path} cannot be made ({error}); choose a directory that can be written to"
        raise StorageError(message) from error
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        lock.close()
        message = f"another process uses {path.with_suffix('')}; stop it, or choose another file"
        raise StorageError(message) from error
    return lock


def _connect(uri: str) -> sqlite3.Connection:
    return sqlite3.connect(uri, uri=True, isolation_level=None, check_same_thread=False)


def _prepare(db: sqlite3.Connection, path: Path) -> None:
    """Settings, and the tables of a new file; a file of something else is refused untouched."""
    new = _is_new(db, path)
    for pragma in _PRAGMAS:
        db.execute(f"PRAGMA {pragma}")
    (mode,) = db.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StorageError(f"{path} cannot have a write-ahead log here; choose a local disk")
    if new:
        db.executescript(f"BEGIN IMMEDIATE; {SCHEMA} {_MARK} COMMIT;")


def _is_new(db: sqlite3.Connection, path: Path) -> bool:
    (application,) = db.execute("PRAGMA application_id").fetchone()
    (version,) = db.execute("PRAGMA user_version").fetchone()
    (tables,) = db.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    if (application, version) == (APPLICATION, VERSION):
        return False
    if (application, version, tables) == (0, 0, 0):
        return True
    raise StorageError(
        f"{path} is not a store of this version (application {application}, version {version}; "
        f"expected {APPLICATION}, {VERSION}); choose another file or update tacit"
    )


def refuse_damaged_pages(db: sqlite3.Connection) -> None:
    """Raise where pages make no sense: what is written into such a tree may be lost."""
    complaints = [text for (text,) in db.execute("PRAGMA quick_check(1)")]
    if complaints != ["ok"]:
        _, _, path = db.execute("PRAGMA database_list").fetchone()
        raise StorageError(_damaged(Path(path), complaints[0]))


def _in_words(path: Path, error: sqlite3.Error) -> str:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_NOTADB:
        return f"choose another file if {path} never was a store; otherwise {_damaged(path, error)}"
    if code in _DAMAGED:
        return _damaged(path, error)
    if code == sqlite3.SQLITE_FULL:
        return f"there is no room for {path} ({error}); nothing was changed; free some space"
    return f"{path} cannot be written or read now ({error}); nothing was changed; look at the disk"


def _damaged(path: Path, found: object) -> str:
    return (
        f"{path} is damaged ({found}); keep a copy of it and restore a backup, or save what "
        f"is readable with `sqlite3 {path} .recover | sqlite3 new.db`"
    )
