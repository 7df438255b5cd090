"""Are questions to a tally answered rightly? Size and power of tests, coverage of intervals.

Every run draws its own public rows, study, people and reports.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tacit
from evidence.one_run import collect, study_for
from evidence.populations import Columns, Population

Floats = NDArray[np.float64]

PUBLIC_ROWS = 2_000
RUNS = 2_000

_MANY = 200_000  # rows that stand for the population
_STEP = 1e-3


@dataclass(frozen=True)
class Asked:
    """A population, some of whose coefficients are set so that a smaller model is true of it."""

    make: Callable[[], Population]
    epsilon: float
    people: int
    smaller: Mapping[str, Any] = field(default_factory=dict)
    truth: Mapping[str, float] = field(default_factory=dict)

    def population(self, **other: float) -> Population:
        """With these coefficients, and others in their place."""
        made = self.make()
        return replace(made, truth={**made.truth, **self.truth, **other})

    def fit(self, seed: Sequence[int], **other: float) -> tacit.Fit:
        """One run."""
        population = self.population(**other)
        public = population.rows(np.random.default_rng([*seed, 0]), PUBLIC_ROWS)
        return self.fit_to(population, public, [*seed, 1])

    def fit_to(self, population: Population, public: Columns, seed: Sequence[int]) -> tacit.Fit:
        """One run around these public rows."""
        study = study_for(population, public, self.epsilon)
        return tacit.fit(study, collect(study, population, self.people, seed), public=public)


def left_out(asked: Asked, runs: int, seed: int, **other: float) -> list[tacit.Test]:
    """The tests of what the smaller model leaves out, over several runs."""
    found = [asked.fit([seed, run], **other).submodel(**asked.smaller) for run in range(runs)]
    return [fit.left_out for fit in found if fit.left_out is not None]


def compared(asked: Asked, runs: int, seed: int) -> tuple[Floats, Floats]:
    """p values of all differences, and z of each, between two tallies that share public rows."""
    p, z, population = [], [], asked.population()
    for run in range(runs):
        public = population.rows(np.random.default_rng([seed, run, 0]), PUBLIC_ROWS)
        one, other = (asked.fit_to(population, public, [seed, run, 1 + i]) for i in range(2))
        found = tacit.compare(one, other)
        p.append(found.joint.p)
        z += [row["z"] for row in found.rows()]
    return np.array(p), np.array(z)


def averages(asked: Asked, runs: int, seed: int) -> tuple[Floats, Floats]:
    """Errors of effects and of mean predictions, in their stated standard errors."""
    population = asked.population()
    rows = population.rows(np.random.default_rng([seed, 0]), _MANY)
    true_means = _shown(population.expected(rows).mean(axis=0))
    truth = np.ravel(true_effects(population, asked.fit([seed, 1]).study, rows))
    effects, means = [], []
    for run in range(runs):
        fit = asked.fit([seed, 1 + run])
        effects += _errors(fit.effects(), truth)
        means += _errors(fit.mean_prediction(), true_means)
    return np.array(effects), np.array(means)


def true_effects(population: Population, study: tacit.Study, rows: Columns) -> list[Floats]:
    """What changing each column does to the mean label of these rows, in the table's order."""

    def mean(name: str, values: Any) -> Floats:
        changed = {**rows, name: np.broadcast_to(values, rows[name].shape)}
        return _shown(population.expected(changed).mean(axis=0))

    found = []
    for feature in study.features:
        name = feature.name
        if feature.kind == "numeric":
            high, low = (mean(name, rows[name] + step) for step in (_STEP, -_STEP))
            found.append((high - low) / (2 * _STEP))
        elif feature.kind == "binary":
            found.append(mean(name, 1.0) - mean(name, 0.0))
        for level in feature.levels[1:]:
            found.append(mean(name, level) - mean(name, feature.levels[0]))
    return found


def _shown(means: Floats) -> Floats:
    """Of two classes only the second."""
    return means[1:] if len(means) == 2 else means


def _errors(table: tacit.Tabular, truth: Floats) -> list[float]:
    return [
        (row["estimate"] - value) / row["se"]
        for row, value in zip(table.rows(), truth, strict=True)
    ]
