"""Studies on disk, each beside a checksum of what the collector knows about it."""

import sqlite3
import zlib

from tacit.collector.storage.store import Entry
from tacit.errors import StorageError, StudyFileError
from tacit.study import Study


def stored_entries(db: sqlite3.Connection) -> list[tuple[int, Entry]]:
    """The studies by their numbers; one that was altered on disk is an error."""
    rows = db.execute(
        "SELECT number, CAST(file AS BLOB), open, planned, needs_code, checksum FROM study"
    )
    entries = []
    for number, file, is_open, planned, needs_code, checksum in rows.fetchall():
        try:
            entry = Entry(Study.from_bytes(file or b""), bool(is_open), planned, bool(needs_code))
        except StudyFileError as error:
            raise StorageError(f"a stored study is damaged ({error}); restore a backup") from error
        if _entry_checksum(number, entry) != checksum:
            raise StorageError(f"what is stored of {entry.study.id} is damaged; restore a backup")
        entries.append((number, entry))
    return entries


def write_entry(db: sqlite3.Connection, number: int, entry: Entry) -> None:
    """Store a study, in place of what it was."""
    db.execute(
        "INSERT OR REPLACE INTO study(number, file, open, planned, needs_code, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            number,
            entry.study.to_bytes(),
            entry.open,
            entry.planned,
            entry.needs_code,
            _entry_checksum(number, entry),
        ),
    )


def _entry_checksum(number: int, entry: Entry) -> int:
    """The study file has a hash of its own."""
    return zlib.crc32(repr((number, entry.open, entry.planned, entry.needs_code)).encode())
