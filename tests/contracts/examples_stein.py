"""The stein algorithms for the contract suite."""

import math
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.papers.common import Allowance
from tacit.papers.stein import (
    Collected,
    GaussianDesignGLM,
    MomentsRound,
    PredictionsRound,
    SphereRound,
    SteinGLM,
    SteinRegression,
)
from tacit.papers.stein.device import Design
from tacit.papers.stein.round import Rounds, first_round
from tacit.protocol import Records
from tests.contracts.example import EstimatorExample, Example

P = 3
RADIUS = 2.0
# announced before the second round: predicts 1 or more for the first of `extremes`, 0 for the other
OLS = np.array([100.0, -100.0, 3.0])


class Setting(NamedTuple):
    """What the algorithms differ in."""

    design: Design
    rounds: Rounds
    bound: float


FIRST, FOURTH, FIFTH = (
    Setting("gaussian", 1, 1.0),
    Setting("bounded", 1, 1.5),
    Setting("gaussian", 2, 1.0),
)


def moments(setting: Setting, calibration: Any, epsilon: float, delta: float) -> MomentsRound:
    """The first round."""
    design, rounds, bound = setting
    return first_round(
        Allowance(epsilon, delta, calibration),
        design=design,
        rounds=rounds,
        features=P,
        radius=RADIUS,
        label_bound=bound,
        printed_bound=bound,
        prediction_range=(0.0, 1.0) if bound == 1.0 else (-bound, bound),
    )


def predictions(calibration: Any, epsilon: float, delta: float) -> PredictionsRound:
    """The second round of Algorithm 5."""
    first = moments(FIFTH, calibration, epsilon, delta)
    assert first.echo is not None
    announced = Collected(np.eye(P), np.zeros(P), OLS, np.empty(0))
    return PredictionsRound(first.moments, first.noise, first.echo, announced)


def extremes(design: str, bound: float) -> Records:
    """Orthogonal corners of the cross-polytope, or two points of the sphere 60 degrees apart."""
    low = 0.0 if design == "bounded" else math.sin(math.pi / 12)
    high = math.sqrt(1.0 - low**2)
    X = RADIUS * np.array([[high, low, 0.0], [low, high, 0.0]])
    return X, np.array([bound, -bound])


def draw(bound: float, rng: np.random.Generator, n: int) -> Records:
    """Rows of all lengths, many of them too long, labels also beyond their bound."""
    X = rng.standard_normal((n, P)) * rng.choice([0.1, 1.0, 10.0], size=(n, 1))
    X[::3, 1:] = 0.0
    return X, bound * rng.uniform(-1.5, 1.5, n)


def joint(stage: Any) -> Any:
    """The noise of both rounds."""
    return stage.noise


EXAMPLES = [
    *(
        Example(
            name,
            partial(moments, setting),
            partial(draw, setting.bound),
            partial(extremes, setting.design, setting.bound),
            joint=joint,
        )
        for name, setting in (("stein 1", FIRST), ("stein 4", FOURTH), ("stein 5 first", FIFTH))
    ),
    Example(
        "stein 5 second",
        predictions,
        partial(draw, 1.0),
        partial(extremes, "gaussian", 1.0),
        joint=joint,
    ),
    Example(
        "stein sphere",
        lambda calibration, epsilon, delta: SphereRound(P, RADIUS, 0.0, 1.0, epsilon),
        partial(draw, 1.0),
        partial(extremes, "gaussian", 1.0),
        tight=False,
    ),
]

_RNG = np.random.default_rng(8)
_X = _RNG.uniform(-0.5, 0.5, (200_000, 2))
_PUBLIC = _RNG.uniform(-0.5, 0.5, (1000, 2))
_TRUTH = np.array([0.8, -0.6])
_CHANCE = special.expit(_X @ _TRUTH)
_Y = (_RNG.random(len(_X)) < _CHANCE).astype(float)


def _coef(estimator: Any) -> Floats:
    return np.asarray(estimator.coef_)


_COMMON_BAD = (
    ({"radius": -1.0}, "radius=-1.0"),
    ({"epsilon": 0.0}, "epsilon=0.0"),
    ({"label_bound": -2.0}, "label_bound=-2.0"),
    ({"delta": 0.0}, "delta=0.0"),
    ({"calibration": "loose"}, "calibration='loose'"),
    ({"design": "uniform"}, "design='uniform'"),
    ({"rounds": 3}, "rounds=3"),
    ({"pooling": "all"}, "pooling='all'"),
    ({"label_bound": 0.5}, "labels must lie between -0.5 and 0.5"),
)

ESTIMATORS: list[EstimatorExample] = [
    EstimatorExample(
        name="SteinGLM",
        make=lambda **changes: SteinGLM(
            **{"epsilon": 10.0, "design": "bounded", "radius": 1.0, **changes}
        ),
        fit=lambda made: made.fit(_X, _Y, public=_PUBLIC),
        answer=_coef,
        bad=(*_COMMON_BAD, ({"family": "hinge"}, "family='hinge'")),
    ),
    EstimatorExample(
        name="SteinRegression",
        make=lambda **changes: SteinRegression(
            **{"epsilon": 10.0, "radius": 0.71, "noise_bound": 1.0, **changes}
        ),
        fit=lambda made: made.fit(_X, _Y, public=_PUBLIC),
        answer=_coef,
        bad=(
            *_COMMON_BAD,
            ({"link": "probit"}, "link='probit'"),
            ({"noise_bound": -1.0}, "noise_bound=-1.0"),
        ),
    ),
    EstimatorExample(
        name="GaussianDesignGLM",
        make=lambda **changes: GaussianDesignGLM(**{"epsilon": 10.0, "radius": 0.71, **changes}),
        fit=lambda made: made.fit(_X[:20_000], _Y[:20_000]),
        answer=_coef,
        bad=(
            ({"radius": 0.0}, "radius=0.0"),
            ({"radius": None}, "spectral_norm=None"),
            ({"epsilon": -1.0}, "epsilon=-1.0"),
            ({"label_range": (1.0, 0.0)}, "label_range=(1.0, 0.0)"),
            ({"label_range": (0.0, 0.5)}, "labels must lie between 0 and 0.5"),
            ({"family": "hinge"}, "family='hinge'"),
        ),
    ),
]
