"""What predictions reach on real data: the means over four runs that the project promises."""

from collections.abc import Callable

import pytest

from evidence import prediction

SEEDS = (0, 1, 2, 3)


@pytest.mark.assure
def test_covertype_type_2_or_not(require_data: Callable[[str], None]) -> None:
    """Accuracy is at least 0.72 at epsilon 1 and 0.745 at epsilon 4."""
    require_data("covertype")
    strong, mild = prediction.predict(prediction.covertype_type_2(), (1.0, 4.0), SEEDS)
    assert strong.private.mean() >= 0.72
    assert mild.private.mean() >= 0.745


@pytest.mark.assure
def test_census_income(require_data: Callable[[str], None]) -> None:
    """AUC is at least 0.86 at epsilon 1 and 0.91 at epsilon 4."""
    require_data("census_income_kdd")
    strong, mild = prediction.predict(prediction.census_income(), (1.0, 4.0), SEEDS)
    assert strong.private.mean() >= 0.86
    assert mild.private.mean() >= 0.91


@pytest.mark.assure
def test_seven_cover_types(require_data: Callable[[str], None]) -> None:
    """Seven classes at epsilon 4 beat the commonest class by at least 10 points."""
    require_data("covertype")
    (found,) = prediction.predict(prediction.covertype_classes(), (4.0,), SEEDS[:1])
    assert found.private.mean() >= found.baseline + 0.1
