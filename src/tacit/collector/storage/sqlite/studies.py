"""Studies on disk, each beside a checksum of what the collector knows about it."""

import sqlite3
import zlib

from tacit.collector.storage.interface import StoredStudy
from tacit.errors import StorageError, StudyFileError
from tacit.study import Study


def stored_studies(db: sqlite3.Connection) -> list[tuple[int, StoredStudy]]:
    """The studies by their numbers; one that was altered on disk is an error."""
    rows = db.execute(
        "SELECT number, CAST(file AS BLOB), open, planned, needs_code, checksum FROM study"
    )
    found = []
    for number, file, is_open, planned, needs_code, checksum in rows.fetchall():
        try:
            stored = StoredStudy(
                Study.from_bytes(file or b""), bool(is_open), planned, bool(needs_code)
            )
        except StudyFileError as error:
            raise StorageError(f"a stored study is damaged ({error}); restore a backup") from error
        if _checksum(number, stored) != checksum:
            raise StorageError(f"what is stored of {stored.study.id} is damaged; restore a backup")
        found.append((number, stored))
    return found


def write_study(db: sqlite3.Connection, number: int, stored: StoredStudy) -> None:
    """Store a study, in place of what it was."""
    db.execute(
        "INSERT OR REPLACE INTO study(number, file, open, planned, needs_code, checksum) "
        "VALUES (?, ?, ?, ?, ?, ?)",
        (
            number,
            stored.study.to_bytes(),
            stored.open,
            stored.planned,
            stored.needs_code,
            _checksum(number, stored),
        ),
    )


def _checksum(number: int, stored: StoredStudy) -> int:
    """The study file has a hash of its own."""
    return zlib.crc32(repr((number, stored.open, stored.planned, stored.needs_code)).encode())
