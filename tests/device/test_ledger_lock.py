"""The lock of a ledger: who waits for it, how often it is taken, and what it prevents."""

import sqlite3
import threading
from pathlib import Path
from typing import Any

import pytest

from tacit.device import Ledger
from tacit.device import ledger as ledger_module
from tacit.device.book import State
from tacit.errors import BudgetError, LedgerError
from tests.device.helpers import study_of

SEED = bytes(range(16))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the ledger of a test is."""
    return tmp_path / "tacit.ledger"


def test_a_ledger_in_use_says_so(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever holds the lock too long is named as the cause."""
    ledger = Ledger(path, lifetime=1.0)
    monkeypatch.setattr(ledger_module, "PATIENCE", 0.0)
    holder = sqlite3.connect(path, isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(LedgerError, match="in use by another program"):
        ledger.debit(study_of("a"))
    holder.close()
    assert ledger.spent == 0.0


@pytest.fixture
def begun(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Every transaction that a ledger begins from now on."""
    statements: list[str] = []
    connect = sqlite3.connect

    def trace(statement: str) -> None:
        if statement.startswith("BEGIN"):
            statements.append(statement)

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(trace)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    return statements


def test_reading_takes_the_lock_once_and_a_change_twice(path: Path, begun: list[str]) -> None:
    """Once for the change, once for the witness of it; what changes nothing only reads."""
    ledger = Ledger(path, lifetime=9.0)
    taken = []
    for use in (
        ledger.read,
        lambda: ledger.spent,
        lambda: ledger.debits,
        lambda: ledger.debit(study_of("a")),
        lambda: ledger.debit(study_of("a")),
        lambda: ledger.fill(1, SEED),
        lambda: ledger.fill(1, SEED),
        lambda: ledger.settle(1, State.READY, "no answer"),
        lambda: ledger.settle(1, State.READY, "no answer"),
        lambda: ledger.address("0" * 64, code="code"),
    ):
        begun.clear()
        use()
        taken.append(len(begun))
    assert taken == [1, 1, 1, 2, 1, 2, 1, 2, 1, 1]


def test_a_read_writes_a_witness_that_lags_behind(path: Path, begun: list[str]) -> None:
    """Under the lock it has already."""
    ledger = Ledger(path, lifetime=9.0)
    before = ledger.witness_path.read_bytes()
    ledger.debit(study_of("a"))
    after = ledger.witness_path.read_bytes()
    ledger.witness_path.write_bytes(before)
    begun.clear()
    assert ledger.spent == 1.0
    assert ledger.witness_path.read_bytes() == after
    assert len(begun) == 1


def test_threads_never_overspend(path: Path) -> None:
    """Eight at once on a budget for three: three get through."""
    Ledger(path, lifetime=3.0)
    start, done = threading.Barrier(8), []

    def work(number: int) -> None:
        start.wait()
        try:
            done.append(Ledger(path, lifetime=3.0).debit(study_of(f"thread {number}")))
        except BudgetError:
            done.append(0)

    for number in range(8):
        study_of(f"thread {number}")
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [0] * 5 + [1, 2, 3]
    assert Ledger(path).spent == 3.0
