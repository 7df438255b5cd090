import itertools
import math
from functools import lru_cache

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tacit.errors import ConfigurationError
from tacit.privacy import SeededEntropy
from tacit.privacy.curve import calibrate
from tacit.privacy.gaussian import (
    BEYOND,
    STEPS_PER_SIGMA,
    TABLE_ERROR,
    THINNEST,
    GaussianMechanism,
    cumulative,
    rounded_noise,
)
from tests.privacy.helpers import FALSE_ALARM, STANDARD_ERRORS

WORD = 2**64
WILD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, -0.0, 1e19, 2.0**63]
DELTA = 1e-6


def table_cells() -> NDArray[np.uint64]:
    """How many of the 2^64 words lead to each cell, the most negative first."""
    inner = np.diff(cumulative(), prepend=np.uint64(0))
    return np.append(inner, np.uint64((WORD - int(cumulative()[-1])) % WORD))


@lru_cache(maxsize=1)
def true_cells() -> NDArray[np.float64]:
    """The law of the same cells from 0 on: the density integrated by Gauss's rule at 5 points.

    Its error is of the order width^10; `test_cells_are_those_of_mpmath` compares it at 40 digits.
    """
    nodes, weights = np.polynomial.legendre.leggauss(5)
    width = np.longdouble(1) / STEPS_PER_SIGMA
    middle = np.arange(len(cumulative()) // 2 + 1).astype(np.longdouble) * width
    points = middle[:, None] + nodes.astype(np.longdouble) * width / 2
    density = np.exp(-points * points / 2) / np.sqrt(2 * np.longdouble(mp.nstr(mp.pi, 25)))
    return np.asarray(density @ weights.astype(np.longdouble) * width / 2)


def exact_cell(k: int) -> mp.mpf:
    """The probability of one cell at 40 digits."""
    with mp.workdps(40):
        low, high = ((mp.mpf(abs(k)) + side) / STEPS_PER_SIGMA for side in (-0.5, 0.5))
        return mp.ncdf(-low) - mp.ncdf(-high)


def test_the_table_takes_every_word_once() -> None:
    """Its cells are symmetric, none is empty, and together they are all 2^64 words."""
    cells = table_cells()
    assert sum(map(int, cells)) == WORD
    assert cells.min() >= 1
    np.testing.assert_array_equal(cells, cells[::-1])


@pytest.mark.parametrize("k", [0, 1, 2, 5000, 16384, 40000, 80000, 120000, 163839])
def test_cells_are_those_of_mpmath(k: int) -> None:
    """A cell has its probability or up to one word more; the middle gives up what they gained."""
    cells = table_cells()
    exact = exact_cell(k)
    seen = mp.mpf(int(cells[len(cells) // 2 + k])) / WORD
    assert float(true_cells()[k]) == pytest.approx(float(exact), rel=1e-15)
    if k:
        assert -1e-15 * exact <= seen - exact <= mp.mpf(1) / WORD + 1e-15 * exact
    assert exact <= (1 + THINNEST) * seen


def test_distances_charged_are_those_of_the_table() -> None:
    """Total variation, the thinnest cell and the mass beyond are within what is charged."""
    cells = table_cells()
    half = cells[len(cells) // 2 :].astype(np.longdouble) / np.longdouble(WORD)
    excess = half - true_cells()
    assert float(excess[0]) < 0 < float(excess[1:].sum())
    assert 2 * float(np.maximum(excess, 0).sum()) <= TABLE_ERROR
    assert float((true_cells() / half).max()) - 1 <= THINNEST
    beyond = 2 * mp.ncdf(-(mp.mpf(len(half)) - 0.5) / STEPS_PER_SIGMA)
    assert BEYOND / 2 < beyond <= BEYOND


class Words:
    """Entropy that hands out chosen words."""

    def __init__(self, words: list[int]) -> None:
        self.words = words

    def draw(self, count: int) -> bytes:
        """All of them, which must be as many as asked for."""
        assert count == 8 * len(self.words)
        return np.array(self.words, dtype="<u8").tobytes()


def test_words_become_the_cells_they_belong_to() -> None:
    """The first and last word of the range, of the middle and of a cell are looked up rightly."""
    cells = [int(cell) for cell in table_cells()]
    edge = len(cells) // 2
    middle = sum(cells[:edge])
    words = [0, middle - 1, middle, middle + cells[edge] - 1, middle + cells[edge], WORD - 1]
    assert rounded_noise(6, Words(words)).tolist() == [-edge, -1, 0, 0, 1, edge]


def check_law(draws: int) -> None:
    """Chi-square over 200 equally likely classes, mean and variance within 7 standard errors."""
    counts = np.zeros(200, dtype=np.int64)
    total, squares = 0, 0
    edges = np.floor(stats.norm.ppf(np.arange(1, 200) / 200) * STEPS_PER_SIGMA) + 0.5
    for seed in range(draws // 500_000):
        noise = rounded_noise(500_000, SeededEntropy(seed))
        counts += np.bincount(np.searchsorted(edges, noise), minlength=200)
        total += int(noise.sum())
        squares += int((noise * noise).sum())
    expected = np.diff(stats.norm.cdf(edges / STEPS_PER_SIGMA), prepend=0.0, append=1.0) * draws
    assert stats.chisquare(counts, expected * (draws / expected.sum())).pvalue > FALSE_ALARM
    assert abs(total / draws) <= STANDARD_ERRORS * STEPS_PER_SIGMA / math.sqrt(draws)
    gap = abs(squares / draws / STEPS_PER_SIGMA**2 - 1)
    assert gap <= STANDARD_ERRORS * math.sqrt(2 / draws)


def test_draws_have_the_law() -> None:
    """A million draws."""
    check_law(1_000_000)


@pytest.mark.assure
def test_draws_have_the_law_at_length() -> None:
    """Ten million draws, and a variance right to 0.2%, which is 4.5 standard errors."""
    check_law(10_000_000)
    noise = rounded_noise(10_000_000, SeededEntropy(99))
    assert abs(noise.astype(float).var() / STEPS_PER_SIGMA**2 - 1) < 0.002


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 4.0, 10.0, 16.0, 20.0, 30.0])
@pytest.mark.parametrize("dimension", [1, 20, 65])
def test_exact_noise_is_enough_and_no_more(epsilon: float, dimension: int) -> None:
    """A report keeps its word with every charge; beyond the grid nothing else is wasted."""
    mechanism = GaussianMechanism.exact(dimension, 3.0, epsilon, DELTA)
    assert 0.99 * DELTA < mechanism.delta(epsilon) <= DELTA
    least = 3.0 * calibrate(epsilon, DELTA)
    grid = mechanism.step * math.sqrt(dimension) / 3.0
    assert least < mechanism.sigma <= least * (1 + grid) * 1.001


def test_the_grid_costs_what_is_documented() -> None:
    """0.4% of the variance in 65 dimensions at eps = 1; up to 20 dimensions under 1% of sigma."""
    variance = (GaussianMechanism.exact(65, 1.0, 1.0, DELTA).sigma / calibrate(1.0, DELTA)) ** 2
    assert variance == pytest.approx(1.0042, abs=5e-5)
    assert GaussianMechanism.exact(20, 1.0, 0.1, DELTA).sigma < 1.0101 * calibrate(0.1, DELTA)


@pytest.mark.parametrize("dimension", [1, 1000, 10**6])
def test_every_coordinate_is_charged_for_the_table(dimension: int) -> None:
    """Each adds its share of the table's error to delta, and of its thinnest cell to epsilon."""
    mechanism = GaussianMechanism(dimension, 1.0, 20.0 * math.sqrt(dimension))
    curve, inner = mechanism.curve, 0.05
    charged = mechanism.delta(inner + dimension * THINNEST) - curve.delta(inner)
    due = dimension * (TABLE_ERROR + math.exp(inner) * BEYOND)
    assert due <= charged * (1 + 1e-6) + 1e-16
    assert charged <= due * (1 + 1e-6) + 1e-12 * curve.delta(inner) + 1e-16
    none = mechanism.delta(0.0) - curve.delta(0.0)
    assert none == pytest.approx(2 * dimension * TABLE_ERROR, rel=1e-4, abs=1e-15)
    far = mechanism.delta(math.inf)
    assert far == pytest.approx(dimension * (TABLE_ERROR + math.exp(30.0) * BEYOND), rel=1e-6)


@pytest.mark.parametrize(
    ("dimension", "sigma", "delta"),
    [(1, 0.27, 1e-9), (1, 1.0, 1e-3), (65, 5.0, 1e-6), (10**6, 1e4, 1e-6)],
)
def test_the_epsilon_stated_is_enough_and_no_more(
    dimension: int, sigma: float, delta: float
) -> None:
    """With it delta is met, every charge included; with a thousandth less it is not."""
    mechanism = GaussianMechanism(dimension, 1.0, sigma, delta)
    epsilon = mechanism.guarantee.epsilon
    assert mechanism.guarantee.delta == delta
    assert mechanism.delta(epsilon) <= delta * (1 + 1e-9)
    assert mechanism.delta(0.999 * epsilon) > delta


def test_no_epsilon_is_stated_beyond_what_the_table_can_keep() -> None:
    """Where cells beyond the table could cost more than delta there is no bound to state."""
    assert GaussianMechanism(1, 10.0, 1.0).guarantee.epsilon == math.inf


def test_delta_falls_and_never_leaves_its_range() -> None:
    """From the total variation at 0 downwards to what the table costs, which is little."""
    mechanism = GaussianMechanism(1000, 1.0, 2.0)
    epsilons = [0.0, 1e-9, 1e-6, 1e-5, 0.1, 1.0, 3.0, 5.0]
    deltas = [mechanism.delta(epsilon) for epsilon in epsilons]
    assert all(0 < later <= earlier <= 1 for earlier, later in itertools.pairwise(deltas))
    assert mechanism.delta(1e6) == mechanism.delta(math.inf) < DELTA


@pytest.mark.parametrize("radius", [1e-3, 1.0, 1e3])
def test_rounding_adds_no_more_distance_than_charged(radius: float) -> None:
    """Over pairs as far apart as the sensitivity, integers are at most D + h sqrt(d) apart."""
    mechanism = GaussianMechanism.exact(8, 2 * radius, 1.0, DELTA)
    rng = np.random.default_rng(0)
    ends = rng.standard_normal((4000, 8))
    ends *= radius / np.linalg.norm(ends, axis=1, keepdims=True)
    zero = Words([WORD // 2] * ends.size)
    gaps = (mechanism.randomize(ends, zero) - mechanism.randomize(-ends, zero)) * mechanism.step
    assert np.linalg.norm(gaps, axis=1).max() <= mechanism.curve.mu * mechanism.sigma


def test_any_float_becomes_a_report() -> None:
    """Nothing is raised, under warnings as errors and numpy's as well; the noise still fits."""
    mechanism = GaussianMechanism.exact(len(WILD), 1.0, 1.0, DELTA)
    with np.errstate(all="raise"):
        for shift in range(len(WILD)):
            report = mechanism.randomize(np.roll(WILD, shift), SeededEntropy(shift))
            assert report.dtype == np.int64
            assert report.shape == (len(WILD),)
            assert np.abs(mechanism.value(report)).max() <= 2.0**63 * mechanism.step


def test_wild_values_are_where_they_belong() -> None:
    """What is no number is 0; what is too large is the end of the grid on its own side."""
    mechanism = GaussianMechanism(4, 1.0, 1.0)
    wild = np.array([math.nan, math.inf, -math.inf, 1e300])
    noise = mechanism.randomize(np.zeros(4), SeededEntropy(1))
    steps = mechanism.randomize(wild, SeededEntropy(1)) - noise
    assert steps.tolist() == [0, 2**44, -(2**44), 2**44]


def test_entropy_drawn_does_not_depend_on_the_input() -> None:
    """Ordinary and wild inputs take the same bytes, so later reports are not shifted."""

    class Counting(SeededEntropy):
        taken = 0

        def draw(self, count: int) -> bytes:
            """Count the bytes."""
            self.taken += count
            return super().draw(count)

    mechanism, takers = GaussianMechanism(3, 1.0, 1.0), [Counting(0) for _ in range(3)]
    for taker, value in zip(takers, [0.3, math.nan, 1e308], strict=True):
        mechanism.randomize(np.full(3, value), taker)
    assert {taker.taken for taker in takers} == {24}


def separation(outputs: list[NDArray[np.float64]]) -> float:
    """By how much the share of multiples of 2^-53 differs between two samples."""
    shares = [np.mean(sample * 2.0**53 % 1 == 0) for sample in outputs]
    return abs(float(shares[0] - shares[1]))


def test_floats_would_tell_inputs_apart() -> None:
    """Multiples of 2^-53 betray the input of naive noise, and nothing of the rounded one's."""
    draws, rng = 100_000, np.random.default_rng(0)
    mechanism = GaussianMechanism.exact(1, 1.0, 1.0, DELTA)
    naive = [value + rng.normal(0.0, mechanism.sigma, draws) for value in (0.0, 1.0)]
    assert separation(naive) > 10_000 * DELTA
    inputs = [np.full((draws, 1), value) for value in (0.0, 1.0)]
    made = [mechanism.randomize(part, SeededEntropy(seed)) for seed, part in enumerate(inputs)]
    assert separation([report[:, 0].astype(np.float64) for report in made]) == 0.0


def test_reports_and_simulation_have_one_law() -> None:
    """Mean and variance of devices, of simulated ones and of simulated sums agree."""
    mechanism, people = GaussianMechanism(5, 1.0, 2.0), 40_000
    vector = np.array([0.3, -0.2, 0.0, 1.0, -1.0])
    rows = np.broadcast_to(vector, (people, 5))
    rng = np.random.default_rng(1)
    single = [
        mechanism.value(mechanism.randomize(rows, SeededEntropy(1))),
        mechanism.sample(rows, rng),
    ]
    for reports in single:
        error = mechanism.sigma / math.sqrt(people)
        assert np.abs(reports.mean(axis=0) - vector).max() <= STANDARD_ERRORS * error
        spread = reports.var(axis=0) / mechanism.sigma**2 - 1
        assert np.abs(spread).max() <= STANDARD_ERRORS * math.sqrt(2 / people)
    blocks = [rows[:60], rows[:40]]
    totals = [mechanism.sample_total(blocks, rng) for _ in range(people // 4)]
    means = np.array([mechanism.mean(total, 100) for total in totals])
    spread = (means - vector).var(axis=0) / mechanism.sigma**2 * 100 - 1
    assert np.abs(spread).max() <= STANDARD_ERRORS * math.sqrt(2 / (people / 4))


@pytest.mark.parametrize("shape", [(), (5,), (2, 4), (6, 4)])
def test_inputs_of_another_size_are_refused(shape: tuple[int, ...]) -> None:
    """The charges count coordinates: their number is public, and must be the one stated."""
    with pytest.raises(ConfigurationError, match="6 numbers"):
        GaussianMechanism(6, 1.0, 1.0).randomize(np.zeros(shape), SeededEntropy(0))


@pytest.mark.parametrize("shape", [(6,), (10, 6), (2, 3), (4, 3, 2)])
def test_batches_and_matrices_are_inputs(shape: tuple[int, ...]) -> None:
    """The last axes hold an input; what is before them are people."""
    report = GaussianMechanism(6, 1.0, 1.0).randomize(np.zeros(shape), SeededEntropy(0))
    assert report.shape == shape


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0, 1.0, 1.0, DELTA), "dimension"),
        ((1, 0.0, 1.0, DELTA), "sensitivity=0.0"),
        ((1, math.nan, 1.0, DELTA), "sensitivity=nan"),
        ((1, 1.0, math.nan, DELTA), "epsilon=nan"),
        ((1, 1.0, -1.0, DELTA), "epsilon=-1"),
        ((1, 1.0, math.inf, DELTA), "epsilon=inf"),
        ((1, 1.0, 1.0, 1e-15), "delta=1e-15"),
        ((1, 1.0, 1.0, 1.5), "delta="),
        ((10**6, 1.0, 0.1, DELTA), "epsilon=0.1"),
    ],
)
def test_impossible_requests_are_refused(
    arguments: tuple[int, float, float, float], named: str
) -> None:
    """What no table of 64-bit numbers on this grid can keep is an error that shows the value."""
    with pytest.raises(ConfigurationError, match=named):
        GaussianMechanism.exact(*arguments)


@pytest.mark.parametrize("sigma", [0.0, -1.0, math.inf, math.nan])
def test_noise_must_be_noise(sigma: float) -> None:
    """A stated scale is positive and finite."""
    with pytest.raises(ConfigurationError, match=f"sigma={sigma}"):
        GaussianMechanism(1, 1.0, sigma)
