"""The application: the busy route first, everything else through Starlette."""

import time
from functools import cache
from typing import Any

import msgspec
from starlette.applications import Starlette

from tacit.collector.web.admin import Admin
from tacit.collector.web.asked import with_token
from tacit.collector.web.described import routes_of
from tacit.collector.web.limits import RateLimit, retry_after
from tacit.collector.web.openapi import describe
from tacit.collector.web.public import Public
from tacit.collector.web.replies import HANDLERS
from tacit.collector.web.reports import Receive, Send, address, post_reports, refusal
from tacit.collector.web.results import Results
from tacit.collector.web.service import Service


class Collector:
    """An ASGI application over a service; `rate` are reports a second and client, 0 for any."""

    def __init__(self, service: Service, rate: int) -> None:
        self._service = service
        self._rate = RateLimit(rate) if rate else None
        self._site = site(service)

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """One request; no rate holds for whoever sends the admin token."""
        rate = self._rate
        if rate is not None:
            if self._is_admin(scope):
                rate = None
            elif await self._too_many(rate, scope, send):
                return
        study_id = self._service.report_paths.get(scope["path"])
        if study_id is not None and scope["method"] == "POST":
            await post_reports(self._service, study_id, scope, receive, send, rate=rate)
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

    @cache
    def document() -> bytes:
        return msgspec.json.encode(describe(routes))

    parts = (Public(service, document), Admin(service), Results(service))
    guard = with_token(service)
    routes = [route for each in parts for route in routes_of(each, guard)]
    made = Starlette(routes=routes, exception_handlers=HANDLERS)
    made.router.redirect_slashes = False
    return made
