"""Routes with what the description of the API says about them, declared where the handlers are."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from tacit.collector.web.bodies import Error

Schema = dict[str, Any]
Endpoint = Callable[[Request], Awaitable[Response]]
Handler = TypeVar("Handler", bound=Callable[..., Awaitable[Response]])

BINARY: Schema = {"type": "string", "format": "binary"}
TEXT: Schema = {"type": "string"}


@dataclass(frozen=True)
class Content:
    """What a body holds: a media type, and a schema or the type that JSON has."""

    kind: str
    schema: Any


@dataclass(frozen=True)
class Answer:
    """What one status means, and the headers it comes with."""

    description: str
    content: Content | None = None
    headers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Parameter:
    """What may be given in the query or as a header."""

    name: str
    place: str
    kind: Any
    description: str


@dataclass(frozen=True)
class Body:
    """What a request brings."""

    content: Content
    description: str = ""


@dataclass(frozen=True)
class Description:
    """What a route says about itself; its summary is what its handler's docstring says."""

    method: str
    path: str
    answers: Mapping[int, Answer]
    tag: str
    note: str = ""
    parameters: tuple[Parameter, ...] = ()
    body: Body | None = None
    admin: bool = False


class DescribedRoute(Route):
    """A route of one method, with its description."""

    def __init__(self, described: Description, endpoint: Endpoint, summary: str) -> None:
        super().__init__(described.path, endpoint, methods=[described.method])
        self.described = described
        self.summary = summary


def described(
    method: str, path: str, answers: Mapping[int, Answer], **more: Any
) -> Callable[[Handler], Handler]:
    """Declare a handler's route; `more` are the other fields of `Description`."""

    def declare(handler: Handler) -> Handler:
        handler.__dict__["described"] = Description(method, path, answers, **more)
        return handler

    return declare


def routes_of(
    handlers: object, guard: Callable[[Endpoint], Endpoint] = lambda endpoint: endpoint
) -> list[DescribedRoute]:
    """The routes that an object's methods declare, in their order, each behind the guard."""
    made = []
    for name, method in vars(type(handlers)).items():
        if "described" in getattr(method, "__dict__", {}):
            summary = (method.__doc__ or "").rstrip(".")
            endpoint = guard(getattr(handlers, name))
            made.append(DescribedRoute(method.__dict__["described"], endpoint, summary))
    return made


def json_of(kind: Any) -> Content:
    """A body in JSON."""
    return Content("application/json", kind)


def failure(description: str, *headers: str) -> Answer:
    """An error, in the words of a collector."""
    return Answer(description, json_of(Error), headers)


CLOSED = failure("The study is closed.")
UNAVAILABLE = failure("Nothing can be stored or read now; nothing was changed.", "Retry-After")
