"""Sending through a network that fails in every way, and fetching studies."""

import sqlite3
import ssl
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tacit.device import Delivery, Device, fetch_study, upload
from tacit.device.book import State
from tacit.errors import ConfigurationError, ReportError, StudyFileError
from tests.device.helpers import (
    RECORD,
    Collector,
    Handler,
    drop,
    noise,
    says,
    stay_silent,
    store_and_drop,
    study_of,
)

Start = Callable[..., Collector]
Make = Callable[..., Device]
PORTAL = b"<html>Welcome to Hotel Wi-Fi</html>"


@pytest.fixture
def start() -> Iterator[Start]:
    """Start collectors that end with the test."""
    started: list[Collector] = []

    def run(*script: Any) -> Collector:
        started.append(Collector(*script))
        return started[-1]

    yield run
    for collector in started:
        collector.stop()


@pytest.fixture
def device(tmp_path: Path) -> Make:
    """Devices that share one ledger."""

    def make(title: str = "a", **options: Any) -> Device:
        reports = options.pop("reports", 1)
        study = study_of(title, 0.5, reports)
        return Device(study, ledger=tmp_path / "ledger", lifetime=9.0, **options)

    return make


def no_sleep(_: float) -> None:
    """A pause that tests do not wait for."""


def never_sleep(seconds: float) -> None:
    """No pause was to be made."""
    pytest.fail(f"slept {seconds} seconds")


def test_a_report_is_posted_as_sixteen_bytes(start: Start, device: Make) -> None:
    """With its code, and without anything that tells devices apart."""
    collector = start()
    mine = device(collector=f"{collector.address}/", code="K7QX")
    report = mine.report(RECORD, label="yes")
    assert mine.send() == Delivery(sent=1, waiting=0, refused=0)
    (request,) = collector.requests
    assert request.path == f"/studies/{mine.study.id}/reports"
    assert request.body == bytes(report)
    assert set(request.headers) == {
        *("Host", "Accept-Encoding", "Content-Length", "Content-Type", "Tacit-Code")
    }
    assert request.headers["Tacit-Code"] == "K7QX"
    assert mine.send() == Delivery(0, 0, 0)
    assert len(collector.requests) == 1


def test_a_collector_may_live_under_a_path(start: Start, device: Make) -> None:
    """Behind a proxy its address has one."""
    collector = start()
    mine = device(collector=f"{collector.address}/tacit")
    mine.report(RECORD, label="yes")
    assert mine.send().sent == 1
    assert collector.requests[0].path.startswith("/tacit/studies/")


@pytest.mark.parametrize("trouble", [drop, store_and_drop, noise, stay_silent])
def test_a_broken_connection_waits_and_the_same_bytes_follow(
    start: Start, device: Make, monkeypatch: pytest.MonkeyPatch, trouble: Any
) -> None:
    """Before or after the collector stored the report: the device cannot know, and need not."""
    monkeypatch.setattr(upload, "TIMEOUT", 0.2 if trouble is stay_silent else 10.0)
    collector = start(trouble)
    mine = device(collector=collector.address)
    report = mine.report(RECORD, label="yes")
    assert mine.send() == Delivery(sent=0, waiting=1, refused=0)
    assert mine.ledger.debits[0].reason.startswith("no connection: ")
    monkeypatch.setattr(upload, "TIMEOUT", 10.0)
    assert mine.send() == Delivery(sent=1, waiting=0, refused=0)
    assert set(collector.bodies) == {bytes(report)}


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 507])
def test_a_collector_in_trouble_is_tried_again(start: Start, device: Make, status: int) -> None:
    """Up to so many attempts in one call, with the same bytes."""
    collector = start(says(status), says(status))
    mine = device(collector=collector.address)
    mine.report(RECORD, label="yes")
    assert mine.send(attempts=2, sleep=no_sleep) == Delivery(0, 1, 0)
    assert mine.ledger.debits[0].reason == f"answered {status}: status {status}"
    assert mine.send(attempts=2, sleep=no_sleep) == Delivery(1, 0, 0)
    assert len(set(collector.bodies)) == 1
    assert len(collector.bodies) == 3


@pytest.mark.parametrize("status", [400, 403, 404, 409, 410, 413])
def test_a_refusal_is_final(start: Start, device: Make, status: int) -> None:
    """Its reason is kept, and the report is not sent again; the debit stands."""
    collector = start(says(status))
    mine = device(collector=collector.address)
    mine.report(RECORD, label="yes")
    assert mine.send(attempts=5, sleep=no_sleep) == Delivery(sent=0, waiting=0, refused=1)
    assert mine.send(attempts=5, sleep=no_sleep) == Delivery(0, 0, 0)
    assert len(collector.requests) == 1
    (debit,) = mine.ledger.debits
    assert (debit.state, debit.reason) == (State.REFUSED, f"status {status}")
    assert mine.ledger.spent == 0.5


@pytest.mark.parametrize(
    "answer",
    [
        says(200, PORTAL),
        says(200, b""),
        says(200, b'{"reports": 0}'),
        says(200, b"[" * 60_000),
        says(404, PORTAL),
        says(403, b'{"error": 7}'),
        says(302, b"", Location="http://127.0.0.1:1/"),
        says(307, b"", Location="/elsewhere"),
        says(401),
        says(204, b""),
    ],
)
def test_only_a_collector_settles_a_report(start: Start, device: Make, answer: Any) -> None:
    """Not a log-in page of a hotel, a proxy, or a redirection, which is never followed."""
    collector = start(answer)
    mine = device(collector=collector.address)
    mine.report(RECORD, label="yes")
    assert mine.send() == Delivery(sent=0, waiting=1, refused=0)
    assert mine.ledger.debits[0].reason.startswith("answered ")
    assert len(collector.requests) == 1
    assert mine.send().sent == 1


def test_a_reason_is_one_short_printable_line(start: Start, device: Make) -> None:
    """It comes from others and ends up on a terminal."""
    words = '{"error": "\\u001b[2J' + "very\\n long " * 100 + '"}'
    mine = device(collector=start(says(410, words.encode())).address)
    mine.report(RECORD, label="yes")
    mine.send()
    reason = mine.ledger.debits[0].reason
    assert reason.isprintable()
    assert len(reason) <= 200


def test_pauses_grow_with_jitter(start: Start, device: Make) -> None:
    """Each is anything up to a bound that doubles up to a minute."""
    pauses: list[float] = []
    mine = device(collector=start(*[says(500)] * 9).address)
    mine.report(RECORD, label="yes")
    assert mine.send(attempts=10, sleep=pauses.append).sent == 1
    bounds = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 60.0, 60.0, 60.0]
    assert all(0.0 <= pause <= bound for pause, bound in zip(pauses, bounds, strict=True))
    assert len(set(pauses)) == len(pauses)


def test_retry_after_is_honoured(start: Start, device: Make) -> None:
    """The pause is at least what the collector asks for; a date or nonsense is no number."""
    pauses: list[float] = []
    asked = ["7", "0", "Wed, 21 Oct 2026 07:28:00 GMT", "-5", "1e3"]
    mine = device(collector=start(*(says(503, Retry_After=text) for text in asked)).address)
    mine.report(RECORD, label="yes")
    assert mine.send(attempts=6, sleep=pauses.append).sent == 1
    assert 7.0 <= pauses[0] <= 8.0
    assert all(pause <= bound for pause, bound in zip(pauses[1:], [2, 4, 8, 16], strict=True))


def test_a_long_pause_is_left_to_the_next_call(start: Start, device: Make) -> None:
    """No collector can make a device sleep for hours, or be hurried by it."""
    collector = start(says(429, Retry_After="86400"))
    mine = device(collector=collector.address)
    mine.report(RECORD, label="yes")
    assert mine.send(attempts=9, sleep=never_sleep) == Delivery(0, 1, 0)
    assert len(collector.requests) == 1


def test_the_queue_spans_studies_and_collectors(start: Start, device: Make) -> None:
    """One device sends what all of them left, and one dead collector holds up nobody else's."""
    dead, alive = start(), start(says(410))
    dead.stop()
    for title, collector in [("a", dead), ("b", alive), ("c", dead), ("d", alive)]:
        device(title, collector=collector.address).report(RECORD, label="yes")
    assert device("e").send() == Delivery(sent=1, waiting=2, refused=1)
    assert len(alive.requests) == 2
    reasons = [debit.reason for debit in device("e").ledger.debits if debit.state is State.READY]
    assert reasons[0].startswith("no connection: ")
    assert reasons[1] == ""  # it was silent a moment ago, so it was not tried twice


def test_trouble_with_one_study_does_not_hold_up_another(start: Start, device: Make) -> None:
    """A collector that answers, but badly, is asked about the next report."""
    collector = start(says(500))
    for title in ("a", "b"):
        device(title, collector=collector.address).report(RECORD, label="yes")
    assert device("a").send() == Delivery(sent=1, waiting=1, refused=0)


def test_reports_without_an_address_wait_for_one(start: Start, device: Make) -> None:
    """The collector may be named later; what was sent elsewhere before is not touched."""
    device().report(RECORD, label="yes")
    assert device().send() == Delivery(0, 1, 0)
    assert device(collector=start().address).send() == Delivery(1, 0, 0)


def test_a_report_refused_for_its_code_is_sent_again_with_another(
    start: Start, device: Make
) -> None:
    """The same bytes: a mistyped code costs the person nothing."""
    collector = start(says(403), says(403))
    report = device(collector=collector.address).report(RECORD, label="yes")
    assert device().send().refused == 1
    assert device(code="WRONG").send().refused == 1
    assert device(code="WRONG").send() == Delivery(0, 0, 0)
    assert device(code="RIGHT").send().sent == 1
    assert [request.headers["Tacit-Code"] for request in collector.requests] == [
        *(None, "WRONG", "RIGHT")
    ]
    assert set(collector.bodies) == {bytes(report)}
    assert device().ledger.debits[0].code == ""


def test_a_moved_collector_gets_the_same_bytes(start: Start, device: Make) -> None:
    """A report that one address refused can go to another, and costs nothing more."""
    old, new = start(says(404)), start()
    device(collector=old.address).report(RECORD, label="yes")
    assert device().send().refused == 1
    assert device(collector=old.address).send() == Delivery(0, 0, 0)
    assert device(collector=new.address).send().sent == 1
    assert old.bodies == new.bodies


@pytest.mark.parametrize("attempts", [0, -1, 1.5, True])
def test_attempts_are_counted_from_one(device: Make, attempts: Any) -> None:
    """Anything else is a bug in the app."""
    with pytest.raises(ConfigurationError, match="attempts must be"):
        device().send(attempts=attempts)


@pytest.mark.parametrize("collector", ["http://collector.example", "https://c.example/?a=b", 7])
def test_a_collector_is_a_plain_address_by_tls(device: Make, collector: Any) -> None:
    """On the way anybody could read the code and who takes part; no ledger is made."""
    with pytest.raises(ConfigurationError, match="use https"):
        device(collector=collector)
    with pytest.raises(ConfigurationError, match="use https"):
        fetch_study(collector, study_of("a").id)


@pytest.mark.parametrize("code", ["a\nb", "ü", " ", "x" * 201, 7])
def test_a_code_fits_into_a_header(device: Make, code: Any) -> None:
    """Nothing can be smuggled into the request."""
    with pytest.raises(ConfigurationError, match="code must be"):
        device(code=code)


def make_certificate(folder: Path) -> Path:
    """A certificate for 127.0.0.1 that nobody vouches for, with its key."""
    import datetime
    import ipaddress

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import ec

    key = ec.generate_private_key(ec.SECP256R1())
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "collector")])
    now = datetime.datetime.now(datetime.UTC)
    certificate = (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(name)
        .public_key(key.public_key())
        .serial_number(1)
        .not_valid_before(now - datetime.timedelta(days=1))
        .not_valid_after(now + datetime.timedelta(days=1))
        .add_extension(
            x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]),
            critical=False,
        )
        .sign(key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    plain = (serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    path = folder / "collector.pem"
    path.write_bytes(key.private_bytes(pem, *plain) + certificate.public_bytes(pem))
    return path


def test_a_certificate_must_be_vouched_for(
    start: Start, device: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An impostor gets nothing; a certificate that the system trusts does."""
    path, collector = make_certificate(tmp_path), start()
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(path)
    collector.socket = context.wrap_socket(
        collector.socket, server_side=True, do_handshake_on_connect=False
    )
    mine = device(collector=collector.address.replace("http", "https"))
    mine.report(RECORD, label="yes")
    assert mine.send() == Delivery(0, 1, 0)
    assert "certificate" in mine.ledger.debits[0].reason.lower()
    assert collector.bodies == []
    monkeypatch.setenv("SSL_CERT_FILE", str(path))
    assert mine.send() == Delivery(1, 0, 0)


def gives(body: bytes) -> Callable[[Handler], None]:
    """Answer with a study file."""
    return lambda request: request.answer(200, body)


def test_a_study_is_fetched_by_its_id(start: Start) -> None:
    """The id is the hash of the content, so it is the study that was asked for."""
    study = study_of("a")
    collector = start(gives(study.to_bytes()))
    assert fetch_study(f"{collector.address}/", study.id) == study


def test_another_study_cannot_be_passed_off(start: Start) -> None:
    """Neither a whole one, nor an altered one, nor something else."""
    study, other = study_of("a"), study_of("b").to_bytes()
    altered = study.to_bytes().replace(b'"epsilon":1.0', b'"epsilon":2.0')
    collector = start(gives(other), gives(altered), gives(PORTAL), says(404))
    for match in ("instead of", "altered", "not a study file", "has no study"):
        with pytest.raises(StudyFileError, match=match):
            fetch_study(collector.address, study.id)


def test_a_study_cannot_be_fetched_from_nowhere(start: Start) -> None:
    """A dead or troubled collector is the system's error, a wrong id is the caller's."""
    collector = start(drop, says(503), noise)
    for match in ("no proper reply|reset", "answered 503", "no proper reply"):
        with pytest.raises(OSError, match=match):
            fetch_study(collector.address, study_of("a").id)
    with pytest.raises(ReportError, match="study_id must be"):
        fetch_study(collector.address, "../admin")


def test_a_failed_send_takes_few_transactions(
    start: Start, device: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whether the collector is in trouble or silent: where to, what waits, what became of it."""
    collector = start(says(503), drop)
    mine, begun = device(collector=collector.address), list[str]()
    mine.report(RECORD, label="yes")
    connect = sqlite3.connect

    def traced(*arguments: Any, **options: Any) -> sqlite3.Connection:
        connection: sqlite3.Connection = connect(*arguments, **options)
        connection.set_trace_callback(begun.append)
        return connection

    monkeypatch.setattr(sqlite3, "connect", traced)
    for _ in range(2):
        begun.clear()
        assert mine.send() == Delivery(0, 1, 0)
        assert sum(statement.startswith("BEGIN") for statement in begun) <= 4
