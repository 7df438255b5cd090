"""Hinge, logistic and absolute loss and the Euclidean median at the common size."""

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import optimize, special

from evidence.papers.row import Row
from tacit.arrays import Floats
from tacit.estimators import LinearRegression, LogisticRegression
from tacit.papers.chebyshev import (
    AbsoluteRegression,
    ConvexClassifier,
    EuclideanMedian,
    HingeClassifier,
    stochastic_inexact_gradient,
)
from tacit.papers.chebyshev.sigm import steps_for
from tacit.privacy import Sphere

PEOPLE, PUBLIC, _DIMENSION, RUNS = 100_000, 20_000, 10, 4
_BATCH = 100
_TARGET = 0.1
_SIGNAL = 8.0  # length of the logistic coefficients, of rows with length 1
_MEASURE = "excess loss / excess loss of the answer 0"

Valued = tuple[float, Floats]  # a loss and its gradient
Loss = Callable[[Floats, Floats, Floats], Valued]  # of w, rows and labels
Curve = Callable[[Floats], tuple[Floats, Floats]]  # of margins: f and f'


@dataclass(frozen=True)
class _Problem:
    """Data with a loss, and how each side answers."""

    name: str
    algorithm: str
    data: Callable[[int, int], tuple[Floats, Floats]]
    loss: Loss
    make: Callable[..., Any]
    answer: str
    default: Callable[[float, int, Floats, Floats], Floats]
    default_name: str


def rows(epsilon: float) -> Iterator[Row]:
    """One row for each algorithm."""
    for problem in _PROBLEMS:
        yield _row(problem, epsilon)


def _row(problem: _Problem, epsilon: float) -> Row:
    errors: dict[str, list[float]] = {"printed": [], "exact": [], "default": []}
    people = seconds = math.nan
    for seed in range(RUNS):
        X, y = problem.data(PEOPLE, seed)
        excess = _Excess(problem.loss, X, y)
        for name, changes in (("printed", _as_printed(problem)), ("exact", {})):
            model = problem.make(epsilon=epsilon, batch_size=_BATCH, random_state=seed, **changes)
            start = time.perf_counter()
            w = np.ravel(getattr(model.fit(X, y), problem.answer))
            seconds = time.perf_counter() - start
            errors[name].append(excess.share(w))
        errors["default"].append(excess.share(problem.default(epsilon, seed, X, y)))
        if seed == 0:
            people = _people_needed(model.oracle_, excess)
    median = {name: float(np.median(values)) for name, values in errors.items()}
    return Row(
        problem=problem.name,
        algorithm=problem.algorithm,
        epsilon=epsilon,
        measure=_MEASURE,
        default_name=problem.default_name,
        people=people,
        seconds=seconds,
        **median,
    )


class _Excess:
    """Losses between the least on the unit ball (0) and that of the answer 0 (1)."""

    def __init__(self, loss: Loss, X: Floats, y: Floats) -> None:
        self.X, self.y, self._loss = X, y, loss
        self._low = self._of(_least(lambda w: loss(w, X, y)))
        self.gap = self._of(np.zeros(_DIMENSION)) - self._low

    def share(self, w: Floats) -> float:
        """The excess loss of an answer, in units of that of the answer 0."""
        return (self._of(w) - self._low) / self.gap

    def _of(self, w: Floats) -> float:
        return self._loss(w, self.X, self.y)[0]


def _as_printed(problem: _Problem) -> dict[str, Any]:
    changes: dict[str, Any] = {"calibration": "paper", "printed": True}
    if problem.make in (HingeClassifier, ConvexClassifier):
        changes["copies"] = "separate"
    return changes


def _people_needed(oracle: Any, excess: _Excess) -> float:
    """By the bound of the descent, after what smoothing and polynomial leave without noise."""
    noiseless = replace(oracle.sent.mechanism, sigma=1e-12)
    quiet = replace(oracle, sent=replace(oracle.sent, mechanism=noiseless))
    exact = quiet.sent.encode(excess.X[:20_000], excess.y[:20_000])
    w = stochastic_inexact_gradient(
        quiet.gradient,
        (part for _ in range(40) for part in np.split(exact, 10)),
        _DIMENSION,
        smoothness=oracle.smoothness,
        noise=quiet.noise / math.sqrt(2000),
    )
    left = (_TARGET - excess.share(w)) * excess.gap
    if left <= 0:
        return math.inf
    return steps_for(left, smoothness=oracle.smoothness, noise=oracle.noise)


def _least(loss: Callable[[Floats], Valued]) -> Floats:
    """The minimiser on the unit ball."""
    ball = {"type": "ineq", "fun": lambda w: 1.0 - w @ w, "jac": lambda w: -2.0 * w}
    start = np.full(_DIMENSION, 1e-3)
    found = optimize.minimize(loss, start, jac=True, method="SLSQP", constraints=ball)
    return np.asarray(found.x)


def _directions(people: int, seed: int) -> tuple[Floats, Floats, np.random.Generator]:
    """Unit rows, a unit vector, and the generator that goes on."""
    generator = np.random.default_rng([seed, people])
    X = generator.standard_normal((people, _DIMENSION))
    truth = np.random.default_rng([seed, 1]).standard_normal(_DIMENSION)
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    return X, truth / np.linalg.norm(truth), generator


def _signs(people: int, seed: int) -> tuple[Floats, Floats]:
    X, truth, generator = _directions(people, seed)
    chance = special.expit(_SIGNAL * X @ truth)
    return X, np.where(generator.random(people) < chance, 1.0, -1.0)


def _numbers(people: int, seed: int) -> tuple[Floats, Floats]:
    X, truth, generator = _directions(people, seed)
    return X, 0.8 * X @ truth + generator.uniform(-0.2, 0.2, people)


def _cloud(people: int, seed: int) -> tuple[Floats, Floats]:
    X, truth, _ = _directions(people, seed)
    return 0.5 * truth + 0.4 * X, np.zeros(people)


def _hinge(margin: Floats) -> tuple[Floats, Floats]:
    return np.maximum(0.0, 0.5 - margin), np.where(margin < 0.5, -1.0, 0.0)


def _logistic(margin: Floats) -> tuple[Floats, Floats]:
    return np.logaddexp(0.0, -margin), -special.expit(-margin)


def _of_margin(f: Curve) -> Loss:
    def loss(w: Floats, X: Floats, y: Floats) -> Valued:
        value, slope = f(y * (X @ w))
        return float(value.mean()), (slope * y) @ X / len(X)

    return loss


def _absolute(w: Floats, X: Floats, y: Floats) -> Valued:
    residual = X @ w - y
    return float(np.abs(residual).mean()), np.sign(residual) @ X / len(X)


def _distance(w: Floats, X: Floats, y: Floats) -> Valued:
    away = w - X
    length = np.linalg.norm(away, axis=1)
    return float(length.mean() / 2.0), (away / length[:, None]).mean(axis=0) / 2.0


def _under_the_model(f: Curve) -> Callable[[float, int, Floats, Floats], Floats]:
    """Fit the label model by score, then minimise the loss on public rows under it."""

    def answer(epsilon: float, seed: int, X: Floats, y: Floats) -> Floats:
        public, _ = _signs(PUBLIC, seed)
        model = LogisticRegression(
            epsilon, classes=[-1.0, 1.0], fit_intercept=False, random_state=seed
        )
        chance = model.fit(X, y, public=public).predict_proba(public)[:, 1]

        def expected(w: Floats) -> Valued:
            (up, rise), (down, fall) = f(public @ w), f(-public @ w)
            slope = chance * rise - (1.0 - chance) * fall
            return float((chance * up + (1.0 - chance) * down).mean()), slope @ public / PUBLIC

        return _least(expected)

    return answer


def _linear_model(epsilon: float, seed: int, X: Floats, y: Floats) -> Floats:
    """The fitted mean, which is the median where the errors are symmetric."""
    public, _ = _numbers(PUBLIC, seed)
    model = LinearRegression(
        epsilon, label_range=(-1.0, 1.0), fit_intercept=False, random_state=seed
    )
    return np.asarray(model.fit(X, y, public=public).coef_)


def _interactive_median(epsilon: float, seed: int, X: Floats, y: Floats) -> Floats:
    """Rounds of 100 people, each asked once: the gradient is half a unit vector."""
    sphere, generator = Sphere.best(_DIMENSION, epsilon), np.random.default_rng(seed)

    def gradient(w: Floats, people: Floats) -> Floats:
        sent = sphere.sample(w - people, generator)
        return np.asarray(sent.mean(axis=0) / 2.0)

    noise = 0.5 / sphere.mean_length / math.sqrt(_BATCH)
    rounds = np.split(generator.permutation(X), len(X) // _BATCH)
    return stochastic_inexact_gradient(gradient, rounds, _DIMENSION, smoothness=1.0, noise=noise)


_SCORE = "score, then the loss on public rows under the fitted model"
_PROBLEMS = (
    _Problem(
        "hinge loss",
        "Hinge Loss-LDP (Algorithm 1)",
        _signs,
        _of_margin(_hinge),
        HingeClassifier,
        "coef_",
        _under_the_model(_hinge),
        _SCORE,
    ),
    _Problem(
        "convex loss (logistic)",
        "General Linear-LDP (Algorithm 2)",
        _signs,
        _of_margin(_logistic),
        ConvexClassifier,
        "coef_",
        _under_the_model(_logistic),
        _SCORE,
    ),
    _Problem(
        "absolute loss",
        "l1 regression (Remark 15)",
        _numbers,
        _absolute,
        AbsoluteRegression,
        "coef_",
        _linear_model,
        "score, linear",
    ),
    _Problem(
        "Euclidean median",
        "Euclidean Median-LDP (Algorithm 3)",
        _cloud,
        _distance,
        EuclideanMedian,
        "location_",
        _interactive_median,
        "interactive descent with the sphere mechanism",
    ),
)
