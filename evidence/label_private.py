"""Label-private studies: do their intervals cover, and how many fewer people do they take?"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import special

from evidence import populations
from evidence.at_zero import variances_at_zero
from evidence.coverage import LEVEL, Coverage, Setting
from evidence.populations import Population
from tacit import Binary, LabelStudy, Study
from tacit.labelprivate import LabelFit
from tacit.labelprivate.simulation import simulate_reports

Floats = NDArray[np.float64]

PEOPLE = {0.5: 20_000, 1.0: 6_000, 4.0: 1_500, 8.0: 1_000}
RARE = 8  # times as many people where some answers are rare
COLUMNS = (5, 10, 20)
EPSILONS = (1.0, 4.0)
_ROWS = 20_000

_MADE = (
    (populations.gaussian, (0.5, 1.0, 4.0, 8.0), 1),
    (populations.student_t4, (1.0,), 1),
    (populations.rare_binary, (1.0, 4.0), RARE),
    (populations.categorical, (1.0, 4.0), 1),
    (populations.correlated, (1.0, 4.0), 1),
    (populations.without_intercept, (1.0,), 1),
    (populations.linear, (1.0, 4.0, 8.0), 1),
    (populations.poisson, (1.0, 4.0, 8.0), 1),
    (populations.multinomial, (1.0, 4.0), 2),
)
SETTINGS = tuple(
    Setting(make, epsilon, times * PEOPLE[epsilon])
    for make, epsilons, times in _MADE
    for epsilon in epsilons
)


def one_fit(population: Population, setting: Setting, seed: list[int]) -> LabelFit:
    """People are drawn, answer, report and are fitted beside what is known of them."""
    generator = np.random.default_rng(seed)
    rows = population.rows(generator, setting.people)
    study = LabelStudy.from_rows(
        rows, label=population.label, epsilon=setting.epsilon, intercept=population.intercept
    )
    labels = population.labels(rows, generator)
    reports = simulate_reports(study, labels, random_state=generator)
    return study.fit(rows, reports)


def label_coverage(setting: Setting, pairs: int, seed: int) -> Coverage:
    """Coverage of profile intervals over as many runs as make this many pairs, all of them."""
    population = setting.make()
    runs = -(-pairs // len(population.truth))
    covered, widths, wald = [], [], []
    for run in range(runs):
        fit = one_fit(population, setting, [seed, run])
        truth = np.array([population.truth[name] for name in fit.names])
        low, high = fit.conf_int(LEVEL).T
        covered.append((low <= truth) & (truth <= high))
        widths.append(high - low)
        if np.isfinite(fit.estimates).all():
            reach = special.ndtri(0.5 + LEVEL / 2) * fit.standard_errors
            wald.append(np.abs(fit.estimates - truth) <= reach)
    return Coverage(
        population=population.name,
        epsilon=setting.epsilon,
        people=setting.people,
        runs=runs,
        pairs=runs * len(population.truth),
        covered=int(np.sum(covered)),
        endless=float(np.isinf(widths).mean()),
        width=float(np.median(widths)),
        wald_tables=len(wald),
        wald=float(np.mean(wald)) if wald else float("nan"),
    )


@dataclass(frozen=True)
class Fewer:
    """How many times fewer people tell as much, when the label alone is private."""

    columns: int
    epsilon: float
    times: float


def fewer_people(columns: int, epsilon: float, seed: int) -> Fewer:
    """Variance of a coefficient per person, whole record over label alone, at coefficients zero.

    Both as fits state it: of whole records by the plan, without the public rows' part; of labels by
    the information of so many people's reports.
    """
    generator = np.random.default_rng([seed, columns])
    matrix = generator.standard_normal((_ROWS, columns))
    rows = {f"x{j}": matrix[:, j] for j in range(columns)}
    label = Binary("label", positive=True, negative=False)
    whole = Study.from_public(rows, label=label, epsilon=epsilon, source="made up")
    recorded = variances_at_zero(whole, rows)
    private = LabelStudy.from_rows(rows, label=label, epsilon=epsilon)
    reports = simulate_reports(private, generator.random(_ROWS) < 0.5, random_state=generator)
    own = private.fit(rows, reports).standard_errors ** 2 * _ROWS
    return Fewer(columns, epsilon, float(np.exp(np.log(recorded / own)[1:].mean())))
