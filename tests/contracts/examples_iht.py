"""Sparse regression: seeds of the sphere, Gaussian products, labels as integers; estimators."""

import math
from functools import partial
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.papers.common import Allowance
from tacit.papers.iht import (
    DPIHT,
    LDPIHT,
    GradientRound,
    LabelLasso,
    LabelLDPIHT,
    LabelRound,
    OneShotSparse,
    Problem,
    ProductRound,
)
from tacit.papers.iht.round import LabelMechanism, Randomizer, sphere_for
from tacit.protocol import Records
from tests.contracts.example import EstimatorExample, Example

DIMENSION = 4
PROBLEM = Problem.of(DIMENSION, 2, noise_bound=0.5)
BOUND = PROBLEM.label_bound
RANDOMIZERS: tuple[Randomizer, ...] = ("sphere", "duchi")
LABELS: tuple[LabelMechanism, ...] = ("two-point", "piecewise", "staircase", "gaussian")


def draw_pairs(rng: np.random.Generator, count: int) -> Records:
    """Rows and labels, the first half extreme, some wild."""
    X = rng.choice([-1.0, 1.0], size=(count, DIMENSION))
    X[count // 2 :] *= rng.uniform(0, 1.5, (count - count // 2, 1))
    y = np.where(rng.random(count) < 0.5, BOUND, rng.uniform(-2 * BOUND, BOUND, count))
    return X, y


def draw_labels(rng: np.random.Generator, count: int) -> Records:
    """Labels inside, at and beyond the ends."""
    return (rng.choice([-9.0, -BOUND, 0.3, BOUND, 9.0], count),)


def opposite() -> Records:
    """The same row with the labels at both ends."""
    return np.ones((2, DIMENSION)), np.array([BOUND, -BOUND])


def gradients(name: Randomizer, calibration: Any, epsilon: float, delta: float) -> GradientRound:
    """The first of two rounds."""
    sphere = sphere_for(name, DIMENSION, epsilon)
    return GradientRound.first(PROBLEM, sphere, calibration, iterations=2)


def one_shot(calibration: Any, epsilon: float, delta: float) -> ProductRound:
    """The products of everyone."""
    return ProductRound.of(PROBLEM, Allowance(epsilon, delta, calibration))


def labels(name: LabelMechanism, calibration: Any, epsilon: float, delta: float) -> LabelRound:
    """A label alone."""
    return LabelRound.of(BOUND, Allowance(epsilon, delta, calibration), name)


EXAMPLES = [
    *(
        Example(f"iht 1 {name}", partial(gradients, name), draw_pairs, opposite)
        for name in RANDOMIZERS
    ),
    Example("iht one-shot", one_shot, draw_pairs, opposite),
    *(
        Example(
            f"iht label {name}",
            partial(labels, name),
            draw_labels,
            lambda: (np.array([BOUND, -BOUND]),),
        )
        for name in LABELS
    ),
]


def small_data() -> tuple[Floats, Floats]:
    """Sparse linear data within the range of `PROBLEM`."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(400, DIMENSION))
    return X, X @ np.array([0.6, 0.0, -0.5, 0.0]) + rng.uniform(-0.5, 0.5, 400)


def fit_linear(estimator: Any) -> Any:
    """On labels in their range."""
    return estimator.fit(*small_data())


def fit_signs(estimator: Any) -> Any:
    """On labels -1 and 1."""
    X, y = small_data()
    return estimator.fit(X, np.where(y > 0, 1.0, -1.0))


def coefficients(estimator: Any) -> Floats:
    """What was learned."""
    return np.asarray(estimator.coef_)


def linear_example(
    kind: type[Any], *bad: tuple[dict[str, Any], str], **stated: Any
) -> EstimatorExample:
    """An estimator of the linear problem, with the parameters that all of them refuse."""
    common: tuple[tuple[dict[str, Any], str], ...] = (
        ({"epsilon": -1.0}, "epsilon=-1.0"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"sparsity": DIMENSION + 1}, f"sparsity={DIMENSION + 1}"),
        ({"radius": 0.0}, "radius=0.0"),
        ({"noise_bound": 0.001}, "noise_bound=0.001"),
        ({"calibration": "loose"}, "calibration='loose'"),
    )
    return EstimatorExample(
        f"iht {kind.__name__}",
        lambda **parameters: kind(**{"sparsity": 2, "noise_bound": 0.5, **stated, **parameters}),
        fit_linear,
        coefficients,
        (*common, *bad),
    )


ESTIMATORS: list[EstimatorExample] = [
    linear_example(
        LDPIHT,
        ({"iterations": 0}, "iterations=0"),
        ({"keep": 1}, "keep=1"),
        ({"step": 0.0}, "step=0.0"),
        ({"randomizer": "laplace"}, "randomizer='laplace'"),
    ),
    linear_example(
        OneShotSparse,
        ({"mechanism": "laplace"}, "mechanism='laplace'"),
        ({"mechanism": "gaussian", "delta": 0.0}, "delta=0.0"),
        ({"mechanism": "gaussian", "epsilon": 0.0}, "epsilon=0.0"),
        threshold=False,
    ),
    linear_example(
        LabelLDPIHT,
        ({"delta": 1.0}, "delta=1.0"),
        ({"mechanism": "laplace"}, "mechanism='laplace'"),
        ({"iterations": 0}, "iterations=0"),
    ),
    linear_example(LabelLasso, ({"penalty": 0.0}, "penalty=0.0"), penalty=0.01),
    EstimatorExample(
        "iht DPIHT",
        lambda **parameters: DPIHT(**{"sparsity": 2, "iterations": 5, **parameters}),
        fit_signs,
        coefficients,
        (
            ({"epsilon": 0.0}, "epsilon=0.0"),
            ({"delta": 2.0}, "delta=2.0"),
            ({"sparsity": DIMENSION + 1}, f"sparsity={DIMENSION + 1}"),
            ({"gradient_bound": -1.0}, "gradient_bound=-1.0"),
            ({"calibration": "loose"}, "calibration='loose'"),
        ),
    ),
]
