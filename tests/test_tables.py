from pathlib import Path

import numpy as np
import pytest

from tacit import Binary, Study
from tacit.answers import is_missing
from tacit.errors import ConfigurationError
from tacit.study.rows import Columns, columns
from tacit.tables import csv_text, read_table, write_parquet


def _read(tmp_path: Path, content: str, study: Study | None = None) -> Columns:
    path = tmp_path / "rows.csv"
    path.write_bytes(content.encode())
    return columns(read_table(path, study))


def test_empty_fields_are_missing_and_numbers_stay_numbers(tmp_path: Path) -> None:
    """An empty field in a column of numbers or of text is a missing value."""
    table = _read(tmp_path, "age,region\n41,north\n,\nNA,NA\n")
    assert is_missing(table["age"]).tolist() == [False, True, True]
    assert is_missing(table["region"]).tolist() == [False, True, False]
    assert table["region"][2] == "NA"


def test_dates_stay_as_they_are_written(tmp_path: Path) -> None:
    """A date can only be a level, so it keeps its text."""
    table = _read(tmp_path, "day,at\n2025-06-01,2025-06-01 10:00:00\n")
    assert (table["day"][0], table["at"][0]) == ("2025-06-01", "2025-06-01 10:00:00")


def test_levels_that_look_like_numbers_survive(tmp_path: Path) -> None:
    """With the study known, "007" is not 7 and "NA" is not missing."""
    codes = np.array(["007", "010", "NA"], dtype=object)[np.arange(90) % 3]
    label = Binary("left", positive="1", negative="0")
    study = Study.from_public({"code": codes}, label=label, epsilon=1.0, source="a test")
    table = _read(tmp_path, "code,left\n007,1.0\n010,\nNA,0.0\n", study)
    assert table["code"].tolist() == ["007", "010", "NA"]
    assert not study.replaced(table)["code"].any()
    assert np.array_equal(table["left"], [1.0, np.nan, 0.0], equal_nan=True)


def test_a_private_value_of_another_type_is_read_as_text(tmp_path: Path) -> None:
    """One odd value far down the file does not stop the reading."""
    ages = "".join("41\n" for _ in range(400_000))
    assert _read(tmp_path, f"age\n{ages}forty\n")["age"][-1] == "forty"


def test_a_mark_of_byte_order_and_line_breaks_in_quotes(tmp_path: Path) -> None:
    """Files as spreadsheets write them."""
    table = _read(tmp_path, '\ufeffage,note\r\n41,"two\nlines"\r\n')
    assert [*table] == ["age", "note"]
    assert table["note"][0] == "two\nlines"


def test_parquet_round_trip(tmp_path: Path) -> None:
    """Columns come back as they were, also text that was not declared as text."""
    path = tmp_path / "rows.PARQUET"
    path.write_bytes(write_parquet({"age": [1.5, None], "raw": [b"north", None]}))
    table = columns(read_table(path))
    assert table["age"][0] == 1.5
    assert table["raw"].tolist() == ["north", None]


def test_a_header_in_another_encoding_is_an_error(tmp_path: Path) -> None:
    """The message says what to do."""
    path = tmp_path / "rows.csv"
    path.write_bytes("é\n1\n".encode("latin-1"))
    with pytest.raises(ConfigurationError, match="not UTF-8 text; save it as UTF-8"):
        read_table(path)


def test_csv_quotes_what_needs_it() -> None:
    """Names of classes may hold commas."""
    assert csv_text(["a,b", "c"], [[1, "x"]]) == '"a,b",c\n1,x\n'
