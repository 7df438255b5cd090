"""What a device makes of a label, whatever the label is."""

from typing import Any

import msgspec
import numpy as np
import pytest

from tacit import LabelReport, LabelStudy
from tacit.errors import ConfigurationError, LabelError, MissingLabelError, ReportError
from tacit.labelprivate.device import draw_reports, randomize_labels
from tacit.labelprivate.report import LABEL_REPORT_BYTES, numbers_of
from tacit.labelprivate.simulation import simulate_reports
from tacit.labels import Label
from tacit.privacy import SeededEntropy
from tacit.privacy.entropy import Entropy
from tests.device.test_any_value import MODES, said, strictly
from tests.device.test_any_value import STUDIES as RECORD_STUDIES
from tests.hostile import POWERS, WILD
from tests.labelprivate.helpers import LABELS, SICK, answers, people, study_of

STUDIES = [study_of(label, epsilon) for label in LABELS for epsilon in (1.0, 3.0, 6.0)]
over_labels = pytest.mark.parametrize("label", LABELS, ids=lambda label: label.in_words())


class Counting:
    """Entropy that notes how many bytes are drawn."""

    def __init__(self) -> None:
        self.drawn: list[int] = []
        self._source: Entropy = SeededEntropy(1)

    def draw(self, count: int) -> bytes:
        """So many."""
        self.drawn.append(count)
        return self._source.draw(count)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", WILD)
def test_any_label_reports(name: str, mode: Any) -> None:
    """Unless it says nothing; in as many bytes as every other."""
    for study in STUDIES if said(RECORD_STUDIES[0], WILD[name]) else ():
        with strictly(mode):
            report = study.randomize(WILD[name])
        assert len(bytes(report)) == LABEL_REPORT_BYTES
        numbers_of(study, [report])


@pytest.mark.parametrize("mode", MODES)
def test_every_power_of_two_reports_and_draws_the_same_words(mode: Any) -> None:
    """The randomness taken does not tell of the label."""
    for study in STUDIES:
        with strictly(mode):
            assert len(randomize_labels(study, POWERS)) == len(POWERS)
            taken = set()
            for value in (*POWERS[::211], "yes", "a", 3, "nonsense"):
                entropy = Counting()
                draw_reports(study, [value], entropy)
                taken.add(tuple(entropy.drawn))
        assert len(taken) == 1


@pytest.mark.parametrize("missing", [None, float("nan"), "  "])
def test_a_missing_label_raises(missing: object) -> None:
    """There is nothing to report."""
    for study in STUDIES:
        with pytest.raises(MissingLabelError, match="missing in 1 of 1"):
            study.randomize(missing)


@over_labels
def test_an_altered_study_is_refused_before_anything_is_drawn(label: Label) -> None:
    """Whatever was changed in memory, epsilon, answers or thresholds."""
    other = study_of(label, 6.0)
    changes: dict[str, object] = {
        "epsilon": 6.0, "stated": other.stated, "label": SICK.__class__("sick", "maybe"),
        "features": (), "notes": ("changed",),
    }  # fmt: skip
    for field, value in changes.items():
        study = study_of(label)
        assert study.id
        msgspec.structs.force_setattr(study, field, value)
        entropy = Counting()
        with pytest.raises(ConfigurationError, match="altered after it was read"):
            draw_reports(study, ["yes"], entropy)
        assert entropy.drawn == []


def test_a_mechanism_swapped_in_memory_is_not_used() -> None:
    """The device makes its own from what the study states."""
    study, other = study_of(SICK), study_of(SICK, 20.0)
    study.__dict__["mechanism"] = other.mechanism
    labels = np.repeat(["yes"], 20_000)
    kept = draw_reports(study, labels, SeededEntropy(1)).mean()
    assert kept == pytest.approx(1 / (1 + np.exp(-1.0)), abs=7 * 0.5 / np.sqrt(20_000))


@over_labels
def test_values_of_reports_are_unbiased(label: Label) -> None:
    """Over many people, the mean value is that of the labels' inputs."""
    study, labels = study_of(label, 2.0), answers(label, people(40_000))
    values = study.mechanism.value(simulate_reports(study, labels, random_state=2))
    inputs = study.inputs(label.weights(labels))
    off = (values - inputs).reshape(len(labels), -1)
    assert np.abs(off.mean(axis=0)).max() < 7 * np.sqrt(study.mechanism.noise / len(labels))


def test_a_simulation_repeats_and_refuses_wrong_labels() -> None:
    """The same seed gives the same reports; a label that is none raises where it may."""
    study, labels = study_of(SICK), answers(SICK, people(50))
    first, again = (simulate_reports(study, labels, random_state=4) for _ in range(2))
    np.testing.assert_array_equal(first, again)
    with pytest.raises(LabelError, match="must be one of 'no', 'yes', got 'maybe'"):
        simulate_reports(study, ["yes", "maybe"], random_state=4)


def test_a_report_survives_its_bytes() -> None:
    """Negative numbers included; another length is refused."""
    study = study_of(LABELS[2], 6.0)
    reports = [study.randomize(-4) for _ in range(20)]
    assert [LabelReport.from_bytes(study.id, bytes(r)) for r in reports] == reports
    with pytest.raises(ReportError, match="8 bytes, got 3"):
        LabelReport.from_bytes(study.id, b"abc")


@pytest.mark.parametrize(
    ("wrong", "named"),
    [
        ([2], "from 0 to 1, got 2"),
        ([-1], "from 0 to 1, got -1"),
        ([0.5], "got 0.5"),
        (["1"], "got '1'"),
        ([2**70], "got 1180591620717411303424"),
        (5, "got int"),
        ("01", "got str"),
    ],
)
def test_what_no_device_sends_is_refused(wrong: Any, named: str) -> None:
    """The error shows it."""
    with pytest.raises(ReportError, match=named):
        numbers_of(study_of(SICK), wrong)


def test_reports_are_read_in_every_usual_form() -> None:
    """LabelReports, integers, floats of a data frame; None and NaN are people who did not."""
    study = study_of(SICK)
    report = LabelReport(study.id, 1)
    for given in ([report, 0, None], np.array([1.0, 0.0, np.nan]), [np.int64(1), 0, None]):
        numbers, there = numbers_of(study, given)
        assert numbers.tolist() == [1, 0, 0]
        assert there.tolist() == [True, True, False]
    with pytest.raises(ReportError, match="belong to study"):
        numbers_of(study_of(SICK, 2.0), [report])


def test_the_study_says_exactly_what_is_protected() -> None:
    """The label given the features; the features are named as what is not."""
    study: LabelStudy = study_of(SICK)
    told = study.guarantee.statement()
    assert "the label of every person, given that the features are known." in told
    assert "likelier under one label than under any other" in told
    assert "Not protected: The features" in told
    assert "public rows" not in told
    assert study.audit(20_000).passed
