"""The vocabulary, held to its word by every mechanism that speaks it."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pytest
from scipy import stats

from tacit.arrays import Floats
from tacit.privacy import Guarantee, Mechanism, SeededEntropy, Sphere
from tacit.privacy.audit import Source
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.response import Response
from tacit.privacy.staircase import Staircase
from tacit.privacy.subset import Subset
from tacit.privacy.window import piecewise, two_point
from tests.privacy.helpers import STANDARD_ERRORS, TAG, ks_limit, random_units

DRAWS = 40_000
DELTA = 1e-6
TOO_MUCH = 1.1
WILD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, 1e-310, -0.0, 1.0 + 1e-15]


@dataclass(frozen=True)
class Case:
    """A mechanism for any epsilon, and legal inputs of it, those with the most noise among them."""

    make: Callable[[float], Mechanism]
    inputs: Floats

    def row(self, number: int, count: int) -> Floats:
        """One input for many people."""
        return np.repeat(self.inputs[number : number + 1], count, axis=0)


def numbers(*values: float) -> Floats:
    """One number each."""
    return np.array(values)


UNITS = np.vstack([np.eye(3)[:1], random_units(2, 3)])
PAIRS = np.array([[1.0, 0.0], [0.0, 1.0], [0.5, 0.5], [0.9, 0.1]])
FOURS = np.array([[1, 0, 0, 0], [0, 0, 0, 1], [0.5, 0.1, 0.4, 0], [0.25] * 4])
CASES = {
    "sphere": Case(lambda e: Sphere.best(3, e, TAG), UNITS),
    "hemisphere": Case(lambda e: Sphere.hemisphere(3, e, TAG), UNITS),
    "gaussian": Case(lambda e: GaussianMechanism.exact(3, 2.0, e, DELTA), UNITS),
    "two points": Case(two_point, numbers(-1.0, 0.0, 0.3, 1.0)),
    "piecewise": Case(piecewise, numbers(-1.0, 0.0, 0.3, 1.0)),
    "staircase": Case(Staircase.best, numbers(-1.0, 0.0, 0.3, 1.0)),
    "response of two": Case(lambda e: Response(2, e), PAIRS),
    "response of four": Case(lambda e: Response(4, e), FOURS),
    "one of two": Case(lambda e: Subset.of(e, 2, 1), PAIRS),
    "two of four": Case(lambda e: Subset.of(e, 4, 2), FOURS),
}
over_cases = pytest.mark.parametrize("name", CASES)


class Counting:
    """Entropy of zero bytes, which every coin accepts, that notes how many are drawn."""

    def __init__(self) -> None:
        self.drawn: list[int] = []

    def draw(self, count: int) -> bytes:
        """So many zeros."""
        self.drawn.append(count)
        return bytes(count)


def values_of(mechanism: Mechanism, inputs: Floats, seed: int = 0) -> Floats:
    """What reports of inputs say, as (n, coordinates)."""
    reports = mechanism.randomize(inputs, SeededEntropy(seed))
    return mechanism.value(reports).reshape(len(inputs), -1)


def claim(epsilon: float, mechanism: Mechanism) -> Guarantee:
    """That epsilon, at the delta the mechanism has."""
    return Guarantee(epsilon, delta=mechanism.guarantee.delta)


@over_cases
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
def test_values_are_unbiased_with_the_noise_stated(name: str, epsilon: float) -> None:
    """The mean is the input; the largest variance over inputs is `noise`, and none is larger."""
    case = CASES[name]
    mechanism, variances, errors = case.make(epsilon), [], []
    for number, vector in enumerate(case.inputs):
        values = values_of(mechanism, case.row(number, DRAWS), seed=number)
        limit = STANDARD_ERRORS * math.sqrt(DRAWS * values.var(axis=0).max()) / DRAWS
        assert np.abs(values.mean(axis=0) - vector).max() <= limit
        squares = (values - vector) ** 2
        if name == "hemisphere":  # its noise is that of the average coordinate
            squares = squares.mean(axis=1, keepdims=True)
        variances.append(squares.mean(axis=0).max())
        errors.append(float(squares.std(axis=0).max()) / math.sqrt(DRAWS))
    limit = STANDARD_ERRORS * max(errors) + 1e-9 * mechanism.noise
    assert abs(max(variances) - mechanism.noise) <= limit


@over_cases
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_samples_have_the_law_of_reports(name: str, epsilon: float) -> None:
    """Coordinate by coordinate, by the distance of Kolmogorov and Smirnov."""
    case, count = CASES[name], 10_000
    mechanism = case.make(epsilon)
    for number in range(len(case.inputs)):
        inputs = case.row(number, count)
        sampled = mechanism.sample(inputs, np.random.default_rng(number)).reshape(count, -1)
        for one, other in zip(values_of(mechanism, inputs).T, sampled.T, strict=True):
            distance = stats.ks_2samp(one.round(9), other.round(9), method="asymp").statistic
            assert distance <= ks_limit(count, count)


@over_cases
@pytest.mark.parametrize("epsilon", [1.0, 2.0])
def test_audits_tell_right_from_wrong(name: str, epsilon: float) -> None:
    """What is stated is not refuted; a tenth less than is spent is."""
    case = CASES[name]
    right, wrong = case.make(epsilon), case.make(TOO_MUCH * epsilon)
    draws = 40_000 if name in ("sphere", "hemisphere", "gaussian") else 200_000
    assert right.guarantee.epsilon == pytest.approx(epsilon, rel=1e-6)
    passed = right.audit(Source(draws, SeededEntropy(1)))
    assert passed.passed, passed
    claimed = claim(epsilon, wrong)
    assert not wrong.audit(Source(draws, SeededEntropy(1)), claimed).passed


@over_cases
def test_any_floats_report_and_take_the_same_bytes(name: str) -> None:
    """Wild values are encoded without a warning, and draw what every other input draws."""
    case = CASES[name]
    mechanism = case.make(1.0)
    wild = np.resize(WILD, (len(WILD), *case.inputs.shape[1:]))
    taken = set()
    with np.errstate(all="raise"):
        for values in (*wild, *case.inputs):
            entropy = Counting()
            row = np.asarray(values)[None]
            report = mechanism.randomize(row, entropy)
            assert np.isfinite(mechanism.encode(row)).all()
            assert np.isfinite(mechanism.value(report)).all()
            taken.add(tuple(entropy.drawn))
    assert len(taken) == 1


@over_cases
def test_legal_inputs_stay_as_they_are(name: str) -> None:
    """Encoding changes them by rounding alone, of floats or to the grid."""
    case = CASES[name]
    mechanism, encoded = case.make(1.0), case.make(1.0).encode(case.inputs)
    if isinstance(mechanism, GaussianMechanism):
        assert np.abs(mechanism.value(encoded) - case.inputs).max() <= mechanism.step / 2
    else:
        np.testing.assert_allclose(encoded, case.inputs, rtol=1e-15)


@over_cases
def test_reports_are_made_of_what_is_encoded(name: str) -> None:
    """Whatever floats come in, the report is that of the legal input they stand for."""
    case = CASES[name]
    mechanism = case.make(1.0)
    wild = np.resize(WILD, (len(WILD), *case.inputs.shape[1:]))
    legal = mechanism.encode(wild)
    if isinstance(mechanism, GaussianMechanism):
        legal = mechanism.value(legal)
    one, other = (mechanism.randomize(values, SeededEntropy(3)) for values in (wild, legal))
    np.testing.assert_array_equal(one, other)


def test_another_epsilon_keeps_kind_and_dimension() -> None:
    """What a plan asks for: the same study at another price."""
    assert Sphere.best(5, 1.0, TAG).at(2.0) == Sphere.best(5, 2.0, TAG)


class Zeros:
    """Entropy that hands out nothing but zeros: the least luck, and words below every chance."""

    def draw(self, count: int) -> bytes:
        """So many of them."""
        return bytes(count)


def test_a_sure_class_is_drawn_whatever_the_luck() -> None:
    """A class with no weight is never drawn, not even at the edge of the uniform numbers."""
    assert Response(4, 2.0).randomize(np.eye(4), Zeros()).tolist() == [0, 1, 2, 3]
    held = Subset.of(2.0, 6, 2)
    assert held.members(held.randomize(np.eye(6), Zeros()))[np.arange(6), np.arange(6)].all()
