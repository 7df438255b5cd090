"""Public rows of a lopsided survey: wrong as they are, right with their weights or with margins."""

import numpy as np
import pytest

from evidence import weighted

LOWEST, HIGHEST = 0.93, 0.97  # of the coverage of 95% intervals, what the project promises
TOLERANCE = 7.0  # standard errors
SMALL = weighted.Size(epsilon=8.0, people=10_000, public_rows=1_500, runs=16)


@pytest.mark.assure
@pytest.mark.parametrize("how", ["weights", "margins"])
def test_intervals_cover(how: str) -> None:
    """95% intervals cover between 93% and 97% over 2,100 pairs; about a third of the variance is
    due to the public rows.
    """
    found = weighted.scores(how, weighted.FULL, seed=2)
    assert found.errors.size >= 2_000
    assert LOWEST <= found.coverage <= HIGHEST, found


@pytest.mark.parametrize("how", ["weights", "margins"])
def test_a_lopsided_survey_is_put_right(how: str) -> None:
    """Mean errors of all coefficients and the coverage are within seven standard errors."""
    found = weighted.scores(how, SMALL, seed=1)
    pairs = found.errors.size
    assert found.bias < TOLERANCE / np.sqrt(SMALL.runs)
    noise = np.sqrt(weighted.LEVEL * (1.0 - weighted.LEVEL) / pairs)
    assert abs(found.coverage - weighted.LEVEL) < TOLERANCE * noise, found


def test_a_lopsided_survey_is_wrong_as_it_is() -> None:
    """So the two tests above would see it: coefficients are several standard errors off."""
    found = weighted.scores("as they are", SMALL, seed=1)
    assert found.bias > 2.0 * TOLERANCE / np.sqrt(SMALL.runs)
    assert found.coverage < 0.8
