"""The vectors that devices in every language are held to, read by the Python device."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import preview
from tacit.errors import ConfigurationError, MissingLabelError, StudyFileError
from tacit.study import Study
from tests.vectors import make

AGREEMENT = 1e-12  # what devices in every language are held to
VECTORS = Path(make.__file__).parent
STUDY_FILES, ENCODING, LABELS = (
    json.loads((VECTORS / f"{name}.json").read_text(encoding="utf-8"))
    for name in ("studies", "encoding", "labels")
)
STUDIES = {case["name"]: Study.from_bytes(case["file"].encode()) for case in STUDY_FILES["good"]}


def value_of(stated: Any) -> Any:
    """An answer as JSON states it; {"float": "nan"} is a number that JSON has not."""
    is_float = isinstance(stated, dict) and stated.keys() == {"float"}
    return float(stated["float"]) if is_float else stated


def record_of(case: dict[str, Any]) -> dict[str, Any]:
    """The record of a vector."""
    return {name: value_of(stated) for name, stated in case["record"].items()}


@pytest.mark.parametrize("path", make.files(), ids=lambda path: path.name)
def test_files_are_what_the_script_generates(path: Path) -> None:
    """The committed vectors are those of `python -m tests.vectors.make`, to the byte."""
    assert path.read_text(encoding="utf-8") == make.files()[path]


@pytest.mark.parametrize("case", STUDY_FILES["good"], ids=lambda case: case["name"])
def test_good_study_files_are_read(case: dict[str, Any]) -> None:
    """With the id, the coin and the guarantee of the vector."""
    study = STUDIES[case["name"]]
    assert study.id == case["id"]
    assert study.to_bytes() == case["file"].encode()
    assert str(int(study.parameters.coin, 16)) == case["coin"]
    assert study.guarantee.total_epsilon == case["total_epsilon"]


@pytest.mark.parametrize("case", STUDY_FILES["bad"], ids=lambda case: case["why"])
def test_bad_study_files_are_refused(case: dict[str, Any]) -> None:
    """Altered ones, and those that contradict themselves under a right hash."""
    with pytest.raises(StudyFileError):
        Study.from_bytes(case["file"].encode())


def test_records_encode_as_stated() -> None:
    """Every good encoding vector agrees, and names what is replaced."""
    for case in ENCODING["good"]:
        study, record = STUDIES[case["study"]], record_of(case)
        assert list(preview(study, record, label="yes").replaced) == case["replaced"], case
        scale = max(1.0, *map(abs, case["z"]))
        assert np.abs(study.encode([record])[0] - case["z"]).max() <= AGREEMENT * scale, case


@pytest.mark.parametrize("case", ENCODING["refused"], ids=lambda case: ",".join(case["record"]))
def test_wrong_names_are_refused(case: dict[str, Any]) -> None:
    """Absent ones and unknown ones."""
    with pytest.raises(ConfigurationError):
        preview(STUDIES[case["study"]], record_of(case), label="yes")


def test_labels_weigh_as_stated() -> None:
    """Every good label vector agrees exactly."""
    for case in LABELS["good"]:
        study = STUDIES[case["study"]]
        record = dict.fromkeys(study.feature_names)
        seen = preview(study, record, label=value_of(case["label"]))
        assert list(seen.label_weights) == case["weights"], case


@pytest.mark.parametrize("case", LABELS["missing"], ids=str)
def test_missing_labels_are_refused(case: dict[str, Any]) -> None:
    """There is nothing to report."""
    study = STUDIES[case["study"]]
    with pytest.raises(MissingLabelError):
        preview(study, dict.fromkeys(study.feature_names), label=value_of(case["label"]))
