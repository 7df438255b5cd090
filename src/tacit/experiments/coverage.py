"""Do 95% intervals cover? Every run draws its own public rows, study, people and reports."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from tacit.errors import NoFiniteMaximumError
from tacit.experiments.one_run import collect, study_for, table_of
from tacit.experiments.populations import Population
from tacit.inference.table import coefficient_names

Floats = NDArray[np.float64]

LEVEL = 0.95
PUBLIC_ROWS = 5_000
# Enough for standard errors of 0.1 to 0.2 per standard deviation of a column.
PEOPLE = {0.5: 200_000, 1.0: 50_000, 2.0: 15_000, 4.0: 6_000, 8.0: 4_000}
PAIRS = 2_000


@dataclass(frozen=True)
class Coverage:
    """Covered pairs of coefficient and run, among the runs whose table exists.

    `bias` and `spread` are the mean and the standard deviation of the errors in units of their
    stated standard errors: 0 and 1 where the intervals are right.
    """

    population: str
    epsilon: float
    people: int
    runs: int
    without_maximum: int
    pairs: int
    covered: int
    bias: float
    spread: float

    @property
    def rate(self) -> float:
        """Share of pairs covered."""
        return self.covered / self.pairs if self.pairs else float("nan")


def coverage(population: Population, epsilon: float, people: int, pairs: int, seed: int) -> Coverage:
    """Coverage of the true coefficients over as many runs as make this many pairs."""
    runs = -(-pairs // len(population.truth))
    scores = [_scores(population, epsilon, people, [seed, run]) for run in range(runs)]
    found = np.array([score for score in scores if score is not None]).ravel()
    reach = special.ndtri(0.5 + LEVEL / 2)
    return Coverage(
        population=population.name,
        epsilon=epsilon,
        people=people,
        runs=runs,
        without_maximum=sum(score is None for score in scores),
        pairs=found.size,
        covered=int((np.abs(found) <= reach).sum()),
        bias=float(found.mean()) if found.size else float("nan"),
        spread=float(found.std()) if found.size else float("nan"),
    )


def _scores(
    population: Population, epsilon: float, people: int, seed: list[int]
) -> Floats | None:
    """Each estimate's distance from the truth in standard errors; None where there is no table."""
    public = population.rows(np.random.default_rng([*seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, epsilon)
    tally = collect(study, population, people, [*seed, 1])
    try:
        table = table_of(study, tally, public)
    except NoFiniteMaximumError:
        return None
    truth = np.array([population.truth[name] for name in coefficient_names(study)])
    return (table.coef - truth) / table.standard_errors
