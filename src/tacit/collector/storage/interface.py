"""What the collector asks of a store, in values; each kind of store is a folder beside this file.

Only the writer's thread calls the methods that change something, one call at a time; any thread may
read, and may call `verify`. A call that returns has made its change durable; one that raises
`StorageError` has changed nothing. A study that is not there, or a day that is none, raises
`ConfigurationError`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Protocol

from tacit.study import Study, Tally
from tacit.study.report import Seeds


@dataclass(frozen=True)
class StoredStudy:
    """A study as the collector keeps it."""

    study: Study
    open: bool
    planned: int | None
    needs_code: bool


@dataclass(frozen=True)
class Segment:
    """The reports of one study that arrived on one day (UTC, as YYYY-MM-DD)."""

    day: str
    count: int


@dataclass(frozen=True, eq=False)
class Post:
    """What one request brought: seeds (n, 16) of a study and, where it needs one, a code's hash."""

    study_id: str
    seeds: Seeds
    code: bytes | None = None


class Outcome(Enum):
    """What became of a post.

    One whose reports were all stored before counts as stored, whatever its code: a retry must
    succeed. A closed study answers every post alike, and nothing tells what it holds.
    """

    STORED = "stored"
    CLOSED = "closed"
    UNKNOWN_STUDY = "unknown study"
    NO_CODE = "no code"
    BAD_CODE = "unknown or used code"


@dataclass(frozen=True)
class Verification:
    """What reading everything back found: reports that are right, set aside, or gone.

    `missing` are those that a sound tally counts and that are no longer there.
    """

    reports: int
    quarantined: int
    missing: int
    tallies_agree: bool


class Store(Protocol):
    """Studies, their reports (each once), daily tallies, codes and counts of refusals."""

    @property
    def opened(self) -> Verification:
        """What reading all reports back found when the store was opened."""

    def create(self, study: Study, *, planned: int | None, needs_code: bool) -> bool:
        """Add a study; False, and no change, if it is there already."""

    def studies(self) -> list[StoredStudy]:
        """Every study, in the order of their ids."""

    def set_public(self, study_id: str, parquet: bytes) -> None:
        """Keep the study's public rows, replacing earlier ones."""

    def public(self, study_id: str) -> bytes | None:
        """The study's public rows, if they were given."""

    def close_study(self, study_id: str) -> None:
        """Take no report any more; for ever."""

    def add_codes(self, study_id: str, hashes: Sequence[bytes]) -> None:
        """Participation codes, as hashes of 32 bytes."""

    def append(self, posts: Sequence[Post], day: str) -> list[Outcome]:
        """Store what is new of several posts, burn their codes and move the tallies, as one."""

    def tally(self, study_id: str, day: str | None = None) -> Tally:
        """The stored tally of a study, or of one of its days."""

    def segments(self, study_id: str) -> list[Segment]:
        """The days on which reports arrived."""

    def seeds(self, study_id: str, day: str | None = None) -> Iterator[Seeds]:
        """The stored reports, in pieces of bounded size and no order of arrival, once checked."""

    def verify(self) -> Verification:
        """Read everything back; set aside what was damaged and take it out of the tallies."""

    def quarantined(self, study_id: str) -> int:
        """How many reports of a study were set aside as damaged."""

    def compact(self) -> None:
        """Cut the reports of past days anew, so that no commit is told from another."""

    def checkpoint(self) -> None:
        """Take recent commits out of any log of them, unless somebody reads just now."""

    def add_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        """Count refusals by study id ("" for none) and reason."""

    def refusals(self, study_id: str) -> dict[str, int]:
        """Refusals of a study by reason."""

    def secret(self, name: str) -> bytes | None:
        """A small value the collector keeps, such as the hash of the admin token."""

    def set_secret(self, name: str, value: bytes) -> None:
        """Keep a small value."""

    def close(self) -> None:
        """Leave everything on disk, in no order of arrival, and let another process open it."""
