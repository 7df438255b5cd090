"""Check 25: the integers that noise is added to are never farther apart than is charged for.

Inputs at the edges of floats, in pairs whose exact distance is at most the sensitivity, go
through the device's own `encode`; the exact curve is read at the distance of what comes out.
"""

import math
import re
import sys
from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import pytest

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.privacy.curve import GaussianCurve
from tacit.privacy.gaussian import STEPS_PER_SIGMA, GaussianMechanism, cumulative

DELTA = 1e-6
SENSITIVITIES = [1.0, 0.7, 2.0**-30, 1e-90, 1e90, 3e5]
POWERS = [*range(-1074, -990, 3), *range(-990, 64), *range(64, 1001, 7), 1000, 1023]


def moved(start: float, distance: float) -> float:
    """The float farthest from another one that is, exactly, no farther than `distance`."""
    goal = Fraction(start) + Fraction(distance)
    if abs(goal) > Fraction(sys.float_info.max):
        return start
    found = float(goal)
    beyond = Fraction(found) > goal if distance > 0 else Fraction(found) < goal
    return math.nextafter(found, start) if beyond else found


def pairs(sensitivity: float) -> Iterator[tuple[float, float]]:
    """Numbers around every power of two and of either sign, with the farthest legal neighbour."""
    for power in POWERS:
        centre = math.ldexp(1.0, power)
        around = (centre, math.nextafter(centre, 0.0), math.nextafter(centre, math.inf))
        for first in (x * sign for x in around for sign in (1.0, -1.0)):
            for part in (1.0, 0.5, 1e-3):
                yield first, moved(first, part * sensitivity)


def steps_apart(mechanism: GaussianMechanism, first: Floats, second: Floats) -> Floats:
    """The distances of what the device makes of rows, in steps, without overflow."""
    gaps = mechanism.encode(first).astype(object) - mechanism.encode(second).astype(object)
    return np.array([math.sqrt(sum(gap * gap for gap in row)) for row in gaps])


def real_delta(shift: int, epsilon: float) -> float:
    """The exact delta of the table's own noise under a shift of one number, by all its words."""
    table = np.concatenate([[0], cumulative().astype(object), [2**64]])
    cells = np.diff(table).astype(np.float64) / 2.0**64
    here = np.concatenate([cells, np.zeros(shift)])
    there = np.concatenate([np.zeros(shift), cells])
    return float(np.maximum(here - math.exp(epsilon) * there, 0.0).sum())


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 8.0])
@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_numbers_of_any_size_keep_the_claim(sensitivity: float, epsilon: float) -> None:
    """The worst pair's real delta, by the curve and by the table itself, is within the claim."""
    mechanism = GaussianMechanism.exact(1, sensitivity, epsilon, DELTA)
    first, second = np.array(list(pairs(sensitivity))).T[:, :, None]
    worst = steps_apart(mechanism, first, second).max()
    assert worst <= mechanism.curve.mu * STEPS_PER_SIGMA
    assert GaussianCurve(worst / STEPS_PER_SIGMA).delta(epsilon) <= DELTA
    assert 0.9 * DELTA < real_delta(int(worst), epsilon) <= DELTA


def test_the_pair_of_the_review_is_one_of_them() -> None:
    """Near 2^50 at eps = 1 and D = 1 a float cannot tell 1 from 1.25: the grid ends before."""
    mechanism = GaussianMechanism.exact(1, 1.0, 1.0, DELTA)
    near = np.array([[2.0**50], [2.0**50 + 1.0], [-(2.0**50)], [1e300], [math.inf]])
    end = 2**44
    assert mechanism.encode(near).ravel().tolist() == [end, end, -end, end, end]
    last = end * mechanism.step
    around = np.array([[math.nextafter(last, 0.0)], [last], [math.nextafter(last, math.inf)]])
    assert mechanism.encode(around).ravel().tolist() == [end, end, end]
    assert mechanism.encode(np.array([[last - 2 * mechanism.step]])).item() == end - 2


@pytest.mark.parametrize("dimension", [2, 5, 40])
def test_vectors_of_any_size_keep_the_claim(dimension: int) -> None:
    """Coordinates of every size at once, moved together by exactly the sensitivity at most."""
    generator = np.random.default_rng(dimension)
    mechanism = GaussianMechanism.exact(dimension, 1.0, 1.0, DELTA)
    powers = generator.uniform(-60, 55, (400, dimension))
    first = np.exp2(powers) * generator.choice([-1.0, 1.0], powers.shape)
    moves = generator.standard_normal(first.shape)
    moves *= (1 - 1e-12) / np.linalg.norm(moves, axis=1, keepdims=True)
    second = np.vectorize(moved)(first, moves)
    worst = steps_apart(mechanism, first, second).max()
    assert 0.9 * STEPS_PER_SIGMA / mechanism.sigma < worst <= mechanism.curve.mu * STEPS_PER_SIGMA


def test_quotients_cost_what_is_charged_for_them() -> None:
    """Near the end of the grid a division's rounding adds to the distance, and is paid for."""
    sigma, count = 1.1 * STEPS_PER_SIGMA, 1_000_000
    sensitivity = (9 - 2.0**-11) * (sigma / STEPS_PER_SIGMA)
    mechanism = GaussianMechanism(1, sensitivity, sigma)
    first = np.random.default_rng(0).uniform(0.9, 0.99, count) * 2.0**44 * mechanism.step
    second = first + sensitivity
    legal = second - first <= sensitivity  # exact: they are within a factor of 2
    gaps = (mechanism.encode(second[:, None]) - mechanism.encode(first[:, None]))[legal, 0]
    assert gaps.max() == 10 > sensitivity / mechanism.step + 1
    assert gaps.max() <= mechanism.curve.mu * STEPS_PER_SIGMA


@pytest.mark.parametrize("sensitivity", SENSITIVITIES)
def test_a_distance_that_floats_made_longer_is_charged_for(sensitivity: float) -> None:
    """A part in 1e12 beyond the sensitivity and a step, which is what rounding costs one number."""
    mechanism = GaussianMechanism.exact(1, sensitivity, 1.0, DELTA)
    longer = Fraction(sensitivity) * (1 + Fraction(9, 10**13)) + Fraction(mechanism.step)
    room = Fraction(mechanism.step) / 2**9
    paid = Fraction(mechanism.curve.mu) * Fraction(mechanism.sigma)
    assert longer <= paid - room + Fraction(sensitivity) / 10**14


@pytest.mark.parametrize("wrong", [1e-101, 5e-324, 1e101, math.inf, math.nan, 0.0, -1.0])
@pytest.mark.parametrize("name", ["sensitivity", "sigma"])
def test_scales_at_the_edge_of_floats_are_refused(name: str, wrong: float) -> None:
    """A subnormal step would not be the sigma that is stated."""
    scales = {"sensitivity": 1.0, "sigma": 1.0} | {name: wrong}
    with pytest.raises(ConfigurationError, match=re.escape(f"{name}={wrong}")):
        GaussianMechanism(1, **scales)
