"""What leaves a device for any input at all: 16 bytes, never an error, never a float."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst
from scipy import stats

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.privacy import SeededEntropy, Sphere
from tacit.privacy.expand import expand
from tacit.privacy.sphere import normalised
from tests.privacy.helpers import (
    FALSE_ALARM,
    STANDARD_ERRORS,
    TAG,
    ULP,
    random_seeds,
    random_units,
    rate_error,
)

TINY, HUGE = 5e-324, 1.7976931348623157e308
WILD = [
    [math.nan, 0.6, 0.8],
    [math.nan, math.nan, math.nan],
    [math.inf, 0.0, 0.0],
    [math.inf, -math.inf, math.nan],
    [0.0, -0.0, 0.0],
    [TINY, 0.0, 0.0],
    [TINY, -TINY, TINY],
    [HUGE, HUGE, -HUGE],
    [HUGE, TINY, 0.0],
    [1e-200, 1e-200, 0.0],
    [100.0, 0.0, 0.0],
    [1e-3, 0.0, 0.0],
]
ANY_ROWS = st.integers(1, 6).flatmap(
    lambda d: npst.arrays(np.float64, st.tuples(st.integers(0, 5), st.just(d)))
)


@given(ANY_ROWS, st.floats(0.01, 4.0))
def test_any_floats_give_reports(vectors: Floats, epsilon: float) -> None:
    """Any rows of floats give (n, 16) bytes: no error, no warning."""
    sphere = Sphere.best(vectors.shape[1], epsilon, TAG)
    seeds, trials = sphere.randomize_counting(vectors, SeededEntropy(0))
    assert seeds.shape == (len(vectors), 16)
    assert seeds.dtype == np.uint8
    assert (trials >= 1).all()


@given(ANY_ROWS)
def test_any_floats_become_unit_vectors(vectors: Floats) -> None:
    """Every row has length 1 afterwards and the input is left as it was."""
    before = vectors.copy()
    units = normalised(vectors)
    squares = np.einsum("nd,nd->n", units, units)
    assert (np.abs(squares - 1) <= (vectors.shape[1] + 8) * ULP).all()
    np.testing.assert_array_equal(vectors, before)


@pytest.mark.parametrize("count", [300, 5000])
def test_everybody_among_many_reports_of_themselves(count: int) -> None:
    """However many are tried at once, each report points along its own person's vector."""
    sphere, units = Sphere.best(3, 4.0, TAG), random_units(count, 3)
    points = expand(sphere.randomize(units, SeededEntropy(1)), TAG, 3)
    along = np.einsum("dn,nd->n", points, units)
    assert abs(along.mean() - sphere.mean_length) <= STANDARD_ERRORS * along.std() / count**0.5


def test_rows_without_direction_are_the_first_axis() -> None:
    """Zero, infinite and missing rows are replaced; others keep their direction."""
    units = normalised(np.array(WILD))
    np.testing.assert_array_equal(units[:5], np.broadcast_to([1.0, 0.0, 0.0], (5, 3)))
    third, half = math.sqrt(1 / 3), math.sqrt(1 / 2)
    kept = np.array(
        [[1, 0, 0], [third, -third, third], [third, third, -third], [1, 0, 0], [half, half, 0]]
    )
    np.testing.assert_allclose(units[5:10], kept, rtol=4 * ULP, atol=TINY)
    np.testing.assert_array_equal(units[10:], np.broadcast_to([1.0, 0.0, 0.0], (2, 3)))


def test_unit_vectors_stay_where_they_are() -> None:
    """Scaling a unit vector moves it by rounding alone."""
    units = random_units(100, 10)
    assert np.abs(normalised(units) - units).max() <= 4 * ULP


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_wild_inputs_are_accepted_at_the_common_rate(epsilon: float) -> None:
    """The cap rate, on which the proof rests, is that of any unit vector for every wild input."""
    sphere, count = Sphere.best(3, epsilon, TAG), 20_000
    points = expand(random_seeds(count), TAG, 3)
    for vector in normalised(np.array(WILD)):
        rate = sphere.in_cap(points, np.broadcast_to(vector, (count, 3))).mean()
        limit = STANDARD_ERRORS * rate_error(sphere.cap_rate, count)
        assert abs(rate - sphere.cap_rate) <= limit


@pytest.mark.parametrize("vector", WILD)
def test_trials_of_wild_inputs_do_not_stand_out(vector: list[float]) -> None:
    """Through the device's own path the number of trials is that of any input."""
    sphere, count = Sphere.best(3, 4.0, TAG), 10_000
    inputs = np.broadcast_to(vector, (count, 3))
    _, trials = sphere.randomize_counting(inputs, SeededEntropy(1))
    rate = sphere.accept_rate
    error = math.sqrt((1 - rate) / rate**2 / count)
    assert abs(trials.mean() - 1 / rate) <= STANDARD_ERRORS * error


def test_length_of_an_input_does_not_matter() -> None:
    """With the same entropy a vector and its multiples give the same report."""
    sphere, vectors = Sphere.best(3, 2.0, TAG), random_units(50, 3)
    reports = [
        sphere.randomize(vectors * scale, SeededEntropy(2)) for scale in (1.0, 2.0**-900, 1e300)
    ]
    np.testing.assert_array_equal(reports[0], reports[1])
    np.testing.assert_array_equal(reports[0], reports[2])


def test_strict_floating_point_settings_do_not_refuse_a_value() -> None:
    """An application that turns numpy's warnings into errors still reports every value."""
    sphere = Sphere.best(3, 1.0, TAG)
    with np.errstate(all="raise"):
        seeds = sphere.randomize(np.array(WILD), SeededEntropy(0))
    assert seeds.shape == (len(WILD), 16)


@pytest.mark.parametrize("shape", [(2, 1), (2, 4), (3,), (1, 1, 3)])
def test_wrong_shape_is_refused(shape: tuple[int, ...]) -> None:
    """The number of columns is public, so a wrong one is an error and never broadcast."""
    sphere, vectors = Sphere.best(3, 1.0, TAG), np.ones(shape)
    with pytest.raises(ConfigurationError, match=r"shape \(n, 3\)"):
        sphere.randomize(vectors, SeededEntropy(0))
    with pytest.raises(ConfigurationError, match=r"shape \(n, 3\)"):
        sphere.sample(vectors, np.random.default_rng(0))


def test_wrong_tag_is_refused() -> None:
    """Without a tag of 16 bytes nothing is randomized; sampling needs none."""
    for tag in (b"", bytes(4), bytes(17)):
        sphere = Sphere.best(3, 1.0, tag)
        with pytest.raises(ConfigurationError, match=f"tag of 16 bytes, got {len(tag)}"):
            sphere.randomize(np.ones((1, 3)), SeededEntropy(0))
        assert sphere.sample(np.ones((1, 3)), np.random.default_rng(0)).shape == (1, 3)


def test_no_inputs_give_no_reports() -> None:
    """An empty batch is empty."""
    assert Sphere.best(3, 1.0, TAG).randomize(np.empty((0, 3)), SeededEntropy(0)).shape == (0, 16)


def test_the_least_epsilon_accepts_every_trial() -> None:
    """With an epsilon below the coin's resolution everything is accepted at once."""
    sphere = Sphere.best(3, 1e-20, TAG)
    assert sphere.coin == 2**64
    _, trials = sphere.randomize_counting(random_units(100, 3), SeededEntropy(0))
    assert (trials == 1).all()


def test_reports_have_one_length_and_one_alphabet() -> None:
    """1e5 reports of extreme inputs: 16 bytes each, and every position uniform over bytes."""
    inputs = np.resize(np.vstack([WILD, np.eye(3), -np.eye(3)]), (100_000, 3))
    reports = Sphere.best(3, 1.0, TAG).randomize(inputs, SeededEntropy(9))
    assert {len(bytes(report)) for report in reports} == {16}
    for position in range(16):
        counts = np.bincount(reports[:, position], minlength=256)
        assert stats.chisquare(counts).pvalue > FALSE_ALARM
    assert len(np.unique(reports, axis=0)) == len(reports)


def off_grid(values: Floats) -> bool:
    """Whether any value is not a multiple of 2^-53: the attack on floats."""
    return bool((np.rint(values * 2.0**53) != values * 2.0**53).any())


def test_a_naive_gaussian_is_told_apart_by_its_floats() -> None:
    """The control: noise added to 0 is off the grid that noise added to 1 never leaves."""
    noise = np.random.default_rng(0).standard_normal(100_000)
    assert off_grid(0.0 + noise)
    assert not off_grid(1.0 + noise)


def test_reports_of_different_inputs_share_their_support() -> None:
    """Any seed can come from any input: outside the cap the coin accepts it."""
    sphere, seeds = Sphere.best(3, 4.0, TAG), random_seeds(1000)
    words = np.full(len(seeds), sphere.coin - 1, dtype=np.uint64)
    for vector in np.vstack([np.eye(3), -np.eye(3)]):
        assert sphere.accepts(seeds, words, np.broadcast_to(vector, (1000, 3))).all()
