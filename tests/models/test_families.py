"""Known families: means with the right slopes, within the range of the label."""

import numpy as np
import pytest
from scipy import stats

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models import KNOWN, Family, linear, poisson

RANGES = {"linear": (-10.0, 30.0), "logistic": (0.0, 1.0), "poisson": (0.0, 6.0)}


@pytest.mark.parametrize("name", KNOWN)
def test_slope_is_the_derivative_of_the_mean(name: str) -> None:
    """Central differences agree, over ten units around the origin."""
    family = KNOWN[name](*RANGES[name])
    predictor = family.origin + family.unit * np.linspace(-10.0, 10.0, 101)
    step = 1e-5 * family.unit
    differences = (family.mean(predictor + step) - family.mean(predictor - step)) / (2 * step)
    scale = np.abs(differences).max()
    assert np.abs(family.slope(predictor) - differences).max() < 1e-9 * scale


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_family_goes_by_the_name_it_has(name: str) -> None:
    """The key of the table is the name that a summary shows and a file states."""
    assert KNOWN[name](*RANGES[name]).name == name


def test_the_linear_family_has_the_units_of_the_label() -> None:
    """Predictors lie around the middle of the range, by half of it."""
    assert (linear(-10.0, 30.0).unit, linear(-10.0, 30.0).origin) == (20.0, 10.0)


@pytest.mark.parametrize("cap", [1, 2, 5, 40])
def test_capped_mean_is_exact(cap: int) -> None:
    """E min(Y, cap) equals the sum over the Poisson law, and its slope the derivative."""
    family, predictor = poisson(cap), np.linspace(-5.0, 4.0, 19)
    rate = np.exp(predictor)
    counts = np.arange(2000)
    summed = (stats.poisson.pmf(counts, rate[:, None]) * np.minimum(counts, cap)).sum(axis=1)
    assert np.allclose(family.mean(predictor), summed, rtol=1e-10)
    slope = (family.mean(predictor + 1e-6) - family.mean(predictor - 1e-6)) / 2e-6
    assert np.allclose(family.slope(predictor), slope, rtol=1e-6, atol=1e-8)
    assert np.allclose(family.predicted(predictor), rate)


def test_poisson_survives_any_predictor() -> None:
    """Far predictors give the cap and a zero slope, not an overflow."""
    family = poisson(10)
    assert np.allclose(family.mean(np.array([-1e6, 1e6])), [0.0, 10.0])
    assert np.allclose(family.slope(np.array([-1e6, 1e6])), [0.0, 0.0])


@pytest.mark.parametrize(
    ("unit", "origin"), [(0.0, 0.0), (-1.0, 0.0), (np.inf, 0.0), (np.nan, 0.0), (1.0, np.nan)]
)
def test_unit_and_origin_must_make_sense(unit: float, origin: float) -> None:
    """A unit is positive and finite, an origin finite."""

    def same(predictor: Floats) -> Floats:
        return predictor

    with pytest.raises(ConfigurationError, match="'same' needs a positive unit"):
        Family("same", same, np.ones_like, unit=unit, origin=origin)
