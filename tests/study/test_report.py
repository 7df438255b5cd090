"""Reports and files of reports."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit.arrays import Seeds
from tacit.errors import ReportError
from tacit.study import Report, Study, read_reports, write_reports

HEADER_BYTES = 40


@pytest.fixture
def seeds() -> Seeds:
    """Five different reports."""
    return np.random.default_rng(1).integers(0, 256, (5, 16), dtype=np.uint8)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the reports go."""
    return tmp_path / "reports.tacit"


def test_a_report_is_sixteen_bytes(study: Study) -> None:
    """Beside the id of its study."""
    report = Report(study.id, bytes(range(16)))
    assert bytes(report) == bytes(range(16))
    assert report == Report(study.id, bytes(range(16)))


@pytest.mark.parametrize("seed", [b"", bytes(15), bytes(17), "0" * 16, bytearray(16), None])
def test_malformed_reports_are_refused(study: Study, seed: Any) -> None:
    """Of another length or type."""
    with pytest.raises(ReportError, match="16 bytes"):
        Report(study.id, seed)


@pytest.mark.parametrize("study_id", ["", "ab", "G" * 64, "A" * 64, None])
def test_reports_without_a_study_are_refused(study_id: Any) -> None:
    """The id is part of the report."""
    with pytest.raises(ReportError, match="study_id"):
        Report(study_id, bytes(16))


def test_reports_survive_their_file(study: Study, seeds: Seeds, path: Path) -> None:
    """As an array or one by one: the same bytes."""
    write_reports(path, study, seeds)
    data = path.read_bytes()
    write_reports(path, study, (Report(study.id, bytes(seed)) for seed in seeds))
    assert path.read_bytes() == data
    assert len(data) == HEADER_BYTES + 5 * 16
    found = read_reports(path, study)
    assert (found.seeds == seeds).all()
    assert (found.duplicates, found.truncated_bytes) == (0, 0)


def test_an_empty_file_of_reports_is_valid(study: Study, seeds: Seeds, path: Path) -> None:
    """Nobody has answered yet."""
    write_reports(path, study, seeds[:0])
    assert read_reports(path, study).seeds.shape == (0, 16)


def test_duplicates_are_counted_once_and_said(study: Study, seeds: Seeds, path: Path) -> None:
    """The first stays where it was."""
    write_reports(path, study, seeds[[3, 1, 3, 0, 1, 1, 4]])
    found = read_reports(path, study)
    assert (found.seeds == seeds[[3, 1, 0, 4]]).all()
    assert found.duplicates == 3


def test_reports_that_share_half_their_bytes_are_different(study: Study, path: Path) -> None:
    """Only all 16 bytes make a duplicate."""
    near = np.zeros((3, 16), dtype=np.uint8)
    near[1, 15] = near[2, 0] = 1
    write_reports(path, study, near)
    assert (read_reports(path, study).seeds == near).all()


@pytest.mark.parametrize("lost", range(1, 16))
def test_of_a_truncated_file_the_whole_reports_are_kept(
    study: Study, seeds: Seeds, path: Path, lost: int
) -> None:
    """And the rest is said."""
    write_reports(path, study, seeds)
    path.write_bytes(path.read_bytes()[:-lost])
    found = read_reports(path, study)
    assert (found.seeds == seeds[:4]).all()
    assert found.truncated_bytes == 16 - lost


def test_reports_of_another_study_are_refused(
    study: Study, other_study: Study, seeds: Seeds, path: Path
) -> None:
    """Naming both."""
    write_reports(path, other_study, seeds)
    with pytest.raises(ReportError, match=f"{other_study.id[:12]}.*{study.id[:12]}"):
        read_reports(path, study)
    with pytest.raises(ReportError, match="belong to study"):
        write_reports(path, study, [Report(other_study.id, bytes(16))])


@pytest.mark.parametrize("data", [b"", b"TACIT", b"TACIT\x00\x00\x02" + bytes(64), b"PAR1" * 20])
def test_other_files_are_refused(study: Study, path: Path, data: Any) -> None:
    """They do not start as a file of reports does."""
    path.write_bytes(data)
    with pytest.raises(ReportError, match="not a file of reports"):
        read_reports(path, study)


@pytest.mark.parametrize(
    "reports", [bytes(16), "x", 3, [bytes(16)], np.zeros((2, 15), np.uint8), np.zeros((2, 16))]
)
def test_what_is_not_a_report_is_refused(study: Study, path: Path, reports: Any) -> None:
    """And nothing is written."""
    with pytest.raises(ReportError):
        write_reports(path, study, reports)
    assert not path.exists()
