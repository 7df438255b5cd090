"""What the store keeps in memory of one study, and how new reports get there."""

import sqlite3
from dataclasses import dataclass, field
from datetime import date

from tacit.collector.storage import bundles
from tacit.collector.storage.seen import Fingerprints, Seen
from tacit.collector.storage.store import Entry, Segment
from tacit.study import Study, Tally
from tacit.study.report import Seeds

_MERGED_EVERY = 64  # appends


@dataclass
class Shelf:
    """Values are replaced, never changed, so that any thread may read them.

    `days` holds the stored tally of each day, by the day's number. What follows it is the writer's:
    `tidied` are days known to be tidy on disk, `stale` says that memory may lag behind the disk.
    """

    number: int
    entry: Entry
    seen: Seen
    days: dict[int, Tally]
    total: Tally
    quarantined: int = 0
    unmerged: int = 0
    tidied: set[int] = field(default_factory=set)
    stale: bool = False

    @classmethod
    def empty(cls, number: int, entry: Entry) -> "Shelf":
        """Of a new study."""
        return cls(number, entry, Seen(), {}, Tally.of(entry.study))

    @property
    def study(self) -> Study:
        """The study it is about."""
        return self.entry.study

    def tally(self, day: int | None) -> Tally:
        """Of one day, or of all."""
        return self.total if day is None else self.days.get(day, Tally.of(self.study))

    def segments(self) -> list[Segment]:
        """Days with reports, in their order."""
        days = sorted(self.days.items())
        return [Segment(date.fromordinal(day).isoformat(), t.count) for day, t in days if t.count]


@dataclass(frozen=True, eq=False)
class Intake:
    """New reports of one study and day: written within a transaction, noted after it.

    `days` and `total` are what the tallies become. All that noting takes is made before the commit,
    so that it does not fail for memory.
    """

    shelf: Shelf
    day: int
    seeds: Seeds
    prepared: Fingerprints
    days: dict[int, Tally]
    total: Tally

    @classmethod
    def of(cls, shelf: Shelf, day: int, seeds: Seeds) -> "Intake":
        """Sorted, tallied, and with the memory they need at hand."""
        seeds = bundles.sorted_once(seeds)
        more = Tally.of(shelf.study).add(seeds)
        days = shelf.days | {day: shelf.tally(day) + more}
        return cls(shelf, day, seeds, shelf.seen.prepare(seeds), days, shelf.total + more)

    def write(self, db: sqlite3.Connection) -> None:
        """The reports and the day's tally."""
        number = self.shelf.number
        bundles.insert(db, number, self.day, self.seeds, self.shelf.study.tag)
        if self.shelf.unmerged >= _MERGED_EVERY:
            bundles.merge_small(db, number, self.day)
        write_tally(db, number, self.day, self.days[self.day])

    def note(self) -> None:
        """Once committed."""
        shelf = self.shelf
        shelf.seen.note(self.prepared)
        shelf.days = self.days
        shelf.total = self.total
        shelf.tidied.discard(self.day)
        shelf.unmerged = 0 if shelf.unmerged >= _MERGED_EVERY else shelf.unmerged + 1


def write_tally(db: sqlite3.Connection, study: int, day: int, tally: Tally) -> None:
    """Store a day's tally in place of an earlier one."""
    db.execute(
        "INSERT INTO tally(study, day, tally) VALUES (?, ?, ?) "
        "ON CONFLICT(study, day) DO UPDATE SET tally = excluded.tally",
        (study, day, tally.to_bytes()),
    )
