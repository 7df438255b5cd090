"""Bringing the ledger's waiting reports to their collectors, and studies from there.

A report is 16 bytes that stay the same however often they are sent; a collector counts them once.
"""

import json
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tacit.device.address import checked_collector
from tacit.device.book import Book, Debit, State
from tacit.device.ledger import Ledger
from tacit.errors import ConfigurationError, StudyFileError
from tacit.study import Study
from tacit.study.checks import at_least_one
from tacit.study.report import check_study_id

TIMEOUT = 10.0  # seconds without a word from the collector
LONGEST_PAUSE = 300.0  # whoever asks for more is left alone until the next call

_FIRST_PAUSE = 1.0
_LONGEST_BACK_OFF = 60.0
_LARGEST_REPLY = 2**16
_LARGEST_STUDY = 2**26
_DONE = 200
_REFUSALS = frozenset({400, 403, 404, 409, 410, 413})


@dataclass(frozen=True)
class Delivery:
    """How many reports a call of `send` brought to their collectors, and how many not."""

    sent: int
    waiting: int
    refused: int


class Reply(NamedTuple):
    """What a collector replied."""

    status: int
    body: bytes
    retry_after: str = ""


class Verdict(NamedTuple):
    """What a reply, or silence, means for a report and for others to the same collector."""

    state: State
    reason: str = ""
    pause: float = 0.0
    silence: bool = False


def send_waiting(
    ledger: Ledger, *, attempts: int = 1, sleep: Callable[[float], None] = time.sleep
) -> Delivery:
    """Send what waits, in up to so many rounds, and pause before each further one."""
    book = ledger.read()
    waiting = {debit.number for debit in book.debits if debit.state is State.READY}
    pause = 0.0
    for attempt in range(at_least_one("attempts", attempts)):
        if attempt:
            sleep(pause + _jitter(attempt))
            book = ledger.read()  # another program may have sent them meanwhile
        book, pauses = _round(ledger, book)
        pause = max(pauses, default=0.0)
        if not pauses or pause > LONGEST_PAUSE:
            break
    became = [debit.state for debit in book.debits if debit.number in waiting]
    return Delivery(*(became.count(state) for state in (State.SENT, State.READY, State.REFUSED)))


def fetch_study(collector: str, study_id: str) -> Study:
    """The study of that id, which is the hash of its content: no other can be passed off as it.

    Raises `OSError` where the collector cannot be reached or has trouble of its own.
    """
    check_study_id(study_id)
    address = checked_collector(collector)
    reply = exchange("GET", address, f"/studies/{study_id}", limit=_LARGEST_STUDY)
    if reply.status in _REFUSALS:
        raise StudyFileError(f"{address} has no study {study_id[:12]}… ({_said(reply)})")
    if reply.status != _DONE:
        raise ConnectionError(f"{address} gave no study: {_said(reply)}")
    study = Study.from_bytes(reply.body)
    if study.id != study_id:
        raise StudyFileError(
            f"{address} gave study {study.id[:12]}… instead of {study_id[:12]}…; do not answer it"
        )
    return study


def checked_code(code: Any) -> str:
    """A participation code that fits into a header."""
    text = code.strip() if isinstance(code, str) else ""
    if not (text.isascii() and text.isprintable() and 0 < len(text) <= 200):
        raise ConfigurationError(
            f"code must be the participation code as it was given out, got code={code!r}"
        )
    return text


def _round(ledger: Ledger, book: Book) -> tuple[Book, list[float]]:
    """Try each waiting report once; a collector that is silent or asks for a pause gets one.

    Returns the ledger as it is then, and how long those that go on waiting have to.
    """
    pausing: set[str] = set()
    pauses: list[float] = []
    for debit in book.debits:
        if debit.state is State.READY and debit.collector not in ("", *pausing):
            verdict = _post(debit)
            book = ledger.settle(debit.number, verdict.state, verdict.reason)
            if verdict.pause or verdict.silence:
                pausing.add(debit.collector)
            if verdict.state is State.READY:
                pauses.append(verdict.pause)
    return book, pauses


def _post(debit: Debit) -> Verdict:
    try:
        path = f"/studies/{debit.study_id}/reports"
        return _verdict(exchange("POST", debit.collector, path, debit.seed, code=debit.code))
    except OSError as error:
        return Verdict(State.READY, f"no connection: {error.strerror or error}", silence=True)


def _verdict(reply: Reply) -> Verdict:
    """Only a collector's own words settle a report: a proxy or a hotel's log-in page may not."""
    answer = _json_object(reply.body)
    if reply.status == _DONE and answer.get("reports") == 1:
        return Verdict(State.SENT)
    if reply.status in _REFUSALS and isinstance(answer.get("error"), str):
        return Verdict(State.REFUSED, answer["error"])
    return Verdict(State.READY, _said(reply), _seconds(reply.retry_after))


def exchange(
    method: str,
    collector: str,
    path: str,
    body: bytes | None = None,
    *,
    code: str = "",
    limit: int = _LARGEST_REPLY,
) -> Reply:
    """One request, of which nothing is redirected; every way to fail is an `OSError`."""
    import ssl
    from http.client import HTTPConnection, HTTPException, HTTPSConnection

    place = urlsplit(collector)
    host, secure = place.hostname or "", place.scheme == "https"
    connection = (
        HTTPSConnection(
            host, place.port or 443, timeout=TIMEOUT, context=ssl.create_default_context()
        )
        if secure
        else HTTPConnection(host, place.port or 80, timeout=TIMEOUT)
    )
    headers = {"Content-Type": "application/octet-stream"} if body else {}
    headers |= {"Tacit-Code": code} if code else {}
    try:
        connection.request(method, place.path + path, body=body, headers=headers)
        answer = connection.getresponse()
        return Reply(answer.status, answer.read(limit), answer.headers.get("Retry-After", ""))
    except (HTTPException, UnicodeError) as error:
        raise ConnectionError(f"no proper reply ({type(error).__name__})") from error
    finally:
        connection.close()


def _said(reply: Reply) -> str:
    error = _json_object(reply.body).get("error")
    return f"answered {reply.status}: {error or 'not in the words of a collector'}"


def _json_object(body: bytes) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _seconds(retry_after: str) -> float:
    """Retry-After in seconds; a date would need a clock that is right."""
    return float(retry_after) if retry_after.isdecimal() and len(retry_after) < 10 else 0.0


def _jitter(attempt: int) -> float:
    """Anything up to a bound that doubles, so that devices do not come back all at once."""
    bound = min(_FIRST_PAUSE * 2.0 ** (attempt - 1), _LONGEST_BACK_OFF)
    return bound * secrets.randbelow(2**32) / 2**32
