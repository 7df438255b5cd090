"""Sparse regression: every algorithm of the paper at the common size."""

import math
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import special

from evidence.papers.row import Row
from tacit.arrays import Floats
from tacit.papers.common import Allowance
from tacit.papers.iht import DPIHT, LDPIHT, LabelLasso, LabelLDPIHT, OneShotSparse
from tacit.papers.iht.central import central_mechanism
from tacit.papers.iht.round import sphere_for

_PEOPLE, _DIMENSION, _SPARSITY = 100_000, 10, 3
_DELTA = 1e-6
_NOISE = 0.05  # as in the paper's experiments
_RUNS = 4
_TARGET = 0.1
_SIGNAL = 2.0  # length of the logistic coefficients
_ROUNDS, _STEP = 30, 2.0  # of the trusted server
_KEEP = min(8 * _SPARSITY, _DIMENSION)  # s = 8 s*, as printed
_MEASURE = "||theta - theta*||^2 / ||theta*||^2"

Make = Callable[[int], Any]
Data = tuple[Floats, Floats, Floats]


def rows(epsilon: float) -> Iterator[Row]:
    """One row for each algorithm."""
    yield _full_privacy("LDP-IHT (Algorithm 1)", epsilon, _printed_ldp, _exact_ldp)
    yield _full_privacy("one-shot (Theorem 1)", epsilon, _printed_one_shot, _exact_one_shot)
    yield _label_privacy("Label-LDP-IHT (Algorithm 2)", epsilon, LabelLDPIHT)
    yield _label_privacy("Lasso on private labels", epsilon, LabelLasso)
    yield _central(epsilon)


def _full_privacy(
    name: str, epsilon: float, printed: Callable[..., Any], exact: Callable[..., Any]
) -> Row:
    seconds, error = _median(lambda seed: exact(epsilon, seed), _linear)
    return Row(
        problem="sparse linear, whole record",
        algorithm=name,
        epsilon=epsilon,
        measure=_MEASURE,
        printed=_median(lambda seed: printed(epsilon, seed), _linear)[1],
        exact=error,
        default=_median(lambda seed: OneShotSparse(epsilon, **_stated(seed)), _linear)[1],
        default_name="one-shot, sphere mechanism, thresholded",
        people=_people_one_shot(epsilon) if exact is _exact_one_shot else _people_ldp(epsilon),
        seconds=seconds,
    )


def _label_privacy(name: str, epsilon: float, kind: type[Any]) -> Row:
    def printed(seed: int) -> Any:
        return kind(epsilon, calibration="paper", **_stated(seed))

    def exact(seed: int) -> Any:
        return kind(epsilon, mechanism="gaussian", **_stated(seed))

    def default(seed: int) -> Any:
        return LabelLDPIHT(epsilon, threshold=True, **_stated(seed))

    seconds, error = _median(exact, _linear)
    deviation = exact(0).fit(*_linear(0)[:2]).deviation_
    # the Lasso's coefficients are also drawn in by its penalty, sqrt(2 log p) deviations each
    shrunk = 1.0 + 2.0 * math.log(_DIMENSION) if kind is LabelLasso else 1.0
    return Row(
        problem="sparse linear, label only",
        algorithm=name,
        epsilon=epsilon,
        measure=_MEASURE,
        printed=_median(printed, _linear)[1],
        exact=error,
        default=_median(default, _linear)[1],
        default_name="pure-epsilon labels, IHT thresholded at the known noise",
        people=_SPARSITY * deviation**2 * shrunk / _TARGET,
        seconds=seconds,
    )


def _central(epsilon: float) -> Row:
    def make(calibration: str) -> Make:
        return lambda seed: DPIHT(
            epsilon,
            delta=_DELTA,
            sparsity=_SPARSITY,
            iterations=_ROUNDS,
            step=_STEP,
            gradient_bound=math.sqrt(_DIMENSION),
            calibration=calibration,  # type: ignore[arg-type]
            random_state=seed,
        )

    seconds, error = _median(make("exact"), _logistic)
    return Row(
        problem="sparse logistic, trusted server",
        algorithm="DP-IHT (Algorithm 3)",
        epsilon=epsilon,
        measure=_MEASURE,
        printed=_median(make("paper"), _logistic)[1],
        exact=error,
        default=error,
        default_name="the same, exact composition",
        people=_people_central(epsilon),
        seconds=seconds,
    )


def _printed_ldp(epsilon: float, seed: int) -> LDPIHT:
    return LDPIHT(
        epsilon,
        randomizer="duchi",
        calibration="paper",
        printed=True,
        keep=_KEEP,
        **_stated(seed),
    )


def _exact_ldp(epsilon: float, seed: int) -> LDPIHT:
    return LDPIHT(epsilon, keep=_KEEP, **_stated(seed))


def _printed_one_shot(epsilon: float, seed: int) -> OneShotSparse:
    return OneShotSparse(epsilon, calibration="paper", threshold=False, **_stated(seed))


def _exact_one_shot(epsilon: float, seed: int) -> OneShotSparse:
    return OneShotSparse(epsilon, mechanism="gaussian", threshold=False, **_stated(seed))


def _stated(seed: int) -> dict[str, Any]:
    return {"sparsity": _SPARSITY, "noise_bound": _NOISE, "random_state": seed}


def _linear(seed: int) -> Data:
    """Signs, and labels of a sparse unit vector with bounded noise."""
    generator = np.random.default_rng([seed, 7])
    X = generator.choice([-1.0, 1.0], size=(_PEOPLE, _DIMENSION))
    theta = np.zeros(_DIMENSION)
    theta[:_SPARSITY] = generator.uniform(0.5, 1.0, _SPARSITY)
    theta /= np.linalg.norm(theta)
    return X, X @ theta + generator.uniform(-_NOISE, _NOISE, _PEOPLE), theta


def _logistic(seed: int) -> Data:
    """The same signs, with labels -1 and 1 of a logistic model."""
    X, _, theta = _linear(seed)
    chance = special.expit(_SIGNAL * X @ theta)
    uniform = np.random.default_rng([seed, 8]).random(_PEOPLE)
    return X, np.where(uniform < chance, 1.0, -1.0), _SIGNAL * theta


def _median(make: Make, data: Callable[[int], Data]) -> tuple[float, float]:
    """Seconds of the last run, and the median error."""
    errors, seconds = [], 0.0
    for seed in range(_RUNS):
        X, y, theta = data(seed)
        start = time.perf_counter()
        found = make(seed).fit(X, y).coef_
        seconds = time.perf_counter() - start
        errors.append(float(((found - theta) ** 2).sum() / (theta**2).sum()))
    return seconds, float(np.median(errors))


def _people_one_shot(epsilon: float) -> float:
    """Gaussian noise on `sparsity` coefficients; the support is taken as found, as in most runs."""
    model = OneShotSparse(epsilon, mechanism="gaussian", **_stated(0))
    fitted = model.fit(*_linear(0)[:2])
    return float(_SPARSITY * fitted.deviation_**2 * _PEOPLE / _TARGET)


def _people_ldp(epsilon: float) -> float:
    """The noise of the last group, on `keep` coefficients; T as at the common size."""
    model = _exact_ldp(epsilon, 0).fit(*_linear(0)[:2])
    bound = model.problem_.residual_bound(math.sqrt(_SPARSITY))
    length = sphere_for("sphere", _DIMENSION, epsilon).mean_length
    return float(model.n_iter_ * _KEEP * (bound / length) ** 2 / _TARGET)


def _people_central(epsilon: float) -> float:
    """Noise of variance v in every step leaves eta v / (c (2 - eta c)), c the curvature.

    Sampling error, which no calibration changes, is added: 1 / (n c) a coefficient.
    """
    mechanism = central_mechanism(
        _DIMENSION, _ROUNDS, math.sqrt(_DIMENSION), Allowance(epsilon, _DELTA)
    )
    X, _, theta = _logistic(0)
    curvature = float(np.mean(special.expit(X @ theta) * special.expit(-X @ theta)))
    goal = _TARGET * _SIGNAL**2 / _SPARSITY
    sampling = 1.0 / curvature
    privacy = _STEP * mechanism.sigma**2 / (curvature * (2.0 - _STEP * curvature))
    return float((sampling + math.sqrt(sampling**2 + 4 * goal * privacy)) / (2 * goal))
