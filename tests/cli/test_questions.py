"""Questions as one types them."""

import json
from pathlib import Path

import pytest

from tacit import Fit
from tacit.cli import questions
from tacit.errors import ConfigurationError
from tacit.inference.tabular import Column, Tabular
from tests.cli.conftest import Command

FIT = ("fit", "study.json", "reports.tacit", "--public", "public.parquet", "-o", "new.json")
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
        (lambda: questions.checked_form("pdf"), "--format"),
    ],
)
def test_what_cannot_be_read_is_refused(ask: object, text: str) -> None:
    """The message names the option."""
    assert callable(ask)
    with pytest.raises(ConfigurationError, match=text):
        ask()


@pytest.mark.parametrize("form", ["text", "csv", "latex", "html"])
def test_a_table_is_printed_in_every_form(form: str, capsys: pytest.CaptureFixture[str]) -> None:
    """As text and for other programs."""
    questions.show(TABLE, form)
    assert capsys.readouterr().out.rstrip("\n") == getattr(TABLE, f"to_{form}")().rstrip("\n")


ASKED = ("--drop", "smoker", "--merge", "region=south,west", "--test", "region",
         "--contrast", "age=10", "--odds-ratios", "--effects", "--no-plot")  # fmt: skip


def test_a_submodel_and_its_answers_on_the_command_line(folder: Path, tacit: Command) -> None:
    """The table is that of the submodel, each question has a table, and the file keeps the test."""
    done = tacit(*FIT, *ASKED)
    assert done.code == 0
    for part in ("south or west", "Test of what was left out", "hypothesis", "contrast",
                 "odds ratio", "effect on"):  # fmt: skip
        assert part in done.out, part
    told = json.loads(tacit(*FIT, *ASKED, "--json").out)
    names = [row["name"] for row in told["coefficients"]]
    assert names == list(Fit.load(folder / "new.json").names)
    assert "smoker" not in names
    assert len(told["questions"]) == 4
    assert tacit(*FIT, "--format", "csv", "--no-plot").out.startswith("name,coef,se,low,high")


def test_a_wrong_form_is_refused_before_any_work(folder: Path, tacit: Command) -> None:
    """Nothing is written."""
    done = tacit(*FIT, "--format", "pdf")
    assert done.code == 2
    assert "--format must be one of text, csv, latex, html, json, got pdf" in done.err
    assert not (folder / "new.json").exists()
