"""The application: the busy route first, everything else through Starlette."""

import time
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from tacit.collector.web.admin import Admin
from tacit.collector.web.answers import HANDLERS, find, json_response
from tacit.collector.web.headers import PAGE, PREFLIGHT, PRIVATE, PUBLIC
from tacit.collector.web.limits import Bounds, RateLimit, Room, retry_after
from tacit.collector.web.reports import Receive, Send, address, post_reports, refusal
from tacit.collector.web.service import Service

IMMUTABLE = "public, max-age=31536000, immutable"


class Collector:
    """An ASGI application over a service; `rate` are reports a second and client, 0 for any."""

    def __init__(self, service: Service, rate: int) -> None:
        self._service = service
        self._rateless = Bounds(None, Room())
        self._bounds = Bounds(RateLimit(rate), self._rateless.room) if rate else self._rateless
        self._site = site(service)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """One request."""
        bounds, rate = self._bounds, self._bounds.rate
        if rate is not None:
            if self._is_admin(scope):
                bounds = self._rateless
            elif await self._too_many(rate, scope, send):
                return
        study_id = self._service.report_paths.get(scope["path"])
        if study_id is not None and scope["method"] == "POST":
            await post_reports(self._service, study_id, scope, receive, send, bounds=bounds)
        else:
            await self._site(scope, receive, send)

    def _is_admin(self, scope: Any) -> bool:
        for name, value in scope["headers"]:
            if name == b"authorization":
                return self._service.is_admin(value.decode("latin-1"))
        return False

    async def _too_many(self, rate: RateLimit, scope: Any, send: Send) -> bool:
        wait = rate.wait(address(scope), time.monotonic())
        if wait:
            study_id = self._service.report_paths.get(scope["path"], "")
            self._service.writer.refuse(study_id, "rate")
            for message in refusal(429, "too many requests; wait a little", retry_after(wait)):
                await send(message)
        return wait > 0


def site(service: Service) -> Starlette:
    """Every route but the busy one."""
    routes = [*Public(service).routes(), *Admin(service).routes()]
    made = Starlette(routes=routes, exception_handlers=HANDLERS)
    made.router.redirect_slashes = False
    return made


class Public:
    """What anybody may ask."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """Pages, files, studies and health."""
        return [
            Route("/", self.home),
            Route("/join", self.page),
            Route("/dashboard", self.page),
            Route("/device.js", self.device_js),
            Route("/pages.json", self.page_hashes),
            Route("/openapi.json", self.openapi),
            Route("/health/live", self.live),
            Route("/health/ready", self.ready),
            Route("/studies", self.studies),
            Route("/studies/{id}", self.study),
            Route("/studies/{id}/reports", self.preflight, methods=["OPTIONS"]),
            Route("/studies/{id}/reports", self.unknown_study, methods=["POST"]),
        ]

    async def home(self, request: Request) -> Response:
        """The page for whoever runs the collector."""
        return RedirectResponse("/dashboard", 302, PRIVATE)

    async def page(self, request: Request) -> Response:
        """A page that loads nothing else, under the policy that pins its script."""
        from tacit.collector.pages import page

        found = page(request.url.path.removeprefix("/"))
        policy = {"content-security-policy": found.policy}
        return Response(found.html, headers={**PAGE, **policy}, media_type="text/html")

    async def device_js(self, request: Request) -> Response:
        """The browser's device."""
        from tacit.collector.pages import device_js

        headers = {**PUBLIC, "cache-control": "no-cache"}
        return Response(device_js(), headers=headers, media_type="text/javascript")

    async def page_hashes(self, request: Request) -> Response:
        """SHA-256 of what a browser runs."""
        from tacit.collector.pages import hashes

        return json_response(hashes(), headers=PUBLIC)

    async def openapi(self, request: Request) -> Response:
        """This API, described."""
        found = files("tacit.collector.web").joinpath("openapi.json").read_bytes()
        return Response(found, headers=PUBLIC, media_type="application/json")

    async def live(self, request: Request) -> Response:
        """The process answers."""
        return json_response({"status": "ok"}, headers=PRIVATE)

    async def ready(self, request: Request) -> Response:
        """Reports can be stored, as far as the last attempt tells."""
        if self._service.writer.ready:
            return json_response({"status": "ok"}, headers=PRIVATE)
        raise HTTPException(503, "reports cannot be stored now", {"retry-after": "1"})

    async def studies(self, request: Request) -> Response:
        """What can be joined, or could."""
        listed = [
            {
                "id": stored.study.id,
                "title": stored.study.title,
                "open": stored.open,
                "needs_code": stored.needs_code,
            }
            for stored in self._service.studies.values()
        ]
        return json_response(listed, headers={**PUBLIC, "cache-control": "no-cache"})

    async def study(self, request: Request) -> Response:
        """The exact study file, which never changes under its id."""
        stored = find(self._service, request, PUBLIC)
        headers = {**PUBLIC, "etag": f'"{stored.study.id}"', "cache-control": IMMUTABLE}
        if stored.study.id in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(stored.study.to_bytes(), headers=headers, media_type="application/json")

    async def preflight(self, request: Request) -> Response:
        """Any page may send reports: nothing that a browser adds by itself is looked at."""
        return Response(status_code=204, headers=PREFLIGHT)

    async def unknown_study(self, request: Request) -> Response:
        """Reports of studies that are here never come this way."""
        self._service.writer.refuse("", "unknown study")
        raise HTTPException(404, "there is no such study here", PUBLIC)
