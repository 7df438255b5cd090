"""The server's gradients: unbiased, within their stated noise; and what they lead to."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, optimize

from tacit.arrays import Floats
from tacit.papers.chebyshev import Copies, Mixture, series, stochastic_inexact_gradient
from tacit.papers.chebyshev.device import Kind
from tacit.papers.chebyshev.mixture import logistic
from tacit.papers.chebyshev.server import (
    ConvexOracle,
    MarginOracle,
    MedianOracle,
    powers,
    sphere_constant,
)
from tacit.papers.common import Allowance
from tacit.privacy.gaussian import GaussianMechanism

STANDARD_ERRORS = 7.0
DRAWS = 200_000
BETA = 0.4
X, Y, W = np.array([[0.6, -0.5]]), np.array([0.8]), np.array([0.3, 0.7])


def quiet(kind: Kind, degree: int, sigma: float, weight: float = 1.0) -> Copies:
    """Copies with noise of our own choice, for tests of the server."""
    made = Copies.of(kind, 2, degree, Allowance(1.0))
    noise = GaussianMechanism(made.mechanism.dimension, made.mechanism.sensitivity, sigma)
    return Copies(2, degree, kind, weight, noise)


def noisy(sent: Copies, X: Floats, y: Floats) -> Floats:
    """Values of people's reports."""
    return sent.mechanism.sample(sent.encode(X, y), np.random.default_rng(1))


def oracle(name: str, degree: int, sigma: float, weight: float = 1.0) -> Any:
    """One of the five gradients, with the law of its noise."""
    rng = np.random.default_rng(3)
    step = series.of_degree(series.step(BETA), degree)
    if name.startswith("hinge"):
        kind: Any = name.removeprefix("hinge-")
        approximation = series.of_degree(series.hinge(BETA), degree)
        return MarginOracle(quiet(kind, degree, sigma, weight), approximation, BETA)
    if name == "convex":
        mixture = Mixture.of(logistic)
        return ConvexOracle(quiet("product", degree, sigma, weight), step, BETA, mixture, rng)
    if name == "absolute":
        approximation = series.of_degree(series.sign(BETA), degree)
        return MarginOracle(quiet("residual", degree, sigma, weight), approximation, BETA)
    return MedianOracle(quiet("point", degree, sigma), step, BETA, rng)


def expected(name: str, server: Any) -> Floats:
    """The mean gradient at W for the one record, from the definitions."""
    p, x, y = server.series, X[0], Y[0]
    if name.startswith("hinge"):
        return np.asarray(p(y * (W @ x)) * y * x)
    if name == "convex":
        mixture = server.mixture
        slope = mixture.width * p((y * (W @ x) - mixture.points) / 2).mean() + mixture.low
        return np.asarray(slope * y * x)
    if name == "absolute":
        return np.asarray(p((W @ x - y) / 2) * x)

    def around(angle: float, j: int) -> float:
        u = np.array([math.cos(angle), math.sin(angle)])
        return float(u[j] * (p(u @ (W - x) / 2) - 0.5)) / (2 * math.pi)

    mean = [integrate.quad(around, 0, 2 * math.pi, args=(j,))[0] for j in range(2)]
    return sphere_constant(2) * np.array(mean)


NAMES = ["hinge-product", "hinge-separate", "convex", "absolute", "median"]


def test_powers_use_each_factor_once() -> None:
    """t_1 has factor 1, t_2 factors 2 and 3, t_3 factors 4 to 6."""
    assert powers(np.array([[2.0, 3.0, 5.0, 7.0, 11.0, 13.0]])).tolist() == [[1, 2, 15, 1001]]
    assert powers(np.array([[2.0]])).tolist() == [[1, 2]]


@pytest.mark.parametrize("weight", [1.0, 3.0])
@pytest.mark.parametrize("name", NAMES)
def test_gradients_are_unbiased(name: str, weight: float) -> None:
    """Over many reports of one record the mean gradient is that of the polynomial."""
    server = oracle(name, 2, 0.5, weight)
    values = noisy(server.sent, np.repeat(X, DRAWS, 0), np.repeat(Y, DRAWS))
    singles = np.array([server.gradient(W, part) for part in np.split(values, 400)])
    error = singles.std(axis=0, ddof=1) / 20.0
    assert (np.abs(singles.mean(axis=0) - expected(name, server)) <= STANDARD_ERRORS * error).all()


@pytest.mark.parametrize("name", NAMES)
def test_noise_is_bounded_as_stated(name: str) -> None:
    """The second moment of single gradients stays below the bound, and not by orders of size."""
    server, draws = oracle(name, 2, 0.7), 20_000
    record, w = np.array([[-1.0, 0.0]]), np.array([1.0, 0.0])
    values = noisy(server.sent, np.repeat(record, draws, 0), np.repeat(1.0, draws))
    squares = np.array([(server.gradient(w, row[None]) ** 2).sum() for row in values])
    error = squares.std() / math.sqrt(draws)
    assert squares.mean() - STANDARD_ERRORS * error <= server.noise**2
    assert server.noise**2 <= 20.0 * squares.mean()


def data() -> tuple[Floats, Floats]:
    """Forty records in the unit ball."""
    rng = np.random.default_rng(8)
    rows = rng.uniform(-0.4, 0.4, (40, 2)) + np.array([0.3, -0.4])
    return rows, np.where(rows @ [2.0, 1.0] + 0.1 * rng.normal(size=40) > 0.2, 1.0, -1.0)


def smoothed_loss(name: str, server: Any, w: Floats) -> float:
    """The loss whose gradient the polynomial stands for."""
    rows, y = data()
    if name.startswith("hinge"):
        t = 0.5 - y * (rows @ w)
        return float((t + np.hypot(t, BETA)).mean() / 2)
    if name == "convex":
        margin = y * (rows @ w)
        z = (margin[:, None] - server.mixture.points[::16]) / 2
        smooth = server.mixture.width * (z + np.hypot(z, BETA)).mean(axis=1)
        return float((smooth + server.mixture.low * margin).mean())
    if name == "absolute":
        return float(2 * np.hypot((rows @ w - y) / 2, BETA).mean())
    angle = 2 * math.pi * np.arange(200) / 200
    z = (w - rows) @ np.array([np.cos(angle), np.sin(angle)]) / 2
    return float(sphere_constant(2) * np.hypot(z, BETA).mean())


@pytest.mark.parametrize("name", NAMES)
def test_without_noise_the_smoothed_loss_is_minimised(name: str) -> None:
    """As far as the bound of the descent and the error of the polynomial say."""
    server, steps, repeats = oracle(name, 8, 1e-12), 400, 10
    rows, y = data()
    exact = np.repeat(server.sent.encode(rows, y), repeats, axis=0)
    random = server.noise / math.sqrt(len(exact)) if name in ("convex", "median") else 0.0
    w = stochastic_inexact_gradient(
        server.gradient,
        (exact for _ in range(steps)),
        2,
        smoothness=server.smoothness,
        noise=random,
    )
    best = optimize.minimize(
        lambda v: smoothed_loss(name, server, v),
        np.zeros(2),
        constraints={"type": "ineq", "fun": lambda v: 1.0 - v @ v},
        method="SLSQP",
    )
    scale = {"convex": 0.47, "median": sphere_constant(2)}.get(name, 1.0)
    bound = server.smoothness / (2 * steps) + math.sqrt(2.0 / steps) * random
    bound += 2.0 * scale * server.series.error
    start = smoothed_loss(name, server, np.zeros(2))
    assert best.fun + bound < start, "the test would accept an answer that learned nothing"
    assert smoothed_loss(name, server, w) - best.fun <= bound
