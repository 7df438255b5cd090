"""A store in plain dictionaries: what the contract asks, without a disk to keep it on."""
# ruff: noqa: D102 - the interface says what each does

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from threading import Lock

import numpy as np

from tacit.collector.storage.interface import Outcome, Post, Segment, StoredStudy, Verification
from tacit.errors import ConfigurationError, StorageError
from tacit.study import Study, Tally
from tacit.study.report import Seeds


@dataclass
class _Kept:
    """One study: its reports by day, and what goes with it."""

    stored: StoredStudy
    days: dict[bytes, str] = field(default_factory=dict)
    codes: set[bytes] = field(default_factory=set)
    public: bytes | None = None


@dataclass
class _Disk:
    """What outlives a store that is closed."""

    studies: dict[str, _Kept] = field(default_factory=dict)
    refusals: dict[tuple[str, str], int] = field(default_factory=dict)
    secrets: dict[str, bytes] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


_DISKS: dict[Path, _Disk] = {}


class MemoryStore:
    """Implements `Store`."""

    def __init__(self, folder: Path, progress: Callable[[int], None] | None) -> None:
        self._disk = _DISKS.setdefault(folder, _Disk())
        self._closed = False
        self.opened = self.verify()
        if progress is not None:
            progress(self.opened.reports)

    def create(self, study: Study, *, planned: int | None, needs_code: bool) -> bool:
        new = study.id not in self._disk.studies
        if new:
            self._disk.studies[study.id] = _Kept(StoredStudy(study, True, planned, needs_code))
        return new

    def studies(self) -> list[StoredStudy]:
        return [kept.stored for _, kept in sorted(self._disk.studies.items())]

    def set_public(self, study_id: str, parquet: bytes) -> None:
        self._kept(study_id).public = parquet

    def public(self, study_id: str) -> bytes | None:
        return self._kept(study_id).public

    def close_study(self, study_id: str) -> None:
        kept = self._kept(study_id)
        kept.stored = replace(kept.stored, open=False)

    def add_codes(self, study_id: str, hashes: Sequence[bytes]) -> None:
        self._kept(study_id).codes.update(hashes)

    def append(self, posts: Sequence[Post], day: str) -> list[Outcome]:
        _check(day)
        if self._closed:
            raise StorageError("this store is closed")
        with self._disk.lock:
            return [self._append(post, day) for post in posts]

    def tally(self, study_id: str, day: str | None = None) -> Tally:
        start = Tally.of(self._kept(study_id).stored.study)
        return sum((start.add(piece) for piece in self.seeds(study_id, day)), start)

    def segments(self, study_id: str) -> list[Segment]:
        days = list(self._kept(study_id).days.values())
        return [Segment(day, days.count(day)) for day in sorted(set(days))]

    def seeds(self, study_id: str, day: str | None = None) -> Iterator[Seeds]:
        days = [] if day is None else [_check(day)]
        with self._disk.lock:
            kept = list(self._kept(study_id).days.items())
        found = sorted(seed for seed, at in kept if not days or at in days)
        for start in range(0, len(found), 100):
            piece = b"".join(found[start : start + 100])
            yield np.frombuffer(piece, np.uint8).reshape(-1, 16)

    def verify(self) -> Verification:
        return Verification(sum(len(k.days) for k in self._disk.studies.values()), 0, 0, True)

    def quarantined(self, study_id: str) -> int:
        return 0

    def compact(self) -> None:
        pass

    def checkpoint(self) -> None:
        pass

    def add_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        for key, count in counts.items():
            self._disk.refusals[key] = self._disk.refusals.get(key, 0) + count

    def refusals(self, study_id: str) -> dict[str, int]:
        return {why: n for (study, why), n in self._disk.refusals.items() if study == study_id}

    def secret(self, name: str) -> bytes | None:
        return self._disk.secrets.get(name)

    def set_secret(self, name: str, value: bytes) -> None:
        self._disk.secrets[name] = value

    def close(self) -> None:
        self._closed = True

    def _kept(self, study_id: str) -> _Kept:
        if study_id not in self._disk.studies:
            raise ConfigurationError(f"there is no such study, got study_id={study_id!r}")
        return self._disk.studies[study_id]

    def _append(self, post: Post, day: str) -> Outcome:
        kept = self._disk.studies.get(post.study_id)
        if kept is None:
            return Outcome.UNKNOWN_STUDY
        if not kept.stored.open:
            return Outcome.CLOSED
        seeds = [seed.tobytes() for seed in post.seeds]
        if kept.stored.needs_code and not all(seed in kept.days for seed in seeds):
            if post.code is None:
                return Outcome.NO_CODE
            if len(seeds) != 1 or post.code not in kept.codes:
                return Outcome.BAD_CODE
            kept.codes.remove(post.code)
        for seed in seeds:
            kept.days.setdefault(seed, day)
        return Outcome.STORED


def _check(day: str) -> str:
    try:
        right = date.fromisoformat(day).isoformat() == day
    except ValueError:
        right = False
    if not right:
        raise ConfigurationError(f"day must be a date as YYYY-MM-DD, got day={day!r}")
    return day
