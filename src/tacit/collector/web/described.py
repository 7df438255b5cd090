"""Routes with what the description of the API says about them, declared where the handlers are."""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from typing import Any, NamedTuple, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.collector.web.bodies import Error

Schema = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]
Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Response]])

BINARY: Schema = {"type": "string", "format": "binary"}
TEXT: Schema = {"type": "string"}


class Content(NamedTuple):
    """What a body holds: a media type, and a schema or the type that JSON has."""

    kind: str
    schema: Any
    told: str = ""


class DescribedReply(NamedTuple):
    """What one status means, and the headers it comes with."""

    told: str
    content: Content | None = None
    headers: tuple[str, ...] = ()


class Parameter(NamedTuple):
    """What may be given in the query or as a header."""

    name: str
    place: str
    schema: Schema
    told: str


class Description(NamedTuple):
    """What a route says about itself; its summary is what its handler's docstring says."""

    method: str
    path: str
    replies: Mapping[int, DescribedReply]
    tag: str
    told: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Content | None = None
    admin: bool = False


class DescribedRoute(Route):
    """A route of one method, with its description."""

    def __init__(self, described: Description, endpoint: Endpoint, summary: str) -> None:
        super().__init__(described.path, endpoint, methods=[described.method])
        self.described = described
        self.summary = summary


def described(
    method: str, path: str, replies: Mapping[int, DescribedReply], **more: Any
) -> Callable[[Handler], Handler]:
    """Declare a handler's route; `more` are the other fields of `Description`."""

    def declare(handler: Handler) -> Handler:
        handler.__dict__["described"] = Description(method, path, replies, **more)
        return handler

    return declare


def routes_of(handlers: object, guard: Callable[[Endpoint], Endpoint]) -> Iterator[DescribedRoute]:
    """The routes that an object's methods declare, in their order, those for admins guarded."""
    for name, method in vars(type(handlers)).items():
        said = getattr(method, "__dict__", {}).get("described")
        if said is not None:
            endpoint = getattr(handlers, name)
            summary = (method.__doc__ or "").rstrip(".")
            yield DescribedRoute(said, guard(endpoint) if said.admin else endpoint, summary)


def json_of(kind: Any, told: str = "") -> Content:
    """A body in JSON."""
    return Content("application/json", kind, told)


def ok(kind: Any, told: str) -> dict[int, DescribedReply]:
    """The reply of a route that gives JSON."""
    return {200: DescribedReply(told, json_of(kind))}


def file(kind: str, told: str) -> dict[int, DescribedReply]:
    """The reply of a route that gives a file, under a name to save it."""
    return {200: DescribedReply(told, Content(kind, BINARY), ("Content-Disposition",))}


def failure(told: str, *headers: str) -> DescribedReply:
    """An error, in the words of a collector."""
    return DescribedReply(told, json_of(Error), headers)


UNAVAILABLE = failure("Nothing can be stored or read now; nothing was changed.", "Retry-After")
