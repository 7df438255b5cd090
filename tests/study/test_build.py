"""Public rows settle kinds, levels, fills and indicators, and what is dropped."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from tacit.errors import ConfigurationError, PublicRowsError
from tacit.limits import significant
from tacit.study.build import Settled, infer_kind, settle, stated_features
from tacit.study.public import MINIMUM_ROWS, PublicRows
from tacit.study.rows import columns, length
from tacit.study.schema import Feature

ROWS = 100
NUMBERS = np.arange(ROWS) * 1.5


def _settled(values: Any, **stated: Any) -> Settled:
    table = columns({"a": values})
    return settle([Feature("a", **stated)], PublicRows.of(table, length(table)))


def _levels(**counts: int) -> list[Any]:
    return [level for level, count in counts.items() for _ in range(count)]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.array([True, False]), "binary"),
        (np.array([0, 1, 1]), "binary"),
        (np.array([0.0, 1.0, np.nan]), "binary"),
        (np.array([0, 1, 2]), "numeric"),
        (np.array([0.5]), "numeric"),
        ([True, None, False], "binary"),
        (["true", "False", None], "binary"),
        ([1, None, 3], "numeric"),
        (["1.5", "2.5"], "categorical"),
        (["north", "south"], "categorical"),
        ([1, "x"], "categorical"),
        (pd.Series(pd.Categorical(["u", "v"])), "categorical"),
        (pd.Series([1, None], dtype="Int64"), "binary"),
    ],
)
def test_kinds_are_inferred(values: Any, kind: str) -> None:
    """From the values, and from the type where it says more."""
    assert infer_kind(columns({"a": values})["a"]) == kind


def test_a_stated_kind_wins() -> None:
    """A column of 0 and 1 may be numeric if the study says so."""
    assert _settled(np.arange(ROWS) % 2, kind="numeric").features[0].kind == "numeric"


def test_numeric_features_publish_mean_and_spread() -> None:
    """Rounded, since they are published."""
    feature = _settled(NUMBERS).features[0]
    assert feature.fill == significant(NUMBERS.mean(), NUMBERS.std())
    assert feature.spread == significant(NUMBERS.std())


def test_rounding_keeps_small_spread_around_a_large_mean() -> None:
    """Ten digits of a time in milliseconds would lose the differences."""
    stamps = 1.7e12 + NUMBERS
    assert abs(_settled(stamps).features[0].fill - stamps.mean()) <= np.spacing(1.7e12)


def test_the_commonest_level_is_the_baseline() -> None:
    """The others follow in alphabetical order."""
    feature = _settled(_levels(w=20, u=50, v=30)).features[0]
    assert feature.levels == ("u", "v", "w")


def test_ties_for_the_baseline_are_alphabetical() -> None:
    """So that the study does not depend on the order of rows."""
    assert _settled(_levels(v=30, u=30)).features[0].levels == ("u", "v")


def test_stated_levels_keep_their_order_and_baseline() -> None:
    """The first one stated is the baseline."""
    feature = _settled(_levels(u=50, v=30, w=20), levels=("w", "v", "u")).features[0]
    assert feature.levels == ("w", "v", "u")


def test_rare_levels_merge_into_other() -> None:
    """And are named."""
    result = _settled(_levels(u=50, v=30, x=MINIMUM_ROWS - 1, y=MINIMUM_ROWS - 1))
    assert result.features[0].levels == ("u", "v", "other")
    assert result.features[0].merged == ("x", "y")
    assert any("'x', 'y'" in note for note in result.notes)


def test_levels_not_stated_merge_into_other() -> None:
    """Stating levels closes the list."""
    result = _settled(_levels(u=50, v=30, w=20), levels=("u", "v"))
    assert result.features[0].levels == ("u", "v", "other")
    assert result.features[0].merged == ("w",)


def test_a_rare_other_is_coded_as_the_baseline() -> None:
    """Its column would rest on too few public rows."""
    result = _settled(_levels(u=50, v=30, x=MINIMUM_ROWS - 1))
    assert result.features[0].levels == ("u", "v")
    assert "baseline 'u'" in result.dropped["a: other"]
    assert any("'x'" in note and "baseline 'u'" in note for note in result.notes)


def test_a_level_called_other_takes_in_the_rare_ones() -> None:
    """One column, not two of the same name."""
    result = _settled(_levels(other=60, u=50, v=30, x=3))
    assert result.features[0].levels == ("u", "v", "other")
    assert result.features[0].merged == ("x",)


@pytest.mark.parametrize(
    ("counts", "reason"), [({"u": 90}, "constant"), ({"u": 90, "x": 5}, "almost constant")]
)
def test_a_single_level_is_dropped(counts: dict[str, int], reason: str) -> None:
    """Nothing would be left to compare it with."""
    result = _settled(_levels(**counts))
    assert not result.features
    assert result.dropped["a"].startswith(reason)


def test_a_single_level_with_many_missing_keeps_its_indicator() -> None:
    """Then an answer and no answer are compared."""
    feature = _settled([*_levels(u=50), *[None] * 50]).features[0]
    assert feature.columns == ("a missing",)


def test_a_column_of_identifiers_is_dropped() -> None:
    """And its values stay out of the study."""
    result = _settled([f"person {row}" for row in range(ROWS)])
    assert not result.features
    assert not result.notes
    assert "every level" in result.dropped["a"]


@pytest.mark.parametrize(
    ("missing", "indicator"), [(MINIMUM_ROWS, True), (MINIMUM_ROWS - 1, False), (0, False)]
)
@pytest.mark.parametrize(
    "column", [NUMBERS, np.arange(ROWS) % 2, np.resize(["u", "v"], ROWS)], ids=("num", "bin", "cat")
)
def test_missing_public_values_are_imputed_and_said(
    column: Any, missing: int, indicator: bool
) -> None:
    """With an indicator if enough rows miss the value."""
    values = column.astype(object)
    values[:missing] = None
    result = _settled(values)
    assert result.features[0].indicator is indicator
    assert len(result.notes) == (missing > 0)
    assert all(f"missing in {missing} of {ROWS}" in note for note in result.notes)


@pytest.mark.parametrize("present", [0, MINIMUM_ROWS - 1])
@pytest.mark.parametrize("column", [NUMBERS, np.arange(ROWS) % 2, np.resize(["u", "v"], ROWS)])
def test_features_almost_never_present_are_dropped(column: Any, present: int) -> None:
    """And named."""
    values = column.astype(object)
    values[present:] = None
    result = _settled(values)
    assert not result.features
    assert list(result.dropped) == ["a"]


@pytest.mark.parametrize("ones", [0, MINIMUM_ROWS - 1, ROWS - MINIMUM_ROWS + 1])
def test_almost_constant_binary_features_are_dropped(ones: int) -> None:
    """Too few rows on one side."""
    result = _settled(np.arange(ROWS) < ones)
    assert not result.features
    assert "constant" in result.dropped["a"]


def test_almost_constant_numeric_features_are_dropped() -> None:
    """A coefficient would rest on the few rows that differ."""
    values = np.zeros(ROWS)
    values[: MINIMUM_ROWS - 1] = NUMBERS[1:MINIMUM_ROWS]
    assert "commonest value" in _settled(values).dropped["a"]
    values[MINIMUM_ROWS - 1] = 3.0
    assert _settled(values).features


@pytest.mark.parametrize("kind", ["auto", "numeric", "binary"])
def test_infinite_public_values_are_refused(kind: str) -> None:
    """The column is named."""
    with pytest.raises(PublicRowsError, match="'a'"):
        _settled(np.append(NUMBERS, np.inf), kind=kind)


def test_numbers_without_a_variance_are_refused() -> None:
    """Their squares would overflow."""
    with pytest.raises(PublicRowsError, match="change its unit"):
        _settled(NUMBERS * 1e300)


@pytest.mark.parametrize("value", [[1, 2], object(), b"north", "x" * 5_000])
def test_public_values_that_nobody_can_read_are_refused(value: object) -> None:
    """Rather than taken for one more level; the column and the row are named."""
    with pytest.raises(PublicRowsError, match=r"'a'.*\(row 7\).*leave the column out"):
        _settled([*_levels(u=7), value, *_levels(v=30)])


def test_names_select_features() -> None:
    """In the order stated."""
    table = columns({"a": [1], "b": [2], "y": [3]})
    assert [f.name for f in stated_features(["b", Feature("a")], table, "y")] == ["b", "a"]
    assert [f.name for f in stated_features(None, table, "y")] == ["a", "b"]


@pytest.mark.parametrize("names", [["a", "a"], ["a", "y"]])
def test_repeated_features_and_the_label_are_refused(names: list[str]) -> None:
    """Each name once, and never the label's."""
    with pytest.raises(ConfigurationError, match="features"):
        stated_features(names, {}, "y")
