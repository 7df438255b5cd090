"""The one busy route, POST /studies/{id}/reports, in plain ASGI: 16 bytes in, a reply out."""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

import numpy as np

from tacit.collector.storage.interface import Outcome, Post
from tacit.collector.web import codes
from tacit.collector.web.asked import announced
from tacit.collector.web.bodies import Accepted, Error
from tacit.collector.web.connections import PREPARED
from tacit.collector.web.headers import PUBLIC
from tacit.collector.web.limits import RateLimit, Room, retry_after
from tacit.collector.web.replies import Message, prepared, reply
from tacit.collector.web.service import Service
from tacit.collector.web.writer import BusyError
from tacit.errors import StorageError
from tacit.study.report import MAGIC, REPORT_BYTES, Seeds

MOST_REPORTS = 10_000
FILE_HEADER_BYTES = len(MAGIC) + 32
MOST_BYTES = FILE_HEADER_BYTES + REPORT_BYTES * MOST_REPORTS

_log = logging.getLogger("tacit.collector")

Receive = Callable[[], Awaitable[Any]]
Send = Callable[[Any], Awaitable[None]]
Messages = tuple[Message, Message]


class RefusedError(Exception):
    """A request that is answered with an error: its status, and the reason it is counted under."""

    def __init__(self, status: int, reason: str, error: str, retry: str = "") -> None:
        self.status = status
        self.reason = reason
        self.error = error
        self.retry = retry


class GoneError(Exception):
    """The client left, or took too long, before its body was complete."""


def accepted(count: int) -> Messages:
    """The same for a report that is new and for one that was stored before."""
    return reply(200, Accepted(count), PUBLIC)


_ONE_ACCEPTED = accepted(1)
_ONE_PREPARED = prepared(*_ONE_ACCEPTED)
_NOT_STORED = {
    Outcome.CLOSED: (
        410,
        "closed",
        "this study is closed: a report that came before counts, no other is taken",
    ),
    Outcome.UNKNOWN_STUDY: (404, "unknown study", "there is no such study here"),
    Outcome.NO_CODE: (
        403,
        "no code",
        "this study needs a participation code; send it as Tacit-Code, with one report",
    ),
    Outcome.BAD_CODE: (403, "unknown or used code", "this participation code is unknown or used"),
}


async def post_reports(
    service: Service,
    study_id: str,
    scope: Any,
    receive: Receive,
    send: Send,
    *,
    rate: RateLimit | None,
) -> None:
    """Store what a body brings, and answer once it is durable; a rate counts every report."""
    reply_prepared = scope["extensions"].pop(PREPARED)  # it refers to the request: no cycle stays
    try:
        start, end = await _taken(service, rate, study_id, scope, receive)
    except RefusedError as refused:
        service.writer.refuse(study_id, refused.reason)
        start, end = refusal(refused.status, refused.error, refused.retry)
    except GoneError:
        service.writer.refuse(study_id, "incomplete")
        return
    except Exception:
        _log.exception("a post of reports failed")
        start, end = refusal(500, "something went wrong here; send it again later")
    if end is _ONE_ACCEPTED[1] and reply_prepared(*_ONE_PREPARED):
        return
    await send(start)
    await send(end)


def refusal(status: int, error: str, retry: str = "") -> Messages:
    """An error that any origin may read."""
    later = {"retry-after": retry or "1"} if status in (429, 503) else {}
    return reply(status, Error(error), {**PUBLIC, **later})


def address(scope: Any) -> str:
    """Whose request it is, as far as the rate is concerned."""
    client = scope.get("client")
    return client[0] if client else ""


async def _taken(
    service: Service, rate: RateLimit | None, study_id: str, scope: Any, receive: Receive
) -> Messages:
    code, most = None, _most_reports(rate)
    for name, value in scope["headers"]:
        if name == b"content-length":
            if announced(value.decode()) > _bytes_of(most):
                raise _too_large(most)
        elif name == b"tacit-code":
            code = codes.digest(study_id, value)
    message = await receive()
    if message["type"] != "http.request":
        raise GoneError
    body = message["body"]
    if message["more_body"]:
        body = await whole_body(body, receive, service.room, most)
    seeds = _seeds(body, study_id, most)
    if rate is not None and len(seeds) > 1:
        # The request was counted as one report when it began; here are the others.
        wait = rate.wait(address(scope), time.monotonic(), len(seeds) - 1)
        if wait:
            raise RefusedError(429, "rate", "too many reports; wait a little", retry_after(wait))
    if code is not None and len(seeds) != 1:
        raise RefusedError(400, "wrong length", "a participation code is for exactly one report")
    try:
        outcome = await service.writer.post(Post(study_id, seeds, code))
    except BusyError:
        raise RefusedError(503, "busy", "too many reports wait; send it again later") from None
    except StorageError:
        raise RefusedError(
            503, "storage", "nothing can be stored now; send it again later"
        ) from None
    if outcome is not Outcome.STORED:
        raise RefusedError(*_NOT_STORED[outcome])
    return _ONE_ACCEPTED if len(seeds) == 1 else accepted(len(seeds))


def _most_reports(rate: RateLimit | None) -> int:
    """In one body: whoever has no token never brings more than the rate allows at once."""
    return MOST_REPORTS if rate is None else min(MOST_REPORTS, rate.most_at_once)


def _bytes_of(reports: int) -> int:
    return FILE_HEADER_BYTES + REPORT_BYTES * reports


async def whole_body(first: bytes, receive: Receive, room: Room, most: int) -> bytes:
    """The rest of a body that came in pieces; the connection's deadline bounds the time."""
    body, held, more = bytearray(first), 0, True
    try:
        while more:
            room.left -= len(body) - held
            held = len(body)
            if room.left < 0:
                raise RefusedError(503, "busy", "too many bodies are incomplete; try again later")
            message = await receive()
            if message["type"] != "http.request":
                raise GoneError
            body += message["body"]
            more = message["more_body"]
            if len(body) > _bytes_of(most):
                raise _too_large(most)
    finally:
        room.left += held
    return bytes(body)


def _seeds(body: bytes, study_id: str, most: int) -> Seeds:
    """The reports of a body: their bytes alone, or a file of them."""
    size = len(body)
    if size == REPORT_BYTES:
        return np.frombuffer(body, np.uint8).reshape(1, REPORT_BYTES)
    offset = 0
    if size % REPORT_BYTES == FILE_HEADER_BYTES % REPORT_BYTES and body.startswith(MAGIC):
        offset = FILE_HEADER_BYTES
        found = body[len(MAGIC) : offset].hex()
        if found != study_id:
            raise RefusedError(
                409, "another study", f"this file holds reports of another study, {found[:12]}…"
            )
    if size <= offset or (size - offset) % REPORT_BYTES:
        raise RefusedError(
            400,
            "wrong length",
            f"a body has {REPORT_BYTES} bytes for each of 1 to {most:,} reports, "
            f"got {size:,} bytes",
        )
    if size - offset > REPORT_BYTES * most:
        raise _too_large(most)
    return np.frombuffer(body, np.uint8, offset=offset).reshape(-1, REPORT_BYTES)


def _too_large(most: int) -> RefusedError:
    told = f"a body may hold {most:,} reports; send several bodies"
    if most < MOST_REPORTS:
        told = (
            f"without the admin token a body may hold {most:,} reports here; send smaller bodies, "
            f"or `Authorization: Bearer TOKEN`, or start the server with a higher --rate"
        )
    return RefusedError(413, "too large", told)
