"""Multi-party release for the contract suite: each record is a party that holds one person."""

from functools import partial
from typing import Any

import numpy as np

from tacit.papers import BGM, DGM, RMGM
from tacit.papers.mixing import Agreement, Mixing, PartyRound, held_by
from tacit.protocol import Records
from tests.contracts.example import EstimatorExample, Example

RANGES = (((0.0, 10.0), (-1.0, 1.0), (0.0, 1.0)), ((-1.0, 1.0), (0.0, 1.0)))
LOW, HIGH = (np.array(end) for end in zip(*RANGES[0], strict=True))
MIXING = Mixing(bytes(range(16)), 4)


def first_party(
    mixing: Mixing | None, calibration: Any, epsilon: float, delta: float
) -> PartyRound:
    """The party that holds three of the five columns."""
    return PartyRound(Agreement(RANGES, 1, epsilon, delta, calibration, "party", mixing))


def draw(rng: np.random.Generator, n: int) -> Records:
    """Every third row is a corner of the ranges or beyond them."""
    rows = LOW + (HIGH - LOW) * rng.random((n, 3))
    rows[::3] = rng.choice([-1e300, 1e300, np.inf, -np.inf], size=rows[::3].shape)
    return held_by(np.split(rows, n))


EXAMPLES = [
    Example(
        name,
        partial(first_party, mixing),
        draw,
        lambda: held_by([LOW[None], HIGH[None]]),
        draws=1000,  # each expands its column of B
    )
    for name, mixing in (("mixing party", None), ("mixing rmgm", MIXING))
]


def fitted(estimator: Any) -> Any:
    """On 200 people with two features."""
    generator = np.random.default_rng(0)
    X = generator.uniform(-1, 1, (200, 2))
    return estimator.fit(X, X @ np.array([0.5, -0.4]))


COMMON: tuple[tuple[dict[str, Any], str], ...] = (
    ({"epsilon": -1.0}, "epsilon=-1.0"),
    ({"delta": 0.0}, "delta=0.0"),
    ({"parties": 1}, "parties=1"),
    ({"parties": 4}, "parties=4"),
    ({"parties": (2, 2)}, "parties=(2, 2)"),
    ({"feature_range": (1.0, -1.0)}, "feature_range=(1.0, -1.0)"),
    ({"feature_range": (0.0, 1.0, 2.0)}, "feature_range=(0.0, 1.0, 2.0)"),
    ({"label_range": (0.0, 0.0)}, "label_range=(0.0, 0.0)"),
    ({"label_range": (0.0, 0.1)}, "0.1"),
    ({"budget": "row"}, "budget='row'"),
    ({"calibration": "loose"}, "calibration='loose'"),
    ({"ridge": -1.0}, "ridge=-1.0"),
)

ESTIMATORS = [
    EstimatorExample("BGM", BGM, fitted, lambda e: e.coef_, COMMON),
    EstimatorExample("DGM", DGM, fitted, lambda e: e.coef_, COMMON),
    EstimatorExample(
        "RMGM",
        RMGM,
        fitted,
        lambda e: e.coef_,
        (*COMMON, ({"rows": 0}, "rows=0"), ({"construction": "dct"}, "construction='dct'")),
    ),
]
