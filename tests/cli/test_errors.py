"""Bad input on the command line: one line, exit code 2, nothing lost."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Never

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tacit import Family, Study, Tally, fit, read_reports, write_reports
from tacit.tables import read_table
from tests.cli.conftest import STUDY, Command

Refused = Callable[..., str]

PLAN = ("plan", "study.json", "--public", "public.parquet")
FIT = ("fit", "study.json", "reports.tacit", "--public", "public.parquet", "-o", "model.json")
REPORT = ("report", "study.json", "people.csv", "-o", "reports.tacit")
MAKE = ("study", "public.parquet", "-o", "study.json", "--source", "a panel")


@pytest.fixture
def refused(folder: Path, tacit: Command) -> Refused:
    """Run a command that must be refused, and return its one line."""

    def run(*arguments: str) -> str:
        before = _contents(folder)
        done = tacit(*arguments)
        assert done.code == 2
        assert done.out == ""
        assert done.err.count("\n") == 1
        assert done.err.startswith("error: ")
        assert _contents(folder) == before
        return done.err

    return run


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}


@pytest.mark.parametrize("epsilon", ["0", "-1", "nan", "12.5", "inf"])
def test_epsilon_out_of_range(refused: Refused, epsilon: str) -> None:
    """Devices accept epsilon above 0 and up to 12."""
    line = refused(*MAKE, "--label", "left:binary:yes", "--epsilon", epsilon)
    assert (
        f"epsilon must be positive and at most 12 on devices, got epsilon={float(epsilon)}" in line
    )


@pytest.mark.parametrize(
    "label", ["left", "left:binary", "left:kind:x", "n:count:zero", ":count:3"]
)
def test_label_of_no_known_form(refused: Refused, label: str) -> None:
    """The error shows the forms."""
    assert "churned:binary:yes" in refused(*MAKE, "--label", label, "--epsilon", "1")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (
            "age,smoker\n" + "1,0\n2,inf\n" * 30,
            "in column 'smoker' (row 1); correct it or leave it empty",
        ),
        ("a,b,c\n1,2,4\n2,1,9\n", "more public rows than columns"),
        ("age,smoker\n", "public.csv has no rows"),
        ("", "cannot read public.csv: Empty CSV file"),
        ("age,smoker\n1\n", "cannot read public.csv: CSV parse error"),
        ("age,age\n1,2\n", "column names must differ"),
    ],
)
def test_public_rows_that_cannot_serve(
    folder: Path, refused: Refused, content: str, told: str
) -> None:
    """Infinite values, too few rows, an empty or broken file."""
    (folder / "public.csv").write_text(content)
    made = ("study", "public.csv", "-o", "study.json", "--source", "a panel")
    assert told in refused(*made, "--label", "left:binary:yes", "--epsilon", "1")


def test_a_source_must_be_named(refused: Refused) -> None:
    """Nobody but the caller can say where public rows come from."""
    line = refused("study", "public.parquet", "-o", "s.json", "--source", " ", *STUDY[:4])
    assert "source must say where the public rows come from" in line


def test_features_that_are_not_there(refused: Refused) -> None:
    """A name close to a right one is suggested."""
    assert "perhaps 'age' for 'agee'" in refused(*MAKE, *STUDY[:4], "--features", "agee")


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("nobody.csv", "there is no file nobody.csv"),
        ("folder.csv", "folder.csv is a directory; pass a file"),
        ("people.xlsx", "its name must end in .csv or .parquet"),
        ("broken.parquet", "cannot read broken.parquet"),
        ("latin.csv", "cannot read latin.csv: it is not UTF-8 text"),
        ("unlabelled.csv", "unlabelled.csv has no label column 'left'; its columns are 'age'"),
        ("short.csv", "the rows have no 'age'"),
    ],
)
def test_people_that_cannot_be_read(folder: Path, refused: Refused, path: str, told: str) -> None:
    """Absent, a directory, of another type, broken, or without a needed name."""
    (folder / "folder.csv").mkdir()
    (folder / "people.xlsx").write_bytes(b"PK")
    (folder / "broken.parquet").write_bytes(b"PAR1")
    (folder / "latin.csv").write_bytes("left,région\nyes,é\n".encode("latin-1"))
    (folder / "unlabelled.csv").write_text("age,hours_online,smoker,region\n1,2,true,east\n")
    (folder / "short.csv").write_text("hours_online,smoker,region,left\n2,true,east,yes\n")
    assert told in refused("report", "study.json", path, "-o", "reports.tacit")


@pytest.mark.parametrize("label", ["left:binary:yes", "left:binary:yes:no"])
def test_a_label_that_never_occurs(
    folder: Path, tacit: Command, refused: Refused, label: str
) -> None:
    """The file's values are named, before anything is randomized."""
    assert tacit(*MAKE, "--label", label, "--epsilon", "1").code == 0
    people = (
        "age,hours_online,smoker,region,left\n40,3,true,east,1\n41,2,true,east,0\n50,1,,east,\n"
    )
    (folder / "coded.csv").write_text(people)
    line = refused("report", "study.json", "coded.csv", "-o", "reports.tacit")
    assert "coded.csv: no row says 'yes', the positive value of the label 'left'" in line
    assert "the rows hold '0', '1'. Correct the rows, or make a study" in line


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("margins.json", '{"region": {"east": 0.5}}', "shares of 'region' must be from 0 and sum"),
        ("margins.json", '{"age": 41', "cannot read margins.json: Expecting"),
        ("margins.json", "[1]", "margins must name columns"),
        ("margins.toml", "age == 41", "cannot read margins.toml: "),
        ("margins.toml", "agee = 41", "perhaps 'age' for 'agee'"),
        ("margins.csv", "age,41", "its name must end in .json or .toml"),
        ("nowhere.json", None, "there is no file nowhere.json"),
    ],
)
def test_margins_that_cannot_be_met_or_read(
    folder: Path, refused: Refused, name: str, content: str | None, told: str
) -> None:
    """Whatever the file holds."""
    if content is not None:
        (folder / name).write_text(content)
    assert told in refused(*MAKE, *STUDY[:4], "--margins", name)


def test_weights_that_are_not_there(refused: Refused) -> None:
    """A name close to a right one is suggested."""
    assert "perhaps 'region' for 'regions'" in refused(*MAKE, *STUDY[:4], "--weights", "regions")


def test_a_study_edited_by_hand(folder: Path, refused: Refused) -> None:
    """The id is a hash, so every command finds out."""
    content = (folder / "study.json").read_text()
    (folder / "study.json").write_text(content.replace('"epsilon":4.0', '"epsilon":1.0'))
    for command in (FIT, REPORT, (*PLAN, "--people", "9"), ("audit", "study.json")):
        assert "study.json: the study file was altered" in refused(*command)


def test_a_file_of_the_wrong_kind(refused: Refused) -> None:
    """A model is no study, a study no model, a table no reports."""
    assert "model.json: not a study file" in refused("audit", "model.json")
    assert "study.json: not a model file" in refused("predict", "study.json", "people.csv")
    assert "people.csv is not a file of reports" in refused(
        "fit", "study.json", "people.csv", *FIT[3:]
    )


def test_reports_of_another_study(folder: Path, refused: Refused, tacit: Command) -> None:
    """They are refused, and the file is named."""
    tacit("study", "public.parquet", *STUDY, "--title", "another", "-o", "other.json")
    line = refused("fit", "other.json", *FIT[2:])
    assert "reports.tacit: these reports belong to study" in line


@pytest.mark.parametrize("count", [0, 99])
def test_fewer_reports_than_the_minimum_batch(folder: Path, refused: Refused, count: int) -> None:
    """Neither an empty file nor one below the minimum batch is fitted."""
    study = Study.load("study.json")
    write_reports("reports.tacit", study, np.zeros((count, 16), dtype=np.uint8) + _rows(count))
    assert "the study's minimum batch is 100" in refused(*FIT)


def _rows(count: int) -> NDArray[np.uint8]:
    return np.arange(count, dtype=np.uint8)[:, None]


def test_noise_without_a_maximum_has_a_table(folder: Path, tacit: Command) -> None:
    """Ends that the reports do not bound are null, and the model predicts; only wald is refused."""
    made = ("--label", "left:binary:yes", "--epsilon", "0.1", "--source", "a panel")
    tacit("study", "public.parquet", *made, "-o", "study.json")
    seeds = np.random.default_rng(0).integers(0, 256, (200, 16), dtype=np.uint8)
    write_reports("reports.tacit", Study.load("study.json"), seeds)
    done = tacit("fit", *FIT[1:-1], "new.json", "--json")
    told = json.loads(done.out)
    assert done.code == 0
    assert None in [row["low"] for row in told["coefficients"]]
    assert "The interval has no" in " ".join(told["notes"])
    assert (folder / "new-forest.png").exists()
    assert tacit("predict", "new.json", "people.csv").code == 0
    refused = tacit("fit", *FIT[1:-1], "other.json", "--intervals", "wald")
    assert refused.code == 2
    assert refused.err.startswith("error: no finite maximum")
    assert not (folder / "other.json").exists()


def test_a_model_with_a_family_of_ones_own_is_left_to_python(
    folder: Path, refused: Refused
) -> None:
    """A command has no functions to pass, and says who has."""
    study, public = Study.load("study.json"), read_table(Path("public.parquet"))
    tally = Tally.of(study).add(read_reports("reports.tacit", study).seeds)
    probit = Family("probit", mean=stats.norm.cdf, slope=stats.norm.pdf)
    fit(study, tally, public=public, family=probit).save("own.json")
    told = refused("predict", "own.json", "people.csv")
    assert told.startswith("error: own.json: the model was fitted with a family of its author's")
    assert "Fit.load(path, family=...)" in told


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "give either --people or --target-se"),
        (("--people", "9", "--target-se", "1"), "give either --people or --target-se"),
        (("--people", "0"), "people must be at least 1"),
        (("--people", "many"), "Invalid value for '--people'"),
        (("--target-se", "-1"), "target_se must be positive"),
        (("--target-se", "1", "--coefficient", "height"), "'height' is not in the study"),
        (("--people", "9", "--guess", "age"), "a guess must be NAME=VALUE such as age=0.03"),
        (("--people", "9", "--guess", "age=x"), "a guess must be NAME=VALUE such as age=0.03"),
        (("--people", "9", "--guess", "height=1"), "guess names unknown coefficients"),
        (("--people", "9", "--rate", "a lot"), "--rate must be a number such as 0.24"),
        (("--people", "9", "--rate", "a=0.5,b"), "--rate must be a number such as 0.24"),
        (("--people", "9", "--rate", "1.5"), "rate must be the mean label"),
        (("--people", "9", "--width", "0"), "width must be positive"),
        (("--people", "9", "--plot", "plan.pdf"), "must end in .png or .svg"),
    ],
)
def test_plans_that_ask_nothing_sensible(refused: Refused, options: list[str], told: str) -> None:
    """The option and its value are named."""
    assert told in refused(*PLAN, *options)


def test_options_that_do_not_exist(refused: Refused) -> None:
    """Usage errors are one line too, and point to the help."""
    assert refused("fit", "--bogus").endswith("see `tacit fit --help`\n")
    assert refused("nonsense").endswith("see `tacit --help`\n")


def test_levels_and_draws_out_of_range(refused: Refused) -> None:
    """Refused before any work is done."""
    assert "level must lie between 0 and 1, got level=95" in refused(*FIT, "--level", "95")
    assert "draws must be at least 1000" in refused("audit", "study.json", "--draws", "9")


def test_outputs_that_would_destroy_an_input(refused: Refused) -> None:
    """No file is both read and written."""
    line = refused("report", "study.json", "people.csv", "-o", "people.csv")
    assert "cannot write people.csv: it is also read" in line
    assert "two outputs have one name" in refused(*FIT[:-1], "a.png", "--plot", "a.png")


def test_outputs_that_cannot_be_written(folder: Path, refused: Refused) -> None:
    """An absent directory, or a directory of that name, is found before the work."""
    (folder / "taken").mkdir()
    assert "there is no directory gone" in refused(*REPORT[:-1], "gone/r.tacit")
    assert "cannot write taken: it is a directory" in refused(*REPORT[:-1], "taken")
    assert "cannot write /dev/null: it is no regular file" in refused(*REPORT[:-1], "/dev/null")


def test_a_study_for_simulation_has_no_devices(
    folder: Path, refused: Refused, finished: Path
) -> None:
    """Neither report nor audit runs what no device would."""
    from pyarrow import parquet

    from tacit.labels import parse

    Study.from_public(
        parquet.read_table("public.parquet"),
        label=parse("left:binary:yes:no"),
        epsilon=15.0,
        source="a panel",
        simulation=True,
    ).save("study.json")
    assert "made for simulation" in refused(*REPORT)
    assert "made for simulation" in refused("audit", "study.json")


def test_the_demonstration_refuses_a_file_as_its_folder(refused: Refused) -> None:
    """And too few people to fit anything."""
    assert "--out must be a directory" in refused("demo", "--out", "study.json")
    assert "people must lie between 100" in refused("demo", "--out", "d", "--people", "9")


@pytest.mark.parametrize("where", ["tacit.cli.collect.randomize_rows", "os.fsync"])
def test_an_interrupted_run_leaves_the_old_output(
    folder: Path, tacit: Command, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    """Ctrl-C in the middle of the work or of the writing: exit code 130, nothing half-written."""
    before = _contents(folder)

    def interrupt(*_: object) -> Never:
        raise KeyboardInterrupt

    monkeypatch.setattr(where, interrupt)
    done = tacit(*REPORT)
    assert done == (130, "", "error: interrupted; nothing was left half-written\n")
    assert _contents(folder) == before


def test_a_full_disk_leaves_the_old_output(
    folder: Path, tacit: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the system says is passed on in one line."""
    before = _contents(folder)

    def full(_: object) -> Never:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    done = tacit(*REPORT)
    assert (done.code, done.err) == (2, "error: no space left on device\n")
    assert _contents(folder) == before
