"""The vectors of label studies, read by the Python device."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import LabelStudy
from tacit.errors import MissingLabelError, StudyFileError
from tacit.labelprivate.device import draw_reports
from tests.device.test_vectors import value_of
from tests.vectors import label_private

VECTORS = json.loads(label_private.FILE.read_text(encoding="utf-8"))
FILES = {case["name"]: case["file"] for case in VECTORS["studies"]}
STUDIES = {name: LabelStudy.from_bytes(file.encode()) for name, file in FILES.items()}


class Given:
    """Entropy that hands out the words of a vector, all of them and no more."""

    def __init__(self, words: list[str]) -> None:
        self.left = [int(word, 16) for word in words]

    def draw(self, count: int) -> bytes:
        """The next word."""
        assert count == 8
        return bytes(np.array([self.left.pop(0)], dtype="<u8"))


@pytest.mark.parametrize("path", label_private.files(), ids=lambda path: path.name)
def test_the_file_is_what_the_script_generates(path: Path) -> None:
    """The committed vectors are those of `python -m tests.vectors.label_private`, to the byte."""
    assert path.read_text(encoding="utf-8") == label_private.files()[path]


def test_study_files_are_canonical() -> None:
    """What is read is written as it was."""
    for name, study in STUDIES.items():
        assert study.to_bytes().decode() == FILES[name]


def test_the_same_words_make_the_same_integer() -> None:
    """Of every label, with exactly the words that the vector has."""
    for case in VECTORS["good"]:
        entropy = Given(case["words"])
        labels = [value_of(case["label"])]
        assert draw_reports(STUDIES[case["study"]], labels, entropy)[0] == case["number"], case
        assert entropy.left == [], case


@pytest.mark.parametrize("case", VECTORS["missing"], ids=str)
def test_missing_labels_have_no_report(case: dict[str, Any]) -> None:
    """There is nothing to report."""
    with pytest.raises(MissingLabelError):
        STUDIES[case["study"]].randomize(value_of(case["label"]))


@pytest.mark.parametrize("case", VECTORS["bad"], ids=lambda case: case["why"])
def test_bad_study_files_are_refused(case: dict[str, Any]) -> None:
    """Altered ones, and those that contradict themselves under a right hash."""
    with pytest.raises(StudyFileError):
        LabelStudy.from_bytes(case["file"].encode())
