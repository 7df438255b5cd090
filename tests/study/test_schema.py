"""The columns an answer becomes, for each kind of feature."""

from typing import Any

import numpy as np
import pytest

from tacit.answers import Column
from tacit.errors import ConfigurationError
from tacit.study.rows import columns
from tacit.study.schema import Feature, column_names
from tacit.study.transform import columns_of, design

AGE = Feature("age", "numeric", fill=40.0, spread=10.0, indicator=True)
SMOKER = Feature("smoker", "binary", fill=1.0)
REGION = Feature("region", "categorical", levels=("north", "south", "other"), merged=("isle",))


def _single(value: object) -> Column:
    return columns([{"a": value}])["a"]


def _one(feature: Feature, value: object) -> tuple[list[float], bool]:
    numbers, replaced = columns_of(feature, _single(value))
    return numbers[0].tolist(), bool(replaced[0])


@pytest.mark.parametrize("value", [41, 41.0, "41", " 41.0 ", np.int8(41)])
def test_a_number_codes_as_itself(value: object) -> None:
    """In any spelling."""
    assert _one(AGE, value) == ([41.0, 0.0], False)


@pytest.mark.parametrize(
    "value", [None, np.nan, "", "old", np.inf, -np.inf, 1e308, -1e308, 1.1e7, [41], object()]
)
def test_a_wild_number_becomes_the_fill_and_sets_the_indicator(value: object) -> None:
    """Missing, unparsable, infinite and far beyond the public spread."""
    assert _one(AGE, value) == ([40.0, 1.0], True)


def test_large_but_sane_numbers_are_kept() -> None:
    """Up to a million public standard deviations."""
    assert _one(AGE, 9e6) == ([9e6, 0.0], False)


@pytest.mark.parametrize("value", [True, 1, 1.0, "1", "True", "yes", "Y", np.True_])
def test_yes_in_any_spelling(value: object) -> None:
    """Codes as 1."""
    assert _one(SMOKER, value) == ([1.0], False)


@pytest.mark.parametrize("value", [False, 0, 0.0, "0", "FALSE", "no", "n", np.False_])
def test_no_in_any_spelling(value: object) -> None:
    """Codes as 0."""
    assert _one(SMOKER, value) == ([0.0], False)


@pytest.mark.parametrize("value", [None, np.nan, 2, "perhaps", "", [], np.inf])
def test_any_other_answer_is_the_commonest_one(value: object) -> None:
    """A yes-or-no question takes nothing else."""
    assert _one(SMOKER, value) == ([1.0], True)


@pytest.mark.parametrize(
    ("value", "expected", "replaced"),
    [
        ("north", [0.0, 0.0], False),
        (" south ", [1.0, 0.0], False),
        ("other", [0.0, 1.0], False),
        ("isle", [0.0, 1.0], True),
        ("atlantis", [0.0, 1.0], True),
        (7, [0.0, 1.0], True),
        (None, [0.0, 0.0], True),
        ("", [0.0, 0.0], True),
    ],
)
def test_every_level_but_the_first_has_a_column(
    value: object, expected: list[float], replaced: bool
) -> None:
    """The baseline is all zeros; an unknown level is "other", a missing one the baseline."""
    assert _one(REGION, value) == (expected, replaced)


def test_an_unknown_level_is_the_baseline_where_there_is_no_other() -> None:
    """And the indicator marks missing answers only."""
    feature = Feature("region", "categorical", levels=("north", "south"), indicator=True)
    assert _one(feature, "atlantis") == ([0.0, 0.0], True)
    assert _one(feature, None) == ([0.0, 1.0], True)


def test_design_columns_are_named_after_feature_and_level() -> None:
    """As they appear in the table of coefficients."""
    assert column_names([AGE, SMOKER, REGION]) == (
        "age", "age missing", "smoker", "region: south", "region: other",
    )  # fmt: skip


def test_a_record_codes_as_its_row_in_a_table() -> None:
    """Whatever type the column has."""
    rows: dict[str, Any] = {
        "age": [41.0, np.nan, 1e300, 12.0],
        "smoker": np.array([0, 1, 1, 0]),
        "region": np.array(["south", "north", "", "isle"]),
    }
    features = [AGE, SMOKER, REGION]
    whole = design(features, columns(rows), 4)
    for row in range(4):
        record = {name: values[row] for name, values in rows.items()}
        assert design(features, columns([record]), 1)[0].tolist() == whole[row].tolist()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"name": " "}, "needs a name"),
        ({"name": "a", "kind": "ordinal"}, "kind='ordinal'"),
        ({"name": "a", "levels": ("x", "x")}, "distinct"),
        ({"name": "a", "levels": ("x", "")}, "not blank"),
        ({"name": "a", "kind": "numeric", "levels": ("x",)}, "only a categorical"),
    ],
)
def test_impossible_features_are_refused(arguments: dict[str, Any], said: str) -> None:
    """At construction."""
    with pytest.raises(ConfigurationError, match=said):
        Feature(**arguments)


def test_stated_levels_are_stored_as_canonical_text() -> None:
    """So that 1, 1.0 and "1" are one level."""
    levels: Any = (1, 2.0, True)
    assert Feature("a", levels=levels).levels == ("1", "2", "true")
