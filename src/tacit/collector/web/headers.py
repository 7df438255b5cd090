"""Headers that every reply carries, and those that tell who may read it from another origin."""

from collections.abc import Mapping

Headers = list[tuple[bytes, bytes]]

ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}
UNDER_TLS = {"strict-transport-security": "max-age=31536000"}
DATA = {  # a reply that is no page: nothing in it may run, load or be framed
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


def encoded(headers: Mapping[str, str]) -> Headers:
    """As ASGI takes them."""
    return [(name.encode(), value.encode()) for name, value in headers.items()]


def rendered(headers: Headers) -> bytes:
    """As they go over the wire."""
    return b"".join(b"%b: %b\r\n" % pair for pair in headers)
