"""What leaves a device has the law of the formulas, and of the direct sampler."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tacit.privacy import SeededEntropy, Sphere
from tacit.privacy.expand import SCALE, expand
from tests.privacy.helpers import STANDARD_ERRORS, TAG, ULP, ks_limit, random_units, rate_error

SETTINGS = [(1, 1.0), (2, 2.0), (3, 1.0), (10, 2.0), (65, 1.0)]
LONG_SETTINGS = [(1, 0.5), (2, 4.0), (3, 4.0), (10, 1.0), (10, 4.0), (65, 2.0)]
Floats = NDArray[np.float64]


def device_outputs(sphere: Sphere, vector: Floats, count: int, seed: int) -> Floats:
    """Points (count, d) of reports made as on a device."""
    parts = []
    entropy = SeededEntropy(seed)
    for start in range(0, count, 50_000):
        inputs = np.broadcast_to(vector, (min(50_000, count - start), len(vector)))
        parts.append(expand(sphere.randomize(inputs, entropy), TAG, len(vector)).T)
    return np.concatenate(parts)


def sampled_outputs(sphere: Sphere, vector: Floats, count: int, seed: int) -> Floats:
    """Points (count, d) of the direct sampler."""
    inputs = np.broadcast_to(vector, (count, len(vector)))
    return sphere.points(inputs, np.random.default_rng(seed))


def check_length(outputs: Floats) -> None:
    """Every output has length 1, up to a few roundings per coordinate."""
    squares = np.einsum("nd,nd->n", outputs, outputs)
    assert np.abs(squares - 1).max() <= 8 * (outputs.shape[1] + 8) * ULP


def check_mean(sphere: Sphere, vector: Floats, outputs: Floats) -> None:
    """The mean, scaled, is the input."""
    error = math.sqrt(sphere.noise / len(outputs))
    deviation = outputs.mean(axis=0) / sphere.mean_length - vector
    assert np.abs(deviation).max() <= STANDARD_ERRORS * error


def check_heights(sphere: Sphere, heights: Floats) -> None:
    """In-cap rate, second moment along the input and squared error."""
    d, mu, count = sphere.dimension, sphere.mean_length, len(heights)
    in_cap = sphere.cap_rate / sphere.accept_rate
    seen = np.count_nonzero(heights >= sphere.cap - d * ULP) / count
    assert abs(seen - in_cap) <= STANDARD_ERRORS * rate_error(in_cap, count)
    second = (1 + (d - 1) * sphere.cap * mu) / d
    second_error = math.sqrt(second * max(1 - second, 0) / count)  # heights^2 lie in [0, 1]
    rounding = 8 * (d + 8) * ULP
    assert abs(np.mean(heights**2) - second) <= STANDARD_ERRORS * second_error + rounding
    squared_errors = 1 / mu**2 + 1 - 2 * heights / mu
    error = 2 / mu * math.sqrt((second - mu**2) / count)
    assert abs(squared_errors.mean() - sphere.squared_error) <= STANDARD_ERRORS * error


def check_isotropic_across(vector: Floats, outputs: Floats) -> None:
    """Orthogonal to the input every direction is alike: mean 0, covariance I/k."""
    count, k = len(outputs), len(vector) - 1
    basis = np.linalg.qr(np.column_stack([vector, np.eye(k + 1)]))[0][:, 1 : k + 1]
    across = outputs @ basis
    across /= np.linalg.norm(across, axis=1, keepdims=True)
    assert np.abs(across.mean(axis=0)).max() <= STANDARD_ERRORS / math.sqrt(k * count)
    variances = np.where(np.eye(k), 3, 1) / (k * (k + 2)) - np.eye(k) / k**2
    errors = np.sqrt(np.maximum(variances, 0) / count)
    deviation = np.abs(across.T @ across / count - np.eye(k) / k)
    assert (deviation <= STANDARD_ERRORS * errors + 8 * ULP).all()


def check_law(dimension: int, epsilon: float, count: int) -> None:
    """Both ways to the output obey the formulas and agree with each other."""
    sphere, vector = Sphere.best(dimension, epsilon, TAG), random_units(1, dimension, seed=3)[0]
    ways = (
        device_outputs(sphere, vector, count, seed=1),
        sampled_outputs(sphere, vector, count, seed=2),
    )
    for outputs in ways:
        check_length(outputs)
        check_mean(sphere, vector, outputs)
        check_heights(sphere, outputs @ vector)
        if dimension > 1:
            check_isotropic_across(vector, outputs)
    device, direct = (outputs @ vector for outputs in ways)
    assert stats.ks_2samp(device, direct, method="asymp").statistic <= ks_limit(count, count)


@pytest.mark.parametrize(("dimension", "epsilon"), SETTINGS)
def test_device_and_sampler_have_the_law_of_the_formulas(dimension: int, epsilon: float) -> None:
    """1e5 reports: mean, squared error, cap rate, isotropy; and one law for both ways."""
    check_law(dimension, epsilon, 100_000)


@pytest.mark.assure
@pytest.mark.parametrize(("dimension", "epsilon"), SETTINGS + LONG_SETTINGS)
def test_device_and_sampler_have_the_law_at_length(dimension: int, epsilon: float) -> None:
    """The same with 1e6 reports and more settings."""
    check_law(dimension, epsilon, 1_000_000)


@pytest.mark.parametrize(
    ("dimension", "epsilon"), [(2, 20.0), (10, 20.0), (500, 20.0), (5000, 1.0)]
)
def test_sampler_obeys_the_formulas_where_devices_do_not_go(dimension: int, epsilon: float) -> None:
    """The direct sampler keeps its law at the ends of its range."""
    sphere, vector = Sphere.best(dimension, epsilon, TAG), random_units(1, dimension)[0]
    outputs = sampled_outputs(sphere, vector, 2_000, seed=0)
    check_length(outputs)
    check_mean(sphere, vector, outputs)
    check_heights(sphere, outputs @ vector)


@pytest.mark.parametrize("dimension", [2, 3, 10])
def test_sampler_serves_every_direction(dimension: int) -> None:
    """Axes, their negatives and directions of either sign all get outputs around themselves."""
    sphere, axes = Sphere.best(dimension, 2.0, TAG), np.eye(dimension)
    units = random_units(3, dimension)
    for seed, vector in enumerate((*axes[:2], *-axes[:2], *units, *-units)):
        outputs = sampled_outputs(sphere, vector, 5_000, seed)
        check_length(outputs)
        check_mean(sphere, vector, outputs)
        check_isotropic_across(vector, outputs)


@pytest.mark.parametrize("dimension", [1, 2, 10, 500])
def test_the_total_is_that_of_the_points(dimension: int) -> None:
    """From the same random numbers, up to rounding: a total is drawn without making each point."""
    sphere, inputs = Sphere.best(dimension, 1.0, TAG), random_units(700, dimension)
    total = sphere.sample_total(iter((inputs[:500], inputs[500:])), np.random.default_rng(4))
    generator = np.random.default_rng(4)
    points = [sphere.points(block, generator) for block in (inputs[:500], inputs[500:])]
    each = np.concatenate(points).sum(axis=0)
    assert np.abs(total / SCALE - each).max() <= 2 / SCALE + 700 * 8 * ULP


@pytest.mark.parametrize("wild", [0.0, 1e-180, 1e180, math.inf, math.nan])
def test_the_sampler_reads_rows_as_devices_do(wild: float) -> None:
    """Rows of any length are taken by their direction, with and without wild ones among them."""
    sphere, units = Sphere.best(5, 1.0, TAG), random_units(100, 5)
    lengths = np.geomspace(1e-3, 1e3, 100)[:, None]
    strange = np.where(np.arange(100)[:, None] == 7, wild, lengths) * units
    for values in (lengths * units, strange):
        found = sphere.points(values, np.random.default_rng(1))
        expected = sphere.points(sphere.encode(values), np.random.default_rng(1))
        np.testing.assert_allclose(found, expected, rtol=0, atol=100 * ULP)


def check_trials(sphere: Sphere, trials: NDArray[np.int64]) -> None:
    """Mean and variance of the geometric law."""
    rate, count = sphere.accept_rate, len(trials)
    variance = (1 - rate) / rate**2
    assert trials.min() == 1
    assert abs(trials.mean() - 1 / rate) <= STANDARD_ERRORS * math.sqrt(variance / count)
    spread = variance * math.sqrt((8 + rate**2 / (1 - rate)) / count)
    assert abs(trials.var() - variance) <= STANDARD_ERRORS * spread


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 1.0), (3, 4.0), (10, 2.0)])
def test_trials_are_geometric_for_every_input(dimension: int, epsilon: float) -> None:
    """The number of trials has one law, whatever the input, and says nothing of the side taken."""
    sphere, count = Sphere.best(dimension, epsilon, TAG), 40_000
    axis = np.eye(dimension)[0]
    for seed, vector in enumerate((axis, -axis, *random_units(2, dimension))):
        inputs = np.broadcast_to(vector, (count, dimension))
        seeds, trials = sphere.randomize_counting(inputs, SeededEntropy(seed))
        check_trials(sphere, trials)
        in_cap = vector @ expand(seeds, TAG, dimension) >= sphere.cap
        expected = sphere.cap_rate / sphere.accept_rate
        for chosen in (in_cap[trials == 1], in_cap[trials > 1]):
            error = rate_error(expected, len(chosen))
            assert abs(chosen.mean() - expected) <= STANDARD_ERRORS * error


@pytest.mark.parametrize("ahead", [1, 3, 64])
def test_trials_drawn_ahead_do_not_change_the_law(
    monkeypatch: pytest.MonkeyPatch, ahead: int
) -> None:
    """However many trials are drawn at once, reports and counts have the same law."""
    monkeypatch.setattr(Sphere, "trials_at_once", lambda self, pending: ahead)
    sphere, count = Sphere.best(3, 2.0, TAG), 20_000
    vector = random_units(1, 3)[0]
    inputs = np.broadcast_to(vector, (count, 3))
    seeds, trials = sphere.randomize_counting(inputs, SeededEntropy(ahead))
    check_trials(sphere, trials)
    check_mean(sphere, vector, expand(seeds, TAG, 3).T)


def test_one_by_one_has_the_law_of_many_at_once() -> None:
    """A device that reports once draws from the law of a simulation of many."""
    sphere, vector, count = Sphere.best(3, 2.0, TAG), random_units(1, 3), 2_000
    entropy = SeededEntropy(5)
    pairs = [sphere.randomize_counting(vector, entropy) for _ in range(count)]
    check_trials(sphere, np.concatenate([trials for _, trials in pairs]))
    single = expand(np.concatenate([seeds for seeds, _ in pairs]), TAG, 3).T
    check_mean(sphere, vector[0], single)
    check_heights(sphere, single @ vector[0])
    many = device_outputs(sphere, vector[0], 50_000, seed=6)
    distance = stats.ks_2samp(single @ vector[0], many @ vector[0], method="asymp").statistic
    assert distance <= ks_limit(count, 50_000)


def test_rows_of_a_batch_are_independent_of_each_other() -> None:
    """Reports of different inputs in one batch follow their own input each."""
    sphere, count = Sphere.best(4, 4.0, TAG), 20_000
    inputs = np.repeat(np.vstack([np.eye(4), -np.eye(4)]), count, axis=0)
    outputs = expand(sphere.randomize(inputs, SeededEntropy(0)), TAG, 4).T
    for k, vector in enumerate(np.vstack([np.eye(4), -np.eye(4)])):
        check_mean(sphere, vector, outputs[k * count : (k + 1) * count])
