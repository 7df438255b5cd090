"""Reports on disk: bundles of one study and day, sorted, each report beside its checksum.

One damaged bit costs one report, not a file.

A bundle is known by its least seed, so neither the reports in it nor the bundles of a day have an
order of arrival. Small ones are merged, so that a day of single reports has few. Where SQLite puts
them in the file, and which reports share one, still tells of commits until the day is compacted.
"""

import sqlite3
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from tacit.errors import StorageError
from tacit.study.report import REPORT_BYTES, Seeds

Checksums = NDArray[np.uint32]

LARGEST = 2**16
SMALL = 2**10

_CHECK_BYTES = 4
_ZEROS = bytes(REPORT_BYTES)

_INSERT = "INSERT INTO bundle(study, day, least, seeds, checks) VALUES (?, ?, ?, ?, ?)"
_DELETE = "DELETE FROM bundle WHERE study = ? AND day = ? AND least = ?"
_SELECT = "SELECT day, least, CAST(seeds AS BLOB), CAST(checks AS BLOB) FROM bundle WHERE study = ?"
_SELECT_SMALL = (
    "SELECT least, seeds, checks FROM bundle WHERE study = ? AND day = ? "
    "AND length(seeds) < ? AND length(seeds) = 4 * length(checks)"
)


@dataclass(frozen=True, eq=False)
class Bundle:
    """A bundle as read, and which of its reports match their checksums."""

    day: int
    least: bytes
    seeds: Seeds
    checks: Checksums
    sound: NDArray[np.bool_]

    @property
    def sound_seeds(self) -> Seeds:
        """The reports that are as they were stored."""
        return self.seeds if self.sound.all() else self.seeds[self.sound]


def sorted_once(seeds: Seeds) -> Seeds:
    """The seeds (n, 16) in the order of their bytes, each once."""
    ranked = seeds[order_of(np.ascontiguousarray(seeds))]
    halves = ranked.view(np.uint64)
    repeated = (halves[1:] == halves[:-1]).all(axis=1)
    return ranked[np.append(True, ~repeated)] if repeated.any() else ranked


def order_of(seeds: Seeds) -> NDArray[np.intp]:
    """The places of the seeds (n, 16), by their bytes."""
    halves = seeds.view(">u8")
    first = halves[:, 0].astype(np.uint64)
    if (first[1:] > first[:-1]).all():
        return np.arange(len(first))
    order = np.argsort(first)
    ranked = first[order]
    if not (ranked[1:] == ranked[:-1]).any():  # nearly always: the other half need not be read
        return order
    return np.lexsort((halves[:, 1].astype(np.uint64), first))


def checksums(seeds: Seeds, tag: bytes) -> Checksums:
    """zlib.crc32(tag + seed) of each seed (n, 16): a seed under another study's tag fails.

    For inputs of one length CRC is linear but for a constant, so each byte of a seed has a table
    of its own and the results are combined by exclusive or.
    """
    result = np.full(len(seeds), zlib.crc32(tag + _ZEROS), dtype=np.uint32)
    for table, column in zip(_tables(), seeds.T, strict=True):
        result ^= table[column]
    return result


@cache
def _tables() -> NDArray[np.uint32]:
    """What each value (256) of the byte at each place (16) changes in the checksum of zeros."""
    nothing = zlib.crc32(_ZEROS)
    rows = [
        [zlib.crc32(_ZEROS[:place] + bytes([value]) + _ZEROS[place + 1 :]) for value in range(256)]
        for place in range(REPORT_BYTES)
    ]
    return np.array(rows, dtype=np.uint32) ^ np.uint32(nothing)


def write(db: sqlite3.Connection, study: int, day: int, seeds: Seeds, checks: Checksums) -> None:
    """Store sorted reports with their checksums, in bundles of bounded size."""
    for start in range(0, len(seeds), LARGEST):
        part = slice(start, start + LARGEST)
        content = seeds[part].tobytes()
        row = (study, day, content[:REPORT_BYTES], content, checks[part].astype("<u4").tobytes())
        db.execute(_INSERT, row)


def scan(
    db: sqlite3.Connection, study: int, tag: bytes, day: int | None = None
) -> Iterator[Bundle]:
    """A study's bundles, or those of one day, by day."""
    where, key = ("", (study,)) if day is None else (" AND day = ?", (study, day))
    for row in db.execute(_SELECT + where + " ORDER BY day, least", key):
        yield _checked(row, tag)


def merge_small(db: sqlite3.Connection, study: int, day: int) -> None:
    """Make one bundle of a day's small ones; checksums move with their reports, right or wrong."""
    rows = db.execute(_SELECT_SMALL, (study, day, SMALL * REPORT_BYTES)).fetchall()
    if len(rows) < 2:
        return
    db.executemany(_DELETE, [(study, day, least) for least, _, _ in rows])
    seeds = np.frombuffer(b"".join(row[1] for row in rows), np.uint8).reshape(-1, REPORT_BYTES)
    checks = np.frombuffer(b"".join(row[2] for row in rows), "<u4")
    order = order_of(seeds)
    write(db, study, day, seeds[order], checks[order])


def set_aside(db: sqlite3.Connection, study: int, bundle: Bundle) -> None:
    """Move what was damaged of a bundle to the quarantine, and keep the rest."""
    if db.execute(_DELETE, (study, bundle.day, bundle.least)).rowcount != 1:
        raise StorageError(
            f"a damaged bundle of study number {study} cannot be replaced; restore a backup"
        )
    kept = bundle.sound_seeds
    write(db, study, bundle.day, kept, bundle.checks[bundle.sound])
    damaged = ~bundle.sound
    db.executemany(
        "INSERT OR IGNORE INTO quarantine(study, day, seed, checksum) VALUES (?, ?, ?, ?)",
        [
            (study, bundle.day, seed.tobytes(), check.tobytes())
            for seed, check in zip(bundle.seeds[damaged], bundle.checks[damaged], strict=True)
        ],
    )


def _checked(row: tuple[int, bytes, bytes | None, bytes | None], tag: bytes) -> Bundle:
    """A field that damage made shorter is filled up with zeros, which fail the checksum."""
    day, least, seeds, checks = row[0], row[1], row[2] or b"", row[3] or b""
    count = max(-(-len(seeds) // REPORT_BYTES), -(-len(checks) // _CHECK_BYTES))
    whole = seeds.ljust(count * REPORT_BYTES, b"\0")
    rows = np.frombuffer(whole, np.uint8).reshape(-1, REPORT_BYTES)
    stated = np.frombuffer(checks.ljust(count * _CHECK_BYTES, b"\0"), "<u4")
    return Bundle(day, least, rows, stated, checksums(rows, tag) == stated)
