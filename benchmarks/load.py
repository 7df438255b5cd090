"""Posts reports as fast as they are answered, or at a fixed rate, over many open connections.

Run as a process of its own (`python -m benchmarks.load`), so that it has a core to itself; plain
sockets and one epoll, so that it is several times faster than what it measures. At a fixed rate
a latency counts from when the request was due, not from when it could be sent: a server that
stalls is not excused from the requests it kept waiting.
"""

import json
import os
import select
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field

import numpy as np

_REPORT_BYTES = 16
_LARGEST_READ = 1 << 16
_PATIENCE = 30.0  # seconds without any answer: the server is gone
_SUCCESS = b"HTTP/1.1 200"


@dataclass(frozen=True)
class Load:
    """What to post, where; as fast as answered, or `rate` requests a second."""

    port: int
    path: str
    reports: int  # in each request
    connections: int
    seconds: float
    rate: float | None = None


@dataclass(frozen=True)
class Answered:
    """Successes per second, failures, and how long answers took (milliseconds)."""

    rate: float
    failed: int
    median: float
    p99: float
    longest: float


def drive(load: Load, core: int) -> Answered:
    """Post from a process of its own, pinned to a core."""
    command = [sys.executable, "-m", "benchmarks.load", json.dumps(asdict(load)), str(core)]
    done = subprocess.run(command, stdout=subprocess.PIPE, check=True)
    return Answered(**json.loads(done.stdout))


@dataclass
class _Connection:
    """One request at a time: what is left to send of it, and what came back so far."""

    socket: socket.socket
    due: float = 0.0
    unsent: memoryview = field(default_factory=lambda: memoryview(b""))
    received: bytes = b""


class _Generator:
    """Closed or open loop over a set of keep-alive connections."""

    def __init__(self, load: Load) -> None:
        self._load = load
        self._requests = _requests(load)
        self._poll = select.epoll()
        self._connections: dict[int, _Connection] = {}
        self._idle: list[_Connection] = []
        self._times: list[float] = []
        self._failed = 0
        self._answer_bytes = 0  # length of a successful answer, once one was taken apart
        for _ in range(load.connections):
            self._connect()

    def run(self) -> Answered:
        """Post for the given time, then wait for what is still unanswered."""
        start = last = time.perf_counter()
        end, sent = start + self._load.seconds, 0
        while True:
            now = time.perf_counter()
            due = self._due(start, sent, now)
            while self._idle and due <= now and due < end:
                self._post(self._idle.pop(), due)
                sent += 1
                due = self._due(start, sent, now)
            if due >= end and len(self._idle) == self._load.connections:
                return self._answered(last - start)
            ready = self._poll.poll(max(0.0, min(due, end) - now - 0.001) if self._idle else 1.0)
            for number, _ in ready:
                self._serve(self._connections[number])
            last = time.perf_counter() if ready else last
            if time.perf_counter() - last > _PATIENCE + (due - now):
                raise TimeoutError(f"no answer for {_PATIENCE:g} s")

    def _due(self, start: float, sent: int, now: float) -> float:
        return now if self._load.rate is None else start + sent / self._load.rate

    def _connect(self) -> None:
        opened = socket.create_connection(("127.0.0.1", self._load.port))
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        opened.setblocking(False)
        connection = _Connection(opened)
        self._connections[opened.fileno()] = connection
        self._poll.register(opened.fileno(), select.EPOLLIN)
        self._idle.append(connection)

    def _post(self, connection: _Connection, due: float) -> None:
        connection.due = due
        connection.unsent = memoryview(next(self._requests))
        self._send(connection)
        if connection.unsent:
            self._poll.modify(connection.socket.fileno(), select.EPOLLIN | select.EPOLLOUT)

    def _serve(self, connection: _Connection) -> None:
        if connection.unsent:
            self._send(connection)
            if not connection.unsent:
                self._poll.modify(connection.socket.fileno(), select.EPOLLIN)
        try:
            read = connection.socket.recv(_LARGEST_READ)
        except BlockingIOError:
            return
        if not read:
            raise ConnectionError("the server closed a connection that was in use")
        connection.received += read
        if self._is_whole(connection.received):
            self._finish(connection)

    def _finish(self, connection: _Connection) -> None:
        if connection.received.startswith(_SUCCESS):
            self._times.append(time.perf_counter() - connection.due)
        else:
            self._failed += 1
        connection.received = b""
        self._idle.append(connection)

    def _send(self, connection: _Connection) -> None:
        try:
            while connection.unsent:
                connection.unsent = connection.unsent[connection.socket.send(connection.unsent) :]
        except BlockingIOError:
            return

    def _is_whole(self, answer: bytes) -> bool:
        if len(answer) == self._answer_bytes and answer.startswith(_SUCCESS):
            return True
        head, blank, body = answer.partition(b"\r\n\r\n")
        if not blank:
            return False
        length = next(int(line.split(b":")[1]) for line in head.lower().split(b"\r\n")
                      if line.startswith(b"content-length:"))  # fmt: skip
        if len(body) < length:
            return False
        if answer.startswith(_SUCCESS):
            self._answer_bytes = len(answer)
        return True

    def _answered(self, took: float) -> Answered:
        times = np.array(self._times or [np.inf]) * 1e3
        median, p99 = np.quantile(times, [0.5, 0.99])
        rate = len(self._times) / took
        return Answered(rate, self._failed, float(median), float(p99), float(times.max()))


def _requests(load: Load) -> Iterator[bytes]:
    """Requests that bring reports nobody sent before."""
    size = _REPORT_BYTES * load.reports
    head = (
        f"POST {load.path} HTTP/1.1\r\nHost: localhost\r\n"
        f"Content-Type: application/octet-stream\r\nContent-Length: {size}\r\n\r\n"
    ).encode()
    while True:
        drawn = os.urandom(max(1, (1 << 20) // size) * size)
        for start in range(0, len(drawn), size):
            yield head + drawn[start : start + size]


if __name__ == "__main__":
    os.sched_setaffinity(0, {int(sys.argv[2])})
    print(json.dumps(asdict(_Generator(Load(**json.loads(sys.argv[1]))).run())))
