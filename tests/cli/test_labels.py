"""Label-private studies on the command line."""

import json
from pathlib import Path

import pytest

from tacit import LabelStudy
from tacit.tables import csv_text
from tests.cli.conftest import Command
from tests.labelprivate.helpers import SICK, answers, people

STUDY = ("study", "people.csv", "--private", "label", "--label", "sick:binary:yes:no",
         "--epsilon", "4", "-o", "labels.json")  # fmt: skip


@pytest.fixture
def known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tacit: Command) -> Path:
    """A folder with people, one of whom has no label, and a study of them."""
    monkeypatch.chdir(tmp_path)
    rows = people(3_000)
    table = {**rows, "sick": answers(SICK, rows).astype(object)}
    table["sick"][5] = ""
    Path("people.csv").write_text(csv_text(list(table), zip(*table.values(), strict=True)))
    assert tacit(*STUDY).code == 0
    return tmp_path


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_whole_study_from_rows_to_predictions(known: Path, tacit: Command, suffix: str) -> None:
    """Study, reports, fit and predictions, each from the files of the one before."""
    done = tacit("report", "labels.json", "people.csv", "-o", f"answers.{suffix}", "--json")
    told = json.loads(done.out)
    assert (told["reports"], told["without_label"]) == (2_999, 1)
    assert b"yes" not in (known / f"answers.{suffix}").read_bytes()
    done = tacit("fit", "labels.json", f"answers.{suffix}", "-o", "model.json")
    assert done.code == 0
    assert "2,999 people, label private at epsilon=4" in done.out
    again = ("fit", "labels.json", f"answers.{suffix}", "-o", "m.json", "--json", "--level", "0.9")
    told = json.loads(tacit(*again).out)
    assert [row["name"] for row in told["coefficients"]] == ["intercept", "age", "smoker"]
    assert told["level"] == 0.9
    done = tacit("predict", "model.json", "people.csv")
    assert done.out.startswith("predicted,P(no),P(yes)\n")
    assert done.out.count("\n") == 3_001


def test_study_describes_itself(known: Path, tacit: Command) -> None:
    """What is private and what is not, and what the file shows."""
    done = tacit(*STUDY)
    assert "the label of every person, given that the features are known" in done.out
    assert "shows means, spreads and categories of the features in people.csv" in done.err
    told = json.loads(tacit(*STUDY, "--json").out)
    assert told["study"] == LabelStudy.load("labels.json").id
    assert told["mechanism"].startswith("randomised response")


def test_plan_and_audit(known: Path, tacit: Command) -> None:
    """Standard errors with what was assumed; an audit that is passed."""
    asked = ("plan", "labels.json", "--rows", "people.csv", "--rate", "0.3")
    assert "Assumed: the mean of sick is 0.3" in tacit(*asked, "--people", "1000").out
    told = json.loads(tacit(*asked, "--target-se", "0.1", "--json").out)
    assert told["people"] > 500
    assert "not refuted" in tacit("audit", "labels.json", "--draws", "5000").out


@pytest.mark.parametrize(
    ("command", "named"),
    [
        (("serve", "labels.json"), "Collector and participants' page do not take one yet"),
        (("page", "-o", "p.html", "--study", "labels.json"), "do not take one yet"),
        (("plan", "labels.json", "--people", "10"), "give --rows"),
        (("plan", "labels.json", "--people", "10", "--guess", "age=1"), "--guess does not apply"),
        (("fit", "labels.json", "people.csv", "-o", "m.json"), "no column 'report'"),
        (("fit", "labels.json", "people.csv", "--public", "people.csv", "-o", "m.json"),
         "--public does not apply"),
        ((*STUDY, "--source", "a panel"), "--source does not apply"),
        ((*STUDY, "--reports-per-person", "2"), "--reports-per-person does not apply"),
    ],
)  # fmt: skip
def test_what_such_a_study_has_no_use_for_is_refused(
    known: Path, tacit: Command, command: tuple[str, ...], named: str
) -> None:
    """In one line that says what to do."""
    done = tacit(*command)
    assert done.code == 2
    assert named in done.err
    assert done.err.count("\n") == 1


def test_reports_of_several_tables_are_fitted_together(known: Path, tacit: Command) -> None:
    """As one table would be."""
    tacit("report", "labels.json", "people.csv", "-o", "answers.csv")
    head, *lines = Path("answers.csv").read_text().splitlines()
    for name, part in (("a.csv", lines[:1000]), ("b.csv", lines[1000:])):
        Path(name).write_text("\n".join([head, *part]) + "\n")
    whole = tacit("fit", "labels.json", "answers.csv", "-o", "m.json").out
    assert tacit("fit", "labels.json", "a.csv", "b.csv", "-o", "m.json").out == whole


def test_whole_records_still_need_public_rows(folder: Path, tacit: Command) -> None:
    """They say so in words, since the option is no longer required of every study."""
    assert "give --public" in tacit("fit", "study.json", "reports.tacit", "-o", "m.json").err
    assert "give --public" in tacit("plan", "study.json", "--people", "10").err
    done = tacit("plan", "study.json", "--people", "10", "--rows", "people.csv")
    assert "--rows does not apply" in done.err


def test_what_is_private_is_the_record_or_the_label(known: Path, tacit: Command) -> None:
    """Anything else is refused, with the two that there are."""
    done = tacit(*STUDY[:3], "labels", *STUDY[4:])
    assert done.code == 2
    assert "--private must be record or label, got labels" in done.err
