"""The rows of the comparison, at a size that shows only that they are made."""

import math

import pytest

from evidence.papers import chebyshev
from evidence.papers.row import Row


def test_rows_of_the_comparison(monkeypatch: pytest.MonkeyPatch) -> None:
    """One row for each algorithm; the default does better than the printed one."""
    for name, size in (("PEOPLE", 5000), ("PUBLIC", 1000), ("RUNS", 1)):
        monkeypatch.setattr(chebyshev, name, size)
    made = list(chebyshev.rows(16.0))
    assert len(made) == 4
    for row in made:
        assert isinstance(row, Row)
        assert math.isfinite(row.printed + row.exact + row.seconds)
        assert row.default < row.printed
        assert row.people > 5000
