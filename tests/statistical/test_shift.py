"""The bias of public rows that do not stand for the people."""

import pytest

from evidence import shift

ZERO = "x3"  # its true coefficient
ROWS = 50_000
SOLVED = 1e-6  # far above the precision of the solver, far below any bias of interest


@pytest.mark.parametrize("condition", shift.CONDITIONS)
def test_no_shift_no_bias(condition: float) -> None:
    """Public rows that are the people's own lead to the true coefficients exactly."""
    (found,) = shift.shifted(condition, (0.0,), seed=1, rows=ROWS)
    assert max(map(abs, found.bias.values())) < SOLVED


def test_a_shift_biases_a_true_zero_and_more_the_larger_it_is() -> None:
    """Shifts of 0.1 and 0.2 standard deviations turn a true zero into more than 0.1 and 0.2."""
    small, large = shift.shifted(shift.CONDITIONS[-1], (0.1, 0.2), seed=1, rows=ROWS)
    assert abs(small.bias[ZERO]) > 0.1
    assert abs(large.bias[ZERO]) > 0.2
