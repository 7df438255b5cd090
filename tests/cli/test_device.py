"""What the owner of a device sees: spent, left, and what became of every report."""

import json
import shutil
from pathlib import Path

import pytest

from tacit.device import Device, Ledger
from tacit.device.book import State
from tests.cli.conftest import Command
from tests.device.helpers import RECORD, Collector, says, study_of


@pytest.fixture
def ledger(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ledger:
    """One report of every fate, in the working directory."""
    monkeypatch.chdir(tmp_path)
    made = Ledger("tacit.ledger", lifetime=8.0)
    for title in ("Waiting", "No address", "Sent", "Refused\x1b[2J"):
        collector = "" if title == "No address" else "http://127.0.0.1:1"
        device = Device(study_of(title, 0.5), ledger=made.path, collector=collector)
        device.report(RECORD, label="yes")
    made.settle(3, State.SENT)
    made.settle(4, State.REFUSED, "this study is closed")
    made.debit(study_of("Begun", 2.0))
    return made


def test_status_tells_every_fate_in_words(ledger: Ledger, tacit: Command) -> None:
    """Aligned, with the budget as a bar and what it means."""
    done = tacit("device", "status", "tacit.ledger")
    assert done.code == 0
    assert done.err == ""
    assert f"ledger  {ledger.path}" in done.out
    assert "[###############...............] 50%" in done.out
    assert "epsilon 4 spent, 4 left of 8" in done.out
    assert "guesses right with at most 98.3%" in done.out
    for words in (
        "waiting for http://127.0.0.1:1",
        "waiting; the app has named no collector yet",
        "sent to http://127.0.0.1:1",
        "refused by http://127.0.0.1:1 (this study is closed)",
        "begun; the study's next report uses this debit",
    ):
        assert words in done.out
    assert "\x1b" not in done.out
    rows = done.out.partition("\nstudy ")[2].splitlines()[1:]
    assert {row.index("  begun") for row in rows if "begun" in row} == {
        row.index("  sent") for row in rows if "sent" in row
    }


def test_status_as_json_has_everything_but_codes(ledger: Ledger, tacit: Command) -> None:
    """For programs; a participation code is a secret."""
    number = ledger.debit(study_of("Coded", 0.5))
    ledger.fill(number, bytes(16), code="SECRET")
    done = tacit("device", "status", "tacit.ledger", "--json")
    told = json.loads(done.out)
    assert (told["lifetime"], told["spent"], told["left"]) == (8.0, 4.5, 3.5)
    assert [debit["state"] for debit in told["debits"]] == [
        *("ready", "ready", "sent", "refused", "debited", "ready")
    ]
    assert told["debits"][5]["report"] == "00" * 16
    assert told["debits"][4]["report"] is None
    assert "SECRET" not in done.out


def test_status_of_an_unused_ledger_is_short(tmp_path: Path, tacit: Command) -> None:
    """Nothing spent, nothing made."""
    Ledger(tmp_path / "new", lifetime=3.0)
    out = tacit("device", "status", str(tmp_path / "new")).out
    assert "epsilon 0 spent, 3 left of 3" in out
    assert out.endswith("No report has been made.\n")


def test_an_older_copy_is_told(ledger: Ledger, tacit: Command) -> None:
    """Once as a warning, and for ever in the status."""
    shutil.copy(ledger.path, "copy")
    ledger.debit(study_of("Later", 0.5))
    shutil.copy("copy", ledger.path)
    done = tacit("device", "status", "tacit.ledger")
    assert "is an older copy" in done.err
    assert "epsilon 4.5 spent" in done.out
    again = tacit("device", "status", "tacit.ledger")
    assert again.err == ""
    assert "lost, counted" in again.out
    assert "restored from an older copy, or deleted" in again.out


def test_send_sends_what_waits(ledger: Ledger, tacit: Command) -> None:
    """The numbers on stdout, and why something waits on stderr."""
    done = tacit("device", "send", "tacit.ledger")
    assert (done.code, done.out) == (0, "sent 0, waiting 2, refused 0\n")
    assert "Waiting" in done.err
    assert "no connection" in done.err
    collector = Collector(says(410))
    try:
        for title in ("Waiting", "No address"):
            ledger.address(study_of(title, 0.5).id, collector=collector.address)
        done = tacit("device", "send", "tacit.ledger")
    finally:
        collector.stop()
    assert done.out == "sent 1, waiting 0, refused 1\n"
    assert "(status 410)" in done.err


def test_budget_changes_what_is_allowed(ledger: Ledger, tacit: Command) -> None:
    """Below what was spent, nothing is left."""
    done = tacit("device", "budget", "tacit.ledger", "--lifetime", "2")
    assert done.code == 0
    assert "epsilon 4 spent, 0 left of 2" in done.out
    assert Ledger("tacit.ledger").lifetime == 2.0
    assert tacit("device", "budget", "tacit.ledger", "--lifetime", "-1").code == 2


@pytest.mark.parametrize("command", [("status",), ("send",), ("budget", "--lifetime", "9")])
def test_a_missing_or_damaged_ledger_is_one_line(
    tmp_path: Path, tacit: Command, command: tuple[str, ...]
) -> None:
    """And nothing is created."""
    name, *options = command
    done = tacit("device", name, str(tmp_path / "none"), *options)
    assert done.code == 2
    assert done.err.startswith("error: there is no ledger")
    assert not list(tmp_path.iterdir())
    (tmp_path / "none").write_bytes(b"nonsense")
    done = tacit("device", name, str(tmp_path / "none"), *options)
    assert done.code == 2
    assert "is damaged" in done.err
    assert done.err.count("\n") == 1
