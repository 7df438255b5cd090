"""Are questions to a tally answered rightly? Size and power of tests, coverage of intervals.

Every run draws its own public rows, study, people and reports.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import tacit
from evidence import populations
from evidence.one_run import collect, study_for
from evidence.populations import Columns, Population

Floats = NDArray[np.float64]

LEVEL = 0.95
PUBLIC_ROWS = 5_000
RUNS = 2_000


@dataclass(frozen=True)
class Asked:
    """A population, some of whose coefficients are set so that a smaller model is true of it."""

    make: Callable[[], Population]
    epsilon: float
    people: int
    smaller: Mapping[str, Any]
    truth: Mapping[str, float] = field(default_factory=dict)

    def population(self, **other: float) -> Population:
        """With these coefficients, and others in their place."""
        made = self.make()
        return replace(made, truth={**made.truth, **self.truth, **other})

    def fit(self, seed: Sequence[int], **other: float) -> tacit.Fit:
        """One run."""
        return run(self.population(**other), self.epsilon, self.people, seed)


def run(population: Population, epsilon: float, people: int, seed: Sequence[int]) -> tacit.Fit:
    """One study from public rows to its fit."""
    public = population.rows(np.random.default_rng([*seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, epsilon)
    return tacit.fit(study, collect(study, population, people, [*seed, 1]), public=public)


def p_values(asked: Asked, runs: int, seed: int, **other: float) -> Floats:
    """Of what the smaller model leaves out, over several runs."""
    found = []
    for number in range(runs):
        test = asked.fit([seed, number], **other).submodel(**asked.smaller).left_out
        assert test is not None
        found.append(test.p)
    return np.array(found)
