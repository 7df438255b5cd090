"""One report, and a file of them.

File: 8 bytes of magic with the version, the study's 32-byte id, then 16 bytes per report.
"""

import os
import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ReportError
from tacit.study.files import write_atomically

if TYPE_CHECKING:
    from tacit.study.study import Study

MAGIC = b"TACIT\x00\x00\x01"
REPORT_BYTES = 16

_ID_BYTES = 32
_HEADER_BYTES = len(MAGIC) + _ID_BYTES

Seeds = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Report:
    """What leaves a device: 16 bytes, beside the id of the study they belong to."""

    study_id: str
    seed: bytes

    def __post_init__(self) -> None:
        check_study_id(self.study_id)
        if not isinstance(self.seed, bytes) or len(self.seed) != REPORT_BYTES:
            raise ReportError(f"a report has {REPORT_BYTES} bytes, got seed={self.seed!r}")

    def __bytes__(self) -> bytes:
        return self.seed


@dataclass(frozen=True)
class ReportsFile:
    """Reports as read: each seed once, in order of arrival, and what was left out."""

    seeds: Seeds
    duplicates: int
    truncated_bytes: int


def write_reports(
    path: str | os.PathLike[str], study: "Study", reports: Seeds | Iterable[Report]
) -> None:
    """Write a file of reports, whole or not at all."""
    seeds = seeds_of(study.id, reports)
    write_atomically(path, MAGIC + bytes.fromhex(study.id) + seeds.tobytes())


def read_reports(path: str | os.PathLike[str], study: "Study") -> ReportsFile:
    """Read a file of this study's reports; of a truncated file, those that are whole."""
    data = Path(path).read_bytes()
    if data[: len(MAGIC)] != MAGIC or len(data) < _HEADER_BYTES:
        raise ReportError(
            f"{os.fspath(path)} is not a file of reports: it starts with {data[:8]!r} "
            f"({len(data)} bytes); pass one written by tacit"
        )
    refuse_foreign(data[len(MAGIC) : _HEADER_BYTES].hex(), study.id)
    truncated = (len(data) - _HEADER_BYTES) % REPORT_BYTES
    whole = np.frombuffer(data, np.uint8, len(data) - _HEADER_BYTES - truncated, _HEADER_BYTES)
    seeds = whole.reshape(-1, REPORT_BYTES)
    first = _first_occurrences(seeds)
    return ReportsFile(seeds[first], int(len(seeds) - first.sum()), truncated)


def seeds_of(study_id: str, reports: "Report | Iterable[Report] | Seeds") -> Seeds:
    """Seeds (n, 16) of one report, several, or an array of seeds; foreign ones are refused."""
    if isinstance(reports, np.ndarray):
        return _checked_array(reports)
    listed = [reports] if isinstance(reports, Report) else list(_iterable(reports))
    for report in listed:
        if not isinstance(report, Report):
            raise ReportError(f"reports must be Report values, got {type(report).__name__}")
        refuse_foreign(report.study_id, study_id)
    joined = b"".join(report.seed for report in listed)
    return np.frombuffer(joined, dtype=np.uint8).reshape(-1, REPORT_BYTES)


def refuse_foreign(found: str, expected: str) -> None:
    """Refuse what belongs to another study."""
    if found != expected:
        raise ReportError(
            f"these reports belong to study {found[:12]}…, not to study {expected[:12]}…; "
            f"use the study file they were made with"
        )


def check_study_id(study_id: Any) -> None:
    """Refuse what cannot be the id of a study."""
    if not isinstance(study_id, str) or not re.fullmatch("[0-9a-f]{64}", study_id):
        raise ReportError(f"study_id must be 64 hexadecimal digits, got study_id={study_id!r}")


def _checked_array(seeds: NDArray[Any]) -> Seeds:
    if seeds.dtype != np.uint8 or seeds.ndim != 2 or seeds.shape[1] != REPORT_BYTES:
        raise ReportError(
            f"an array of reports must be uint8 of shape (n, {REPORT_BYTES}), "
            f"got {seeds.dtype} of shape {seeds.shape}"
        )
    return seeds


def _iterable(reports: Any) -> Iterable[Any]:
    if isinstance(reports, bytes | str) or not isinstance(reports, Iterable):
        raise ReportError(
            f"reports must be a Report, several, or an array, got {type(reports).__name__}"
        )
    return reports


def _first_occurrences(seeds: Seeds) -> NDArray[np.bool_]:
    """Which rows are not a repetition of an earlier one."""
    halves = np.ascontiguousarray(seeds).view(np.uint64).reshape(-1, 2)
    order = np.lexsort((halves[:, 1], halves[:, 0]))  # stable: equal seeds keep their order
    ranked = halves[order]
    first = np.ones(len(seeds), dtype=bool)
    first[order[1:]] = (ranked[1:] != ranked[:-1]).any(axis=1)
    return first
