import json
import math
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tacit as package
from tacit import Fit, Study, read_reports
from tacit.privacy import Guarantee, Sphere
from tests.cli.conftest import STUDY, Command

PLAN = ("plan", "study.json", "--public", "public.parquet")
FIT = ("fit", "study.json", "reports.tacit", "--public", "public.parquet", "-o", "new.json")


def test_study_describes_itself_and_reminds_that_it_publishes(folder: Path, tacit: Command) -> None:
    """The study on stdout, what was written and what it publishes on stderr."""
    done = tacit("study", "public.parquet", *STUDY, "--title", "Leavers", "-o", "new.json")
    assert done.code == 0
    assert done.out.startswith("Leavers: left from 4 features, epsilon 4")
    assert "What is protected" in done.out
    assert done.err.startswith("wrote new.json\n")
    assert "publishes facts about the rows of public.parquet" in done.err


def test_study_takes_every_option(folder: Path, tacit: Command) -> None:
    """Options of the command are those of the study."""
    done = tacit(
        "study", "public.parquet", *STUDY, "-o", "new.json", "--features", "age, smoker",
        "--no-intercept", "--minimum-batch", "7", "--reports-per-person", "2", "--json",
    )  # fmt: skip
    study, told = Study.load("new.json"), json.loads(done.out)
    assert study.feature_names == ("age", "smoker") == tuple(told["features"])
    assert not study.transform.intercept
    assert (study.minimum_batch, study.reports_per_person) == (7, 2)
    assert (told["study"], told["file"]) == (study.id, "new.json")


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("margins.json", '{"smoker": 0.4, "region": {"east": 0.5, "other": 0.5}}'),
        ("margins.toml", "smoker = 0.4\n[region]\neast = 0.5\nother = 0.5\n"),
    ],
)
def test_weights_and_margins_go_from_the_study_to_the_fit(
    folder: Path, tacit: Command, name: str, content: str
) -> None:
    """One study from CSV and Parquet; plan and fit count its rows in the same way."""
    from pyarrow import csv, parquet

    public = parquet.read_table("public.parquet")
    weights = np.random.default_rng(2).integers(0, 4, public.num_rows)
    public = public.append_column("w", [weights])
    parquet.write_table(public, "public.parquet")
    csv.write_csv(public, "public.csv")
    (folder / name).write_text(content)
    stated = (*STUDY, "--weights", "w", "--margins", name, "-o", "study.json", "--json")
    ids = [
        json.loads(tacit("study", f"public.{kind}", *stated).out)["study"]
        for kind in ("csv", "parquet")
    ]
    told, study = json.loads(tacit("study", "public.csv", *stated).out), Study.load("study.json")
    assert ids == [study.id, study.id]
    assert (told["weights"], told["margins"]) == ("w", study.margins)
    assert told["public_rows"] == (weights > 0).sum() > told["effective_rows"] > 100
    assert study.feature_names == ("age", "hours_online", "smoker", "region")
    planned = json.loads(tacit(*PLAN, "--people", "5000", "--no-plot", "--json").out)
    assert tacit("report", "study.json", "people.csv", "-o", "reports.tacit").code == 0
    done = tacit(*FIT, "--no-plot", "--json")
    fitted = json.loads(done.out)
    assert "not the" not in done.err
    for key in ("public_rows", "effective_rows"):
        assert planned[key] == fitted[key] == told[key]
    assert told["notes"][0].startswith("Public rows weighted by w and calibrated to margins of")


def test_study_tells_what_was_dropped_and_imputed(folder: Path, tacit: Command) -> None:
    """Constant columns and missing values are said in text and in JSON."""
    rows = "".join(f"{i % 9},1,{'' if i < 20 else i % 2}\n" for i in range(300))
    (folder / "public.csv").write_text("age,same,smoker\n" + rows)
    text = tacit("study", "public.csv", *STUDY, "-o", "new.json").out
    told = json.loads(tacit("study", "public.csv", *STUDY, "-o", "new.json", "--json").out)
    assert told["dropped"] == {"same": "constant"}
    assert "missing in 20 of 300" in told["notes"][0]
    assert "same: constant" in text
    assert "missing in 20 of 300" in text


def test_the_same_study_from_csv_and_parquet_has_one_id(folder: Path, tacit: Command) -> None:
    """Formats do not change a study."""
    from pyarrow import csv, parquet

    csv.write_csv(parquet.read_table("public.parquet"), "public.csv")
    ids = [
        json.loads(tacit("study", f"public.{kind}", *STUDY, "-o", "new.json", "--json").out)[
            "study"
        ]
        for kind in ("csv", "parquet")
    ]
    assert ids[0] == ids[1] == Study.load("study.json").id


def test_plan_splits_the_variance_and_writes_a_plot(folder: Path, tacit: Command) -> None:
    """Shares of privacy, people and public rows sum to one; the plot is beside the study."""
    assert "privacy" in tacit(*PLAN, "--people", "5000").out
    assert (folder / "study-plan.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads(tacit(*PLAN, "--people", "5000", "--plot", "own.svg", "--json").out)
    assert (folder / "own.svg").exists()
    assert told["plot"] == "own.svg"
    for entry in told["coefficients"]:
        assert math.isclose(sum(entry["shares"].values()), 1.0)


def test_plan_finds_the_people_for_a_target(folder: Path, tacit: Command) -> None:
    """The coefficient named just reaches its target, at the guess given."""
    done = tacit(
        *PLAN, "--target-se", "0.1", "--coefficient", "smoker", "--guess", "age=-0.03",
        "--guess", "region: south=0.5", "--no-plot", "--json",
    )  # fmt: skip
    told = json.loads(done.out)
    errors = {entry["name"]: entry["se"] for entry in told["coefficients"]}
    one_fewer = 0.1 * math.sqrt(told["people"] / (told["people"] - 1))
    assert 0.1**2 / one_fewer < errors["smoker"] <= 0.1
    assert not (folder / "study-plan.png").exists()


def test_plan_states_what_it_supposes_and_what_is_too_rare(folder: Path, tacit: Command) -> None:
    """The rate given stands in the text; the document has the range and every wide level."""
    line = (*PLAN, "--people", "5000", "--rate", "0.24", "--width", "0.5", "--no-plot")
    assert "24% have left = " in " ".join(tacit(*line).out.split())
    told = json.loads(tacit(*line, "--json").out)
    assert told["width"] == 0.5
    assert all(each["low"] < each["se"] < each["high"] for each in told["coefficients"])
    assert {"name", "width", "limit", "people", "merged_with", "merged_width"} == {*told["wide"][0]}
    named = {entry["name"] for entry in told["coefficients"]}
    assert {each["merged_with"] for each in told["wide"]} - {None} <= named


def test_report_skips_rows_without_label_and_says_so(folder: Path, tacit: Command) -> None:
    """No label, no report; a wild value is replaced, counted and reported."""
    done = tacit("report", "study.json", "people.csv", "-o", "new.tacit", "--json")
    told = json.loads(done.out)
    assert (told["reports"], told["without_label"], told["replaced"]) == (3999, 1, {"age": 1})
    assert "rows without a label, which sent no report: 1" in done.err
    assert "saw every raw row" in done.err
    assert len(read_reports("new.tacit", Study.load("study.json")).seeds) == 3999


def test_report_of_people_without_any_label_is_an_empty_file(folder: Path, tacit: Command) -> None:
    """Nobody's missing label stops the others, so it stops nobody when all are missing."""
    (folder / "none.csv").write_text("age,hours_online,smoker,region,left\n40,3,true,east,\n")
    assert tacit("report", "study.json", "none.csv", "-o", "new.tacit").code == 0
    assert len(read_reports("new.tacit", Study.load("study.json")).seeds) == 0


def test_report_warns_of_labels_outside_the_stated_values(folder: Path, tacit: Command) -> None:
    """A misspelt label still reports; whoever tries it out is told."""
    (folder / "odd.csv").write_text(
        "age,hours_online,smoker,region,left\n40,3,true,east,Yess\n41,2,true,east,yes\n"
    )
    done = tacit("report", "study.json", "odd.csv", "-o", "new.tacit")
    assert (done.code, done.out) == (0, "2 reports at epsilon 4\n")
    assert "warning: label 'left' must be one of 'no', 'yes', got 'Yess'" in done.err


def test_two_runs_of_report_share_no_report(folder: Path, tacit: Command) -> None:
    """Devices draw the system's entropy: nothing repeats."""
    tacit("report", "study.json", "people.csv", "-o", "new.tacit")
    study = Study.load("study.json")
    both = [read_reports(path, study).seeds for path in ("reports.tacit", "new.tacit")]
    assert len(np.unique(np.concatenate(both), axis=0)) == sum(map(len, both))


def test_fit_prints_the_table_and_draws_the_forest(folder: Path, tacit: Command) -> None:
    """Table on stdout, PNG and SVG beside the model, and the model predicts."""
    done = tacit(*FIT)
    assert done.code == 0
    assert "95% interval" in done.out
    assert "nothing collected can check it" in done.out
    assert done.err == "wrote new.json, new-forest.png, new-forest.svg\n"
    assert b"<svg" in (folder / "new-forest.svg").read_bytes()
    assert np.array_equal(Fit.load("new.json").coef, Fit.load("model.json").coef)


def test_fit_as_json_has_the_table_at_the_level_asked(folder: Path, tacit: Command) -> None:
    """Rows of the table, what was left out, and the files."""
    told = json.loads(tacit(*FIT, "--level", "0.5", "--plot", "own.png", "--json").out)
    expected = Fit.load("new.json").summary(0.5).rows()
    assert told["coefficients"] == expected
    assert (told["duplicates"], told["truncated_bytes"]) == (0, 0)
    assert (told["level"], told["intervals"]) == (0.5, "profile")
    assert told["plots"] == ["own.png", "own.svg"]


def test_fit_counts_a_report_in_two_files_once(folder: Path, tacit: Command) -> None:
    """The same file twice gives the same model, and the repetition is said."""
    done = tacit("fit", "study.json", "reports.tacit", *FIT[2:], "--no-plot")
    assert done.code == 0
    assert "warning: 3,999 duplicate reports; each is counted once" in done.err
    assert (folder / "new.json").read_bytes() == (folder / "model.json").read_bytes()


def test_fit_keeps_what_is_whole_of_a_truncated_file(folder: Path, tacit: Command) -> None:
    """A cut file loses its last report only, and says so."""
    whole = (folder / "reports.tacit").read_bytes()
    (folder / "reports.tacit").write_bytes(whole[:-3])
    done = tacit(*FIT, "--no-plot")
    assert done.code == 0
    assert "reports.tacit is truncated: its last 13 bytes" in done.err
    assert Fit.load("new.json").people == 3998


def test_other_public_rows_are_one_line_of_warning(folder: Path, tacit: Command) -> None:
    """Another sample may stand for the people; the reader is told."""
    done = tacit("fit", "study.json", "reports.tacit", "--public", "people.csv", "-o", "new.json",
                 "--no-plot")  # fmt: skip
    assert done.code == 0
    assert [line[:34] for line in done.err.splitlines()] == [
        "warning: the public rows given are",
        "wrote new.json",
    ]


def test_predict_writes_probabilities_in_the_order_of_the_rows(
    folder: Path, tacit: Command
) -> None:
    """CSV on stdout, in a file, and the same numbers as JSON."""
    printed = tacit("predict", "model.json", "people.csv").out
    tacit("predict", "model.json", "people.csv", "-o", "new.csv")
    told = json.loads(tacit("predict", "model.json", "people.csv", "--json").out)
    header, *rows = printed.splitlines()
    assert header == "predicted,P(no),P(yes)"
    assert len(rows) == len(told["predicted"]) == 4000
    assert (folder / "new.csv").read_text() == printed
    name, *shares = rows[5].split(",")
    assert name == told["predicted"][5] == told["classes"][int(np.argmax(told["probabilities"][5]))]
    assert shares == [f"{share:.6g}" for share in told["probabilities"][5]]


def test_predict_of_a_number_is_its_mean(folder: Path, tacit: Command) -> None:
    """Labels that are numbers have one column."""
    label = ("--label", "age:bounded:0:120", "--epsilon", "4", "--source", "a made-up panel")
    tacit("study", "public.parquet", *label, "--features", "smoker", "-o", "study.json")
    tacit("report", "study.json", "people.csv", "-o", "reports.tacit")
    assert tacit(*FIT, "--no-plot").code == 0
    lines = tacit("predict", "new.json", "people.csv").out.splitlines()
    assert lines[0] == "predicted"
    assert len({*lines[1:]}) == 2


def test_audit_does_not_refute_a_right_study(folder: Path, tacit: Command) -> None:
    """Every check holds, exit code 0."""
    done = tacit("audit", "study.json", "--draws", "2000", "--json")
    told = json.loads(done.out)
    assert (done.code, told["passed"], told["draws"]) == (0, True, 2000)
    assert all(check["passed"] for check in told["checks"])


def test_a_refuted_claim_is_exit_code_1(
    folder: Path, tacit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A study that claims half of what it spends is found out."""
    honest = Sphere.audit
    monkeypatch.setattr(
        Sphere, "audit", lambda sphere, source: honest(sphere, source, Guarantee(2.0))
    )
    done = tacit("audit", "study.json", "--draws", "2000")
    assert done.code == 1
    assert "REFUTED" in done.out


def test_no_command_shows_the_help_and_version_the_version(tacit: Command) -> None:
    """Both on stdout, exit code 0."""
    assert tacit().out == tacit("--help").out
    assert tacit("--version") == (0, f"tacit {package.__version__}\n", "")


@pytest.mark.parametrize("command", ["study", "plan", "report", "fit", "predict", "audit", "demo"])
def test_every_help_has_an_example(
    tacit: Command, command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An example can be copied."""
    monkeypatch.setenv("COLUMNS", "80")
    assert f"Example:\n    tacit {command}" in tacit(command, "--help").out


def test_on_a_terminal_a_bar_moves_on_stderr(
    folder: Path, tacit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The bar never touches stdout."""
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("tacit.cli.console.on_terminal", lambda: True)
    done = tacit("report", "study.json", "people.csv", "-o", "new.tacit", "--json")
    assert "randomizing" in done.err
    assert json.loads(done.out)["reports"] == 3999


def _process(*arguments: str, **how: Any) -> subprocess.Popen[Any]:
    return subprocess.Popen(
        [sys.executable, "-m", "tacit", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        **how,
    )


def test_as_a_program_results_and_chatter_are_apart(folder: Path) -> None:
    """A real process: JSON alone on stdout, no progress bar where there is no terminal."""
    out, err = _process(
        "report", "study.json", "people.csv", "-o", "new.tacit", "--json"
    ).communicate()
    assert json.loads(out)["reports"] == 3999
    assert b"randomizing" not in err


def test_as_a_program_errors_are_one_line(folder: Path) -> None:
    """A real process: exit code 2, no traceback."""
    program = _process("report", "study.json", "nobody.csv", "-o", "new.tacit")
    assert program.communicate() == (b"", b"error: there is no file nobody.csv\n")
    assert program.returncode == 2


def test_a_reader_that_leaves_is_no_error(folder: Path) -> None:
    """`tacit predict ... | head` ends without a word."""
    program = _process("predict", "model.json", "people.csv")
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert b"Traceback" not in program.stderr.read()
    program.stderr.close()
    assert program.wait() == 141
