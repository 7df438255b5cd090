import decimal
import math
from dataclasses import replace

import mpmath as mp
import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.errors import ConfigurationError
from tacit.privacy import Sphere
from tacit.privacy.draws import coin_threshold
from tacit.privacy.geometry import cap_height, cap_rate
from tests.privacy import reference
from tests.privacy.helpers import ULP

DIMENSIONS = (2, 3, 10, 65, 500, 5000)
EPSILONS = (0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 20.0)
RELATIVE = 1e-9  # eight digits more than any plan or interval shows

# algorithms.md, section 2
SQUARED_ERRORS = {
    3: ("63.7", "15.7", "3.68", "0.724", "0.076"),
    10: ("239", "59.7", "14.9", "3.67", "0.842"),
    65: ("1624", "408", "104", "27.6", "8.08"),
    500: ("12580", "3161", "807", "217", "65.9"),
}
TABLE_EPSILONS = (0.5, 1.0, 2.0, 4.0, 8.0)


def by_quadrature(dimension: int, cap: float) -> tuple[mp.mpf, mp.mpf]:
    """The rate of the cap, and its mean height times its rate, by integrating over the angle."""
    power = dimension - 2
    widest = mp.acos(mp.mpf(cap))
    # almost all of the integral lies within a few times this distance of the cap's rim
    decay = 1 / (1 + power * mp.mpf(cap))
    marks = [0, *(widest - decay * k for k in (64, 16, 4, 1) if decay * k < widest), widest]
    total = mp.beta(mp.mpf(1) / 2, mp.mpf(dimension - 1) / 2)
    rate = mp.quad(lambda t: mp.sin(t) ** power, marks) / total
    height = mp.quad(lambda t: mp.sin(t) ** power * mp.cos(t), marks) / total
    return rate, height


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_geometry_agrees_with_quadrature(dimension: int, epsilon: float) -> None:
    """Cap rate and mean length are the integrals they stand for."""
    sphere = Sphere.best(dimension, epsilon)
    with mp.workdps(30):
        rate, height = by_quadrature(dimension, sphere.cap)
        gain = mp.expm1(epsilon)
        mean_length = gain * height / (1 + gain * rate)
        assert abs(sphere.cap_rate - rate) <= RELATIVE * rate
        assert abs(sphere.mean_length - mean_length) <= RELATIVE * mean_length


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_heights_are_those_of_caps_with_the_rates_asked_for(dimension: int) -> None:
    """From half the sphere down to a thousandth of it."""
    rates = np.geomspace(0.5, 1e-3, 50)
    found = [cap_rate(dimension, float(height)) for height in cap_height(dimension, rates)]
    np.testing.assert_allclose(found, rates, rtol=RELATIVE)


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_best_cap_and_error_agree_with_formulas(dimension: int, epsilon: float) -> None:
    """The cap is the root, and errors are those of the formulas at 50 digits."""
    sphere = Sphere.best(dimension, epsilon)
    with mp.workdps(reference.DIGITS):
        cap = reference.best_cap(dimension, mp.mpf(epsilon))
        mean_length = reference.mean_length(dimension, mp.mpf(epsilon), cap)
        squared_error = 1 / mean_length**2 - 1
    assert abs(sphere.cap - cap) <= RELATIVE * cap
    # a mean length near 1 has a float's absolute precision, so its distance from 1 has no more
    rounding = 2 * 16 * ULP / mean_length**2
    assert abs(sphere.squared_error - squared_error) <= RELATIVE * squared_error + rounding
    assert sphere.noise == sphere.squared_error / dimension


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_dimension_one_is_randomised_response(epsilon: float) -> None:
    """In one dimension half of the sphere is in the cap and the formulas are tanh's."""
    sphere = Sphere.best(1, epsilon)
    with mp.workdps(30):
        mean_length = mp.expm1(epsilon) / (mp.exp(epsilon) + 1)
    assert sphere.cap_rate == 0.5
    assert 0 < sphere.cap <= 1
    assert abs(sphere.mean_length - mean_length) <= 2 * ULP * mean_length


@pytest.mark.parametrize("dimension", SQUARED_ERRORS)
def test_table_of_squared_errors(dimension: int) -> None:
    """The errors per report are those of the design, digit by digit."""
    for epsilon, printed in zip(TABLE_EPSILONS, SQUARED_ERRORS[dimension], strict=True):
        error = Sphere.best(dimension, epsilon).squared_error
        digits = len(printed.replace(".", "").strip("0"))
        assert float(f"{error:.{digits}g}") == float(printed), epsilon


@pytest.mark.parametrize("dimension", DIMENSIONS)
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_no_other_cap_is_better(dimension: int, epsilon: float) -> None:
    """A cap a thousandth higher or lower has a smaller mean length, so a larger error."""
    best = Sphere.best(dimension, epsilon)
    for cap in (best.cap * (1 - 1e-3), min(best.cap * (1 + 1e-3), (1 + best.cap) / 2)):
        other = replace(best, cap=cap)
        assert other.mean_length < best.mean_length


@pytest.mark.parametrize("dimension", [2, 3, 10, 65])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_second_moment_along_the_input(dimension: int, epsilon: float) -> None:
    """E<U,v>^2 = (1 + (d-1) cap mu)/d, hence isotropic noise at the best cap."""
    sphere = Sphere.best(dimension, epsilon)
    power = dimension - 2
    with mp.workdps(30):
        rim = mp.acos(mp.mpf(sphere.cap))
        total = mp.beta(mp.mpf(1) / 2, mp.mpf(dimension - 1) / 2)
        inside = mp.quad(lambda t: mp.sin(t) ** power * mp.cos(t) ** 2, [0, rim]) / total
        gain = mp.expm1(epsilon)
        moment = (mp.mpf(1) / dimension + gain * inside) / (1 + gain * sphere.cap_rate)
        formula = (1 + (dimension - 1) * sphere.cap * sphere.mean_length) / mp.mpf(dimension)
        assert abs(moment - formula) <= RELATIVE * formula
        along = moment / sphere.mean_length**2 - 1
        assert abs(along - sphere.noise) <= RELATIVE * (1 + sphere.noise)


def test_expected_trials_of_the_design() -> None:
    """12 at eps 4 and 200 to 300 at eps 8 for the usual dimensions; at most 10,000 at 12."""
    assert round(Sphere.best(65, 4.0).expected_trials) in range(11, 14)
    assert 150 < Sphere.best(10, 8.0).expected_trials < Sphere.best(500, 8.0).expected_trials < 310
    assert Sphere.best(5000, 12.0).expected_trials < 10_000


def exact_share(epsilon: float) -> mp.mpf:
    """e^-eps of exactly this float, in units of the coin."""
    return mp.exp(-mp.mpf(epsilon)) * 2**64


@given(st.floats(0, 30, exclude_min=True))
@example(5e-324)
@example(1e-20)
@example(2.0**-64)
@example(2.0**-63)
@example(0.1)
@example(math.log(2.0))
@example(12.0)
@example(20.0)
@example(30.0)
def test_coin_is_the_least_that_is_private(epsilon: float) -> None:
    """coin / 2^64 is at least e^-eps, and one less would be too small."""
    coin = coin_threshold(epsilon)
    with mp.workdps(400):
        assert coin - 1 < exact_share(epsilon) <= coin <= 2**64


@pytest.mark.parametrize("precision", [1, 3, 28])
def test_coin_does_not_depend_on_the_callers_decimal_context(precision: int) -> None:
    """An application that lowers the precision of its decimals does not weaken the guarantee."""
    with decimal.localcontext() as context:
        context.prec = precision
        coin = coin_threshold(1.2345678901234567)
    with mp.workdps(60):
        assert coin == int(mp.ceil(exact_share(1.2345678901234567)))


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, -math.inf, 30.5, 1e6])
def test_wrong_epsilon_is_refused(epsilon: float) -> None:
    """An epsilon that is not positive, not a number or beyond the arithmetic is refused."""
    with pytest.raises(ConfigurationError, match=r"epsilon must be positive.*got epsilon="):
        Sphere.best(3, epsilon)


@pytest.mark.parametrize("dimension", [0, -1])
def test_wrong_dimension_is_refused(dimension: int) -> None:
    """A sphere has at least one dimension."""
    with pytest.raises(ConfigurationError, match=f"got dimension={dimension}"):
        Sphere.best(dimension, 1.0)
