"""What a label study will be able to tell."""

import math

import numpy as np
import pytest

from tacit.errors import ConfigurationError
from tacit.labelprivate.simulation import simulate_reports
from tacit.labels import Label
from tests.labelprivate.helpers import LABELS, MANY, PAIN, PLAN, SICK, answers, people, study_of


@pytest.mark.parametrize("label", LABELS, ids=lambda label: label.in_words())
def test_a_plan_is_near_what_comes(label: Label) -> None:
    """The median is within a factor of two of a fit's standard errors, in half of them at least."""
    study, rows = study_of(label), people(20_000)
    labels = answers(label, rows)
    fit = study.fit(rows, simulate_reports(study, labels, random_state=1))
    rate = None if label in (PLAN, MANY, PAIN) else float(np.mean(label.weights(labels)[:, 1]))
    if rate is not None and not label.classes:
        rate *= 6
    planned = study.plan(rows, rate=rate)
    assert planned.names == fit.names
    ratio = planned.standard_errors() / fit.standard_errors
    assert 0.5 < np.median(ratio) < 2, ratio
    assert (planned.range()[:, 0] <= planned.standard_errors()).all()
    assert "Assumed:" in str(planned)


def test_a_plan_scales_with_people() -> None:
    """Standard errors fall with the root; the people for a target reach it."""
    study, rows = study_of(SICK), people(3_000)
    plan = study.plan(rows, people=1_000)
    np.testing.assert_allclose(plan.standard_errors(4_000), plan.standard_errors() / 2)
    needed = study.plan(rows, target_se=0.05)
    assert needed.standard_errors()[1:].max() == pytest.approx(0.05, rel=1e-3)
    assert str(plan) == str(study.plan(rows, people=1_000))


def test_people_are_fewer_than_for_whole_records() -> None:
    """Randomised response at coefficients zero: variance 4 (e + 1)^2 / (e - 1)^2 per person."""
    study = study_of(SICK)
    age = {"age": np.random.default_rng(1).standard_normal(4_000), "smoker": np.arange(4_000) % 2}
    plan = study.plan(age)
    exact = 2 * (math.e + 1) / (math.e - 1)
    assert plan.one[:, 1].min() >= 0.9 * exact  # coefficients zero tell most
    assert plan.standard_errors(1)[1] < 1.6 * exact


@pytest.mark.parametrize(
    ("asked", "named"),
    [
        ({"people": 10, "target_se": 0.1}, "not both"),
        ({"people": 0}, "people=0"),
        ({"target_se": -1.0}, "target_se=-1"),
        ({"rate": 1.0}, "between 0 and 1"),
    ],
)
def test_questions_without_an_answer_are_refused(asked: dict[str, float], named: str) -> None:
    """The message shows the parameter."""
    with pytest.raises(ConfigurationError, match=named):
        study_of(SICK).plan(people(100), **asked)  # type: ignore[arg-type]


def test_classes_have_no_rate() -> None:
    """Their shares are left to the draws."""
    with pytest.raises(ConfigurationError, match=r"rate=0\.3"):
        study_of(PLAN).plan(people(100), rate=0.3)
