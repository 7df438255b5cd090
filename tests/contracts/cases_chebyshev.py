"""The copies of Algorithms 1 to 3 and of the absolute loss, for the contract suite."""

from dataclasses import replace
from functools import cache, partial
from typing import Any

import numpy as np

from tacit.papers.chebyshev import (
    AbsoluteRegression,
    ConvexClassifier,
    EuclideanMedian,
    HingeClassifier,
    Release,
)
from tacit.papers.chebyshev.release import Kind
from tacit.privacy import Entropy
from tacit.privacy.gaussian import GaussianMechanism
from tests.contracts.case import Case, EstimatorCase, Floats

FEATURES, DEGREE = 2, 2
Records = tuple[Floats, Floats]


@cache
def release(kind: Kind, calibration: Any = "exact", epsilon: float = 1.0, delta: float = 1e-6):
    """The release of a small protocol."""
    return Release.of(kind, FEATURES, DEGREE, epsilon=epsilon, delta=delta, calibration=calibration)


def mechanism(kind: Kind, calibration: Any, epsilon: float, delta: float) -> GaussianMechanism:
    """The joint noise of one person."""
    return release(kind, calibration, epsilon, delta).mechanism


def draw(rng: np.random.Generator, n: int) -> Records:
    """Records inside, on and far beyond the bounds."""
    reach = rng.choice([0.1, 1.0, 1e6], size=(n, 1))
    labels = rng.choice([-50.0, -1.0, 0.3, 1.0, 50.0], size=n)
    return rng.normal(size=(n, FEATURES)) * reach, labels


def encode(kind: Kind, records: Records) -> Floats:
    """What the exactly calibrated device adds noise to."""
    return release(kind).encode(*records)


def extremes(kind: Kind) -> Records:
    """Opposite rows with opposite labels; for the product, the same label."""
    second = 1.0 if kind == "product" else -1.0
    return np.array([[1.0, 0.0], [-1.0, 0.0]]), np.array([1.0, second])


def device(kind: Kind, noise: GaussianMechanism, records: Records, entropy: Entropy) -> Floats:
    """One report after the other."""
    made = replace(release(kind), mechanism=noise)
    return noise.value(
        np.array([made.report(x, y, entropy) for x, y in zip(*records, strict=True)])
    )


def simulate_sum(
    kind: Kind, noise: GaussianMechanism, records: Records, rng: np.random.Generator
) -> Floats:
    """The sum of simulated reports (the server needs them one by one)."""
    return replace(release(kind), mechanism=noise).simulate(*records, rng).sum(axis=0)


KINDS: tuple[Kind, ...] = ("separate", "product", "residual", "point")
CASES = [
    Case(
        name=f"chebyshev-{kind}",
        mechanism=partial(mechanism, kind),
        draw=draw,
        encode=partial(encode, kind),
        extremes=partial(extremes, kind),
        device=partial(device, kind),
        simulate_sum=partial(simulate_sum, kind),
    )
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
    EstimatorCase(
        "HingeClassifier", HingeClassifier, _fit, lambda e: e.coef_, _BAD + _BAD_CLASSIFIER
    ),
    EstimatorCase(
        "ConvexClassifier",
        ConvexClassifier,
        _fit,
        lambda e: e.coef_,
        _BAD + _BAD_CLASSIFIER + _BAD_LOSS,
    ),
    EstimatorCase(
        "AbsoluteRegression", AbsoluteRegression, _fit, lambda e: e.coef_, _BAD + _BAD_RANGE
    ),
    EstimatorCase("EuclideanMedian", EuclideanMedian, _fit, lambda e: e.location_, _BAD),
]
