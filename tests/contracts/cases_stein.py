"""The stein algorithms for the contract suite."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import special

from tacit.papers.stein import GaussianDesignGLM, SteinGLM, SteinRegression
from tacit.papers.stein.protocol import Protocol, Rounds, plan_protocol
from tacit.privacy import Entropy
from tacit.privacy.gaussian import GaussianMechanism
from tests.contracts.case import Case, EstimatorCase, Floats

P = 3
RADIUS = 2.0
Records = tuple[Floats, Floats]
# announced before the second round: predicts 1 or more for the first of `extremes`, 0 for the other
OLS = np.array([100.0, -100.0, 3.0])


def protocol(
    design: Any, rounds: Rounds, bound: float, *, calibration: Any, epsilon: float, delta: float
) -> Protocol:
    """The protocol at the size of the cases."""
    return plan_protocol(
        calibration,
        design=design,
        rounds=rounds,
        features=P,
        radius=RADIUS,
        label_bound=bound,
        printed_bound=bound,
        prediction_range=(0.0, 1.0) if bound == 1.0 else (-bound, bound),
        epsilon=epsilon,
        delta=delta,
    )


def extremes(design: str, bound: float) -> Records:
    """Orthogonal corners of the cross-polytope, or two points of the sphere 60 degrees apart."""
    low = 0.0 if design == "bounded" else math.sin(math.pi / 12)
    high = math.sqrt(1.0 - low**2)
    X = RADIUS * np.array([[high, low, 0.0], [low, high, 0.0]])
    return X, np.array([bound, -bound])


def draw(bound: float) -> Callable[[np.random.Generator, int], Records]:
    """Rows of all lengths, many of them too long, labels also beyond their bound."""

    def drawn(rng: np.random.Generator, n: int) -> Records:
        X = rng.standard_normal((n, P)) * rng.choice([0.1, 1.0, 10.0], size=(n, 1))
        X[::3, 1:] = 0.0
        return X, bound * rng.uniform(-1.5, 1.5, n)

    return drawn


def case(name: str, design: str, rounds: Rounds, bound: float) -> Case:
    """One algorithm: its design, number of rounds and bound on labels."""
    plan = protocol(design, rounds, bound, calibration="exact", epsilon=1.0, delta=1e-6)

    def encode(records: Records) -> Floats:
        vectors = plan.moments.encode(*records)
        second = plan.echo * plan.predictions(*records, OLS)
        return np.column_stack([vectors, second]) if rounds == 2 else vectors

    def with_noise(mechanism: GaussianMechanism) -> Protocol:
        return Protocol(plan.moments, mechanism, plan.low, plan.high, plan.echo)

    def device(mechanism: GaussianMechanism, records: Records, entropy: Entropy) -> Floats:
        used = with_noise(mechanism)
        reports = []
        for x, y in zip(*records, strict=True):
            report = used.report(x, y, entropy)
            if rounds == 2:
                report = np.concatenate([report, used.second_report(x, OLS, entropy)])
            reports.append(mechanism.value(report))
        return np.array(reports)

    def simulate_sum(
        mechanism: GaussianMechanism, records: Records, rng: np.random.Generator
    ) -> Floats:
        used, people = with_noise(mechanism), len(records[0])
        total = people * used.simulate_mean(*records, rng)
        if rounds == 1:
            return total
        second = plan.echo * used.simulate_second(*records, OLS, rng).sum()
        return np.append(total, second)

    return Case(
        name=name,
        mechanism=lambda calibration, epsilon, delta: (
            protocol(
                design, rounds, bound, calibration=calibration, epsilon=epsilon, delta=delta
            ).mechanism
        ),
        draw=draw(bound),
        encode=encode,
        extremes=lambda: extremes(design, bound),
        device=device,
        simulate_sum=simulate_sum,
    )


CASES: list[Case] = [
    case("stein-1", "gaussian", 1, 1.0),
    case("stein-4", "bounded", 1, 1.5),
    case("stein-5", "gaussian", 2, 1.0),
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

ESTIMATORS: list[EstimatorCase] = [
    EstimatorCase(
        name="SteinGLM",
        make=lambda **changes: SteinGLM(
            **{"epsilon": 10.0, "design": "bounded", "radius": 1.0, **changes}
        ),
        fit=lambda made: made.fit(_X, _Y, public=_PUBLIC),
        answer=_coef,
        bad=(*_COMMON_BAD, ({"family": "hinge"}, "family='hinge'")),
    ),
    EstimatorCase(
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
    EstimatorCase(
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
