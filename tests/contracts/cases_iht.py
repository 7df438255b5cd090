"""Sparse regression: Gaussian protocols, and every estimator.

Reports that are sphere seeds or integers of a scalar mechanism are held to the same contract in
tests/papers/test_iht_rounds.py and tests/papers/test_iht_labels.py.
"""

import math
from typing import Any

import numpy as np

from tacit.papers.iht import DPIHT, LDPIHT, LabelLasso, LabelLDPIHT, LabelRandomizer, OneShotSparse
from tacit.papers.iht.central import TrustedServer, central_mechanism, logistic_loss
from tacit.papers.iht.oneshot import product_mechanism, product_report, products
from tacit.papers.iht.problem import Problem, clipped_labels
from tacit.privacy import Entropy
from tacit.privacy.gaussian import GaussianMechanism
from tests.contracts.case import Case, EstimatorCase, Floats

DIMENSION, ROUNDS, GRADIENT_BOUND = 4, 2, 0.8
PROBLEM = Problem.of(DIMENSION, 2, noise_bound=0.5)
BOUND = PROBLEM.label_bound
ITERATES = np.array([[0.0, 0.0, 0.0, 0.0], [0.0, 0.5, -0.2, 0.0]])

Pairs = tuple[Floats, Floats]


def draw_pairs(rng: np.random.Generator, count: int) -> Pairs:
    """Rows and labels, the first half extreme, some wild."""
    X = rng.choice([-1.0, 1.0], size=(count, DIMENSION))
    X[count // 2 :] *= rng.uniform(0, 1.5, (count - count // 2, 1))
    y = np.where(rng.random(count) < 0.5, BOUND, rng.uniform(-2 * BOUND, BOUND, count))
    return X, y


def product_device(mechanism: GaussianMechanism, records: Pairs, entropy: Entropy) -> Floats:
    """One person at a time."""
    reports = [
        product_report(PROBLEM, mechanism, x, y, entropy) for x, y in zip(*records, strict=True)
    ]
    return mechanism.value(np.array(reports))


def product_sum(mechanism: GaussianMechanism, records: Pairs, rng: np.random.Generator) -> Floats:
    """As the estimator simulates."""
    vectors = products(PROBLEM, *records)
    return mechanism.simulate_sum(vectors.sum(axis=0), len(vectors), rng)


def label_randomizer(calibration: Any, epsilon: float, delta: float) -> GaussianMechanism:
    """The Gaussian noise on one label."""
    made = LabelRandomizer.of(BOUND, epsilon, name="gaussian", calibration=calibration, delta=delta)
    assert isinstance(made.mechanism, GaussianMechanism)
    return made.mechanism


def label_device(mechanism: GaussianMechanism, records: Floats, entropy: Entropy) -> Floats:
    """One label at a time."""
    randomizer = LabelRandomizer(BOUND, mechanism)
    reports = np.array([randomizer.report(y, entropy) for y in records])
    return randomizer.values(reports)[:, None]


def label_sum(mechanism: GaussianMechanism, records: Floats, rng: np.random.Generator) -> Floats:
    """As the estimator simulates: every label keeps its own noise, as its features are known."""
    return LabelRandomizer(BOUND, mechanism).simulate(records, rng).sum(keepdims=True)


def gradient_mechanism(calibration: Any, epsilon: float, delta: float) -> GaussianMechanism:
    """The noise of all rounds of the trusted server together."""
    return central_mechanism(
        DIMENSION,
        ROUNDS,
        GRADIENT_BOUND,
        calibration=calibration,
        epsilon=epsilon,
        delta=delta,
    )


def draw_people(rng: np.random.Generator, count: int) -> Pairs:
    """Data sets of one person each: replacing that person is what neighbours do."""
    X = rng.normal(0.0, 3.0, (count, DIMENSION))
    X[0] = [1e9, 0.0, 0.0, 0.0]
    return X, rng.choice([-1.0, 1.0], count)


def trusted_server(mechanism: GaussianMechanism) -> TrustedServer:
    """The server whose rounds that noise answers for."""
    return TrustedServer.of(logistic_loss(), GRADIENT_BOUND, DIMENSION, mechanism)


def gradients(records: Pairs) -> Floats:
    """The clipped gradients of each data set at every iterate, side by side."""
    held = trusted_server(gradient_mechanism("exact", 1.0, 1e-6))
    return np.hstack([held.clipped(w, *records) for w in ITERATES])


def published(mechanism: GaussianMechanism, records: Pairs, entropy: Entropy) -> Floats:
    """What is published about each data set, in all rounds."""
    held = trusted_server(mechanism)
    return np.array(
        [
            np.concatenate([held.noisy_sum(w, x[None], np.array([y]), entropy) for w in ITERATES])
            for x, y in zip(*records, strict=True)
        ]
    )


def published_sum(mechanism: GaussianMechanism, records: Pairs, rng: np.random.Generator) -> Floats:
    """The sum of what many servers publish; a single one needs no faster way."""
    vectors = gradients(records)
    return mechanism.simulate_sum(vectors.sum(axis=0), len(vectors), rng)


CASES: list[Case] = [
    Case(
        "iht one-shot",
        lambda calibration, epsilon, delta: product_mechanism(PROBLEM, calibration, epsilon, delta),
        draw_pairs,
        lambda records: products(PROBLEM, *records),
        lambda: (np.ones((2, DIMENSION)), np.array([BOUND, -BOUND])),
        product_device,
        product_sum,
    ),
    Case(
        "iht labels",
        label_randomizer,
        lambda rng, count: rng.choice([-9.0, -BOUND, 0.3, BOUND, 9.0], count),
        lambda records: clipped_labels(records, BOUND)[:, None],
        lambda: np.array([BOUND, -BOUND]),
        label_device,
        label_sum,
    ),
    Case(
        "iht trusted server",
        gradient_mechanism,
        draw_people,
        gradients,
        lambda: (np.array([[9.0, 0.0, 0.0, 0.0]] * 2), np.array([1.0, -1.0])),
        published,
        published_sum,
    ),
]


def small_data() -> Pairs:
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


def linear_case(kind: type[Any], *bad: tuple[dict[str, Any], str], **stated: Any) -> EstimatorCase:
    """An estimator of the linear problem, with the parameters that all of them refuse."""
    common: tuple[tuple[dict[str, Any], str], ...] = (
        ({"epsilon": -1.0}, "epsilon=-1.0"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"sparsity": DIMENSION + 1}, f"sparsity={DIMENSION + 1}"),
        ({"radius": 0.0}, "radius=0.0"),
        ({"noise_bound": 0.001}, "noise_bound=0.001"),
        ({"calibration": "loose"}, "calibration='loose'"),
    )
    return EstimatorCase(
        f"iht {kind.__name__}",
        lambda **parameters: kind(**{"sparsity": 2, "noise_bound": 0.5, **stated, **parameters}),
        fit_linear,
        coefficients,
        (*common, *bad),
    )


ESTIMATORS: list[EstimatorCase] = [
    linear_case(
        LDPIHT,
        ({"iterations": 0}, "iterations=0"),
        ({"keep": 1}, "keep=1"),
        ({"step": 0.0}, "step=0.0"),
        ({"randomizer": "laplace"}, "randomizer='laplace'"),
    ),
    linear_case(
        OneShotSparse,
        ({"mechanism": "laplace"}, "mechanism='laplace'"),
        ({"mechanism": "gaussian", "delta": 0.0}, "delta=0.0"),
        ({"mechanism": "gaussian", "epsilon": 0.0}, "epsilon=0.0"),
        threshold=False,
    ),
    linear_case(
        LabelLDPIHT,
        ({"delta": 1.0}, "delta=1.0"),
        ({"mechanism": "laplace"}, "mechanism='laplace'"),
        ({"iterations": 0}, "iterations=0"),
    ),
    linear_case(LabelLasso, ({"penalty": 0.0}, "penalty=0.0"), penalty=0.01),
    EstimatorCase(
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
