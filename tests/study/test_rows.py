import datetime
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tacit.errors import ConfigurationError
from tacit.study.rows import columns, is_missing, length, look_up, numbers, text

AGES, NAMES = [41.0, 50.0], ["ann", "bob"]


def _single(value):
    return columns([{"a": value}])["a"]


def _shapes():
    records = [{"age": age, "name": name} for age, name in zip(AGES, NAMES, strict=True)]
    table = {"age": AGES, "name": NAMES}
    return [
        table,
        records,
        tuple(records),
        pd.DataFrame(table),
        pa.table(table),
        {name: np.array(values) for name, values in table.items()},
        {name: pd.Series(values) for name, values in table.items()},
    ]


@pytest.mark.parametrize("rows", _shapes(), ids=lambda rows: type(rows).__name__)
def test_every_shape_of_rows_gives_the_same_columns(rows):
    """Mappings, frames, tables and records are one and the same."""
    table = columns(rows)
    assert list(table) == ["age", "name"]
    assert numbers(table["age"]).tolist() == AGES
    assert [text(name) for name in table["name"]] == NAMES
    assert length(table) == 2


def test_a_mapping_of_single_values_is_one_record():
    """A value that happens to be a list is then a value."""
    table = columns({"age": 41, "tags": [1, 2]})
    assert length(table) == 1
    assert table["tags"][0] == [1, 2]


def test_absent_keys_of_a_record_are_missing():
    """Records need not have the same keys."""
    table = columns([{"age": 1}, {"name": "ann"}])
    assert is_missing(table["age"]).tolist() == [False, True]
    assert is_missing(table["name"]).tolist() == [True, False]


def test_a_list_of_mixed_types_keeps_its_types():
    """Numpy alone would make text of all of them."""
    assert columns({"a": [1, "x", True, None]})["a"].tolist() == [1, "x", True, None]


def test_arrow_dictionary_columns_keep_their_nulls():
    """A null of a dictionary column stays missing."""
    column = pa.array(["x", None, "y"]).dictionary_encode()
    assert is_missing(columns(pa.table({"a": column}))["a"]).tolist() == [False, True, False]


def test_pandas_extension_columns_are_read():
    """Categories, nullable integers and nullable booleans, with their missing values."""
    frame = pd.DataFrame(
        {
            "c": pd.Categorical(["x", None, "y"]),
            "i": pd.array([1, None, 3], dtype="Int64"),
            "b": pd.array([True, None, False], dtype="boolean"),
        }
    )
    table = columns(frame)
    assert all(is_missing(values).tolist() == [False, True, False] for values in table.values())
    np.testing.assert_equal(numbers(table["i"]), [1.0, np.nan, 3.0])
    np.testing.assert_equal(numbers(table["b"]), [1.0, np.nan, 0.0])


def test_only_named_columns_are_converted():
    """The rest is not even looked at."""
    assert list(columns({"a": [1], "b": [2]}, only=("b",))) == ["b"]


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ({"a": [1, 2], "b": [1]}, "equal lengths"),
        ({"a": np.ones((2, 2))}, "one-dimensional"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "must differ"),
        (np.ones((2, 2)), "list of records"),
        ("people.csv", "list of records"),
        (None, "list of records"),
    ],
)
def test_what_is_not_a_table_is_refused(rows, said):
    """With a message that names the trouble."""
    with pytest.raises(ConfigurationError, match=said):
        columns(rows)


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (True, "true"),
        (np.False_, "false"),
        (" TRUE ", "true"),
        (1, "1"),
        (1.0, "1"),
        (np.int8(-3), "-3"),
        (np.float32(2.0), "2"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.5"),
        (Fraction(4, 2), "2"),
        ("  north ", "north"),
        ("1.0", "1.0"),
        (float("inf"), "inf"),
        (datetime.date(2025, 1, 2), "2025-01-02"),
        pytest.param(10**5000, "int", id="too long to print"),
    ],
)
def test_text_is_canonical(value, canonical):
    """Equal answers have equal text, however they were stored."""
    assert text(value) == canonical


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), Decimal("NaN"), pd.NA, pd.NaT, "", "  "]
)
def test_missing_values_are_recognised(value):
    """In every spelling."""
    assert is_missing(_single(value)).tolist() == [True]


def test_missing_dates_are_recognised():
    """In a column of a machine type."""
    assert is_missing(np.array(["2025-01-02", "NaT"], "datetime64[D]")).tolist() == [False, True]


class Hostile:
    """A value that cannot be printed, compared or converted."""

    def __str__(self):
        raise RuntimeError

    def __eq__(self, other):
        raise RuntimeError

    __hash__ = None


WILD = [[1, 2], {"a": 1}, b"12", 1j, object(), Hostile(), np.ones(3), datetime.date(2025, 1, 2)]


@pytest.mark.parametrize("value", WILD, ids=lambda value: type(value).__name__)
def test_wild_values_are_no_numbers_and_stop_nothing(value):
    """Whatever a private value is, nothing raises."""
    assert np.isnan(numbers(_single(value))).all()
    assert not is_missing(_single(value)).any()
    assert isinstance(text(value), str)


@pytest.mark.parametrize("value", ["abc", "", 10**400, Fraction(10**400), Decimal("sNaN"), None])
def test_unparsable_numbers_are_nan(value):
    """Also those too large for a float."""
    assert np.isnan(numbers(_single(value))).all()


def test_numbers_are_parsed():
    """From text, booleans and every numeric type."""
    values = columns([{"a": v} for v in (" 1.5 ", True, np.float32(2), 3, Decimal("4.5"))])["a"]
    assert numbers(values).tolist() == [1.5, 1.0, 2.0, 3.0, 4.5]


def test_look_up_agrees_for_machine_types_and_objects():
    """Converting once per distinct value changes nothing."""
    values = np.array([2.0, 1.0, 2.0, 0.5])
    found = look_up(values, {"1": 10.0, "2": 20.0, "0.5": 5.0}.__getitem__)
    assert found.tolist() == [20.0, 10.0, 20.0, 5.0]
    assert look_up(values.astype(object), len).tolist() == [1, 1, 1, 3]
