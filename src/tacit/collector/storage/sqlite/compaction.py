"""A day's reports cut anew, by their order alone, so that no commit is told from another.

Reports arrive as bundles of one commit each, and who shared a commit came at one moment.
"""

import sqlite3
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.collector.storage.sqlite import bundles
from tacit.errors import StorageError
from tacit.study.report import REPORT_BYTES, Seeds

FULL = 10_000  # reports; only the last bundle of a compact day has fewer

_SELECT_DAY = (
    "SELECT CAST(seeds AS BLOB), CAST(checks AS BLOB) FROM bundle "
    "WHERE study = ? AND day = ? ORDER BY least"
)
_DELETE_DAY = "DELETE FROM bundle WHERE study = ? AND day = ?"


@dataclass(frozen=True, eq=False)
class DayContent:
    """A day's reports as stored, their checksums, and how many each bundle has."""

    seeds: Seeds
    checks: bundles.Checksums
    sizes: list[int]


def compact_day(db: sqlite3.Connection, study: int, day: int, count: int) -> bool:
    """Rewrite a day within a transaction, unless it is compact or does not hold `count` reports.

    Checksums move with their reports, right or wrong: a check finds the same damage afterwards.
    """
    stored = _stored(db, study, day, count)
    if stored is None:
        return False
    order = bundles.order_of(stored.seeds)
    if _is_compact(stored, order):
        return False
    if db.execute(_DELETE_DAY, (study, day)).rowcount != len(stored.sizes):
        raise StorageError(f"bundles of study number {study} cannot be replaced; restore a backup")
    for start in range(0, count, FULL):
        part = order[start : start + FULL]
        bundles.write(db, study, day, stored.seeds[part], stored.checks[part])
    return True


def _stored(db: sqlite3.Connection, study: int, day: int, count: int) -> DayContent | None:
    """All of a day in memory: 20 bytes a report, and as much again while they are sorted."""
    found = DayContent(np.empty((count, REPORT_BYTES), np.uint8), np.empty(count, np.uint32), [])
    end = 0
    for content, stated in db.execute(_SELECT_DAY, (study, day)):
        start, size = end, len(stated or b"") // 4
        end = start + size
        if end > count or len(content or b"") != REPORT_BYTES * size or len(stated) != 4 * size:
            return None
        found.seeds[start:end] = np.frombuffer(content, np.uint8).reshape(-1, REPORT_BYTES)
        found.checks[start:end] = np.frombuffer(stated, "<u4")
        found.sizes.append(size)
    return found if end == count else None


def _is_compact(day: DayContent, order: NDArray[np.intp]) -> bool:
    """Bundles are read by their least reports, so ranges that overlap are out of order."""
    full, rest = divmod(len(order), FULL)
    even = day.sizes == [FULL] * full + [rest] * (rest > 0)
    return even and bool((order[1:] > order[:-1]).all())
