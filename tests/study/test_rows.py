"""Rows of every usual shape become the same columns."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from tacit.answers import is_missing, numbers, text
from tacit.errors import ConfigurationError
from tacit.study.rows import columns, length

AGES, NAMES = [41.0, 50.0], ["ann", "bob"]


def _shapes() -> list[Any]:
    records = [{"age": age, "name": name} for age, name in zip(AGES, NAMES, strict=True)]
    table: dict[str, Any] = {"age": AGES, "name": NAMES}
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
def test_every_shape_of_rows_gives_the_same_columns(rows: Any) -> None:
    """Mappings, frames, tables and records are one and the same."""
    table = columns(rows)
    assert list(table) == ["age", "name"]
    assert numbers(table["age"]).tolist() == AGES
    assert [text(name) for name in table["name"]] == NAMES
    assert length(table) == 2


def test_a_mapping_of_single_values_is_one_record() -> None:
    """A value that happens to be a list is then a value."""
    assert length(columns({"age": 41, "tags": [1, 2]})) == 1


def test_absent_keys_of_a_record_are_missing() -> None:
    """Records need not have the same keys."""
    table = columns([{"age": 1}, {"name": "ann"}])
    assert is_missing(table["age"]).tolist() == [False, True]
    assert is_missing(table["name"]).tolist() == [True, False]


def test_a_list_of_mixed_types_keeps_its_types() -> None:
    """Numpy alone would make text of all of them."""
    assert columns({"a": [1, "x", True, None]})["a"].tolist() == [1, "x", True, None]


def test_arrow_dictionary_columns_keep_their_nulls() -> None:
    """A null of a dictionary column stays missing."""
    column = pa.array(["x", None, "y"]).dictionary_encode()
    assert is_missing(columns(pa.table({"a": column}))["a"]).tolist() == [False, True, False]


def test_pandas_extension_columns_are_read() -> None:
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


def test_only_named_columns_are_converted() -> None:
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
def test_what_is_not_a_table_is_refused(rows: Any, said: str) -> None:
    """With a message that names the trouble."""
    with pytest.raises(ConfigurationError, match=said):
        columns(rows)
