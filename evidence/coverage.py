"""Do 95% intervals cover? Every run draws its own public rows, study, people and reports."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evidence import populations
from evidence.one_run import collect, study_for
from evidence.populations import Population
from tacit.errors import NoFiniteMaximumError
from tacit.inference import coefficient_names, table

Floats = NDArray[np.float64]

LEVEL = 0.95
PUBLIC_ROWS = 5_000
# Enough for standard errors of 0.1 to 0.2 per standard deviation of a column.
PEOPLE = {0.5: 100_000, 1.0: 30_000, 2.0: 12_000, 4.0: 6_000, 8.0: 4_000}
PAIRS = 2_000
RARE = 8  # times as many people where some answers are rare


@dataclass(frozen=True)
class Setting:
    """A population asked at one epsilon."""

    make: Callable[[], Population]
    epsilon: float
    people: int


def _enough(make: Callable[[], Population], *epsilons: float, times: int = 1) -> list[Setting]:
    return [Setting(make, epsilon, times * PEOPLE[epsilon]) for epsilon in epsilons]


# Every design at a small and a large epsilon, one of them at all.
ENOUGH_PEOPLE = (
    *_enough(populations.gaussian, 0.5, 1.0, 2.0, 4.0, 8.0),
    *_enough(populations.bernoulli, 1.0, 8.0),
    *_enough(populations.student_t4, 2.0, 4.0),
    *_enough(populations.exponential, 1.0, 4.0),
    *_enough(populations.rare_binary, 2.0, 8.0, times=RARE),
    *_enough(populations.categorical, 1.0, 4.0),
    *_enough(populations.correlated, 0.5, 4.0),
    *_enough(populations.without_intercept, 1.0, 8.0),
    *_enough(populations.linear, 4.0),
    *_enough(populations.poisson, 4.0),
    *_enough(populations.multinomial, 4.0),
)
FEW_PEOPLE = (
    *(Setting(populations.gaussian, 1.0, n) for n in (300, 1_000, 3_000, 10_000, 30_000)),
    Setting(populations.rare_binary, 2.0, 12_000),
)


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

    @property
    def tables(self) -> int:
        """Runs whose table exists."""
        return self.runs - self.without_maximum


def coverage(setting: Setting, pairs: int, seed: int) -> Coverage:
    """Coverage of the true coefficients over as many runs as make this many pairs."""
    population = setting.make()
    runs = -(-pairs // len(population.truth))
    scores = [_scores(population, setting, [seed, run]) for run in range(runs)]
    found = np.array([score for score in scores if score is not None]).ravel()
    reach = special.ndtri(0.5 + LEVEL / 2)
    return Coverage(
        population=population.name,
        epsilon=setting.epsilon,
        people=setting.people,
        runs=runs,
        without_maximum=sum(score is None for score in scores),
        pairs=found.size,
        covered=int((np.abs(found) <= reach).sum()),
        bias=float(found.mean()) if found.size else float("nan"),
        spread=float(found.std()) if found.size else float("nan"),
    )


def _scores(population: Population, setting: Setting, seed: list[int]) -> Floats | None:
    """Each estimate's distance from the truth in standard errors; None where there is no table."""
    public = population.rows(np.random.default_rng([*seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, setting.epsilon)
    tally = collect(study, population, setting.people, [*seed, 1])
    try:
        found = table(study, tally, public=public)
    except NoFiniteMaximumError:
        return None
    truth = np.array([population.truth[name] for name in coefficient_names(study)])
    return np.asarray((found.coef - truth) / found.standard_errors)
