"""Tables as text, data frame, CSV, LaTeX and HTML."""

import csv
import io
import math
import sys

import pytest

from tacit.errors import ConfigurationError
from tacit.inference.tabular import Column, Tabular

TABLE = Tabular(
    title="Who <left> & why",
    columns=(
        Column("name", "coefficient"),
        Column("coef", "estimate", ".5g"),
        Column("low", "95% interval", until="high"),
        Column("raw_se", "raw_rows"),
    ),
    entries=(
        {"name": "age_50%", "coef": 0.123456789, "low": -math.inf, "high": 0.5, "raw_se": 0.01},
        {"name": "a < b", "coef": -2.0, "low": -3.0, "high": -1.0, "raw_se": math.nan},
    ),
    notes=("Assumed & stated.",),
)


def test_text_is_aligned_under_its_heads() -> None:
    """Names to the left, numbers to the right, an interval in one cell, unknown ones empty."""
    lines = str(TABLE).splitlines()
    assert lines[0] == "Who <left> & why"
    assert lines[2] == "coefficient  estimate  95% interval  raw_rows"
    assert lines[4] == "age_50%       0.12346   [-inf, 0.5]      0.01"
    assert lines[5] == "a < b              -2      [-3, -1]          "
    assert lines[-1] == "Assumed & stated."


def test_csv_keeps_every_digit() -> None:
    """Low and high are columns of their own."""
    rows = list(csv.DictReader(io.StringIO(TABLE.to_csv())))
    assert float(rows[0]["coef"]) == 0.123456789
    assert (rows[0]["low"], rows[1]["high"]) == ("-inf", "-1.0")


def test_html_and_latex_escape_names() -> None:
    """A level may be called anything."""
    page, source = TABLE.to_html(), TABLE.to_latex()
    assert "<caption>Who &lt;left&gt; &amp; why</caption>" in page
    assert '<th scope="row">a &lt; b</th>' in page
    assert page == TABLE._repr_html_()
    assert r"age\_50\% & 0.12346 & [-inf, 0.5] & 0.01 \\" in source
    assert source.count(r"\\") == 3


def test_a_data_frame_has_the_names_as_index() -> None:
    """One row per entry, every key a column."""
    frame = TABLE.to_frame()
    assert list(frame.index) == ["age_50%", "a < b"]
    assert list(frame.columns) == ["coef", "low", "high", "raw_se"]


def test_without_pandas_the_error_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing else needs it."""
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ConfigurationError, match="pip install pandas"):
        TABLE.to_frame()
