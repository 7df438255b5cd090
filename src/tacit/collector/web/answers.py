"""What the routes answer with: JSON, and errors that say what to do."""

from collections.abc import Mapping
from typing import Any

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tacit.collector.storage.interface import StoredStudy
from tacit.collector.web.headers import PRIVATE, as_json
from tacit.collector.web.service import Service
from tacit.errors import StorageError, TacitError

_PLAINER = {
    "Not Found": "there is nothing at this address; see /openapi.json",
    "Method Not Allowed": "this address does not take that method; see /openapi.json",
}


def json_response(
    document: Any, status: int = 200, headers: Mapping[str, str] = PRIVATE
) -> Response:
    """A document; by default for nobody but the one who asked."""
    return Response(as_json(document), status, headers, media_type="application/json")


def find(service: Service, request: Request, headers: Mapping[str, str] = PRIVATE) -> StoredStudy:
    """The study that a path names."""
    stored = service.studies.get(request.path_params["id"])
    if stored is None:
        raise HTTPException(404, "there is no such study here", headers)
    return stored


async def read_body(request: Request, most: int) -> bytes:
    """The body, refused as soon as it is known to be longer than `most` bytes."""
    body = bytearray()
    if int(request.headers.get("content-length", 0)) > most:
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


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)  # noqa: S101
    told = _PLAINER.get(error.detail, error.detail)
    return json_response({"error": told}, error.status_code, {**PRIVATE, **(error.headers or {})})


async def _storage_error(request: Request, error: Exception) -> Response:
    return json_response({"error": str(error)}, 503, {**PRIVATE, "retry-after": "1"})


async def _tacit_error(request: Request, error: Exception) -> Response:
    return json_response({"error": str(error)}, 400)


async def _unexpected(request: Request, error: Exception) -> Response:
    """Starlette raises it again afterwards, so that the log has it."""
    return json_response(
        {"error": "something went wrong here; the log of the server says what"}, 500
    )


HANDLERS: Any = {
    HTTPException: _http_error,
    StorageError: _storage_error,
    TacitError: _tacit_error,
    Exception: _unexpected,
}
