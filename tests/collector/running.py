"""The real server, started as a process of its own and stopped again whatever happens."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from tacit.study import Study
from tacit.tables import write_parquet

DEADLINE = 60.0
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}


@dataclass(frozen=True)
class Reply:
    """What the server said."""

    status: int
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True)
class Running:
    """A server that listens: its address, the admin token, and where it keeps things."""

    address: str
    token: str | None
    process: subprocess.Popen[str]
    store: Path
    log: Path
    printed: str

    @property
    def port(self) -> int:
        """The port it listens on."""
        port = urlsplit(self.address).port
        assert port is not None
        return port

    def request(
        self,
        method: str,
        path: str,
        body: bytes | None = None,
        *,
        admin: bool = False,
        headers: Mapping[str, str] | None = None,
    ) -> Reply:
        """One request; an error status is an answer too, and redirects are not followed."""
        given = dict(headers or {})
        if admin:
            given["Authorization"] = f"Bearer {self.token}"
        asked = urllib.request.Request(self.address + path, data=body, headers=given, method=method)
        try:
            with _OPENER.open(asked, timeout=DEADLINE) as found:
                return Reply(found.status, _Headers(found.headers.items()), found.read())
        except urllib.error.HTTPError as error:
            with error:
                return Reply(error.code, _Headers(error.headers.items()), error.read())

    def stop(self) -> int:
        """Ask it to stop, as a service manager would, and return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=DEADLINE)

    def kill(self) -> None:
        """Kill it, with no chance to tidy up."""
        self.process.kill()
        self.process.wait(timeout=DEADLINE)


@contextlib.contextmanager
def running(
    folder: Path,
    study: Study,
    public: Any = None,
    *options: str,
    token: str | None = None,
    port: int = 0,
    prefix: tuple[str, ...] = (),
) -> Iterator[Running]:
    """`tacit serve` of a study in a folder, without a rate limit unless `options` set one.

    `public` are rows in columns. A second start in one folder finds the same store; hand it the
    first one's `token`. `prefix` goes before the command (`taskset -c 0`).
    """
    study_file, store, log = folder / "study.json", folder / "study.db", folder / "server.log"
    study.save(study_file)
    if public is not None:
        (folder / "public.parquet").write_bytes(write_parquet(public))
        options = ("--public", str(folder / "public.parquet"), *options)
    if "--rate" not in options:
        options = ("--rate", "0", *options)
    command = [*prefix, sys.executable, "-m", "tacit", "serve", str(study_file)]
    with log.open("a") as errors:
        process = subprocess.Popen(
            [*command, "--store", str(store), "--port", str(port), *options],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
            env=os.environ | ONE_THREAD,
        )
    try:
        printed = _wait_until_it_listens(process, log)
        shown = re.search(r"^Admin token +(\S{40,})$", printed, re.MULTILINE)
        address = re.search(r"^Dashboard +(\S+)/dashboard$", printed, re.MULTILINE)
        assert address is not None, printed
        found = shown.group(1) if shown else token
        yield Running(address.group(1), found, process, store, log, printed)
    finally:
        process.kill()
        process.wait()
        if process.stdout is not None:
            process.stdout.close()


def _wait_until_it_listens(process: subprocess.Popen[str], log: Path) -> str:
    """What it prints up to its last line, which it prints once connections are taken."""
    assert process.stdout is not None
    printed = ""
    watch = threading.Timer(DEADLINE, process.kill)
    watch.start()
    try:
        for line in process.stdout:
            printed += line
            if line.startswith("Press Ctrl-C"):
                return printed
    finally:
        watch.cancel()
    raise AssertionError(f"the server did not start: {printed}{log.read_text()}")


class _Headers(dict[str, str]):
    """Found whatever the case of their names."""

    def __init__(self, pairs: Iterable[tuple[str, str]]) -> None:
        super().__init__((name.lower(), value) for name, value in pairs)

    def __getitem__(self, name: str) -> str:
        return super().__getitem__(name.lower())

    def __contains__(self, name: object) -> bool:
        return super().__contains__(str(name).lower())


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}), _NoRedirect())
