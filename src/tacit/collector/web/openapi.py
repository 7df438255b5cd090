"""The description of the API (OpenAPI 3.1), made from the routes and the values they exchange.

A route is declared with its words and its replies where its address is; what every route of a kind
answers besides is added here.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from tacit.collector.web.described import (
    TEXT,
    UNAVAILABLE,
    DescribedReply,
    DescribedRoute,
    Description,
    Parameter,
    Schema,
    failure,
)

_TITLE = "tacit collector"
_SUMMARY = "Takes locally private reports, stores each once, and shows what they tell."
_DESCRIPTION = (
    "A report is 16 bytes that a person's own device has randomized. It is acknowledged once it is "
    "on disk; sending the same bytes again has the same reply and no other effect. The collector "
    "stores no address and no time finer than a day. Every error is JSON with one key, `error`. "
    "Every reply has `X-Content-Type-Options`, `Referrer-Policy`, `Permissions-Policy` and "
    "`Content-Security-Policy`. Requests that are no HTTP end with 400, those that take longer "
    "than 10 seconds with 408, heads above 16 KiB with 431, and connections beyond the server's "
    "capacity with 503."
)
_TAGS = {
    "studies": "For devices. Any origin may ask.",
    "admin": "For the holder of the admin token. Same origin only.",
    "pages": "What a browser shows.",
    "health": "For whoever runs the collector.",
}
_TOKEN = {
    "type": "http",
    "scheme": "bearer",
    "description": "Printed once, at the first start of `tacit serve`.",
}
_IN_PATH = {
    "id": Schema(description="The study's id: the SHA-256 of its body.", schema=TEXT),
    "day": Schema(description="A day (UTC).", schema={"type": "string", "format": "date"}),
}

_REFERENCE = "#/components/schemas/{name}"


class _Types:
    """Types met on the way, which the document describes once, by name."""

    def __init__(self) -> None:
        self._met: list[Any] = []

    def schema(self, kind: Any) -> Schema:
        """A schema as it is, or what a type becomes, which may be a reference."""
        if isinstance(kind, dict):
            return kind
        self._met.append(kind)
        return msgspec.json.schema_components([kind], ref_template=_REFERENCE)[0][0]

    def components(self) -> Schema:
        """Every type that has a name."""
        return msgspec.json.schema_components(self._met, ref_template=_REFERENCE)[1]


_ALWAYS = {429: failure("More requests than one client may send.", "Retry-After")}
_OF_STUDY = {404: failure("There is no such study here.")}
_WITH_BODY = {
    400: failure("The body or a parameter is not as described."),
    408: failure("The body took too long."),
    413: failure("The body is too large; the error says how large it may be."),
}
_ADMIN = {
    401: failure("The admin token is missing or wrong.", "WWW-Authenticate"),
    503: UNAVAILABLE,
}


def describe(routes: Iterable[DescribedRoute]) -> Schema:
    """The whole document."""
    types, paths = _Types(), Schema()
    for route in routes:
        paths.setdefault(route.path, {})[route.described.method.lower()] = _operation(route, types)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": _TITLE,
            "version": "1",
            "summary": _SUMMARY,
            "description": _DESCRIPTION,
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in _TAGS.items()],
        "security": [],
        "paths": paths,
        "components": {
            "securitySchemes": {"AdminToken": _TOKEN},
            "schemas": types.components(),
        },
    }


def _operation(route: DescribedRoute, types: _Types) -> Schema:
    told = route.described
    replies = sorted(_replies(told).items())
    made: Schema = {
        "tags": [told.tag],
        "operationId": _name(told),
        "summary": route.summary,
        "parameters": [*_in_path(told.path), *map(_beside, told.parameters)],
        "responses": {str(status): _response(reply, types) for status, reply in replies},
    }
    if told.told:
        made["description"] = told.told
    if told.admin:
        made["security"] = [{"AdminToken": []}]
    if told.body is not None:
        content = {told.body.kind: {"schema": types.schema(told.body.schema)}}
        body = {"required": True, "description": told.body.told, "content": content}
        made["requestBody"] = body
    return made


def _name(told: Description) -> str:
    """As `getStudiesIdTally`: unique, since method and path are."""
    parts = re.findall(r"\w+", told.path) or ["home"]
    return told.method.lower() + "".join(part.capitalize() for part in parts)


def _replies(told: Description) -> dict[int, DescribedReply]:
    of_study = _OF_STUDY if "{id}" in told.path and told.method != "OPTIONS" else {}
    with_body = _WITH_BODY if told.body is not None else {}
    admin = _ADMIN if told.admin else {}
    return {**_ALWAYS, **of_study, **with_body, **admin, **told.replies}


def _in_path(path: str) -> Iterator[Schema]:
    for name in re.findall(r"\{(\w+)\}", path):
        yield {"name": name, "in": "path", "required": True, **_IN_PATH[name]}


def _beside(each: Parameter) -> Schema:
    return {"name": each.name, "in": each.place, "description": each.told, "schema": each.schema}


def _response(reply: DescribedReply, types: _Types) -> Schema:
    made: Schema = {"description": reply.told}
    if reply.headers:
        made["headers"] = {name: {"schema": TEXT} for name in reply.headers}
    if reply.content is not None:
        kind, schema, _ = reply.content
        made["content"] = {kind: {"schema": types.schema(schema)}}
    return made
