"""The experiments of the multi-party paper: its synthetic data, and its Table 1."""

from collections.abc import Callable

import numpy as np
import pytest

from evidence.papers.mixing import rows, scaled_columns, table1


@pytest.mark.parametrize(("name", "shape"), [("insurance", (1338, 10)), ("bike_hour", (17379, 13))])
def test_columns_are_scaled_as_in_the_paper(
    name: str, shape: tuple[int, int], require_data: Callable[[str], None]
) -> None:
    """All in [0, 1], both ends reached, features before the label."""
    require_data(name)
    columns = scaled_columns(name)
    assert columns.shape == shape
    assert np.array_equal(columns.min(axis=0), np.zeros(shape[1]))
    assert np.array_equal(columns.max(axis=0), np.ones(shape[1]))


@pytest.mark.assure
def test_table_1_has_the_published_picture(require_data: Callable[[str], None]) -> None:
    """DGM far off, BGM near zero, printed RMGM above a constant; exact RMGM below printed."""
    for name in ("insurance", "bike_hour", "superconductor", "sgemm_gpu"):
        require_data(name)
    for row in table1():
        assert row.ols < row.variance
        assert min(row.printed["DGM"], row.exact["DGM"]) > row.printed["BGM"]
        assert min(row.printed["BGM"], row.printed["RMGM"]) > row.variance
        assert row.exact["RMGM"] < row.printed["RMGM"]


@pytest.mark.assure
def test_the_common_table_has_a_row_for_every_algorithm() -> None:
    """At epsilon 4 exact noise beats the printed, and BGM never gets there."""
    found = {row.algorithm.partition(" ")[0].rstrip(","): row for row in rows(4.0)}
    assert set(found) == {"DGM-OLS", "RMGM-OLS", "BGM-OLS"}
    assert found["BGM-OLS"].people == np.inf
    assert found["DGM-OLS"].exact < found["DGM-OLS"].printed
