"""Headers that every answer carries, and those that tell who may read it from another origin."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

Headers = list[tuple[bytes, bytes]]
Message = dict[str, Any]

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
UNDER_TLS = {"strict-transport-security": "max-age=31536000"}
DATA = {  # an answer that is no page: nothing in it may run, load or be framed
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
}
PUBLIC = {
    **DATA,
    "access-control-allow-origin": "*",
    "access-control-expose-headers": "retry-after",
    "cross-origin-resource-policy": "cross-origin",
}
PRIVATE = {**DATA, "cache-control": "no-store", "cross-origin-resource-policy": "same-origin"}
PAGE = {
    "cache-control": "no-cache",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
}
PREFLIGHT = {
    **PUBLIC,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "content-type, tacit-code",
    "access-control-max-age": "86400",
}

_CLOSING = {"connection": "close", **ALWAYS, **PUBLIC}


def encoded(headers: Mapping[str, str]) -> Headers:
    """As ASGI takes them."""
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def answer(status: int, document: Any, headers: Mapping[str, str]) -> tuple[Message, Message]:
    """The two ASGI messages of an answer in JSON."""
    body = as_json(document)
    own = {"content-type": "application/json", "content-length": str(len(body))}
    start = {
        "type": "http.response.start",
        "status": status,
        "headers": encoded({**own, **headers}),
    }
    return start, {"type": "http.response.body", "body": body}


def raw_error(status: int, reason: str, error: str) -> bytes:
    """A whole answer as bytes, for connections on which no request is complete."""
    body = as_json({"error": error})
    own = {"content-type": "application/json", "content-length": str(len(body)), **_CLOSING}
    lines = [f"HTTP/1.1 {status} {reason}", *(f"{name}: {value}" for name, value in own.items())]
    return "\r\n".join([*lines, "", ""]).encode() + body


def prepared(start: Message, end: Message) -> tuple[bytes, bytes]:
    """An answer as bytes: the status line, and all that follows the default headers."""
    status = HTTPStatus(start["status"])
    head = f"HTTP/1.1 {status.value} {status.phrase}\r\n".encode()
    body: bytes = end["body"]
    return head, rendered(start["headers"]) + b"\r\n" + body


def rendered(headers: Headers) -> bytes:
    """As they go over the wire."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)


def as_json(document: Any) -> bytes:
    """Compact, and the same for the same document."""
    return json.dumps(document, separators=(",", ":"), allow_nan=False).encode()
