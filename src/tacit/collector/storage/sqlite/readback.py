"""Reading a study back from disk: what is damaged is set aside, and tallies follow the reports."""

import sqlite3
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import date

from tacit.collector.storage.interface import StoredStudy, Verification
from tacit.collector.storage.sqlite import bundles
from tacit.collector.storage.sqlite.database import refuse_damaged_pages
from tacit.collector.storage.sqlite.fingerprints import ReportSet
from tacit.collector.storage.sqlite.state import StudyState, write_tally
from tacit.errors import ReportError, StorageError, StudyFileError
from tacit.study import Study, Tally
from tacit.study.report import Seeds

_LATEST_DAY = date.max.toordinal()


@dataclass
class DayFindings:
    """One day of a study: its stored tally (None if unreadable), and what its bundles hold.

    `recounted` is the tally of the sound reports, or None where only their number is compared.
    """

    stored: Tally | None
    recounted: Tally | None
    sound: int = 0
    damaged: int = 0

    @property
    def agrees(self) -> bool:
        """Whether the stored tally is that of the reports, as far as these can be read."""
        if self.stored is None or self.stored.count != self.sound + self.damaged:
            return False
        return self.damaged > 0 or self.recounted is None or self.recounted == self.stored

    @property
    def right(self) -> Tally | None:
        """The stored tally, unless there is something to mend."""
        return self.stored if self.agrees and not self.damaged else None


def examine(
    db: sqlite3.Connection,
    number: int,
    study: Study,
    *,
    recount: bool,
    each: Callable[[Seeds], None] | None = None,
) -> dict[int, DayFindings]:
    """Verify checksums and counts, with `recount` also the sums; `each` is shown sound reports."""
    start = Tally.of(study) if recount else None
    days = {
        day: DayFindings(tally, start) for day, tally in stored_tallies(db, number, study).items()
    }
    for bundle in bundles.scan(db, number, study.tag):
        day = days.setdefault(_checked_day(bundle.day), DayFindings(None, start))
        seeds = bundle.sound_seeds
        day.sound += len(seeds)
        day.damaged += len(bundle.seeds) - len(seeds)
        if day.recounted is not None:
            day.recounted = day.recounted.add(seeds)
        if each is not None:
            each(seeds)
    return days


def summary(days: Iterable[DayFindings]) -> Verification:
    """What was found, in numbers."""
    listed = list(days)
    sound, damaged = sum(day.sound for day in listed), sum(day.damaged for day in listed)
    counted = sum(day.stored.count for day in listed if day.stored is not None)
    return Verification(
        sound,
        damaged,
        max(0, counted - sound - damaged),
        all(day.agrees for day in listed),
    )


def load(
    db: sqlite3.Connection,
    number: int,
    stored: StoredStudy,
    *,
    recount: bool = False,
    progress: Callable[[int], None] | None = None,
) -> tuple[StudyState, Verification]:
    """A study as it stands on disk, mended where it has to be: within a transaction.

    `progress` is told how many reports each step read.
    """
    study = stored.study
    known = ReportSet(
        sum(t.count for t in stored_tallies(db, number, study).values() if t is not None)
    )

    def each(seeds: Seeds) -> None:
        known.add(seeds)
        if progress is not None:
            progress(len(seeds))

    found = examine(db, number, study, recount=recount, each=each)
    if not all(was.right for was in found.values()):
        refuse_damaged_pages(db)
    days = {day: was.right or _mend(db, number, study, day) for day, was in found.items()}
    total = sum(days.values(), Tally.of(study))
    quarantined = _count_quarantined(db, number)
    return StudyState(number, stored, known, days, total, quarantined), summary(found.values())


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


def stored_tallies(db: sqlite3.Connection, number: int, study: Study) -> dict[int, Tally | None]:
    """By day, and None where one cannot be read."""
    rows = db.execute("SELECT day, CAST(tally AS BLOB) FROM tally WHERE study = ?", (number,))
    return {_checked_day(day): _tally_of(study, data or b"") for day, data in rows}


def _mend(db: sqlite3.Connection, number: int, study: Study, day: int) -> Tally:
    """Set aside what is damaged of a day and make its tally anew from the rest."""
    tally = Tally.of(study)
    damaged = []
    for bundle in bundles.scan(db, number, study.tag, day):
        tally = tally.add(bundle.sound_seeds)
        if not bundle.sound.all():
            damaged.append(bundle)
    for bundle in damaged:
        bundles.set_aside(db, number, bundle)
    write_tally(db, number, day, tally)
    return tally


def _tally_of(study: Study, data: bytes) -> Tally | None:
    try:
        tally = Tally.from_bytes(data)
    except ReportError:
        return None
    right = tally.study_id == study.id and len(tally.sums) == study.dimension
    return tally if right else None


def _checked_day(day: int) -> int:
    if not isinstance(day, int) or not 1 <= day <= _LATEST_DAY:
        raise StorageError(f"a stored day is damaged, got day={day!r}; restore a backup")
    return day


def _count_quarantined(db: sqlite3.Connection, number: int) -> int:
    query = "SELECT count(*) FROM quarantine WHERE study = ?"
    (count,) = db.execute(query, (number,)).fetchone()
    return int(count)


def _checksum(number: int, stored: StoredStudy) -> int:
    """The study file has a hash of its own."""
    return zlib.crc32(repr((number, stored.open, stored.planned, stored.needs_code)).encode())
