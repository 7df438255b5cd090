"""Errata 1 to 5: each test fails for what the texts print."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

from tacit.arrays import Floats
from tacit.errors import ConvergenceError, LabelError
from tacit.papers.common import Allowance
from tacit.papers.stein import (
    LINKS,
    LOSSES,
    Collected,
    Moments,
    PredictionsRound,
    SteinGLM,
    SteinRegression,
)
from tacit.papers.stein.round import first_round
from tacit.papers.stein.scaling import scale
from tacit.privacy import SeededEntropy
from tacit.privacy.curve import GaussianCurve, calibrate, classical_scale
from tacit.protocol import reports

DELTA = 1e-6


def plan(calibration: Any, epsilon: float, **changes: Any) -> Any:
    """Algorithm 1 in ten dimensions, unless changed."""
    settings: dict[str, Any] = {
        "design": "gaussian",
        "rounds": 1,
        "features": 10,
        "radius": 2.0,
        "label_bound": 1.0,
        "printed_bound": 1.0,
        "prediction_range": (0.0, 1.0),
    }
    return first_round(Allowance(epsilon, DELTA, calibration), **{**settings, **changes})


def test_1_long_records_report_like_any_other() -> None:
    """The preprint's "bottom" is certain for one record and impossible for another."""

    def printed_report(x: Floats, radius: float) -> Any:
        return None if np.linalg.norm(x) > radius else "noise"

    far, near = np.full(10, 100.0), np.zeros(10)
    assert printed_report(far, 2.0) is None
    assert printed_report(near, 2.0) is not None
    protocol = plan("exact", 1.0)
    for x in (far, near):
        report = reports(protocol, (x[None], np.ones(1)), SeededEntropy(0))
        assert report.shape == (1, protocol.moments.dimension)
    vectors = protocol.moments.encode(np.array([far, near]), np.array([1.0, 1.0]))
    assert np.linalg.norm(vectors[0] - vectors[1]) <= protocol.mechanism.sensitivity


def largest_distance(moments: Moments, seed: int) -> float:
    """Over pairs of many records, the best of them polished by a local optimiser."""
    p, rng = moments.features, np.random.default_rng(seed)
    X = rng.standard_normal((800, p)) * rng.choice([0.3, 10.0], (800, 1)) * moments.radius
    X[::4, 1:] = 0.0
    X[1::4, :-1] = 0.0
    y = moments.label_bound * rng.choice([-1.0, 1.0], 800)
    vectors = moments.encode(X, y)
    squares = (vectors**2).sum(axis=1)
    pair = np.unravel_index(
        np.argmax(squares[:, None] + squares - 2 * vectors @ vectors.T), (800, 800)
    )
    rows, labels = moments.clip(X[list(pair)], y[list(pair)])

    def negative(flat: Floats) -> float:
        first, second = moments.encode(flat.reshape(2, p), labels)
        return -float(np.linalg.norm(first - second))

    return -float(optimize.minimize(negative, rows.ravel(), method="Nelder-Mead").fun)


@pytest.mark.parametrize("features", [1, 2])
@pytest.mark.parametrize("design", ["gaussian", "bounded"])
@pytest.mark.parametrize("weight", [0.6, 1.5, 4.0])
@pytest.mark.parametrize("off_diagonal", [1.0, math.sqrt(2.0)])
def test_2_sensitivity_by_optimiser(
    features: int, design: Any, weight: float, off_diagonal: float
) -> None:
    """Never exceeded, reached within 1e-4: for both norms, any weight, either layout."""
    moments = Moments(features, design, 1.5, 0.8, weight, off_diagonal)
    found = largest_distance(moments, seed=0)
    assert found <= moments.sensitivity * (1 + 1e-9)
    assert found == pytest.approx(moments.sensitivity, rel=1e-4)


def test_2_bounded_sensitivity_is_never_exceeded_by_random_sparse_pairs() -> None:
    """Millions of pairs in five dimensions, near corners, edges and faces."""
    rng = np.random.default_rng(0)
    for weight in (0.5, 1.0, 2.0):
        moments = Moments(5, "bounded", 1.0, 1.0, weight)
        X = rng.dirichlet(np.full(5, 0.3), 1500) * rng.choice([-1.0, 1.0], (1500, 5))
        vectors = moments.encode(X, rng.choice([-1.0, 1.0], 1500))
        squares = (vectors**2).sum(axis=1)
        distance = squares[:, None] + squares - 2 * vectors @ vectors.T
        assert math.sqrt(distance.max()) <= moments.sensitivity * (1 + 1e-9)


def test_2_the_square_alone_has_sensitivity_root_2() -> None:
    """Printed: 2 r^2. Two orthogonal records reach sqrt(2) r^2, and nothing is further apart."""
    alone = Moments(3, "gaussian", 1.7, 1.0, 1e-9)
    assert alone.sensitivity == pytest.approx(math.sqrt(2.0) * 1.7**2)


@pytest.mark.parametrize(("epsilon", "ratio"), [(1.0, 5.9), (4.0, 4.6), (20.0, 2.7)])
def test_2_printed_noise_wastes(epsilon: float, ratio: float) -> None:
    """Variance as printed over the least for the joint release, two digits."""
    printed, exact = (plan(how, epsilon).mechanism.sigma for how in ("paper", "exact"))
    assert (printed / exact) ** 2 == pytest.approx(ratio, rel=0.02)


def test_2_off_diagonal_entries_have_half_the_variance() -> None:
    """The same noise, counted sqrt(2) times at the same sensitivity."""
    exact, paper = plan("exact", 1.0).moments, plan("paper", 1.0).moments
    assert exact.sensitivity == paper.sensitivity
    noise = np.zeros(exact.dimension)
    noise[1] = 1.0
    assert (exact.decode(noise)[0][0, 1] / paper.decode(noise)[0][0, 1]) ** 2 == pytest.approx(0.5)


def test_2_printed_noise_is_as_printed() -> None:
    """Variances 32 r^4 log(2.5/delta)/eps^2 and 32 r^2 B^2 ...; four times that with two rounds."""
    for rounds, factor in ((1, 32.0), (2, 128.0)):
        protocol = plan("paper", 3.0, label_bound=1.5, printed_bound=1.5, rounds=rounds)
        sigma, weight = protocol.mechanism.sigma, protocol.moments.weight
        assert sigma**2 == pytest.approx(factor * 2.0**4 * math.log(2.5 / DELTA) / 9)
        assert (sigma / weight) ** 2 == pytest.approx(
            factor * 2.0**2 * 1.5**2 * math.log(2.5 / DELTA) / 9
        )
    assert (sigma / protocol.echo.weight) ** 2 == pytest.approx(8 * math.log(2.5 / DELTA) / 9)


def test_3_the_classical_formula_fails_beyond_its_range() -> None:
    """At eps/2 = 10 its delta is too large by itself; the joint release is safe by its slack."""
    alone = GaussianCurve(1.0 / classical_scale(10.0, DELTA))
    assert alone.delta(10.0) > 1.5 * DELTA
    assert classical_scale(10.0, DELTA) < calibrate(10.0, DELTA)
    for epsilon in (4.0, 10.0, 20.0):
        assert plan("paper", epsilon).mechanism.delta(epsilon) < DELTA


@pytest.mark.parametrize("estimator", [SteinGLM, SteinRegression])
def test_4_devices_clip_labels(estimator: Any) -> None:
    """Without clipping a label of 1000 is 1000 r from its neighbour, and the noise knows 2 r B."""
    X = np.random.default_rng(0).normal(size=(500, 2))
    made = estimator(1.0, random_state=0).collect(X, np.zeros(500), public=X)
    moments, mechanism = made.protocol_.moments, made.protocol_.mechanism
    x = np.array([[moments.radius, 0.0]] * 2)
    first, second = moments.encode(x, np.array([1000.0, -1000.0]))
    assert np.linalg.norm(first - second) <= mechanism.sensitivity * (1 + 1e-9)
    unclipped = 2 * moments.weight * moments.radius * 1000.0
    assert unclipped > 10 * mechanism.sensitivity
    with pytest.raises(LabelError):
        estimator(1.0).fit(X, np.full(500, 1000.0), public=X)


def test_4_labels_of_the_exponential_experiments_exceed_their_bound() -> None:
    """y = e^<x,w> reaches e: under the printed noise the guarantee is worse than with |y| <= 1."""
    X = np.random.default_rng(0).choice([-0.25, 0.25], size=(4000, 4))
    y = np.exp(X @ np.full(4, 0.5))
    printed = SteinGLM(16.0, family="exponential", design="bounded", radius=1.0)
    with pytest.raises(LabelError):
        printed.collect(X, y, public=X)
    printed.set_params(calibration="paper", random_state=0)
    at_one = printed.collect(X, np.minimum(y, 1.0), public=X).guarantee_.epsilon
    printed.set_params(label_bound=math.e)
    at_e = printed.collect(X, y, public=X).guarantee_
    assert at_e.epsilon > 1.5 * at_one
    exact = SteinGLM(16.0, design="bounded", radius=1.0, label_bound=math.e, random_state=0)
    assert exact.collect(X, y, public=X).guarantee_.epsilon == 16.0


def test_4_the_bound_on_labels_follows_from_the_model() -> None:
    """Printed L r + |f(0)| + C; the least that the same assumptions allow is never larger."""
    X = np.random.default_rng(0).normal(size=(500, 2)) / 10
    for name in LINKS:
        made = SteinRegression(1.0, link=name, radius=2.0, noise_bound=0.05, random_state=0)
        tight = made.collect(X, np.zeros(500), public=X).protocol_.moments.label_bound
        made.set_params(calibration="paper")
        printed = made.collect(X, np.zeros(500), public=X).protocol_.moments.label_bound
        assert tight <= printed
    sigmoid = SteinRegression(radius=2.0, noise_bound=0.05, calibration="paper").protocol(500, 2, X)
    assert sigmoid.moments.label_bound == pytest.approx(0.25 * 2 + 0.5 + 0.05)


def test_5_noisy_predictions_bias_the_scale() -> None:
    """With infinitely many people too: the root for blurred, clipped predictions is another.

    Laws are grids of their quantiles, so there is no sampling error to blame.
    """
    quantiles = special.ndtri((np.arange(400) + 0.5) / 400)
    family, s = LOSSES["logistic"], 0.15 * quantiles
    right, clipped = scale(family, s), np.clip(s, 0.0, 1.0)
    assert abs(scale(family, clipped) / right - 1) > 0.02
    blurred = clipped[:, None] + 0.3 * quantiles
    assert scale(family, blurred.ravel()) / right > 1.3
    protocol = plan("exact", 20.0, rounds=2)
    noise = protocol.mechanism.sigma / protocol.echo.weight
    with pytest.raises(ConvergenceError):  # at epsilon 20 there is no answer left at all
        scale(family, (clipped[:, None] + noise * quantiles).ravel())


def test_5_half_of_the_predictions_become_zero() -> None:
    """<x, w_ols> is symmetric about 0; the printed projection on [0, 1] loses its negative half."""
    protocol = plan("exact", 1.0, rounds=2, features=2)
    X = np.random.default_rng(0).normal(size=(10_000, 2))
    ols = np.array([0.3, 0.1])
    announced = Collected(np.eye(2), ols, ols, np.empty(0))
    second = PredictionsRound(protocol.moments, protocol.noise, protocol.echo, announced)
    found = second.encode((X, np.zeros(10_000)), np.empty((10_000, 0)))
    share = float((found == 0.0).mean())
    assert abs(share - 0.5) <= 7.0 * math.sqrt(0.25 / 10_000)


def test_5_with_two_rounds_the_guarantee_is_of_both_together() -> None:
    """One person's two reports on one curve: each has sqrt(2) times the noise of a single one."""
    one, two = plan("exact", 4.0), plan("exact", 4.0, rounds=2)
    assert two.noise.delta(4.0) <= DELTA * (1 + 1e-9)
    assert two.mechanism.sigma / one.mechanism.sigma == pytest.approx(math.sqrt(2.0), rel=1e-3)
    X = np.random.default_rng(0).normal(size=(300, 2))
    made = SteinGLM(4.0, rounds=2, radius=2.0, random_state=0)
    notes = made.collect(X, np.zeros(300)).guarantee_.notes
    assert any("biased" in note for note in notes)
