"""What leaves a device of a label study: one integer."""

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Integers
from tacit.errors import ReportError
from tacit.study.report import check_study_id, refuse_foreign

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

LABEL_REPORT_BYTES = 8


@dataclass(frozen=True, slots=True)
class LabelReport:
    """A randomized label: an integer, beside the id of the study it belongs to."""

    study_id: str
    number: int

    def __post_init__(self) -> None:
        check_study_id(self.study_id)
        if not isinstance(self.number, int) or not -(2**63) <= self.number < 2**63:
            raise ReportError(f"a report is an integer of 64 bits, got number={self.number!r}")

    def __bytes__(self) -> bytes:
        """As many bytes for every number: little-endian, with sign."""
        return self.number.to_bytes(LABEL_REPORT_BYTES, "little", signed=True)

    @classmethod
    def from_bytes(cls, study_id: str, data: bytes) -> "LabelReport":
        """Read the bytes that a device sent."""
        if len(data) != LABEL_REPORT_BYTES:
            raise ReportError(
                f"a label report has {LABEL_REPORT_BYTES} bytes, got {len(data)}: {data!r}"
            )
        return cls(study_id, int.from_bytes(data, "little", signed=True))


def numbers_of(study: "LabelStudy", reports: Any) -> tuple[Integers, NDArray[np.bool_]]:
    """One number per row, and which rows have one; None and masked entries have not.

    Foreign reports are refused, and numbers that no device of the study can send.
    """
    if isinstance(reports, np.ndarray) and reports.dtype == np.int64 and reports.ndim == 1:
        numbers, given = reports, np.ones(len(reports), dtype=np.bool_)
    else:
        found = [_number(study, report) for report in _listed(reports)]
        given = np.array([number is not None for number in found], dtype=np.bool_)
        numbers = np.array([0 if number is None else number for number in found], dtype=np.int64)
    legal = study.mechanism.reports
    wrong = given & ((numbers < legal.start) | (numbers >= legal.stop))
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ReportError(
            f"reports of this study are integers from {legal.start} to {legal.stop - 1}, got "
            f"{numbers[row]} (row {row}); pass the reports as the devices sent them"
        )
    return numbers, given


def _listed(reports: Any) -> Sequence[Any]:
    if isinstance(reports, str | bytes | LabelReport) or not isinstance(reports, Iterable):
        raise ReportError(
            f"reports must be one LabelReport or integer for each row, None where there is none, "
            f"got {type(reports).__name__}"
        )
    if isinstance(reports, np.ndarray):
        return reports.tolist()  # type: ignore[no-any-return]
    return [getattr(report, "as_py", lambda r=report: r)() for report in reports]


def _number(study: "LabelStudy", report: Any) -> int | None:
    if report is None or report != report:  # noqa: PLR0124 (an absent integer, as data frames have)
        return None
    if isinstance(report, LabelReport):
        refuse_foreign(report.study_id, study.id)
        return report.number
    try:
        number = operator.index(int(report) if isinstance(report, float) else report)
    except (TypeError, ValueError, OverflowError):
        number = None
    if number is None or number != report or not -(2**63) <= number < 2**63:
        raise ReportError(f"a report must be a LabelReport or an integer, got {report!r}")
    return number
