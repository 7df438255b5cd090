"""The copies of Algorithms 1 to 3 and of the absolute loss, for the contract suite."""

from functools import cache, partial
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.papers.chebyshev import (
    AbsoluteRegression,
    ConvexClassifier,
    Copies,
    CopiesRound,
    EuclideanMedian,
    HingeClassifier,
    series,
)
from tacit.papers.chebyshev.device import Kind
from tacit.papers.chebyshev.server import MarginOracle
from tacit.papers.common import Allowance
from tacit.protocol import Records
from tests.contracts.example import EstimatorExample, Example

FEATURES, DEGREE, BETA = 2, 2, 0.5


@cache
def round_of(kind: Kind, calibration: Any, epsilon: float, delta: float) -> CopiesRound:
    """A small protocol; the contract does not ask what the server makes of the answers."""
    sent = Copies.of(kind, FEATURES, DEGREE, Allowance(epsilon, delta, calibration))
    approximation = series.of_degree(series.hinge(BETA), DEGREE)
    return CopiesRound(MarginOracle(sent, approximation, BETA), batch=1)


def draw(rng: np.random.Generator, n: int) -> Records:
    """Records inside, on and far beyond the bounds."""
    reach = rng.choice([0.1, 1.0, 1e6], size=(n, 1))
    labels = rng.choice([-50.0, -1.0, 0.3, 1.0, 50.0], size=n)
    return rng.normal(size=(n, FEATURES)) * reach, labels


def extremes(kind: Kind) -> Records:
    """Opposite rows with opposite labels; for the product, the same label."""
    second = 1.0 if kind == "product" else -1.0
    return np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, second])


KINDS: tuple[Kind, ...] = ("separate", "product", "residual", "point")
EXAMPLES = [
    Example(f"chebyshev-{kind}", partial(round_of, kind), draw, partial(extremes, kind))
    for kind in KINDS
]

_BAD: tuple[tuple[dict[str, Any], str], ...] = (
    ({"epsilon": 0.0}, "epsilon=0.0"),
    ({"delta": 1.0}, "delta=1.0"),
    ({"radius": -1.0}, "radius=-1.0"),
    ({"degree": 0}, "degree=0"),
    ({"degree": 1.5}, "degree=1.5"),
    ({"smoothing": 0.0}, "smoothing=0.0"),
    ({"target_error": 0.0}, "target_error=0.0"),
    ({"batch_size": 0}, "batch_size=0"),
    ({"calibration": "loose"}, "calibration='loose'"),
)
_BAD_CLASSIFIER = (
    ({"copies": "triple"}, "copies='triple'"),
    ({"classes": [1, 1]}, "classes=[1, 1]"),
    ({"classes": [0, 5]}, "classes=[0, 5]"),
)
_BAD_LOSS = (
    ({"loss": np.negative}, "convex"),
    ({"loss": lambda t: 2.0 * t}, "1-Lipschitz"),
    ({"loss": "hinge"}, "'hinge'"),
)
_BAD_RANGE = (
    ({"label_range": (1.0, -1.0)}, "label_range=(1.0, -1.0)"),
    ({"label_range": (-0.1, 0.1)}, "label_range=(-0.1, 0.1)"),
)


def _data() -> tuple[Floats, Floats]:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2)) / 3.0
    return X, np.where(X[:, 0] + rng.normal(size=60) > 0, 1, -1)


def _fit(estimator: Any) -> Any:
    return estimator.fit(*_data())


ESTIMATORS = [
    EstimatorExample(
        "HingeClassifier", HingeClassifier, _fit, lambda e: e.coef_, _BAD + _BAD_CLASSIFIER
    ),
    EstimatorExample(
        "ConvexClassifier",
        ConvexClassifier,
        _fit,
        lambda e: e.coef_,
        _BAD + _BAD_CLASSIFIER + _BAD_LOSS,
    ),
    EstimatorExample(
        "AbsoluteRegression", AbsoluteRegression, _fit, lambda e: e.coef_, _BAD + _BAD_RANGE
    ),
    EstimatorExample("EuclideanMedian", EuclideanMedian, _fit, lambda e: e.location_, _BAD),
]
