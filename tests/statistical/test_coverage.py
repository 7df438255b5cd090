"""Whether intervals cover what they claim to cover."""

from collections.abc import Callable

import numpy as np
import pytest

from evidence import coverage, populations
from evidence.coverage import Setting
from evidence.populations import Population

LOWEST, HIGHEST = 0.93, 0.97  # of the coverage of 95% intervals, what the project promises
HIGHEST_OF_FEW = 0.98
TOLERANCE = 7.0  # standard errors
FEW_PAIRS = 240


def _named(setting: Setting) -> str:
    return f"{setting.make.__name__}-{setting.epsilon:g}"


@pytest.mark.assure
@pytest.mark.parametrize("setting", coverage.ENOUGH_PEOPLE, ids=_named)
def test_intervals_cover(setting: Setting) -> None:
    """95% intervals cover between 93% and 97% over 2,000 pairs."""
    found = coverage.coverage(setting, coverage.PAIRS, seed=1)
    assert LOWEST <= found.rate <= HIGHEST, found


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
@pytest.mark.parametrize("setting", coverage.FEW_PEOPLE, ids=lambda s: f"{_named(s)}-{s.people}")
def test_intervals_cover_with_too_few_people(setting: Setting) -> None:
    """Over all runs, those without a finite maximum included; chance may add half a point."""
    found = coverage.coverage(setting, coverage.PAIRS, seed=1)
    assert LOWEST <= found.rate <= HIGHEST_OF_FEW, found


def test_some_intervals_have_no_end_with_too_few_people() -> None:
    """With 300 people at epsilon 1 there are such; with enough people none is."""
    few, enough = (
        coverage.coverage(Setting(populations.gaussian, 1.0, people), FEW_PAIRS, seed=1)
        for people in (300, coverage.PEOPLE[1.0])
    )
    assert few.endless > 0.1
    assert few.wald_tables < few.runs
    assert enough.endless == 0.0
