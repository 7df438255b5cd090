"""Devices that are killed at every step, and devices that race; prints what became of them.

Run as a program of its own (`python -m tests.device.crashes crash FOLDER`), which forks: a fork of
a test run, with its threads, would not be safe.
"""

import json
import os
import signal
import sqlite3
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tacit.device import Device
from tacit.device import device as device_module
from tacit.device import ledger as ledger_module
from tacit.device import upload as upload_module
from tacit.device.upload import Reply
from tacit.errors import BudgetError
from tests.device.helpers import RECORD, study_of

NEVER = -1
STUDY, ANOTHER = study_of("crash", 1.0), study_of("another", 1.0)
LIFETIME = 1.5  # room for one of the two studies


class Steps:
    """Counts the moments at which something becomes durable or leaves, and kills at one."""

    def __init__(self, fatal: int) -> None:
        self.fatal, self.count = fatal, 0

    def __call__(self) -> None:
        """One more moment."""
        if self.count == self.fatal:
            os.kill(os.getpid(), signal.SIGKILL)
        self.count += 1

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, with a moment before and one after it."""

        def stepped(*arguments: Any, **options: Any) -> Any:
            self()
            result = function(*arguments, **options)
            self()
            return result

        return stepped


def instrument(fatal: int, wire: Path) -> None:
    """Put steps around commits, witness, randomizing and sending; the network is a file.

    A killed process loses nothing that it handed to the system, so no disk is waited for.
    """
    steps = Steps(fatal)
    os.fsync = lambda fd: None

    class Watched(sqlite3.Connection):
        def execute(self, sql: str, *values: Any) -> sqlite3.Cursor:
            """The last statement of a change is a step, and its commit."""
            run = super().execute
            sql = sql.replace("synchronous = EXTRA", "synchronous = OFF")
            writes = sql.startswith(("COMMIT", "INSERT INTO ledger"))
            return (steps.around(run) if writes else run)(sql, *values)

    def exchange(_: str, __: str, ___: str, body: bytes, **____: Any) -> Reply:
        with wire.open("ab") as file:
            file.write(body)
        return Reply(200, b'{"reports": 1}')

    connect = sqlite3.connect
    sqlite3.connect = lambda *a, **k: connect(*a, factory=Watched, **k)  # type: ignore[assignment]
    ledger_module.write_witness = steps.around(ledger_module.write_witness)
    device_module.draw_seeds = steps.around(device_module.draw_seeds)  # type: ignore[attr-defined]
    upload_module.exchange = steps.around(exchange)


def take_part(folder: Path, fatal: int) -> None:
    """What an app does at every start: make the report unless it is made, and send it."""
    instrument(fatal, folder / "wire")
    device = Device(
        STUDY, ledger=folder / "ledger", lifetime=LIFETIME, collector="https://collector.test"
    )
    if not device.reports:
        report = device.report(RECORD, label="yes")
        (folder / "returned").write_bytes(bytes(report))
    device.send()


def in_a_fork(work: Callable[[], None]) -> bool:
    """Whether the work came to its end."""
    child = os.fork()
    if child == 0:
        work()
        os._exit(0)
    _, status = os.waitpid(child, 0)
    return status == 0


def crash_at(fatal: int, folder: Path) -> dict[str, Any]:
    """Kill, kill once more somewhere else, then let it run; and try to spend what is not left."""
    folder.mkdir()
    killed = not in_a_fork(lambda: take_part(folder, fatal))
    in_a_fork(lambda: take_part(folder, 7 * fatal % 31))
    finished = in_a_fork(lambda: take_part(folder, NEVER))
    device = Device(ANOTHER, ledger=folder / "ledger")
    try:
        device.report(RECORD, label="yes")
        refused = False
    except BudgetError:
        refused = True
    wire, (debit,) = (folder / "wire").read_bytes(), device.ledger.debits
    return {
        "killed": killed,
        "finished": finished,
        "spent": device.ledger.spent,
        "overspending_refused": refused,
        "state": str(debit.state),
        "on_the_wire": sorted({wire[i : i + 16].hex() for i in range(0, len(wire), 16)}),
        "kept": debit.seed.hex(),
        "files": sorted(path.name for path in folder.iterdir() if path.name.startswith("ledger")),
    }


def crash(folder: Path) -> list[dict[str, Any]]:
    """One run for each step of the device, until none is left to be killed at."""
    runs: list[dict[str, Any]] = []
    while not runs or runs[-1]["killed"]:
        runs.append(crash_at(len(runs), folder / str(len(runs))))
    return runs


def race(folder: Path) -> list[dict[str, Any]]:
    """Six processes at once, on a budget for one study of two reports."""
    study = study_of("race", 1.0, 2)
    ledger = folder / "ledger"

    def take_two() -> None:
        device = Device(study, ledger=ledger, lifetime=2.5)
        for _ in range(2):
            try:
                report = device.report(RECORD, label="yes")
                (folder / bytes(report).hex()).touch()
            except BudgetError:
                return

    children = []
    for _ in range(6):
        children.append(os.fork())
        if children[-1] == 0:
            take_two()
            os._exit(0)
    ended = [os.waitpid(child, 0)[1] for child in children]
    device = Device(study, ledger=ledger)
    returned = sorted(path.name for path in folder.iterdir() if not path.name.startswith("ledger"))
    kept = sorted(bytes(report).hex() for report in device.reports)
    spent = device.ledger.spent
    return [{"ended": ended, "returned": returned, "kept": kept, "spent": spent}]


if __name__ == "__main__":
    mode = {"crash": crash, "race": race}[sys.argv[1]]
    sys.stdout.write(json.dumps(mode(Path(sys.argv[2]))))
