"""A finished study on disk, made by the commands themselves, once."""

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from tacit.cli import main
from tacit.demo.people import make_labels, make_people
from tacit.tables import csv_text, write_parquet

STUDY = ("--label", "left:binary:yes:no", "--epsilon", "4", "--source", "a made-up panel")


class Outcome(NamedTuple):
    """What a command leaves behind for its caller."""

    code: int
    out: str
    err: str


Command = Callable[..., Outcome]


def make_files(folder: Path) -> None:
    """Public rows as Parquet, people as CSV: one without a label, one with a wild age."""
    generator = np.random.default_rng(11)
    (folder / "public.parquet").write_bytes(write_parquet(make_people(1500, generator)))
    people = make_people(4000, generator)
    rows: list[list[Any]] = [
        list(row) for row in zip(*people.values(), make_labels(people, generator), strict=True)
    ]
    rows[0][-1], rows[1][0] = "", "forty"
    (folder / "people.csv").write_text(csv_text([*people, "left"], rows))


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Study, reports and model as the commands write them; copy before changing any."""
    folder = tmp_path_factory.mktemp("finished")
    make_files(folder)
    study, public = str(folder / "study.json"), str(folder / "public.parquet")
    reports, model = str(folder / "reports.tacit"), str(folder / "model.json")
    assert main(["study", public, *STUDY, "-o", study]) == 0
    assert main(["report", study, str(folder / "people.csv"), "-o", reports]) == 0
    assert main(["fit", study, reports, "--public", public, "-o", model, "--no-plot"]) == 0
    return folder


@pytest.fixture
def folder(finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A fresh copy of the finished study, as the working directory."""
    shutil.copytree(finished, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def tacit(capsys: pytest.CaptureFixture[str]) -> Command:
    """Run one command in this process."""

    def run(*arguments: str) -> Outcome:
        capsys.readouterr()
        code = main(arguments)
        return Outcome(code, *capsys.readouterr())

    return run
