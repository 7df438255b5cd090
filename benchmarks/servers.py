"""Servers in processes of their own, pinned to a core and stopped whatever happens."""

import contextlib
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tacit import Study

_START_SECONDS = 120.0


@dataclass(frozen=True)
class Server:
    """A process that listens on a port, and the path that takes its reports."""

    port: int
    path: str
    process_id: int

    @property
    def resident(self) -> float:
        """Memory it holds now (MB)."""
        return self._memory("VmRSS")

    @property
    def peak(self) -> float:
        """The most memory it held since `forget_peak` (MB)."""
        return self._memory("VmHWM")

    def forget_peak(self) -> None:
        """Let `peak` count from now on."""
        Path(f"/proc/{self.process_id}/clear_refs").write_text("5")

    def _memory(self, name: str) -> float:
        status = Path(f"/proc/{self.process_id}/status").read_text()
        kilobytes = next(line for line in status.splitlines() if line.startswith(name)).split()[1]
        return int(kilobytes) / 1024


@contextlib.contextmanager
def bare(core: int) -> Iterator[Server]:
    """The handler that does nothing."""
    port = _free_port()
    with _started([sys.executable, "-m", "benchmarks.bare", str(port)], port, core) as process_id:
        yield Server(port, "/", process_id)


@contextlib.contextmanager
def collector(store: Path, study: Study, core: int) -> Iterator[Server]:
    """`tacit serve`, with no limit on what one client may send."""
    port, file = _free_port(), store.with_suffix(".json")
    study.save(file)
    command = [sys.executable, "-m", "tacit", "serve", str(file), "--store", str(store)]
    with _started([*command, "--port", str(port), "--rate", "0"], port, core) as process_id:
        yield Server(port, f"/studies/{study.id}/reports", process_id)


@contextlib.contextmanager
def _started(command: Sequence[str], port: int, core: int) -> Iterator[int]:
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    try:
        os.sched_setaffinity(process.pid, {core})
        _wait_until_it_listens(process, port)
        yield process.pid
    finally:
        process.kill()
        process.wait()


def _wait_until_it_listens(process: subprocess.Popen[bytes], port: int) -> None:
    end = time.monotonic() + _START_SECONDS
    while time.monotonic() < end and process.poll() is None:
        with contextlib.suppress(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port)).close()
            return
        time.sleep(0.05)
    raise RuntimeError(f"{process.args!r} does not listen on port {port}")


def _free_port() -> int:
    with socket.socket() as chosen:
        chosen.bind(("127.0.0.1", 0))
        port: int = chosen.getsockname()[1]
        return port
