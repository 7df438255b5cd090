"""What a client may ask of the server, and what happens beyond it."""

import asyncio
import contextlib
import http.client
import json
import resource
import select
import socket
import ssl
import sys
import time
import urllib.request
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from functools import partial
from ipaddress import IPv4Address
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from uvicorn.server import ServerState

from tacit.collector.web import connections, limits
from tacit.collector.web.connections import HEAD_BYTES, BoundedProtocol, Shared
from tacit.collector.web.limits import RateLimit, Room, network, retry_after
from tacit.collector.web.reports import GoneError, RefusedError, whole_body
from tests.collector.clients import HOST, PATIENCE, connected, exchange, head, sent, statuses
from tests.collector.conftest import Site, make_study, reports
from tests.collector.running import Reply, Running, running

CLOSE = "Connection: close"
RATE = 5
FILES = 200
FEW_FILES = (
    "import os, resource, sys; "
    f"resource.setrlimit(resource.RLIMIT_NOFILE, ({FILES}, {FILES})); "
    "os.execv(sys.argv[1], sys.argv[1:])"
)


def test_a_client_gets_its_rate_and_twice_as_many_at_once() -> None:
    """After a burst it is one request for each interval; others do not notice."""
    limit = RateLimit(10.0)
    assert [limit.wait("10.0.0.1", 100.0) for _ in range(20)] == [0.0] * 20
    wait = limit.wait("10.0.0.1", 100.0)
    assert wait == pytest.approx(0.1)
    assert limit.wait("10.0.0.2", 100.0) == 0.0
    assert limit.wait("10.0.0.1", 100.0 + wait) == 0.0
    assert limit.wait("10.0.0.1", 100.0 + wait) > 0.0


def test_a_body_of_many_reports_costs_as_many_requests() -> None:
    """Counted as one when it begins, and as the others once they are known."""
    limit = RateLimit(10.0)
    assert limit.wait("10.0.0.1", 100.0) == limit.wait("10.0.0.1", 100.0, 19) == 0.0
    assert limit.wait("10.0.0.1", 100.0) == pytest.approx(0.1)
    assert limit.wait("10.0.0.1", 101.0) == 0.0
    wait = limit.wait("10.0.0.1", 101.0, 19)
    assert limit.wait("10.0.0.1", 101.0 + wait) == 0.0
    assert limit.wait("10.0.0.1", 101.0 + wait, 19) == 0.0


def test_the_rate_limit_forgets_soon() -> None:
    """A client whose share is free again is forgotten with the next request of anybody."""
    limit = RateLimit(10.0)
    for number in range(50):
        limit.wait(f"10.0.0.{number}", 0.0)
    limit.wait("10.0.1.1", limits.FORGET_SECONDS)
    assert len(limit.used_until) == 1


def test_no_key_of_the_rate_limit_lasts_longer_than_a_day() -> None:
    """Nor longer than there is somebody to remember."""
    limit = RateLimit(10.0)
    keys = set()
    for now in (0.0, 1.0, 10.0):
        limit.wait("10.0.0.1", now)
        keys.add(limit.key)
    assert len(keys) == 2
    busy = 10.0
    while busy < limits.KEY_SECONDS + 20.0:
        limit.wait("10.0.0.1", busy, 15)
        busy += 1.0
    assert limit.key not in keys


def test_the_rate_limit_forgets(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory does not grow with the number of clients, and no address is in it."""
    monkeypatch.setattr(limits, "CLIENTS_REMEMBERED", 100)
    limit = RateLimit(10.0)
    for number in range(1_000):
        limit.wait(f"10.0.{number // 250}.{number % 250}", float(number))
    remembered = limit.used_until
    assert len(remembered) <= 100
    assert all(len(client) == 16 for client in remembered)
    assert not any(b"10.0" in client for client in remembered)


def test_two_processes_remember_one_client_differently() -> None:
    """The hash is keyed by a secret that is never stored."""
    first, second = RateLimit(1.0), RateLimit(1.0)
    for limit in (first, second):
        limit.wait("10.0.0.1", 0.0)
    assert first.used_until.keys().isdisjoint(second.used_until)


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("2001:db8::1", "2001:db8::2", True),
        ("2001:db8:0:1::1", "2001:db8:0:2::1", False),
        ("::ffff:10.0.0.1", "10.0.0.1", True),
        ("10.0.0.1", "10.0.0.2", False),
        ("fe80::1%eth0", "fe80::2%eth0", True),
        ("not:an:address", "not:an:address", True),
    ],
)
def test_who_is_one_client(one: str, other: str, same: bool) -> None:
    """An IPv4 address, or the 64 bits that one household has under IPv6."""
    assert (network(one) == network(other)) is same


def test_retry_after_is_never_zero() -> None:
    """Whole seconds, rounded up."""
    assert [retry_after(wait) for wait in (0.01, 1.0, 1.2)] == ["1", "1", "2"]


@pytest.fixture(scope="module")
def limited(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """A server with a low rate, behind a proxy on this machine."""
    with running(
        tmp_path_factory.mktemp("limited"),
        make_study(),
        None,
        *("--rate", str(RATE), "--behind-proxy", "127.0.0.1"),
    ) as server:
        yield server


def from_client(server: Running, address: str) -> int:
    """The status that a client behind the proxy gets."""
    return server.request("GET", "/studies", headers={"X-Forwarded-For": address}).status


def test_too_many_requests_of_one_client_are_refused(limited: Running) -> None:
    """With the time to wait; another client behind the same proxy is served."""
    seen = {from_client(limited, "203.0.113.1") for _ in range(20 * RATE)}
    assert seen == {200, 429}
    refused = limited.request("GET", "/studies", headers={"X-Forwarded-For": "203.0.113.1"})
    if refused.status == 429:
        assert int(refused.headers["retry-after"]) >= 1
        assert "error" in json.loads(refused.body)
    assert from_client(limited, "203.0.113.2") == 200


def test_a_client_may_not_bring_in_one_body_what_it_may_not_bring_in_many(
    limited: Running,
) -> None:
    """A body that never fits is told what to do; whoever has the token may send any."""
    [study] = json.loads(limited.request("GET", "/studies", admin=True).body)
    path = f"/studies/{study['id']}/reports"

    def posted(count: int, client: str, admin: bool = False) -> Reply:
        headers = {"X-Forwarded-For": client}
        return limited.request("POST", path, reports(count), admin=admin, headers=headers)

    assert posted(2 * RATE, "203.0.113.3").status == 200
    soon = posted(2 * RATE, "203.0.113.3")
    assert (soon.status, int(soon.headers["retry-after"])) in [(429, 1), (429, 2)]
    for count in (2 * RATE + 1, 10_000, 10_001):
        never = posted(count, "203.0.113.4")
        assert (never.status, "retry-after" in never.headers) == (413, False)
        told = json.loads(never.body)["error"]
        assert f"may hold {2 * RATE} reports" in told
        assert "admin token" in told
    assert posted(2 * RATE, "203.0.113.5").status == 200
    over = posted(10_001, "203.0.113.4", admin=True)
    assert (over.status, "10,000" in json.loads(over.body)["error"]) == (413, True)
    assert {posted(10_000, "203.0.113.4", admin=True).status for _ in range(3)} == {200}


def test_bodies_in_pieces_share_a_bounded_room() -> None:
    """What does not fit is refused for now; whatever becomes of a body, its room is free again."""
    room = Room(100)

    def pieces(*parts: bytes | None) -> Any:
        async def receive() -> dict[str, Any]:
            part = next(rest)
            if part is None:
                return {"type": "http.disconnect"}
            return {"type": "http.request", "body": part, "more_body": part != b""}

        rest = iter(parts)
        return receive

    def whole(receive: Any) -> bytes:
        return asyncio.run(whole_body(bytes(40), receive, room, most=100))

    assert whole(pieces(bytes(40), b"")) == bytes(80)
    with pytest.raises(RefusedError) as refused:
        whole(pieces(bytes(40), bytes(40), b""))
    assert refused.value.status == 503
    with pytest.raises(GoneError):
        whole(pieces(bytes(40), None))
    assert room.left == 100


async def large_page(scope: Any, receive: Any, send: Any) -> None:
    """Answers with more than the system buffers."""
    await send({"type": "http.response.start", "status": 200, "headers": []})
    await send({"type": "http.response.body", "body": bytes(1 << 24)})


@pytest.mark.parametrize("line", ["X: y", CLOSE])
def test_a_client_that_does_not_read_its_answers_is_dropped(
    monkeypatch: pytest.MonkeyPatch, line: str
) -> None:
    """Whether or not the connection was to be closed after the answer."""
    monkeypatch.setattr(connections, "OWED_SECONDS", 0.1)
    config = uvicorn.Config(large_page, ws="none", lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    made = partial(BoundedProtocol, config, state, {}, shared=Shared(10))

    async def open_until_dropped() -> None:
        loop = asyncio.get_running_loop()
        server = await loop.create_server(made, HOST, 0)
        opened = socket.create_connection(server.sockets[0].getsockname())
        with opened:
            opened.sendall(head("GET", "/", line) * 40)
            while not state.total_requests:
                await asyncio.sleep(0)
            async with asyncio.timeout(PATIENCE):
                while state.connections:
                    await asyncio.sleep(0.01)
        server.close()

    with asyncio.Runner(loop_factory=config.get_loop_factory()) as runner:
        runner.run(open_until_dropped())


def test_connections_beyond_the_cap_are_refused_at_once(tmp_path: Path) -> None:
    """The cap follows from how many files may be open; when others leave there is room again."""
    cap = FILES - limits.FILES_KEPT_FREE
    with running(tmp_path, make_study(), prefix=(sys.executable, "-c", FEW_FILES)) as server:
        with contextlib.ExitStack() as stack:
            crowd = [stack.enter_context(connected(server.port)) for _ in range(cap + 20)]
            refused = answered(crowd, 20)
            assert len(refused) == 20
            assert all(statuses(one) in ([503], []) for one in refused)
        wait_for_room(server)
        assert "Traceback" not in server.log.read_text()


def wait_for_room(server: Running) -> None:
    """Until the connections that were closed have been noticed."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        with contextlib.suppress(ConnectionError, http.client.RemoteDisconnected):
            if server.request("GET", "/health/live").status == 200:
                return
    pytest.fail("there is no room after the crowd has left")


def answered(crowd: list[socket.socket], count: int) -> list[socket.socket]:
    """Connections on which the server has said something, once there are so many."""
    found: list[socket.socket] = []
    end = time.monotonic() + PATIENCE
    while len(found) < count and time.monotonic() < end:
        found, _, _ = select.select(crowd, [], [], 0.01)
    return found


def test_a_head_may_not_be_endless(site: Site) -> None:
    """Refused as soon as it is too long, in one piece or in many."""
    line = b"X-Filler: " + b"x" * 1_000 + b"\r\n"
    start = b"GET /studies HTTP/1.1\r\nHost: x\r\n"
    with connected(site.server.port) as opened:
        sent(opened, [start, *([line] * (4 * HEAD_BYTES // len(line)))])
        assert statuses(opened) in ([431], [])  # a reset may overtake the answer
    fits = start + line * 10 + f"{CLOSE}\r\n\r\n".encode()
    assert exchange(site.server.port, fits) == [200]


def test_a_body_in_pieces_is_one_body(site: Site) -> None:
    """Announced or in chunks, however it is cut."""
    body = reports(3)
    announced = head("POST", site.path("reports"), "Content-Length: 48", CLOSE)
    assert exchange(site.server.port, announced, body[:7], body[7:30], body[30:]) == [200]
    chunked = head("POST", site.path("reports"), "Transfer-Encoding: chunked", CLOSE)
    pieces = (b"%x\r\n%b\r\n" % (len(piece), piece) for piece in (body[:16], body[16:]))
    assert exchange(site.server.port, chunked, *pieces, b"0\r\n\r\n") == [200]


def test_a_refused_body_leaves_the_connection_usable(site: Site) -> None:
    """A body that was answered before it was read is read past."""
    large = head("POST", "/studies/0/reports", "Content-Length: 160000") + reports(10_000)
    last = head("GET", "/health/live", CLOSE)
    assert exchange(site.server.port, large, last) == [404, 200]


@pytest.mark.parametrize(
    ("framing", "body"),
    [("Content-Length: 160", bytes(160)), ("Transfer-Encoding: chunked", b"1\r\nx\r\n0\r\n\r\n")],
)
def test_a_refused_body_does_not_reset_the_last_reply(
    site: Site, framing: str, body: bytes
) -> None:
    """Where the connection ends with the reply, what is still on its way is taken first."""
    with connected(site.server.port) as opened:
        opened.sendall(head("POST", "/studies/0/reports", framing, CLOSE))
        reply = b""
        while not reply.endswith(b'"}'):
            reply += opened.recv(1 << 16)
        assert reply.startswith(b"HTTP/1.1 404")
        for piece in body:
            opened.sendall(bytes([piece]))  # a reset would make one of these fail
        assert opened.recv(1) == b""


def test_what_is_no_body_after_the_last_reply_ends_the_connection(tmp_path: Path) -> None:
    """Nothing more is said after a reply that was the last, and nothing breaks."""
    with running(tmp_path, make_study()) as server:
        with connected(server.port) as opened:
            opened.sendall(head("POST", "/studies/0/reports", "Transfer-Encoding: chunked", CLOSE))
            assert opened.recv(12) == b"HTTP/1.1 404"
            sent(opened, [b"no chunk\r\n"])
            assert statuses(opened) == []
        assert server.request("GET", "/health/live").status == 200
        assert "Traceback" not in server.log.read_text()


def test_expect_continue_is_not_encouraged_where_the_body_is_refused(site: Site) -> None:
    """A body that is too large is refused instead of asked for; a proper one is asked for."""
    asked = ("Expect: 100-continue", CLOSE)
    large = head("POST", site.path("reports"), "Content-Length: 1000000", *asked)
    assert exchange(site.server.port, large) == [413]
    proper = head("POST", site.path("reports"), "Content-Length: 16", *asked)
    assert exchange(site.server.port, proper, reports(1)) == [100, 200]


def test_open_files_are_raised_to_what_the_system_allows() -> None:
    """And the number of connections stays below it."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        allowed = limits.raise_open_files()
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        assert soft == hard
        assert 1 <= allowed <= limits.MOST_CONNECTIONS
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def test_tls_is_spoken_with_a_certificate(tmp_path: Path) -> None:
    """Addresses say so, browsers are told to stay with it, and plain HTTP is not answered."""
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    make_certificate(cert, key)
    with running(
        tmp_path, make_study(), None, "--tls-cert", str(cert), "--tls-key", str(key)
    ) as server:
        assert server.address.startswith("https://")
        trusting = ssl.create_default_context(cafile=cert)
        with urllib.request.urlopen(f"{server.address}/health/live", context=trusting) as answer:
            assert answer.headers["strict-transport-security"] == "max-age=31536000"
        assert exchange(server.port, head("GET", "/health/live", CLOSE)) == []
        assert server.stop() == 0
        assert "Traceback" not in server.log.read_text()


def make_certificate(cert: Path, key: Path) -> None:
    """A certificate for this machine, signed by itself."""
    private = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    today = datetime.now(UTC)
    made = (
        x509.CertificateBuilder(name, name, private.public_key(), x509.random_serial_number())
        .not_valid_before(today - timedelta(days=1))
        .not_valid_after(today + timedelta(days=1))
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(IPv4Address(HOST))]), False)
        .sign(private, hashes.SHA256())
    )
    cert.write_bytes(made.public_bytes(serialization.Encoding.PEM))
    key.write_bytes(
        private.private_bytes(
            serialization.Encoding.PEM,
            serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption(),
        )
    )
