"""Algorithm 3: a trusted server, clipped gradients, exact composition."""

import itertools
import math
from collections.abc import Callable

import numpy as np
import pytest
from scipy import optimize, special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.papers.common import Allowance
from tacit.papers.iht import DPIHT, SmoothLoss, logistic_loss, squared_loss
from tacit.papers.iht.central import TrustedServer, central_mechanism, step_from
from tacit.privacy import SeededEntropy, SystemEntropy
from tacit.privacy.curve import GaussianCurve, calibrate
from tacit.privacy.gaussian import GaussianMechanism

STANDARD_ERRORS = 7.0
DELTA = 1e-6


def people(count: int, dimension: int, seed: int) -> tuple[Floats, Floats]:
    """Rows of signs with logistic labels -1 and 1 of a sparse parameter."""
    rng = np.random.default_rng(seed)
    X = rng.choice([-1.0, 1.0], size=(count, dimension))
    chance = special.expit(1.5 * X[:, 1] - X[:, -1])
    return X, np.where(rng.random(count) < chance, 1.0, -1.0)


def server(dimension: int, bound: float = 1.0, sigma: float = 1.0) -> TrustedServer:
    """A logistic server with that much noise."""
    return TrustedServer(logistic_loss(), bound, GaussianMechanism(dimension, 2 * bound, sigma))


@pytest.mark.parametrize("make", [logistic_loss, squared_loss])
def test_gradients_are_those_of_the_loss(make: Callable[[], SmoothLoss]) -> None:
    """Against numerical differences."""
    X, y = people(3, 5, 0)
    w = np.random.default_rng(1).normal(size=5)

    def value(weights: Floats, row: int) -> float:
        z = float(X[row] @ weights)
        if make is logistic_loss:
            return float(np.log1p(np.exp(-y[row] * z)))
        return float(0.5 * (z - y[row]) ** 2)

    for row, gradient in enumerate(make().gradients(w, X, y)):
        numerical = optimize.approx_fprime(w, value, 1e-7, row)
        assert np.allclose(gradient, numerical, rtol=1e-4, atol=1e-5)


def test_one_person_moves_the_sums_of_all_rounds_by_2_g_sqrt_t_at_most() -> None:
    """Random and wild replacements never exceed it (but for the grid), and one reaches it."""
    rng = np.random.default_rng(2)
    rounds, G = 4, 0.7
    held = server(3, G, sigma=0.5)
    iterates = 0.1 * rng.normal(size=(rounds, 3))
    iterates[:, 0] = 0.0
    X, y = people(20, 3, 3)
    wild = np.array([[1e9, -1e9, 1e9], [math.nan] * 3, [math.inf, 0, 0], [1e-300] * 3, [9, 0, 0]])

    def joint(x: Floats, label: float) -> Floats:
        rows, labels = np.vstack([X, x]), np.append(y, label)
        return np.array([held.mechanism.value(held.exact_sum(w, rows, labels)) for w in iterates])

    vectors = [
        joint(x, label) for x in [*wild, *rng.normal(0, 3, (20, 3))] for label in (-1.0, 1.0)
    ]
    largest = max(np.linalg.norm(a - b) for a, b in itertools.combinations(vectors, 2))
    stated = 2 * G * math.sqrt(rounds)
    grid = held.mechanism.step * math.sqrt(3 * rounds)
    assert largest <= stated + grid
    assert largest >= stated * (1 - 1e-4)


def test_erratum_12_without_clipping_one_person_moves_the_sum_without_bound() -> None:
    """The logistic loss is Lipschitz in w only as far as features are bounded."""
    held = server(2)
    x, y, w = np.array([[1e6, 0.0]]), np.array([1.0]), np.zeros(2)
    printed = held.loss.gradients(w, x, y)
    assert np.linalg.norm(printed) > 1e5 * held.gradient_bound
    assert np.linalg.norm(held.clipped(w, x, y)) <= held.gradient_bound * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0, 16.0])
@pytest.mark.parametrize("iterations", [1, 30])
def test_exact_noise_meets_the_budget_of_all_rounds(epsilon: float, iterations: int) -> None:
    """On the exact curve, and within 1% (and the grid) of the least that does."""
    joint = central_mechanism(5, iterations, 2.0, Allowance(epsilon, DELTA))
    assert joint.delta(epsilon) <= DELTA * (1 + 1e-9)
    least = 4.0 * math.sqrt(iterations) * calibrate(epsilon, DELTA)
    grid = joint.step * math.sqrt(joint.dimension) / joint.sensitivity
    assert least <= joint.sigma <= 1.01 * least * (1 + grid)
    share = TrustedServer.of(logistic_loss(), 2.0, 5, joint).mechanism
    composed = GaussianCurve(share.curve.mu * math.sqrt(iterations))
    assert composed.mu == pytest.approx(joint.curve.mu, rel=1e-9)


def test_printed_noise_keeps_its_claim_up_to_epsilon_1_and_not_at_16() -> None:
    """With c = 8: what `guarantee_` says by the exact curve, for T = 30 rounds."""
    X, y = people(50, 5, 4)
    for epsilon, kept in ((0.5, True), (1.0, True), (16.0, False)):
        fitted = DPIHT(epsilon, calibration="paper", iterations=30, sparsity=2, random_state=0).fit(
            X, y
        )
        printed = math.sqrt(8 * 30 * math.log(1 / DELTA)) / epsilon
        assert fitted.mechanism_.sigma == pytest.approx(printed)
        assert (fitted.guarantee_.epsilon <= epsilon) is kept
        assert f"claims epsilon = {epsilon:g}" in str(fitted.guarantee_)


def test_published_sums_are_unbiased_with_the_stated_noise() -> None:
    """Integer noise on the integer sum: mean and variance within 7 standard errors."""
    X, y = people(30, 4, 5)
    held, w, entropy = server(4, sigma=2.0), np.zeros(4), SeededEntropy(0)
    exact = held.mechanism.value(held.exact_sum(w, X, y))
    noise = np.array([held.noisy_sum(w, X, y, entropy) for _ in range(4000)]) - exact
    assert np.abs(noise.mean(axis=0)).max() <= STANDARD_ERRORS * 2.0 / math.sqrt(4000)
    spread = (noise**2).mean(axis=0) / 4.0
    assert np.abs(spread - 1).max() <= STANDARD_ERRORS * math.sqrt(2 / 4000)
    steps = noise / held.mechanism.step
    assert np.allclose(steps, np.rint(steps), atol=1e-6)


def test_sums_do_not_depend_on_the_order_of_people() -> None:
    """Exact in integers, however the rows fall into chunks."""
    X, y = people(100_001, 3, 6)
    held, w = server(3), np.zeros(3)
    assert np.array_equal(held.exact_sum(w, X, y), held.exact_sum(w, X[::-1], y[::-1]))


def test_without_noise_the_sparse_minimiser_is_found() -> None:
    """Against the best of all supports, each minimised by an optimiser."""
    X, y = people(4000, 6, 7)
    l2, k = 1e-3, 2

    def risk(weights: Floats, columns: list[int]) -> float:
        margin = y * (X[:, columns] @ weights)
        return float(np.logaddexp(0.0, -margin).mean() + l2 / 2 * (weights @ weights))

    found = [
        (optimize.minimize(risk, np.zeros(k), args=(list(c),), tol=1e-12), c)
        for c in itertools.combinations(range(6), k)
    ]
    best, columns = min(found, key=lambda pair: pair[0].fun)
    quiet, w = server(6, math.sqrt(6), sigma=1e-6), np.zeros(6)
    for _ in range(200):
        gradient = quiet.noisy_sum(w, X, y, SystemEntropy()) / len(X)
        w = step_from(w, gradient, 2.0, k, l2=1e-3)
    assert np.flatnonzero(w).tolist() == list(columns)
    assert np.allclose(w[list(columns)], best.x, atol=1e-4)


def test_any_smooth_loss_will_do() -> None:
    """A loss of one's own: the square root of 1 + squared residual."""

    def gradients(w: Floats, X: Floats, y: Floats) -> Floats:
        residual = X @ w - y
        return X * (residual / np.sqrt(1 + residual**2))[:, None]

    rng = np.random.default_rng(8)
    X = rng.choice([-1.0, 1.0], size=(20_000, 5))
    y = 2 * X[:, 2] + rng.standard_t(2, 20_000)
    fitted = DPIHT(
        4.0, sparsity=1, gradient_bound=math.sqrt(5), loss=SmoothLoss("pseudo-huber", gradients),
        l2=0.0, random_state=0,
    ).fit(X, y)  # fmt: skip
    assert np.flatnonzero(fitted.coef_).tolist() == [2]
    # noise of the last rounds, and people: slopes are bounded by 1, their mean is above 1/4
    error = 4 * (fitted.mechanism_.sigma / 20_000 + 1 / math.sqrt(20_000))
    assert abs(fitted.coef_[2] - 2) <= STANDARD_ERRORS * error


def test_noise_comes_from_the_system_unless_seeded_and_the_guarantee_says_which() -> None:
    """Without a seed two runs differ and nothing is called a simulation."""
    X, y = people(200, 4, 9)
    first, second = (DPIHT(1.0, iterations=3, sparsity=4).fit(X, y) for _ in range(2))
    assert not np.array_equal(first.coef_, second.coef_)
    assert not first.guarantee_.simulated
    assert DPIHT(1.0, iterations=3, random_state=0).fit(X, y).guarantee_.simulated
    assert first.guarantee_.against == "everyone but the trusted server, which sees every record"
    assert "whole record" in first.guarantee_.protects
    assert first.guarantee_.delta == DELTA


def test_predictions_are_labels_of_the_loss() -> None:
    """-1 or 1 for the logistic loss, <w, x> for the squared one."""
    X, y = people(2000, 4, 10)
    logistic = DPIHT(8.0, sparsity=2, random_state=0).fit(X, y)
    assert set(logistic.predict(X)) == {-1.0, 1.0}
    squared = DPIHT(8.0, sparsity=2, loss=squared_loss(), step=0.5, random_state=0).fit(X, y)
    assert np.array_equal(squared.predict(X), squared.decision_function(X))


def test_wrong_labels_and_settings_are_refused() -> None:
    """By errors of the tree that show them."""
    X, y = people(20, 4, 11)
    with pytest.raises(LabelError, match="logistic"):
        DPIHT().fit(X, (y + 1) / 2)
    for wrong, words in (
        ({"l2": -1.0}, "l2=-1.0"),
        ({"loss": "logistic"}, "loss='logistic'"),
        ({"gradient_bound": 0.0}, "gradient_bound=0.0"),
        ({"iterations": 0}, "iterations=0"),
        ({"sparsity": 5}, "sparsity=5"),
        ({"step": -1.0}, "step=-1.0"),
    ):
        with pytest.raises(ConfigurationError, match=words):
            DPIHT(**wrong).fit(X, y)
