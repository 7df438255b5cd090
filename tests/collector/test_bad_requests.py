"""Requests that no device sends: the right status, nothing stored, and the server stays up."""

import contextlib
import itertools
import socket
import sqlite3
import struct
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from tacit.study import Study
from tacit.study.report import MAGIC
from tests.collector.clients import connected, exchange, head, seeds, sent, small_study, statuses
from tests.collector.exports import stored_tally
from tests.collector.running import Running, running

GIGABYTE = 1 << 30
CHUNK = 1 << 20
READ_AT_MOST = 64 << 20  # of a body that is refused, including what the system buffers
MEMORY_SLACK = 32 << 10  # kilobytes
UNITS_OF_TIME = (1.0, 1e3, 1e6, 1e9)  # how many in a second
CLOSE = "Connection: close"

generator = np.random.default_rng(40)


@dataclass
class Served:
    """A server with a study, and how many reports it should hold."""

    server: Running
    study: Study
    count: int = 0

    @property
    def path(self) -> str:
        """Where its reports go."""
        return f"/studies/{self.study.id}/reports"

    def post(self, body: bytes) -> int:
        """The status of a post; what succeeds is counted."""
        status = self.server.request("POST", self.path, body).status
        self.count += len(body) // 16 if status == 200 else 0
        return status

    def peak_kilobytes(self) -> int:
        """The most memory the process ever held."""
        lines = Path(f"/proc/{self.server.process.pid}/status").read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))


@pytest.fixture(scope="module")
def one_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """The server of all these tests, so that a later one would notice what an earlier one broke."""
    study = small_study()
    with running(tmp_path_factory.mktemp("served"), study) as server:
        yield Served(server, study)


@pytest.fixture
def served(one_server: Served) -> Iterator[Served]:
    """The server; after each test it is up, has complained of nothing and holds what it should."""
    yield one_server
    assert one_server.server.request("GET", "/health/ready").status == 200
    assert one_server.post(seeds(generator, 3)) == 200
    assert stored_tally(one_server.server, one_server.study).count == one_server.count
    assert "Traceback" not in one_server.server.log.read_text()


@pytest.mark.parametrize("length", [0, 1, 15, 17, 31, 16 * 7 + 8])
def test_a_body_that_is_no_number_of_reports_is_refused(served: Served, length: int) -> None:
    """Bodies hold 16 bytes for each report, and at least one report."""
    assert served.post(generator.bytes(length)) == 400


def test_zeros_before_a_length_say_nothing(served: Served) -> None:
    """As many as a head may hold, which is more digits than Python would make a number of."""
    announced = head("POST", served.path, f"Content-Length: {'0' * 5_000}16", CLOSE)
    assert exchange(served.server.port, announced, seeds(generator, 1)) == [200]
    served.count += 1


def test_more_than_10000_reports_are_refused(served: Served) -> None:
    """10,000 reports fit; one more is too large."""
    assert served.post(seeds(generator, 10_000)) == 200
    assert served.post(seeds(generator, 10_001)) == 413


def test_files_of_reports_are_taken_if_they_are_the_studys(served: Served) -> None:
    """A reports file of this study is stored, another study's is refused, an empty one too."""
    reports, own, other = seeds(generator, 5), served.study.id, small_study("another").id
    assert served.post(MAGIC + bytes.fromhex(other) + reports) == 409
    assert served.post(MAGIC + bytes.fromhex(own)) == 400
    assert served.post(MAGIC + bytes.fromhex(own) + reports) == 200
    served.count -= 2  # the header's length counted as two reports


@pytest.mark.parametrize("study_id", ["0" * 64, "x", "%00", "..%2f..%2fstudy.db", "é" * 64])
def test_an_unknown_study_is_not_found(served: Served, study_id: str) -> None:
    """Whatever stands in place of an id, without a traceback."""
    quoted = study_id.encode().decode("latin-1")
    request = f"POST /studies/{quoted}/reports HTTP/1.1\r\nHost: x\r\n{CLOSE}\r\n"
    answer = exchange(
        served.server.port, f"{request}Content-Length: 16\r\n\r\n".encode("latin-1") + bytes(16)
    )
    assert answer in ([404], [400])


def test_a_closed_study_takes_nothing_more(tmp_path: Path) -> None:
    """After closing, new reports are gone for good and the count stays."""
    study = small_study()
    with running(tmp_path, study) as server:
        served = Served(server, study)
        stored = seeds(generator, 4)
        assert served.post(stored) == 200
        assert server.request("POST", f"/studies/{study.id}/close", b"", admin=True).status == 200
        assert served.post(seeds(generator, 1)) == 410
        assert stored_tally(server, study).count == 4


def test_a_gigabyte_that_is_announced_is_refused_unread(served: Served) -> None:
    """The length alone is enough; what is sent regardless is dropped and the connection ends."""
    before = served.peak_kilobytes()
    announced = head("POST", served.path, f"Content-Length: {GIGABYTE}")
    with connected(served.server.port) as opened:
        opened.sendall(announced)
        assert opened.recv(12) == b"HTTP/1.1 413"
        pieces = itertools.repeat(bytes(CHUNK), GIGABYTE // CHUNK)
        assert sent(opened, pieces) < READ_AT_MOST
    assert served.peak_kilobytes() - before < MEMORY_SLACK


@pytest.mark.parametrize(
    ("method", "place", "status"),
    [("POST", "reports", 413), ("PUT", "public", 401), ("POST", "codes", 401)],
)
def test_a_gigabyte_in_chunks_is_cut_off(
    served: Served, method: str, place: str, status: int
) -> None:
    """Without an announced length it is refused once it is too long, or at once without a token."""
    before = served.peak_kilobytes()
    path = f"/studies/{served.study.id}/{place}"
    chunk = f"{CHUNK:x}\r\n".encode() + bytes(CHUNK) + b"\r\n"
    with connected(served.server.port) as opened:
        opened.sendall(head(method, path, "Transfer-Encoding: chunked"))
        assert sent(opened, itertools.repeat(chunk, GIGABYTE // CHUNK)) < READ_AT_MOST
        assert statuses(opened) in ([status], [])  # a reset may overtake the answer
    assert served.peak_kilobytes() - before < MEMORY_SLACK


def smuggled(path: str) -> bytes:
    """A post of a new report, hidden in another request's body."""
    return head("POST", path, "Content-Length: 16", CLOSE) + seeds(generator, 1)


@pytest.mark.parametrize(
    "lines",
    [
        ("Content-Length: 5", "Transfer-Encoding: chunked"),
        ("Transfer-Encoding: chunked", "Content-Length: 5"),
        ("Transfer-Encoding: chunked, identity",),
        ("Transfer-Encoding: xchunked",),
        ("Transfer-Encoding: chunked", "Transfer-Encoding: identity"),
        ("Transfer-Encoding : chunked",),
        ("Content-Length: 5", "Content-Length: 0"),
        ("Content-Length: +5",),
        ("Content-Length: 5 0",),
        ("Content-Length : 5",),
        ("Content-Length: 0x5",),
        ("Content-Length: -1",),
        ("Content-Length: 99999999999999999999999999",),
        ("Content-Length:\r\n 5",),
    ],
)
def test_an_ambiguous_length_hides_no_second_request(
    served: Served, lines: tuple[str, ...]
) -> None:
    """Whatever two parsers could read differently is refused, and the connection ends with it."""
    answers = exchange(
        served.server.port, head("POST", served.path, *lines), b"0\r\n\r\n", smuggled(served.path)
    )
    assert answers == [400]


def test_requests_may_follow_each_other_without_waiting(served: Served) -> None:
    """Pipelined posts are all answered, the last one closes."""
    many = 50
    posts = [head("POST", served.path, "Content-Length: 16") + seeds(generator, 1)] * many
    last = head("POST", served.path, "Content-Length: 16", CLOSE) + seeds(generator, 1)
    assert exchange(served.server.port, b"".join([*posts, last])) == [200] * (many + 1)
    served.count += 2


def test_garbage_after_a_request_ends_the_connection(served: Served) -> None:
    """The post before it counts; the garbage is refused."""
    post = head("POST", served.path, "Content-Length: 16") + seeds(generator, 1)
    with connected(served.server.port) as opened:
        opened.sendall(post)
        assert opened.recv(12) == b"HTTP/1.1 200"
        opened.sendall(b"\x00\xff garbage\r\n\r\n")
        assert statuses(opened) == [400]
    served.count += 1


@pytest.mark.parametrize(
    "start",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # how TLS begins
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"GET / HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET " + b"/" * 1_000_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"y" * 1_000_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 200_000 + b"\r\n",
    ],
)
def test_what_is_no_request_is_refused(served: Served, start: bytes) -> None:
    """Other protocols and endless heads: a client's error, or the connection ends."""
    answers = exchange(served.server.port, start)
    assert answers in ([], [400], [414], [431])


def test_random_bytes_are_refused(served: Served) -> None:
    """Noise, on its own and behind a valid first line."""
    for _ in range(100):
        noise = generator.bytes(int(generator.integers(1, 2_000))) + b"\r\n\r\n"
        assert set(exchange(served.server.port, noise)) <= {400}
        begun = f"POST {served.path} HTTP/1.1\r\n".encode() + noise
        assert set(exchange(served.server.port, begun)) <= {400}


def test_a_client_that_leaves_its_requests_behind_is_not_worth_a_line(tmp_path: Path) -> None:
    """Several requests at once, then a reset: the log says nothing, others are served."""
    study = small_study()
    post = head("POST", f"/studies/{study.id}/reports", "Content-Length: 16")
    with running(tmp_path, study) as server:
        for _ in range(30):
            with connected(server.port) as opened:
                opened.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                opened.sendall(b"".join(post + seeds(generator, 1) for _ in range(5)))
                opened.sendall(head("GET", "/studies") * 5)
        assert server.request("GET", "/health/live").status == 200
        assert server.stop() == 0
        assert server.log.read_text() == "stopped; every acknowledged report is stored\n"


def test_pipelined_requests_are_answered_in_order_until_they_are_too_many(served: Served) -> None:
    """As many as a client may leave open; thousands end the connection, and take no memory."""
    port, asked = served.server.port, head("GET", "/health/live")
    few = asked * 50 + head("GET", "/nowhere", CLOSE)
    assert exchange(port, few) == [200] * 50 + [404]
    before = served.peak_kilobytes()
    assert len(exchange(port, b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" * 100_000)) < 1_000
    assert served.peak_kilobytes() - before < MEMORY_SLACK


@pytest.mark.parametrize("token", ["é", "", "Bearer", "x" * 5_000, "\x7f"])
def test_a_strange_token_is_refused_as_any_other(served: Served, token: str) -> None:
    """Whatever bytes it has."""
    path = f"/studies/{served.study.id}/tally"
    asked = head("GET", path, CLOSE, f"Authorization: Bearer {token}")
    assert exchange(served.server.port, asked) in ([401], [400])


def test_addresses_and_times_are_nowhere_in_the_store(tmp_path: Path) -> None:
    """Neither the connection's address nor a forwarded one is on disk or in the log."""
    study, began = small_study(), time.time()
    with running(tmp_path, study) as server:
        for client in ("203.0.113.77", "2001:db8::77"):
            lines = (f"X-Forwarded-For: {client}", f"Forwarded: for={client}", CLOSE)
            post = head("POST", f"/studies/{study.id}/reports", "Content-Length: 16", *lines)
            assert exchange(server.port, post + seeds(generator, 1)) == [200]
        assert server.stop() == 0
        written = b"".join(path.read_bytes() for path in sorted(tmp_path.iterdir()))
    for trace in (b"127.0.0.1", b"203.0.113.77", b"2001:db8::77", bytes([203, 0, 113, 77])):
        assert trace not in written
    ended = time.time()
    for value in numbers_in(server.store):
        assert not any(began - 1 <= value / unit <= ended + 1 for unit in UNITS_OF_TIME)


def numbers_in(store: Path) -> Iterator[float]:
    """Every number in every table."""
    with contextlib.closing(sqlite3.connect(store)) as db:
        for (table,) in db.execute(
            "SELECT name FROM sqlite_schema WHERE type = 'table'"
        ).fetchall():
            for row in db.execute(f"SELECT * FROM {table}"):
                yield from (value for value in row if isinstance(value, int | float))
