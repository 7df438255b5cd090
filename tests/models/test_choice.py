"""Which model reads a label, and what a family of one's own must state."""

import re

import numpy as np
import pytest
from scipy import stats

from tacit import Binary, Categorical, Count, Family
from tacit.errors import ConfigurationError
from tacit.models import LabelModel, poisson, scalar_model, softmax_model

LINE = Family("identity", mean=lambda t: t, slope=np.ones_like)
PREDICTOR = np.linspace(-4.0, 4.0, 9)[:, None]


def _same(one: LabelModel, other: LabelModel) -> bool:
    """Moments and predictions agree to the last bit."""
    return all(
        np.array_equal(getattr(one, name)(PREDICTOR), getattr(other, name)(PREDICTOR))
        for name in ("mean", "slope", "second", "predicted")
    )


def test_a_name_means_the_known_family() -> None:
    """The label's own by its name is the label's own; others are taken where they reach."""
    own, named = scalar_model(None, "poisson", 0.0, 6.0), scalar_model("poisson", "linear", 0, 6)
    assert _same(own, named)
    assert not own.own
    assert not named.own
    complementary = scalar_model("poisson", "logistic", 0.0, 1.0, binary=True)
    assert np.allclose(complementary.predicted(PREDICTOR)[:, 1], np.exp(PREDICTOR[:, 0]))


@pytest.mark.parametrize("name", ["probit", "", "Logistic"])
def test_an_unknown_name_is_refused_with_those_there_are(name: str) -> None:
    """Also the name of a family that someone has used before."""
    with pytest.raises(ConfigurationError, match=rf"'linear', 'logistic', 'poisson'.*{name!r}"):
        scalar_model(name, "logistic", 0.0, 1.0)


def test_an_object_is_ones_own_whatever_its_name() -> None:
    """A probit that is called logistic stays a probit, and is known to be one's own."""
    disguised = Family("logistic", mean=stats.norm.cdf, slope=stats.norm.pdf)
    model = Binary("y", positive=1).model(disguised)
    assert model.own
    assert np.allclose(model.mean(np.array([[0.0], [1.0]])), [[0.0], [2 * stats.norm.cdf(1) - 1]])
    assert Count("y", 6).model(poisson(6)).own


def test_a_mean_that_cannot_follow_the_label_is_refused() -> None:
    """Without its unit and origin the identity would predict near 0 where the middle is right."""
    for name in ("identity", "linear"):
        line = Family(name, LINE.mean, LINE.slope)
        with pytest.raises(ConfigurationError, match=r"unit=50000, origin=50000"):
            scalar_model(line, "linear", 0.0, 100_000.0)
    stated = Family("identity", LINE.mean, LINE.slope, unit=50_000.0, origin=50_000.0)
    assert _same(scalar_model(stated, "linear", 0.0, 1e5), scalar_model(None, "linear", 0.0, 1e5))


def test_a_known_family_on_a_label_it_cannot_follow_is_refused() -> None:
    """Probabilities do not reach a count of 20."""
    with pytest.raises(ConfigurationError, match=re.escape("from 4.53979e-05 to 0.999955 only")):
        scalar_model("logistic", "poisson", 0.0, 20.0)


@pytest.mark.parametrize(("low", "high"), [(1.0, 6.0), (0.0, 6.5), (-3.0, 3.0)])
def test_poisson_means_counts(low: float, high: float) -> None:
    """A range that is not from 0 to a cap clips in a way that the family does not know."""
    with pytest.raises(ConfigurationError, match="from 0 to a whole number"):
        scalar_model("poisson", "linear", low, high)


@pytest.mark.parametrize("sign", [-1.0, np.nan])
def test_a_mean_that_falls_or_is_no_number_is_refused(sign: float) -> None:
    """The likelihood would have several answers, or none."""
    falling = Family("falling", mean=lambda t: sign * t, slope=np.ones_like)
    with pytest.raises(ConfigurationError, match="must be a number and must not decrease"):
        scalar_model(falling, "linear", -1.0, 1.0)


def test_several_classes_have_their_own_model_only() -> None:
    """By its name or by none; a family has one predictor."""
    corners = Categorical("y", ("a", "b", "c", "d")).model().scores * 4 / 3
    assert _same_moments(softmax_model("multinomial", corners), softmax_model(None, corners))
    for family in ("logistic", LINE):
        with pytest.raises(ConfigurationError, match="4 classes"):
            softmax_model(family, corners)


def _same_moments(one: LabelModel, other: LabelModel) -> bool:
    predictor = np.random.default_rng(0).normal(size=(5, 3))
    return np.array_equal(one.mean(predictor), other.mean(predictor))


def test_two_classes_are_the_logistic_model() -> None:
    """The multinomial model with K = 2 has the moments of the logistic one."""
    logistic = Binary("y", positive="b", negative="a").model()
    softmax = Categorical("y", ("a", "b")).model()
    assert np.allclose(logistic.mean(PREDICTOR), softmax.mean(PREDICTOR))
    assert np.allclose(logistic.slope(PREDICTOR), softmax.slope(PREDICTOR))
    assert np.allclose(logistic.second(PREDICTOR), softmax.second(PREDICTOR))
    assert np.allclose(logistic.predicted(PREDICTOR), softmax.predicted(PREDICTOR))
    assert np.allclose(logistic.contrasts, softmax.contrasts)
