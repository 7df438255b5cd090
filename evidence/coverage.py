"""Do 95% intervals cover? Every run draws its own public rows, study, people and reports."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidence import populations
from evidence.one_run import collect, study_for
from evidence.populations import Population
from tacit.errors import NoFiniteMaximumError
from tacit.inference import fit

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]

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
    """Covered pairs of coefficient and run: every run has a table.

    `endless` is the share of intervals without an end; `wald_tables` how many runs would have had a
    table by maximum likelihood, `wald` the share of pairs that those would have covered.
    """

    population: str
    epsilon: float
    people: int
    runs: int
    pairs: int
    covered: int
    endless: float
    width: float
    wald_tables: int
    wald: float

    @property
    def rate(self) -> float:
        """Share of pairs covered."""
        return self.covered / self.pairs


@dataclass(frozen=True)
class _Run:
    covered: Flags
    width: Floats
    wald: Flags | None


def coverage(setting: Setting, pairs: int, seed: int) -> Coverage:
    """Coverage of the true coefficients over as many runs as make this many pairs."""
    population = setting.make()
    count = -(-pairs // len(population.truth))
    runs = [_run(population, setting, [seed, run]) for run in range(count)]
    covered, width = (np.array([getattr(run, of) for run in runs]) for of in ("covered", "width"))
    wald = [run.wald for run in runs if run.wald is not None]
    return Coverage(
        population=population.name,
        epsilon=setting.epsilon,
        people=setting.people,
        runs=count,
        pairs=covered.size,
        covered=int(covered.sum()),
        endless=float(np.isinf(width).mean()),
        width=float(np.median(width)),
        wald_tables=len(wald),
        wald=float(np.mean(wald)) if wald else float("nan"),
    )


def _run(population: Population, setting: Setting, seed: list[int]) -> _Run:
    public = population.rows(np.random.default_rng([*seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, setting.epsilon)
    found = fit(study, collect(study, population, setting.people, [*seed, 1]), public=public)
    truth = np.array([population.truth[name] for name in found.names])
    low, high = found.conf_int(LEVEL).T
    try:
        wald_low, wald_high = found.conf_int(LEVEL, intervals="wald").T
    except NoFiniteMaximumError:
        return _Run((low <= truth) & (truth <= high), high - low, None)
    wald = (wald_low <= truth) & (truth <= wald_high)
    return _Run((low <= truth) & (truth <= high), high - low, wald)
