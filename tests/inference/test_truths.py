"""Possible truths: the mean label as stated, predictors that spread as said."""

from typing import Any

import numpy as np
import pytest

from tacit import Study
from tacit.errors import ConfigurationError
from tacit.inference.design import Design
from tacit.inference.rate import Stated, balanced, mean_label
from tacit.inference.truths import (
    DRAWS,
    RATIO,
    drawn_truths,
    guessed_truth,
    usual_width,
    widest_signal,
)
from tacit.models import Family, ScalarModel
from tests.inference.helpers import LABELS, make_design, make_study

RATES: dict[str, Stated] = {
    "logistic": 0.07,
    "linear": 3.0,
    "poisson": 2.5,
    "multinomial": {"a": 0.55, "b": 0.3, "c": 0.1, "d": 0.05},
}


@pytest.mark.parametrize("name", tuple(LABELS))
@pytest.mark.parametrize("stated", [True, False])
def test_every_truth_has_the_mean_label_stated(name: str, stated: bool) -> None:
    """Over the public rows; where none is stated, that of the model's origin."""
    study = make_study(LABELS[name])
    design = make_design(study)
    rate = mean_label(study.label, design.model, RATES[name] if stated else None)
    for truth in drawn_truths(study, design, rate.corner):
        corner = design.model.mean(design.predictor(truth.weights)).mean(axis=0)
        assert np.allclose(corner, rate.corner, atol=1e-5)


def test_rates_in_units_of_the_label() -> None:
    """A share of yes, a mean, a share of each class."""
    found = {}
    for name, label in LABELS.items():
        found[name] = mean_label(label, label.model(), RATES[name])
    assert found["logistic"].corner == pytest.approx([2 * 0.07 - 1])
    assert found["linear"].corner == pytest.approx([(3.0 - 10.0) / 20.0])
    assert found["multinomial"].corner == pytest.approx(
        [0.55, 0.3, 0.1, 0.05] @ LABELS["multinomial"].corners
    )
    assert found["poisson"].words == "y is 2.5 on average (as stated)"
    assert found["multinomial"].words == "y is a 55%, b 30%, c 10%, d 5% (as stated)"


@pytest.mark.parametrize("name", tuple(LABELS))
def test_predictors_spread_as_said(name: str) -> None:
    """From the least signal to the largest, on average over truths within 7 standard errors."""
    study = make_study(LABELS[name])
    design = make_design(study)
    widest = widest_signal(design.model)
    said = np.geomspace(widest / RATIO, widest, DRAWS)
    rate = mean_label(study.label, design.model, None)
    truths = drawn_truths(study, design, rate.corner)
    spread = [design.predictor(each.weights).var(axis=0).mean() for each in truths]
    ratios = np.array(spread) / (said * design.model.unit**2)
    spectrum = np.array(study.transform.spectrum)
    parts = spectrum / spectrum.sum()
    error = np.sqrt(2.0 * (parts**2).sum() / design.model.width / DRAWS)
    assert abs(ratios.mean() - 1.0) < 7 * error


def test_predictors_stay_where_labels_are() -> None:
    """A deviation of a linear predictor is half the range; rates stay below the cap."""
    models = {name: label.model() for name, label in LABELS.items()}
    widest = {name: widest_signal(model) for name, model in models.items()}
    assert widest == {"logistic": 16.0, "linear": 1.0, "poisson": 2.0, "multinomial": 16.0}
    assert usual_width(models["logistic"]) == pytest.approx(4.0)
    assert usual_width(models["linear"]) == pytest.approx(models["linear"].unit)


def test_the_signal_of_a_truth_is_what_a_table_would_find() -> None:
    """The variance of its predictor, within what tables consider."""
    study = make_study(LABELS["logistic"])
    design = make_design(study)
    corner = np.zeros(1)
    found = [guessed_truth(study, design, {"age": age}, corner) for age in (0.0, 0.1, 9.0)]
    age = make_rows_age(study)
    assert [each.signal for each in found] == pytest.approx([0.1, 0.01 * age, 10.0])


def make_rows_age(study: Study) -> float:
    """The public variance of age."""
    return next(each.spread for each in study.features if each.name == "age") ** 2


def test_a_rate_out_of_reach_is_refused() -> None:
    """The mean of a family of one's own may never get there."""
    half = Family("half", mean=lambda t: 0.5 / (1 + np.exp(-t)), slope=_half_slope)
    design = Design.of(np.ones((5, 1)), ScalarModel(half, 0.0, 1.0, binary=True))
    with pytest.raises(ConfigurationError, match="does not reach the mean label"):
        balanced(design, np.zeros((5, 1)), np.array([0.5]))


def _half_slope(t: Any) -> Any:
    return 0.5 * np.exp(-np.abs(t)) / (1 + np.exp(-np.abs(t))) ** 2
