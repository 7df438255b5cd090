"""Small studies for devices, and a collector that misbehaves on request."""

import json
import socket
import threading
from collections.abc import Callable
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np

from tacit import Binary, Study

RECORD = {"age": 41, "smoker": True}
GENERATOR = np.random.default_rng(2)
ROWS = {"age": GENERATOR.normal(45.0, 15.0, 200), "smoker": GENERATOR.random(200) < 0.3}


@cache
def study_of(
    title: str, epsilon: float = 1.0, reports: int = 1, *, simulation: bool = False
) -> Study:
    """A study that differs from others in its title."""
    return Study.from_public(
        ROWS,
        label=Binary("left", "yes", "no"),
        epsilon=epsilon,
        source="simulated",
        title=title,
        reports_per_person=reports,
        simulation=simulation,
    )


Behaviour = Callable[["Handler"], None]


class Collector(ThreadingHTTPServer):
    """Answers each request by the next behaviour of its script, and well after the last."""

    daemon_threads = True

    def __init__(self, *script: Behaviour) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = list(script)
        self.requests: list[Handler] = []
        self.released = threading.Event()
        self.thread = threading.Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01})
        self.thread.start()

    @property
    def address(self) -> str:
        """Where devices find it."""
        return f"http://127.0.0.1:{self.server_port}"

    @property
    def bodies(self) -> list[bytes]:
        """What was posted, in order."""
        return [request.body for request in self.requests]

    def stop(self) -> None:
        """Leave no thread and no socket behind."""
        self.released.set()
        self.shutdown()
        self.thread.join()
        self.server_close()

    def handle_error(self, *_: Any) -> None:
        """A device that hung up is no error of the collector."""


class Handler(BaseHTTPRequestHandler):
    """One request; what it brought stays readable."""

    server: Collector
    body = b""

    def do_GET(self) -> None:
        """Studies are fetched like this."""
        self._next()

    def do_POST(self) -> None:
        """Reports are sent like this."""
        self._next()

    def answer(self, status: int, body: bytes, **headers: str) -> None:
        """A whole answer."""
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""

    def _next(self) -> None:
        behave = self.server.script.pop(0) if self.server.script else store
        behave(self)


def store(request: Handler) -> None:
    """Take the report, as a collector does."""
    keep(request)
    request.answer(200, b'{"reports": 1}')


def keep(request: Handler) -> None:
    """Take the report without a word."""
    request.body = request.rfile.read(int(request.headers.get("Content-Length", 0)))
    request.server.requests.append(request)


def drop(request: Handler) -> None:
    """Hang up before anything is stored."""
    request.close_connection = True
    request.connection.shutdown(socket.SHUT_RDWR)


def store_and_drop(request: Handler) -> None:
    """Store the report, but hang up before saying so."""
    keep(request)
    drop(request)


def stay_silent(request: Handler) -> None:
    """Say nothing until the test is over."""
    keep(request)
    request.server.released.wait()
    request.close_connection = True


def noise(request: Handler) -> None:
    """Speak something else than HTTP."""
    keep(request)
    request.wfile.write(b"\x00\x01 what is this?\r\n\r\n")
    request.close_connection = True


def says(status: int, body: bytes | None = None, **headers: str) -> Behaviour:
    """Answer with a status, in the words of a collector unless a body is given."""
    words = json.dumps({"error": f"status {status}"}).encode() if body is None else body

    def behave(request: Handler) -> None:
        keep(request)
        request.answer(status, words, **headers)

    return behave
