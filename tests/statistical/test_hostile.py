"""Dishonest people move an estimate no further than the stated bound."""

import pytest

from evidence import hostile, populations

TOLERANCE = 7.0  # standard deviations of what the replaced people would have reported


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_hostile_reports_stay_within_the_bound(epsilon: float) -> None:
    """1% of reports chosen to push one coefficient move the mean by at most beta (1/mu + 1)."""
    found = hostile.attack(populations.gaussian(), "x3", epsilon, seed=1)
    assert found.mean_shift <= found.expected_bound + TOLERANCE * found.luck
    assert found.mean_shift <= found.certain_bound
    assert found.coefficient_shift > 0.0
