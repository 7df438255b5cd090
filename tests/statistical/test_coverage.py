"""Whether intervals cover what they claim to cover."""

from collections.abc import Callable

import numpy as np
import pytest

from evidence import coverage, populations
from evidence.coverage import Setting
from evidence.populations import Population

LOWEST, HIGHEST = 0.93, 0.97  # of the coverage of 95% intervals, what the project promises
TOLERANCE = 7.0  # standard errors
FEW_PAIRS = 240


def _named(setting: Setting) -> str:
    return f"{setting.make.__name__}-{setting.epsilon:g}"


@pytest.mark.assure
@pytest.mark.parametrize("setting", coverage.ENOUGH_PEOPLE, ids=_named)
def test_intervals_cover(setting: Setting) -> None:
    """95% intervals cover between 93% and 97% over 2,000 pairs, a refused table covering none."""
    found = coverage.coverage(setting, coverage.PAIRS, seed=1)
    covered_of_all_runs = found.rate * found.tables / found.runs
    assert covered_of_all_runs >= LOWEST, found
    assert found.rate <= HIGHEST, found


@pytest.mark.parametrize(
    "make",
    [
        populations.gaussian,
        populations.categorical,
        populations.without_intercept,
        populations.poisson,
        populations.multinomial,
    ],
)
def test_a_few_intervals_cover(make: Callable[[], Population]) -> None:
    """Over a few hundred pairs the coverage is 95% within seven binomial standard errors."""
    found = coverage.coverage(Setting(make, 8.0, coverage.PEOPLE[8.0]), FEW_PAIRS, seed=2)
    noise = np.sqrt(coverage.LEVEL * (1.0 - coverage.LEVEL) / found.pairs)
    assert abs(found.rate - coverage.LEVEL) < TOLERANCE * noise, found


@pytest.mark.assure
def test_too_few_people_are_told() -> None:
    """With 300 people at epsilon 1 tables are refused; with enough people none is."""
    few, enough = (
        coverage.coverage(Setting(populations.gaussian, 1.0, people), FEW_PAIRS, seed=1)
        for people in (300, coverage.PEOPLE[1.0])
    )
    assert few.without_maximum > 0
    assert enough.without_maximum == 0
