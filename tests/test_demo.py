import json
import re
import signal
import subprocess
import sys
import urllib.request
from itertools import takewhile
from pathlib import Path

import numpy as np
import pytest

from tacit import Binary, Study
from tacit.cli import main
from tacit.demo.people import TRUTH, make_labels, make_people

FILES = {
    "forest.png", "forest.svg", "model.json", "plan.png", "public.parquet", "reports.tacit",
    "study.json",
}  # fmt: skip


def test_the_demonstration_can_be_run_again_and_its_files_used(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """People and study repeat, reports do not; fitting the files again gives the same model."""
    monkeypatch.setattr("tacit.demo.people.PUBLIC_ROWS", 2000)
    out = tmp_path / "new" / "demo"
    command = ["demo", "--out", str(out), "--people", "3000", "--epsilon", "6"]
    assert main(command) == 0
    first = _contents(out)
    told = capsys.readouterr().out
    assert f"of {len(TRUTH)} intervals hold the truth" in told
    assert f"tacit predict {out / 'model.json'}" in told
    assert main(command) == 0
    second = _contents(out)
    assert {*first} == {*second} == FILES
    assert second["study.json"] == first["study.json"]
    assert second["reports.tacit"] != first["reports.tacit"]

    capsys.readouterr()
    study, reports, public = (
        str(out / name) for name in ("study.json", "reports.tacit", "public.parquet")
    )
    assert (
        main(["fit", study, reports, "--public", public, "-o", str(out / "new"), "--no-plot"]) == 0
    )
    assert "warning" not in capsys.readouterr().err
    assert _contents(out)["new"] == second["model.json"]


def _contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_the_truth_is_that_of_the_made_up_people() -> None:
    """Names of the truth are the coefficients; labels follow its probabilities."""
    generator = np.random.default_rng(0)
    people = make_people(50_000, generator)
    study = Study.from_public(
        people, label=Binary("left", positive="yes", negative="no"), epsilon=1.0, source="a test"
    )
    assert study.transform.names == tuple(TRUTH)
    predictor = TRUTH["intercept"] + study.design(people) @ np.array([*TRUTH.values()][1:])
    expected = 1.0 / (1.0 + np.exp(-predictor))
    left = make_labels(people, generator) == "yes"
    error = np.sqrt((expected * (1 - expected)).sum())
    assert abs(left.sum() - expected.sum()) < 7 * error


LAST = "Press Ctrl-C to stop.\n"


def test_people_join_the_live_demonstration(tmp_path: Path) -> None:
    """The collector starts, everybody's report arrives by itself, and Ctrl-C ends it in order."""
    out = tmp_path / "demo"
    command = [sys.executable, "-m", "tacit", "demo", "--serve", "--port", "0", "--people", "200"]
    with subprocess.Popen(
        [*command, "--out", str(out), "--epsilon", "6"], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            told = "".join(takewhile(lambda line: line != LAST, process.stdout))
            dashboard, token = (
                re.findall(rf"^{name} +(\S+)", told, re.MULTILINE)[0]
                for name in ("Dashboard", "Admin token")
            )
            study = Study.load(out / "study.json")
            address = dashboard.replace("/dashboard", f"/studies/{study.id}/progress")
            asked = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
            while True:
                with urllib.request.urlopen(asked, timeout=60) as answer:
                    found = json.load(answer)
                if found["count"] == 200:
                    break
            assert found["planned"] == 200
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=60) == 0
        finally:
            process.kill()
    assert (out / "collector.db").exists()
