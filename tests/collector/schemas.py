"""As much of OpenAPI as our own document uses: enough to hold the server to it."""

import json
import re
from typing import Any

from tests.collector.running import Reply

KINDS: dict[str, Any] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}
UNDERSTOOD = {
    *("type", "required", "properties", "additionalProperties", "items", "enum", "const"),
    *("pattern", "minimum", "maximum", "minLength", "maxLength", "format", "description"),
    *("default", "$ref", "anyOf", "title"),
}


def resolved(document: Any, node: Any) -> Any:
    """What a reference points to."""
    while "$ref" in node:
        target = document
        for name in node["$ref"].removeprefix("#/").split("/"):
            target = target[name]
        node = target
    return node


def check(document: Any, schema: Any, value: Any, place: str = "body") -> None:
    """Fail where a value is not as a schema says."""
    schema = resolved(document, schema)
    assert set(schema) <= UNDERSTOOD, f"{place}: {set(schema) - UNDERSTOOD} is not understood"
    if "anyOf" in schema:
        null, one = sorted(schema["anyOf"], key=lambda each: each != {"type": "null"})
        assert null == {"type": "null"}, place
        schema = null if value is None else resolved(document, one)
    check_kind(schema, value, place)
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        assert set(schema.get("required", ())) <= set(value), place
        for name, inner in value.items():
            more = schema.get("additionalProperties", True)
            assert name in properties or more is not False, f"{place}.{name} is not documented"
            known = properties.get(name, more)
            if isinstance(known, dict):
                check(document, known, inner, f"{place}.{name}")
    if isinstance(value, list):
        for number, inner in enumerate(value):
            check(document, schema["items"], inner, f"{place}[{number}]")


def check_kind(schema: Any, value: Any, place: str) -> None:
    """Type, and what bounds a single value."""
    kinds = schema.get("type", list(KINDS))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    fits = [kind for kind in kinds if isinstance(value, KINDS[kind])]
    assert fits, f"{place} must be {kinds}, got {value!r}"
    assert not isinstance(value, bool) or "boolean" in kinds, place
    assert "enum" not in schema or value in schema["enum"], place
    assert "const" not in schema or value == schema["const"], place
    if isinstance(value, str) and "pattern" in schema:
        assert re.search(schema["pattern"], value), f"{place}: {value!r}"
    if isinstance(value, int | float) and not isinstance(value, bool):
        assert schema.get("minimum", value) <= value <= schema.get("maximum", value), place


def check_answer(document: Any, method: str, route: str, answer: Reply) -> None:
    """Fail where an answer's status, headers or body is not documented for a route."""
    responses = document["paths"][route][method.lower()]["responses"]
    assert str(answer.status) in responses, f"{method} {route} answered {answer.status}"
    response = resolved(document, responses[str(answer.status)])
    for name in response.get("headers", {}):
        assert name in answer.headers, f"{method} {route} {answer.status} lacks {name}"
    if "content" not in response:
        assert answer.body == b""
        return
    kind = answer.headers["content-type"].partition(";")[0]
    assert kind in response["content"], f"{method} {route} {answer.status} is {kind}"
    if kind == "application/json":
        check(document, response["content"][kind]["schema"], json.loads(answer.body))
