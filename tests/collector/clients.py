"""Clients on plain sockets: they send the bytes they are given, in pieces, slowly or never."""

import contextlib
import re
import socket
from collections.abc import Iterable, Iterator

import numpy as np

from tacit.study import Binary, Study

PATIENCE = 60.0
HOST = "127.0.0.1"


def small_study(title: str = "faults") -> Study:
    """Three features and a yes-or-no label."""
    rows = np.random.default_rng(0).standard_normal((3, 500))
    return Study.from_public(
        {f"x{j}": column for j, column in enumerate(rows)},
        label=Binary("label", positive="yes", negative="no"),
        epsilon=1.0,
        source=title,
    )


def seeds(generator: np.random.Generator, count: int) -> bytes:
    """The bytes of reports nobody sent before."""
    return generator.bytes(16 * count)


def head(method: str, path: str, *lines: str) -> bytes:
    """The head of a request, with its empty line."""
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: localhost", *lines, "", "")).encode()


@contextlib.contextmanager
def connected(port: int) -> Iterator[socket.socket]:
    """An open connection."""
    with socket.create_connection((HOST, port), timeout=PATIENCE) as opened:
        yield opened


def sent(opened: socket.socket, pieces: Iterable[bytes]) -> int:
    """Bytes the server let us send: it may close the connection before it has them all."""
    count = 0
    with contextlib.suppress(ConnectionError):
        for piece in pieces:
            opened.sendall(piece)
            count += len(piece)
    return count


def statuses(opened: socket.socket) -> list[int]:
    """The statuses of all answers until the server closes the connection."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while piece := opened.recv(1 << 16):
            received += piece
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", received)]


def exchange(port: int, *pieces: bytes) -> list[int]:
    """Send over one connection, and what the server answered until it closed it."""
    with connected(port) as opened:
        sent(opened, pieces)
        return statuses(opened)
