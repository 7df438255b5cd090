"""Does the plan tell beforehand what the studies find? Planned against observed standard errors."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidence.one_run import collect, study_for
from evidence.populations import Population
from tacit.inference import fit, plan

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Size:
    """How large the studies are, and how often they are repeated."""

    epsilon: float
    people: int
    public_rows: int
    runs: int


FULL = Size(epsilon=2.0, people=12_000, public_rows=5_000, runs=400)


@dataclass(frozen=True)
class Planned:
    """Planned standard errors beside the spread of the estimates over repeated studies."""

    population: str
    size: Size
    names: tuple[str, ...]
    planned: Floats
    observed: Floats

    @property
    def standard_errors_off(self) -> Floats:
        """Observed less planned, in standard errors of an observed standard deviation."""
        excess = self.observed / self.planned - 1.0
        return np.asarray(excess * np.sqrt(2 * (self.size.runs - 1)))


def compare(population: Population, size: Size, seed: int) -> Planned:
    """Plan once at the true coefficients, then run the study again and again, rows and all."""
    public = population.rows(np.random.default_rng([seed, 0]), size.public_rows)
    study = study_for(population, public, size.epsilon)
    planned = plan(study, public=public, people=size.people, guess=population.truth)
    found = [_coefficients(population, size, [seed, 1 + run]) for run in range(size.runs)]
    return Planned(
        population=population.name,
        size=size,
        names=planned.names,
        planned=planned.standard_errors(),
        observed=np.array(found).std(axis=0, ddof=1),
    )


def _coefficients(population: Population, size: Size, seed: list[int]) -> Floats:
    public = population.rows(np.random.default_rng([*seed, 0]), size.public_rows)
    study = study_for(population, public, size.epsilon)
    tally = collect(study, population, size.people, [*seed, 1])
    return fit(study, tally, public=public).solution("maximum").coef
