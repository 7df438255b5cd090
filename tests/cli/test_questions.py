"""Questions as one types them."""

import json

import pytest

from tacit.cli import questions
from tacit.errors import ConfigurationError
from tacit.inference.tabular import Column, Tabular

TABLE = Tabular("a title", (Column("name", "x"), Column("n", "n")), ({"name": "a", "n": -1e400},))


def test_names_are_read_between_commas() -> None:
    """Several options add up, and quotation marks keep a comma within a name."""
    assert questions.parse_drop(["region,age", "x"]) == ["region", "age", "x"]
    assert questions.parse_tie(["x1, x2", '"a, b",c']) == [["x1", "x2"], ["a, b", "c"]]


def test_merges_are_read_by_feature() -> None:
    """A feature may have several groups; only the first sign of equality separates."""
    assert questions.parse_merge(["marital=a,b", "marital=c,d", "size=<=5,6"]) == {
        "marital": [["a", "b"], ["c", "d"]],
        "size": [["<=5", "6"]],
    }


def test_contrasts_are_read_with_their_weights() -> None:
    """The last sign of equality separates, so that a level may have one."""
    assert questions.parse_contrast("south=1, north=-0.5") == {"south": 1.0, "north": -0.5}
    assert questions.parse_contrast("size: <=5=1") == {"size: <=5": 1.0}


@pytest.mark.parametrize(
    ("ask", "text"),
    [
        (lambda: questions.parse_drop(["a,,b"]), "--drop"),
        (lambda: questions.parse_merge(["marital"]), "--merge"),
        (lambda: questions.parse_merge(["=a,b"]), "--merge"),
        (lambda: questions.parse_tie([""]), "--tie"),
        (lambda: questions.parse_contrast("south"), "--contrast"),
        (lambda: questions.parse_contrast("south=one"), "--contrast"),
        (lambda: questions.parse_contrast("=1"), "--contrast"),
        (lambda: questions.show(TABLE, "pdf"), "--format"),
    ],
)
def test_what_cannot_be_read_is_refused(ask: object, text: str) -> None:
    """The message names the option."""
    assert callable(ask)
    with pytest.raises(ConfigurationError, match=text):
        ask()


@pytest.mark.parametrize("form", questions.FORMATS)
def test_a_table_is_printed_in_every_form(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As text and for other programs; JSON has null for what is infinite."""
    questions.show(TABLE, form)
    printed = capsys.readouterr().out
    if form == "json":
        assert json.loads(printed)["rows"] == [{"name": "a", "n": None}]
    else:
        assert printed.rstrip("\n") == getattr(TABLE, f"to_{form}")().rstrip("\n")
