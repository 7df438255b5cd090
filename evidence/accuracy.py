"""How near the coefficients come to the truth: the setting the literature compares in.

Gaussian features of variance 1/2, a true coefficient vector of length 1, yes-or-no labels, and
no intercept in the truth (the model has one all the same).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit import Binary, Study, fit
from tacit.errors import NoFiniteMaximumError
from tacit.simulation import simulate

Floats = NDArray[np.float64]

# (features, people, public rows), with the sizes published for the estimator
SIZES = ((10, 100_000, 50_000), (20, 200_000, 100_000), (10, 100_000, 1_000))
EPSILONS = (1.0, 5.0, 10.0)
RUNS = 40


@dataclass(frozen=True)
class Accuracy:
    """Squared distances from the truth, one per run; infinite where there is no maximum."""

    features: int
    people: int
    public_rows: int
    epsilon: float | None
    squared_errors: Floats

    @property
    def median(self) -> float:
        """The median over runs."""
        return float(np.median(self.squared_errors))


def accuracy(
    size: tuple[int, int, int], epsilons: Sequence[float], runs: int, seed: int
) -> list[Accuracy]:
    """One entry per epsilon, and a last one (epsilon None) for logistic regression on the rows.

    The last uses neither reports nor public rows: it is what privacy and shared rows cost.
    """
    found = np.array([_run(size, epsilons, [seed, run]) for run in range(runs)])
    return [Accuracy(*size, epsilon, found[:, j]) for j, epsilon in enumerate((*epsilons, None))]


def _run(size: tuple[int, int, int], epsilons: Sequence[float], seed: list[int]) -> list[float]:
    features, people, public_rows = size
    generator = np.random.default_rng(seed)
    truth = generator.standard_normal(features)
    truth /= np.linalg.norm(truth)
    public = _features(generator, public_rows, features)
    rows = _features(generator, people, features)
    chance = 1.0 / (1.0 + np.exp(-np.column_stack(list(rows.values())) @ truth))
    labels = generator.random(people) < chance
    errors = []
    for epsilon in epsilons:
        study = Study.from_public(
            public,
            label=Binary("label", positive=True, negative=False),
            epsilon=epsilon,
            source="made up",
            simulation=True,
        )
        tally = simulate(study, rows, labels, random_state=int(generator.integers(2**32)))
        try:
            found = fit(study, tally, public=public).solution("maximum").coef[1:]
            errors.append(_squared_error(found, truth))
        except NoFiniteMaximumError:
            errors.append(math.inf)
    return [*errors, _squared_error(_not_private(rows, labels), truth)]


def _features(generator: np.random.Generator, count: int, features: int) -> dict[str, Floats]:
    values = generator.standard_normal((features, count)) * math.sqrt(0.5)
    return {f"x{j}": column for j, column in enumerate(values)}


def _not_private(rows: dict[str, Floats], labels: NDArray[np.bool_]) -> Floats:
    from sklearn.linear_model import LogisticRegression

    model = LogisticRegression(C=math.inf).fit(np.column_stack(list(rows.values())), labels)
    return np.asarray(model.coef_[0])


def _squared_error(found: Floats, truth: Floats) -> float:
    return float(((found - truth) ** 2).sum())
