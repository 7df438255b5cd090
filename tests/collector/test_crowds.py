"""Clients that keep the server waiting, one or thousands: others are served meanwhile."""

import contextlib
import re
import resource
import socket
import time
from pathlib import Path

import numpy as np
import pytest

from tests.collector.clients import PATIENCE, connected, head, seeds, small_study, statuses
from tests.collector.exports import stored_tally
from tests.collector.running import Running, running

CONNECTIONS = 3_000
FILES_KEPT_FREE = 200

pytestmark = pytest.mark.assure  # deadlines are waited for


def test_a_slow_client_is_told_so_and_leaves(tmp_path: Path) -> None:
    """A body, a chunk or a head that stays away: 408; no request at all: closed without a word."""
    study = small_study()
    path = f"/studies/{study.id}/reports"
    starts = [
        head("POST", path, "Content-Length: 32") + bytes(16),
        head("POST", path, "Transfer-Encoding: chunked") + b"10\r\n" + bytes(8),
        head("POST", path, "Content-Length: 16")[:-2],
        b"POST",
        b"",
    ]
    with running(tmp_path, study) as server, contextlib.ExitStack() as stack:
        opened = [stack.enter_context(connected(server.port)) for _ in starts]
        for connection, start in zip(opened, starts, strict=True):
            connection.sendall(start)
        assert posted(server, path, 5) == 200
        assert [statuses(connection) for connection in opened] == [[408]] * 4 + [[]]
        check_unharmed(server, path, 5)


def test_a_body_in_drops_is_cut_off(tmp_path: Path) -> None:
    """Each byte in time does not make the whole in time."""
    study = small_study()
    path = f"/studies/{study.id}/reports"
    with running(tmp_path, study) as server, connected(server.port) as opened:
        opened.sendall(head("POST", path, "Content-Length: 160000"))
        opened.settimeout(0.5)
        received = b""
        for _ in range(100):
            with contextlib.suppress(TimeoutError):
                received += opened.recv(4_096)
            if received:
                break
            opened.sendall(b"x")
        assert received.startswith(b"HTTP/1.1 408")
        check_unharmed(server, path, 0)


@pytest.mark.parametrize("start", [b"", b"POST /studies/"])
def test_thousands_of_idle_connections_leave_room_for_others(tmp_path: Path, start: bytes) -> None:
    """3,000 connections that ask for nothing, or begin to: other clients are still served."""
    study = small_study()
    path = f"/studies/{study.id}/reports"
    count = allowed_connections()
    with running(tmp_path, study) as server, contextlib.ExitStack() as stack:
        crowd: list[socket.socket] = []
        for _ in range(count):
            crowd.append(stack.enter_context(connected(server.port)))
            crowd[-1].sendall(start)
        for _ in range(20):
            assert posted(server, path, 1) == 200
        expected = [408] if start else []
        assert [statuses(one) for one in crowd] == [expected] * count
        check_unharmed(server, path, 20)


def test_clients_that_do_not_read_are_dropped(tmp_path: Path) -> None:
    """Ten that ask for forty pages each: gone before long, without a complaint."""
    study = small_study()
    path = f"/studies/{study.id}/reports"
    with running(tmp_path, study) as server, contextlib.ExitStack() as stack:
        for _ in range(10):
            opened = stack.enter_context(connected(server.port))
            opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
            opened.sendall(head("GET", "/join") * 90)
        end = time.monotonic() + PATIENCE
        while open_connections(server) > 1:
            assert time.monotonic() < end
            time.sleep(0.1)
        check_unharmed(server, path, 0)


def open_connections(server: Running) -> int:
    """As the server counts them, with the one that asks."""
    metrics = server.request("GET", "/metrics", admin=True).body.decode()
    [shown] = re.findall(r"^tacit_open_connections (\d+)$", metrics, re.MULTILINE)
    return int(shown)


def allowed_connections() -> int:
    """As many as wanted, or as this process may open."""
    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    return (
        CONNECTIONS if hard == resource.RLIM_INFINITY else min(CONNECTIONS, hard - FILES_KEPT_FREE)
    )


def posted(server: Running, path: str, count: int) -> int:
    """The status of a proper post."""
    drawn = np.random.default_rng()
    return server.request("POST", path, seeds(drawn, count)).status


def check_unharmed(server: Running, path: str, count: int) -> None:
    """Up, without complaint, and with as many reports as were taken."""
    assert posted(server, path, 1) == 200
    tally = server.request("GET", path.replace("reports", "tally"), admin=True)
    assert tally.status == 200
    assert stored_tally(server, small_study()).count == count + 1
    assert "Traceback" not in server.log.read_text()
