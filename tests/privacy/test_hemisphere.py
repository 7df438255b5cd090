import math

import numpy as np
import pytest
from scipy import special

from tacit.errors import ConfigurationError
from tacit.privacy import Guarantee, SeededEntropy, Sphere
from tacit.privacy.audit import Source
from tests.privacy.helpers import STANDARD_ERRORS, TAG, random_units

DIMENSIONS = [1, 2, 3, 10, 65]


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_scale_is_that_of_duchi(dimension: int, epsilon: float) -> None:
    """1/mu = (e^eps + 1)/(e^eps - 1) sqrt(pi)/2 d Gamma((d-1)/2 + 1)/Gamma(d/2 + 1)."""
    log_gammas = special.gammaln((dimension - 1) / 2 + 1) - special.gammaln(dimension / 2 + 1)
    printed = math.sqrt(math.pi) / 2 * dimension * math.exp(log_gammas) / math.tanh(epsilon / 2)
    assert 1 / Sphere.hemisphere(dimension, epsilon).mean_length == pytest.approx(printed)


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0, 8.0])
def test_the_best_cap_is_better(dimension: int, epsilon: float) -> None:
    """Half a sphere is never the best cap, and equals it in one dimension."""
    half, best = Sphere.hemisphere(dimension, epsilon), Sphere.best(dimension, epsilon)
    if dimension == 1:
        assert half.squared_error == best.squared_error
    else:
        assert half.squared_error > best.squared_error


@pytest.mark.parametrize("dimension", [2, 3, 10])
def test_variances_along_and_across(dimension: int) -> None:
    """1/(d mu^2) across the input, that minus 1 along it; their average is `noise`."""
    half, draws = Sphere.hemisphere(dimension, 2.0), 40_000
    vector = random_units(1, dimension)
    errors = half.sample(np.repeat(vector, draws, axis=0), np.random.default_rng(0)) - vector
    along, across = (errors @ vector[0]) ** 2, (errors**2).sum(axis=1)
    stated = 1 / (dimension * half.mean_length**2)
    for seen, expected in ((along, stated - 1), (across, half.noise * dimension)):
        assert abs(seen.mean() - expected) <= STANDARD_ERRORS * seen.std() / math.sqrt(draws)
    assert half.squared_error == pytest.approx(dimension * stated - 1)


@pytest.mark.parametrize("dimension", [1, 2, 5])
def test_the_audit_passes(dimension: int) -> None:
    """As devices run it, nothing refutes epsilon, and 5% too much is refuted."""
    passed = [
        Sphere.hemisphere(dimension, epsilon, TAG)
        .audit(Source(60_000, SeededEntropy(0)), Guarantee(2.0))
        .passed
        for epsilon in (2.0, 2.1)
    ]
    assert passed == [True, False]


@pytest.mark.parametrize(
    ("dimension", "epsilon", "named"),
    [(0, 1.0, "dimension=0"), (2, 0.0, "epsilon=0"), (2, math.nan, "epsilon=nan")],
)
def test_meaningless_requests_are_refused(dimension: int, epsilon: float, named: str) -> None:
    """The message shows the value."""
    with pytest.raises(ConfigurationError, match=named):
        Sphere.hemisphere(dimension, epsilon)
