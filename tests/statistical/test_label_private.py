"""What label-private studies promise: intervals that cover, with far fewer people."""

from collections.abc import Callable

import numpy as np
import pytest

from evidence import label_private, populations
from evidence.coverage import LEVEL, PAIRS, Setting
from evidence.label_private import fewer_people, label_coverage
from evidence.populations import Population

LOWEST, HIGHEST = 0.93, 0.97  # of the coverage of 95% intervals, what the project promises
TOLERANCE = 7.0  # standard errors
FEW_PAIRS = 240
PROMISED = {(1.0, 5): 8, (1.0, 10): 15, (1.0, 20): 30, (4.0, 5): 3, (4.0, 10): 5, (4.0, 20): 9.5}


def _named(setting: Setting) -> str:
    return f"{setting.make.__name__}-{setting.epsilon:g}"


@pytest.mark.assure
@pytest.mark.parametrize("setting", label_private.SETTINGS, ids=_named)
def test_label_intervals_cover(setting: Setting) -> None:
    """95% intervals cover between 93% and 97% over 2,000 pairs, in every run."""
    found = label_coverage(setting, PAIRS, seed=1)
    assert LOWEST <= found.rate <= HIGHEST, found


@pytest.mark.parametrize(
    "make",
    [populations.gaussian, populations.linear, populations.poisson, populations.multinomial],
)
def test_a_few_label_intervals_cover(make: Callable[[], Population]) -> None:
    """Over a few hundred pairs the coverage is 95% within seven binomial standard errors."""
    found = label_coverage(Setting(make, 4.0, 1_000), FEW_PAIRS, seed=2)
    noise = np.sqrt(LEVEL * (1.0 - LEVEL) / found.pairs)
    assert abs(found.rate - LEVEL) < TOLERANCE * noise, found


@pytest.mark.parametrize(("epsilon", "columns"), PROMISED)
def test_far_fewer_people_than_for_whole_records(epsilon: float, columns: int) -> None:
    """At least nine tenths of what is promised, for so many independent columns."""
    assert fewer_people(columns, epsilon, seed=1).times >= 0.9 * PROMISED[epsilon, columns]
