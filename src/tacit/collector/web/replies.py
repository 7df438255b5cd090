"""What is replied: JSON, whole replies prepared as bytes, and errors that say what to do."""

from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tacit.collector.web.bodies import Error
from tacit.collector.web.headers import ALWAYS, PRIVATE, PUBLIC, encoded, rendered
from tacit.errors import StorageError, TacitError

Message = dict[str, Any]

_CLOSING = {"connection": "close", **ALWAYS, **PUBLIC}
_PLAINER = {
    "Not Found": "there is nothing at this address; see /openapi.json",
    "Method Not Allowed": "this address does not take that method; see /openapi.json",
}


def json_response(value: Any, status: int = 200, headers: Mapping[str, str] = PRIVATE) -> Response:
    """A value; by default for nobody but the one who asked."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")


def reply(status: int, value: Any, headers: Mapping[str, str]) -> tuple[Message, Message]:
    """The two ASGI messages of a reply in JSON."""
    body = msgspec.json.encode(value)
    own = {"content-type": "application/json", "content-length": str(len(body))}
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": encoded({**own, **headers}),
    }
    return start, {"type": "http.response.body", "body": body}


def raw_error(status: HTTPStatus, error: str) -> bytes:
    """A whole reply as bytes, for connections on which no request is complete."""
    start, end = reply(status, Error(error), _CLOSING)
    return b"".join(prepared(start, end))


def prepared(start: Message, end: Message) -> tuple[bytes, bytes]:
    """A reply as bytes: the status line, and all that follows the default headers."""
    status = HTTPStatus(start["status"])
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
    body: bytes = end["body"]
    return head, rendered(start["headers"]) + b"\r\n" + body


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    told = _PLAINER.get(error.detail, error.detail)
    return json_response(Error(told), error.status_code, {**PRIVATE, **(error.headers or {})})


async def _storage_error(request: Request, error: Exception) -> Response:
    return json_response(Error(str(error)), 503, {**PRIVATE, "retry-after": "1"})


async def _tacit_error(request: Request, error: Exception) -> Response:
    return json_response(Error(str(error)), 400)


async def _unexpected(request: Request, error: Exception) -> Response:
    """Starlette raises it again afterwards, so that the log has it."""
    return json_response(Error("something went wrong here; the log of the server says what"), 500)


HANDLERS: Any = {
    HTTPException: _http_error,
    StorageError: _storage_error,
    TacitError: _tacit_error,
    Exception: _unexpected,
}
