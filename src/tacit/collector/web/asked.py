"""What a request asks for: a study, a number, a word, a body; errors in words where it is none."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeVar

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tacit.collector.storage.interface import StoredStudy
from tacit.collector.web.described import Endpoint
from tacit.collector.web.headers import PRIVATE
from tacit.collector.web.service import Service

_MOST_DIGITS = 20

T = TypeVar("T")


def with_token(service: Service) -> Callable[[Endpoint], Endpoint]:
    """What refuses whoever lacks the admin token, before anything of the request is looked at."""

    def guarded(endpoint: Endpoint) -> Endpoint:
        async def asked(request: Request) -> Response:
            if not service.is_admin(request.headers.get("authorization", "")):
                raise HTTPException(
                    401,
                    "this needs the admin token, as `Authorization: Bearer TOKEN`",
                    {"www-authenticate": "Bearer"},
                )
            return await endpoint(request)

        return asked

    return guarded


def study_of(
    service: Service, request: Request, headers: Mapping[str, str] = PRIVATE
) -> StoredStudy:
    """The study that a path names."""
    stored = service.studies.get(request.path_params["id"])
    if stored is None:
        raise HTTPException(404, "there is no such study here", headers)
    return stored


def number(request: Request, name: str, most: int) -> int | None:
    """A number from 1 in the query, or None; however many digits are sent, few are read."""
    given = request.query_params.get(name)
    if given is None:
        return None
    short = len(given) <= _MOST_DIGITS and given.isascii() and given.isdigit()
    if not short or not 1 <= int(given) <= most:
        raise HTTPException(400, f"{name} must be a number from 1 to {most:,}")
    return int(given)


def choice(request: Request, name: str, allowed: Sequence[str]) -> str | None:
    """One of some words in the query, or None."""
    given = request.query_params.get(name)
    if given is not None and given not in allowed:
        words = " or ".join(f"`{word}`" for word in allowed)
        raise HTTPException(400, f"{name} must be {words}")
    return given


async def json_body(request: Request, kind: type[T], most: int, example: str) -> T:
    """A small body in JSON."""
    try:
        return msgspec.json.decode(await read_body(request, most), type=kind)
    except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
        raise HTTPException(400, f"send {example} as the body; {error}") from error


def announced(length: str) -> int:
    """A Content-Length that the parser took: digits below 2^64, behind any number of zeros."""
    return int(length.lstrip("0") or "0")


async def read_body(request: Request, most: int) -> bytes:
    """The body, refused as soon as it is known to be longer than `most` bytes."""
    body = bytearray()
    if announced(request.headers.get("content-length", "")) > most:
        raise _too_large(most)
    more = True
    while more:
        message = await request.receive()
        if message["type"] != "http.request":
            raise HTTPException(408, "the body was not complete")
        body += message["body"]
        more = message["more_body"]
        if len(body) > most:
            raise _too_large(most)
    return bytes(body)


def _too_large(most: int) -> HTTPException:
    return HTTPException(413, f"the body may have at most {most:,} bytes")
