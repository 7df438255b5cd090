"""Whether plans come true."""

import numpy as np
import pytest

from evidence import planned, populations

TOLERANCE = 7.0  # standard errors of an observed standard deviation


@pytest.mark.assure
def test_plan_comes_true() -> None:
    """Over 400 studies the estimates spread as the plan said, for every coefficient."""
    found = planned.compare(populations.gaussian(), planned.FULL, seed=1)
    assert np.abs(found.standard_errors_off).max() < TOLERANCE


def test_plan_comes_true_in_small() -> None:
    """Over 40 small studies the estimates spread as the plan said."""
    size = planned.Size(epsilon=8.0, people=4_000, public_rows=3_000, runs=40)
    found = planned.compare(populations.gaussian(), size, seed=1)
    assert np.abs(found.standard_errors_off).max() < TOLERANCE
