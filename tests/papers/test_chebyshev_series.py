"""Smoothing, Chebyshev series, Lemma 13 and the descent."""

import math

import numpy as np
import pytest
from numpy.polynomial import chebyshev
from scipy import integrate

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.chebyshev import Mixture, series, stochastic_inexact_gradient
from tacit.papers.chebyshev.mixture import logistic
from tacit.papers.chebyshev.sigm import steps_for

T = np.linspace(-1.0, 1.0, 401)


@pytest.mark.parametrize("beta", [0.1, 0.5, 1.0])
def test_smoothed_hinge_is_close_convex_and_smooth(beta: float) -> None:
    """Lemma 9: within beta/2 of the hinge, slopes in [-1, 0], curvature at most 1/(2 beta)."""
    t = np.linspace(-3.0, 3.0, 6001)
    slope = series.hinge(beta)(t)
    value = (0.5 - t + np.hypot(0.5 - t, beta)) / 2
    assert np.abs(value - np.maximum(0.0, 0.5 - t)).max() <= beta / 2 + 1e-12
    assert np.allclose(np.gradient(value, t)[1:-1], slope[1:-1], atol=1e-4)
    assert slope.min() >= -1.0
    assert slope.max() <= 0.0
    assert np.diff(slope).min() >= 0
    assert np.diff(slope).max() <= (t[1] - t[0]) / (2 * beta) * (1 + 1e-9)


def test_series_is_the_truncated_one() -> None:
    """Coefficients agree with the integrals of Definition 5."""
    derivative = series.hinge(0.5)
    made = series.of_degree(derivative, 4)
    a = [
        (2 - (k == 0))
        / math.pi
        * integrate.quad(lambda u, k=k: derivative(np.cos(u)) * np.cos(k * u), 0, math.pi)[0]
        for k in range(5)
    ]
    assert np.allclose(made.coefficients, chebyshev.cheb2poly(a), atol=1e-9)
    assert made.error == pytest.approx(np.abs(made(T) - derivative(T)).max(), rel=1e-3)


def test_series_of_an_odd_function_keeps_its_degree() -> None:
    """A last coefficient of zero is still a coefficient: its copies are part of the release."""
    assert series.of_degree(series.sign(0.5), 2).degree == 2
    assert series.of_degree(lambda t: 0.0 * t, 3).coefficients.tolist() == [0.0] * 4


@pytest.mark.parametrize("error", [0.2, 0.05, 0.01])
def test_degree_is_the_least_that_reaches_the_error(error: float) -> None:
    """One degree less would miss the target."""
    derivative = series.step(0.4)
    made = series.of_error(derivative, error)
    assert made.error <= error
    assert made.degree == 1 or series.of_degree(derivative, made.degree - 1).error > error


def test_degree_grows_like_one_over_the_error() -> None:
    """With beta = alpha, as the proof needs, halving alpha more than doubles d: it is no log."""
    degrees = [series.of_error(series.hinge(a), a / 4).degree for a in (0.4, 0.2, 0.1)]
    assert degrees[1] >= 2 * degrees[0]
    assert degrees[2] >= 2 * degrees[1]


def test_an_error_beyond_every_degree_is_refused() -> None:
    """The message says what to change."""
    with pytest.raises(ConfigurationError, match="target_error"):
        series.of_error(series.step(0.01), 0.01)


def _hinge(t: Floats) -> Floats:
    return np.where(t < 0.5, -1.0, 0.0)


def _pieces(t: Floats) -> Floats:
    return np.select([t < -0.25, t < 0.5], [-0.7, -0.1], 0.9)


LOSSES: dict[str, series.Derivative] = {
    "hinge": _hinge,
    "logistic": logistic,
    "square": lambda t: t,
    "pieces": _pieces,
    "line": lambda t: np.full_like(t, -0.3),
}


@pytest.mark.parametrize("name", LOSSES)
def test_mixture_of_absolute_values_gives_the_loss_back(name: str) -> None:
    """Lemma 13: f(t) - f(0) from Q alone, within the 2^-14 that the list of points allows."""
    derivative = LOSSES[name]
    made = Mixture.of(derivative)
    high = made.low + made.width
    absolute = np.abs(T[:, None] - made.points).mean(axis=1)
    value = made.width / 2 * absolute + (high + made.low) / 2 * T
    fine = np.linspace(-1.0, 1.0, 80_001)
    exact = integrate.cumulative_trapezoid(derivative(fine), fine, initial=0.0)
    exact = np.interp(T, fine, exact)
    assert np.abs(value - value[200] - (exact - exact[200])).max() <= 2.0**-13


def test_mixture_of_the_hinge_is_its_kink() -> None:
    """All the curvature of the hinge is at 1/2."""
    assert np.allclose(Mixture.of(_hinge).points, 0.5, atol=1e-12)


def test_descent_keeps_its_bound() -> None:
    """Mean excess of a noisy quadratic on the ball, over many runs, against the proved bound."""
    rng = np.random.default_rng(0)
    target, sigma, steps, runs = np.array([0.5, -0.5, 0.2]), 3.0, 400, 60
    excess = []
    for _ in range(runs):
        noise = rng.normal(0, sigma / math.sqrt(3), (steps, 3))
        w = stochastic_inexact_gradient(
            lambda w, e: w - target + e, noise, 3, smoothness=1.0, noise=sigma
        )
        excess.append(((w - target) ** 2).sum() / 2)
    bound = 1.0 / (2 * steps) + math.sqrt(2) * sigma / math.sqrt(steps)
    assert np.mean(excess) <= bound


def test_descent_without_noise_arrives_at_the_edge() -> None:
    """A minimum outside the ball: the nearest point, within L/(2k)."""
    target, steps = np.array([3.0, 4.0]), 2000
    w = stochastic_inexact_gradient(
        lambda w, _: w - target, range(steps), 2, smoothness=1.0, noise=0.0
    )
    assert ((w - target) ** 2).sum() / 2 - 8.0 <= 1.0 / (2 * steps)
    assert np.linalg.norm(w) <= 1.0 + 1e-12


def test_steps_for_inverts_the_bound() -> None:
    """So many steps leave exactly the error asked for."""
    steps = steps_for(0.01, smoothness=4.0, noise=7.0)
    assert 4.0 / (2 * steps) + math.sqrt(2) * 7 / math.sqrt(steps) == pytest.approx(0.01)


def test_descent_on_nothing_is_refused() -> None:
    """No report, no answer."""
    with pytest.raises(ConfigurationError, match="no samples"):
        stochastic_inexact_gradient(lambda w, _: w, [], 2, smoothness=1.0, noise=1.0)
