"""Studies for the contract suite: a binary label, a bounded one, several classes."""

from functools import cache, partial
from typing import Any

import numpy as np

from tacit import Binary, Bounded, Categorical, Study
from tacit.labels import Label
from tacit.protocol import Records
from tacit.protocol.study import StudyRound
from tests.contracts.example import Example

PUBLIC = {"a": np.arange(50.0) % 7, "b": np.array(["x", "y"], object)[np.arange(50) % 2]}
LABELS: dict[str, Label] = {
    "binary": Binary("y", positive="yes", negative="no"),
    "bounded": Bounded("y", -1.0, 1.0),
    "categorical": Categorical("y", ("p", "q", "r")),
}
ENDS = {"binary": ("yes", "no"), "bounded": (1.0, -1.0), "categorical": ("p", "q")}


@cache
def round_of(kind: str, calibration: Any, epsilon: float, delta: float) -> StudyRound:
    """A study of two features."""
    study = Study.from_public(PUBLIC, label=LABELS[kind], epsilon=epsilon, source="made up")
    return StudyRound(study, PUBLIC)


def draw(kind: str, rng: np.random.Generator, n: int) -> Records:
    """Numbers near and far, categories known and unknown, labels at the ends."""
    a = rng.choice([-1e9, 0.0, 1.3, 4.0, np.nan], n)
    return (
        a,
        rng.choice(np.array(["x", "y", "z"], object), n),
        rng.choice(np.array(ENDS[kind], object), n),
    )


def extremes(kind: str) -> Records:
    """The same features with labels at both ends."""
    return np.ones(2), np.array(["x", "x"], object), np.array(ENDS[kind], object)


EXAMPLES = [
    Example(
        f"study {kind}",
        partial(round_of, kind),
        partial(draw, kind),
        partial(extremes, kind),
        tight=kind != "categorical",
        absent=True,
    )
    for kind in LABELS
]
