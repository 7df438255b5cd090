"""What the store keeps in memory of one study, and how new reports get there."""

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date

import numpy as np

from tacit.collector.storage.interface import Segment, StoredStudy
from tacit.collector.storage.sqlite import bundles
from tacit.collector.storage.sqlite.fingerprints import Fingerprints, ReportSet
from tacit.study import Study, Tally
from tacit.study.report import Seeds

_MERGED_EVERY = 64  # appends
_NO_DAY = 0


@dataclass
class StudyState:
    """Values are replaced, never changed, so that any thread may read them.

    `days` holds the stored tally of each day, by the day's number. What follows it is the writer's:
    `compacted` are days known to be compact, `stale` says that memory may lag behind the disk.
    """

    number: int
    stored: StoredStudy
    known: ReportSet
    days: dict[int, Tally]
    total: Tally
    quarantined: int = 0
    unmerged: int = 0
    compacted: set[int] = field(default_factory=set)
    stale: bool = False

    @classmethod
    def empty(cls, number: int, stored: StoredStudy) -> "StudyState":
        """Of a new study."""
        return cls(number, stored, ReportSet(), {}, Tally.of(stored.study))

    @property
    def study(self) -> Study:
        """The study it is about."""
        return self.stored.study

    def tally(self, day: int | None) -> Tally:
        """Of one day, or of all."""
        return self.total if day is None else self.days.get(day, Tally.of(self.study))

    def segments(self) -> list[Segment]:
        """Days with reports, in their order."""
        days = sorted(self.days.items())
        return [Segment(date.fromordinal(day).isoformat(), t.count) for day, t in days if t.count]


@dataclass(frozen=True, eq=False)
class NewReports:
    """New reports of one study and day: written within a transaction, noted after it.

    `days` and `total` are what the tallies become. All that noting takes is made before the commit,
    so that it does not fail for memory.
    """

    state: StudyState
    day: int
    seeds: Seeds
    prepared: Fingerprints
    days: dict[int, Tally]
    total: Tally

    @classmethod
    def of(cls, state: StudyState, day: int, seeds: Seeds) -> "NewReports":
        """Sorted, tallied, and with the memory they need at hand."""
        seeds = bundles.sorted_once(seeds)
        more = Tally.of(state.study).add(seeds)
        days = state.days | {day: state.tally(day) + more}
        return cls(state, day, seeds, state.known.prepare(seeds), days, state.total + more)

    def write(self, db: sqlite3.Connection) -> None:
        """The reports and the day's tally."""
        number = self.state.number
        checks = bundles.checksums(self.seeds, self.state.study.tag)
        bundles.write(db, number, self.day, self.seeds, checks)
        if self.state.unmerged >= _MERGED_EVERY:
            bundles.merge_small(db, number, self.day)
        write_tally(db, number, self.day, self.days[self.day])

    def note(self) -> None:
        """Once committed."""
        state = self.state
        state.known.note(self.prepared)
        state.days = self.days
        state.total = self.total
        state.compacted.discard(self.day)
        state.unmerged = 0 if state.unmerged >= _MERGED_EVERY else state.unmerged + 1


def rehearse(db: sqlite3.Connection, state: StudyState, stored: Sequence[Seeds]) -> None:
    """The work of reports that are new, undone at once: being told "stored" takes as long."""
    db.execute("SAVEPOINT rehearsal")
    NewReports.of(state, _NO_DAY, np.concatenate(stored)).write(db)
    db.execute("ROLLBACK TO rehearsal")
    db.execute("RELEASE rehearsal")


def write_tally(db: sqlite3.Connection, study: int, day: int, tally: Tally) -> None:
    """Store a day's tally in place of an earlier one."""
    db.execute(
        "INSERT INTO tally(study, day, tally) VALUES (?, ?, ?) "
        "ON CONFLICT(study, day) DO UPDATE SET tally = excluded.tally",
        (study, day, tally.to_bytes()),
    )
