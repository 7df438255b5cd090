"""A device with a ledger: debit, randomize, keep, send, in this order whatever happens."""

import json
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tacit import Report
from tacit.device import Device, Ledger
from tacit.device.book import State
from tacit.device.randomize import draw_seeds
from tacit.errors import BudgetError, ConfigurationError, LedgerError, MissingLabelError
from tests.device.helpers import RECORD, study_of

DRAW = "tacit.device.device.draw_seeds"
ROOT = Path(__file__).parents[2]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger of a test is."""
    return tmp_path / "tacit.ledger"


def run_program(mode: str, folder: Path) -> list[dict[str, Any]]:
    """What `crashes.py` found."""
    program = [sys.executable, "-m", "tests.device.crashes", mode, str(folder)]
    done = subprocess.run(program, cwd=ROOT, capture_output=True, text=True, check=True)
    found: list[dict[str, Any]] = json.loads(done.stdout)
    return found


def test_a_report_is_debited_kept_and_returned(path: Path) -> None:
    """What the ledger keeps is what the app gets, and nothing of the record."""
    study = study_of("a", 0.5)
    device = Device(study, ledger=path, lifetime=2.0, collector="https://c.example/", code=" K7 ")
    report = device.report(RECORD, label="yes")
    (debit,) = device.ledger.debits
    assert report == Report(study.id, debit.seed)
    assert device.reports == (report,)
    assert (debit.epsilon, debit.title, debit.state) == (0.5, "a", State.READY)
    assert (debit.collector, debit.code) == ("https://c.example", "K7")
    assert device.ledger.spent == 0.5
    assert "tacit.ledger" in repr(device)


def test_a_second_report_needs_a_study_that_takes_two(path: Path) -> None:
    """Reports per person are the study's word; the same bytes can be had again."""
    device = Device(study_of("a"), ledger=path, lifetime=5.0)
    report = device.report(RECORD, label="yes")
    with pytest.raises(BudgetError, match="takes 1 report of each person"):
        device.report(RECORD, label="no")
    assert Device(study_of("a"), ledger=path).reports == (report,)
    two = Device(study_of("two", 1.0, 2), ledger=path)
    assert two.report(RECORD, label="yes") != two.report(RECORD, label="yes")
    with pytest.raises(BudgetError, match="takes 2 reports"):
        two.report(RECORD, label="yes")


def test_a_report_beyond_the_lifetime_is_not_made(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The refusal comes before anything is randomized, whatever the answers are."""
    device = Device(study_of("a", 2.0), ledger=path, lifetime=1.0)
    monkeypatch.setattr(DRAW, None)
    for label in ("yes", "no", "what?"):
        with pytest.raises(BudgetError, match="costs epsilon 2, but 1 is left"):
            device.report(RECORD, label=label)
    assert device.ledger.debits == ()


@pytest.mark.parametrize("label", [None, float("nan"), " "])
def test_a_missing_label_costs_nothing(path: Path, label: Any) -> None:
    """There is nothing to report, so nothing is debited."""
    device = Device(study_of("a"), ledger=path, lifetime=1.0)
    with pytest.raises(MissingLabelError):
        device.report(RECORD, label=label)
    assert device.ledger.debits == ()


@pytest.mark.parametrize("record", [{"age": 3}, {**RECORD, "heigth": 1}, {}])
def test_a_wrong_name_costs_nothing(path: Path, record: dict[str, Any]) -> None:
    """A bug in the app is found before the debit."""
    device = Device(study_of("a"), ledger=path, lifetime=1.0)
    with pytest.raises(ConfigurationError):
        device.report(record, label="yes")
    assert device.ledger.debits == ()


@pytest.mark.parametrize("value", [None, "what?", 1e300, [], {}, b"\x00"])
def test_a_wild_value_reports_all_the_same(path: Path, value: Any) -> None:
    """Values are private: the ledger cannot be told from that of another record."""
    device = Device(study_of("a"), ledger=path, lifetime=1.0)
    device.report({"age": value, "smoker": value}, label="what?")
    (debit,) = device.ledger.debits
    assert (debit.state, len(debit.seed), debit.reason) == (State.READY, 16, "")


def test_a_study_for_simulation_is_refused(path: Path) -> None:
    """Before a ledger is made."""
    with pytest.raises(ConfigurationError, match="made for simulation"):
        Device(study_of("a", simulation=True), ledger=path, lifetime=1.0)
    assert not path.exists()


def test_without_randomness_the_debit_waits(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error passes on; the next report uses the debit."""

    def fail(*_: Any) -> None:
        raise OSError("no randomness")

    device = Device(study_of("a"), ledger=path, lifetime=1.0)
    monkeypatch.setattr(DRAW, fail)
    with pytest.raises(OSError, match="no randomness"):
        device.report(RECORD, label="yes")
    monkeypatch.undo()
    device.report(RECORD, label="yes")
    assert device.ledger.spent == 1.0


def test_a_damaged_ledger_randomizes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever cannot be counted is not made."""
    device = Device(study_of("a"), ledger=path, lifetime=1.0)
    path.write_bytes(path.read_bytes()[:4096])
    monkeypatch.setattr(DRAW, None)
    with pytest.raises(LedgerError, match="is damaged"):
        device.report(RECORD, label="yes")


def test_whoever_loses_a_debit_to_another_takes_a_new_one(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two that begin with one debit end with two reports and two debits, or an error."""
    study, draw = study_of("two", 1.0, 2), draw_seeds
    device = Device(study, ledger=path, lifetime=9.0)
    others: list[Report] = []

    def overtaken(*arguments: Any) -> Any:
        monkeypatch.setattr(DRAW, draw)
        others.append(Device(study, ledger=path).report(RECORD, label="no"))
        return draw(*arguments)

    monkeypatch.setattr(DRAW, overtaken)
    report = device.report(RECORD, label="yes")
    assert device.reports == (others[0], report)
    assert device.ledger.spent == 2.0


def test_threads_share_the_reports_of_a_study(path: Path) -> None:
    """Six at once on a study of two reports: two get one each, and both are kept."""
    study, start = study_of("two", 1.0, 2), threading.Barrier(6)
    device = Device(study, ledger=path, lifetime=9.0)
    made: list[Report | None] = []

    def work() -> None:
        start.wait()
        try:
            made.append(device.report(RECORD, label="yes"))
        except BudgetError:
            made.append(None)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made.count(None) == 4
    assert set(made) - {None} == set(device.reports)
    assert device.ledger.spent == 2.0


def test_processes_share_the_reports_of_a_study(tmp_path: Path) -> None:
    """As threads do; the ledger is made by whichever comes first."""
    (found,) = run_program("race", tmp_path)
    assert found["ended"] == [0] * 6
    assert len(found["returned"]) == 2
    assert found["returned"] == found["kept"]
    assert found["spent"] == 2.0


def test_a_device_killed_at_any_step_spends_once_and_sends_the_same_bytes(tmp_path: Path) -> None:
    """Killed twice, it ends with one debit, one report, and nothing else ever on the wire."""
    runs = run_program("crash", tmp_path)
    assert sum(run["killed"] for run in runs) == len(runs) - 1 > 40
    for step, run in enumerate(runs):
        assert run["finished"], step
        assert run["spent"] == 1.0, step
        assert run["overspending_refused"], step
        assert run["state"] == "sent", step
        assert run["on_the_wire"] == [run["kept"]], step
        assert run["files"] == ["ledger", "ledger.witness"], step


@pytest.mark.parametrize("shift", [-365 * 86400.0, 365 * 86400.0])
def test_the_clock_plays_no_part(path: Path, monkeypatch: pytest.MonkeyPatch, shift: float) -> None:
    """A year earlier or later the files are the same to the last byte, given the same bytes."""
    seeds = np.arange(16, dtype=np.uint8).reshape(1, 16)
    monkeypatch.setattr(DRAW, lambda *_: seeds)
    contents = []
    for moved in (0.0, shift):
        for name in ("time", "monotonic"):
            now = getattr(time, name)
            monkeypatch.setattr(time, name, lambda now=now, moved=moved: now() + moved)
        device = Device(study_of("a"), ledger=path, lifetime=1.0)
        device.report(RECORD, label="yes")
        contents.append((path.read_bytes(), device.ledger.witness_path.read_bytes()))
        with pytest.raises(BudgetError):
            Device(study_of("b"), ledger=path).report(RECORD, label="yes")
        path.unlink()
        device.ledger.witness_path.unlink()
    assert contents[0] == contents[1]


def test_a_ledger_serves_devices_of_many_studies(path: Path) -> None:
    """Fifty studies, one budget."""
    made = 0
    for number in range(50):
        device = Device(study_of(f"study {number}", 0.7), ledger=path, lifetime=7.0)
        try:
            device.report(RECORD, label="yes")
            made += 1
        except BudgetError:
            assert device.reports == ()
    assert made == 10
    assert Ledger(path).spent == 7.0
