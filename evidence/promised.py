"""What a plan promises without knowing the coefficients, against what a table finds at them.

The table's standard errors are those of the weak prior at the true coefficients: of a made-up
population its own, of a survey those of a fit on every raw row. The plan knows only the rate.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from evidence import populations
from evidence.one_run import study_for
from evidence.populations import INTERCEPT, Columns, Population
from evidence.surveys import SURVEYS, Survey, raw_coefficients
from tacit import Categorical, Count, Plan, Study, plan

Floats = NDArray[np.float64]

POPULATIONS = (
    populations.gaussian,
    populations.bernoulli,
    populations.rare_binary,
    populations.student_t4,
    populations.exponential,
    populations.correlated,
    populations.categorical,
    populations.linear,
    populations.poisson,
    populations.multinomial,
)
EPSILONS = (1.0, 4.0)
PEOPLE = 30_000  # of a made-up population
PUBLIC_ROWS = 5_000
FACTOR = 2.0  # between planned and found, of which a plan should be within: four in people

_KNOWN = 50_000  # labels from which the rate is known


@dataclass(frozen=True)
class Promise:
    """Standard errors of all coefficients but intercepts: planned, at zero, and found."""

    name: str
    epsilon: float
    people: int
    low: Floats
    planned: Floats
    high: Floats
    at_zero: Floats
    found: Floats

    @property
    def ratio(self) -> float:
        """Planned over found, geometric mean over the coefficients."""
        return _mean(self.planned / self.found)

    @property
    def ratio_at_zero(self) -> float:
        """The same of a plan made at coefficients of zero."""
        return _mean(self.at_zero / self.found)

    @property
    def near(self) -> float:
        """Share of coefficients planned within a factor of two."""
        away = np.abs(np.log(self.planned / self.found))
        return float(np.mean(away < np.log(FACTOR)))

    @property
    def inside(self) -> float:
        """Share of coefficients found within the range stated."""
        return float(np.mean((self.low <= self.found) & (self.found <= self.high)))


def of_survey(survey: Survey, epsilon: float, seed: int) -> Promise:
    """One split of real rows."""
    public, people = survey.split(seed)
    labels = people[survey.label.column]
    study = survey.study(public, epsilon)
    truth = raw_coefficients(study, people, labels)
    rate = float(labels.mean())
    return _promise(survey.name, study, public, people=survey.people, rate=rate, truth=truth)


def of_population(population: Population, epsilon: float, seed: int) -> Promise:
    """Public rows of a made-up population."""
    public = population.rows(np.random.default_rng([seed, 0]), PUBLIC_ROWS)
    study = study_for(population, public, epsilon)
    rate = _rate(population, np.random.default_rng([seed, 1]))
    truth = population.truth
    return _promise(population.name, study, public, people=PEOPLE, rate=rate, truth=truth)


def promises(seed: int) -> Iterator[Promise]:
    """All of them."""
    for make_survey in SURVEYS:
        survey = make_survey()
        yield from (of_survey(survey, epsilon, seed) for epsilon in EPSILONS)
    for make in POPULATIONS:
        yield from (of_population(make(), epsilon, seed) for epsilon in EPSILONS)


def _promise(
    name: str,
    study: Study,
    public: Columns,
    *,
    people: int,
    rate: float | dict[str, float],
    truth: Mapping[str, float],
) -> Promise:
    made = plan(study, public=public, people=people, rate=rate)
    first = next(each for each in made.names if not each.endswith(INTERCEPT))
    at_zero = plan(study, public=public, people=people, guess={first: 0.0})
    found = plan(study, public=public, people=people, guess=truth)
    low, planned, high = (_slopes(made, errors) for errors in made.quantiles())
    return Promise(
        name=name,
        epsilon=study.epsilon,
        people=people,
        low=low,
        planned=planned,
        high=high,
        at_zero=_slopes(made, at_zero.standard_errors()),
        found=_slopes(made, found.standard_errors()),
    )


def _rate(population: Population, generator: np.random.Generator) -> float | dict[str, float]:
    """The mean label, as somebody who knows the population would state it."""
    labels = population.labels(population.rows(generator, _KNOWN), generator)
    if isinstance(population.label, Categorical):
        return {level: float(np.mean(labels == level)) for level in population.label.classes}
    if isinstance(population.label, Count):
        labels = np.minimum(labels, population.label.cap)
    return float(labels.mean())


def _slopes(made: Plan, errors: Floats) -> Floats:
    return errors[[not name.endswith(INTERCEPT) for name in made.names]]


def _mean(ratios: Floats) -> float:
    return float(np.exp(np.log(ratios).mean()))
