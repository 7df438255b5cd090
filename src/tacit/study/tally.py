"""The tally: all that a fit needs of the reports, as exact integers."""

import hashlib
import operator
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ReportError, TooFewReportsError
from tacit.privacy.expand import SCALE, TAG_BYTES, quantised_sums
from tacit.study.report import Report, Seeds, check_study_id, refuse_foreign, seeds_of

if TYPE_CHECKING:
    from tacit.study.study import Study

MAGIC = b"TALLY\x00\x00\x01"
LARGEST_COUNT = 2**31 - 1  # beyond it a sum of coordinates could leave 64 bits

_CHECKSUM_BYTES = 32
_FIXED_BYTES = len(MAGIC) + 32 + 8 + _CHECKSUM_BYTES


@dataclass(frozen=True, eq=False)
class Tally:
    """Count and coordinate sums (in units of 2^-32) of a study's reports.

    Tallies of one study form a commutative monoid under `+`, with identity `Tally.of(study)`:
    the same reports give the same tally in any order and partition. Nothing is deduplicated.
    """

    study_id: str
    count: int
    sums: NDArray[np.int64]

    def __post_init__(self) -> None:
        check_study_id(self.study_id)
        sums = np.array(self.sums)
        if sums.ndim != 1 or sums.dtype != np.int64 or len(sums) == 0:
            raise ReportError(f"sums must be a vector of int64, got {sums.dtype} {sums.shape}")
        count = operator.index(self.count)
        if not 0 <= count <= LARGEST_COUNT:
            raise ReportError(
                f"count must lie between 0 and {LARGEST_COUNT}, got count={self.count}; "
                f"split the study"
            )
        reach = int(count * SCALE)
        if sums.min() < -reach or sums.max() > reach:
            raise ReportError(f"sums are larger than {self.count} reports can make them")
        sums.flags.writeable = False
        object.__setattr__(self, "count", count)
        object.__setattr__(self, "sums", sums)

    @classmethod
    def of(cls, study: "Study") -> "Tally":
        """The empty tally of a study."""
        return cls(study.id, 0, np.zeros(study.dimension, dtype=np.int64))

    @classmethod
    def from_sums(cls, study: "Study", count: int, sums: NDArray[np.int64]) -> "Tally":
        """A tally whose sums were made elsewhere: by an engine or a simulation."""
        if np.shape(sums) != (study.dimension,):
            raise ReportError(
                f"sums must have the study's {study.dimension} entries, got shape {np.shape(sums)}"
            )
        return cls(study.id, count, sums)

    def add(self, reports: Report | Iterable[Report] | Seeds) -> "Tally":
        """This tally with one report more, or several, or an array (n, 16) of their bytes."""
        seeds = seeds_of(self.study_id, reports)
        count = self._count_with(len(seeds))
        tag = bytes.fromhex(self.study_id)[:TAG_BYTES]
        return Tally(self.study_id, count, self.sums + quantised_sums(seeds, tag, len(self.sums)))

    def __add__(self, other: object) -> "Tally":
        if not isinstance(other, Tally):
            return NotImplemented
        refuse_foreign(other.study_id, self.study_id)
        if len(other.sums) != len(self.sums):
            raise ReportError(
                f"tallies of one study have equal lengths, got {len(self.sums)}, {len(other.sums)}"
            )
        return Tally(self.study_id, self._count_with(other.count), self.sums + other.sums)

    def mean(self, study: "Study") -> NDArray[np.float64]:
        """The mean of the unbiased reports (d,)."""
        refuse_foreign(self.study_id, study.id)
        if self.count == 0:
            raise TooFewReportsError("the tally is empty: add reports before estimating anything")
        return self.sums / (SCALE * self.count * study.mechanism.mean_length)

    def to_bytes(self) -> bytes:
        """Magic, study id, count, sums (little-endian int64), SHA-256 of all that."""
        numbers = np.array([self.count, *self.sums], dtype="<i8")
        content = MAGIC + bytes.fromhex(self.study_id) + numbers.tobytes()
        return content + hashlib.sha256(content).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Tally":
        """Read canonical bytes; anything else raises."""
        if data[: len(MAGIC)] != MAGIC or len(data) <= _FIXED_BYTES or len(data) % 8:
            raise ReportError(f"not a tally: {len(data)} bytes that start with {data[:8]!r}")
        content, checksum = data[:-_CHECKSUM_BYTES], data[-_CHECKSUM_BYTES:]
        if hashlib.sha256(content).digest() != checksum:
            raise ReportError("the tally was altered or is truncated; make it again from reports")
        numbers = np.frombuffer(content, dtype="<i8", offset=len(MAGIC) + 32)
        study_id = content[len(MAGIC) : len(MAGIC) + 32].hex()
        return cls(study_id, int(numbers[0]), numbers[1:].astype(np.int64))

    def __bytes__(self) -> bytes:
        return self.to_bytes()

    def __eq__(self, other: object) -> Any:
        return self.to_bytes() == other.to_bytes() if isinstance(other, Tally) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def _count_with(self, more: int) -> int:
        """Refused before anything is summed, so that no sum can overflow."""
        if self.count + more > LARGEST_COUNT:
            raise ReportError(
                f"a tally holds at most {LARGEST_COUNT:,} reports, got {self.count + more:,}; "
                f"split the study"
            )
        return self.count + more
