"""What anybody may ask: pages, files, studies and health."""

from collections.abc import Callable
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from tacit.collector.web import described as api
from tacit.collector.web.asked import study_of
from tacit.collector.web.bodies import Accepted, ListedStudy, Sha256, Status
from tacit.collector.web.headers import PAGE, PREFLIGHT, PRIVATE, PUBLIC
from tacit.collector.web.replies import json_response
from tacit.collector.web.reports import MOST_BYTES, MOST_REPORTS
from tacit.collector.web.service import Service
from tacit.study.report import REPORT_BYTES

IMMUTABLE = "public, max-age=31536000, immutable"

_PAGE = api.DescribedReply(
    "It loads nothing else. Its Content-Security-Policy pins its script and style by hash.",
    api.Content("text/html", api.TEXT),
    ("Content-Security-Policy",),
)
_SCRIPT = api.DescribedReply("The module.", api.Content("text/javascript", api.TEXT))
_STUDY_FILE = api.DescribedReply(
    "Its id, and the body that this is the SHA-256 of. It never changes.",
    api.json_of({"type": "object", "required": ["id", "study"]}),
    ("ETag", "Cache-Control"),
)
_REPORTS = api.BINARY | {"minLength": REPORT_BYTES, "maxLength": MOST_BYTES}
_CODE = api.Parameter(
    "Tacit-Code",
    "header",
    api.TEXT,
    "A participation code, where the study needs one; then exactly one report. Case, hyphens and "
    "spaces do not matter.",
)
_pages = partial(api.described, "GET", tag="pages")
_health = partial(api.described, "GET", tag="health")
_studies = partial(api.described, tag="studies")
_ALLOWING = tuple(name for name in PREFLIGHT if "allow" in name)


class Public:
    """Routes that ask for no token; `document` makes the description of all routes."""

    def __init__(self, service: Service, document: Callable[[], bytes]) -> None:
        self._service = service
        self._document = document

    @_pages("/", {302: api.DescribedReply("To /dashboard.", headers=("Location",))})
    async def home(self, request: Request) -> Response:
        """Go to the dashboard."""
        return RedirectResponse("/dashboard", 302, PRIVATE)

    @_pages("/join", {200: _PAGE})
    async def join(self, request: Request) -> Response:
        """The participants' page: it randomizes in the browser."""
        return _page("join")

    @_pages("/dashboard", {200: _PAGE})
    async def dashboard(self, request: Request) -> Response:
        """The dashboard; it asks for the admin token."""
        return _page("dashboard")

    @_pages("/device.js", {200: _SCRIPT})
    async def device_js(self, request: Request) -> Response:
        """The browser's device, as an ES module."""
        from tacit.collector.pages import device_js

        headers = {**PUBLIC, "cache-control": "no-cache"}
        return Response(device_js(), headers=headers, media_type="text/javascript")

    @_pages("/pages.json", api.ok(dict[str, Sha256], "By name."))
    async def page_hashes(self, request: Request) -> Response:
        """SHA-256 of everything a browser runs."""
        from tacit.collector.pages import hashes

        return json_response(hashes(), headers=PUBLIC)

    @_health("/openapi.json", api.ok({"type": "object"}, "OpenAPI 3.1."))
    async def openapi(self, request: Request) -> Response:
        """This document."""
        return Response(self._document(), headers=PUBLIC, media_type="application/json")

    @_health("/health/live", api.ok(Status, "It does."))
    async def live(self, request: Request) -> Response:
        """Whether the process answers."""
        return json_response(Status("ok"))

    @_health(
        "/health/ready",
        api.ok(Status, "They can, as far as the last attempt tells.") | {503: api.UNAVAILABLE},
    )
    async def ready(self, request: Request) -> Response:
        """Whether reports can be stored."""
        if self._service.writer.ready:
            return json_response(Status("ok"))
        raise HTTPException(503, "reports cannot be stored now", {"retry-after": "1"})

    @_studies("GET", "/studies", api.ok(list[ListedStudy], "In the order of their ids."))
    async def studies(self, request: Request) -> Response:
        """Every study here."""
        listed = [
            ListedStudy(stored.study.id, stored.study.title, stored.open, stored.needs_code)
            for stored in self._service.studies.values()
        ]
        return json_response(listed, headers={**PUBLIC, "cache-control": "no-cache"})

    @_studies(
        "GET",
        "/studies/{id}",
        {200: _STUDY_FILE, 304: api.DescribedReply("The study file you have.")},
    )
    async def study(self, request: Request) -> Response:
        """The exact study file."""
        stored = study_of(self._service, request, PUBLIC)
        headers = {**PUBLIC, "etag": f'"{stored.study.id}"', "cache-control": IMMUTABLE}
        if stored.study.id in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        return Response(stored.study.to_bytes(), headers=headers, media_type="application/json")

    @_studies(
        "OPTIONS",
        "/studies/{id}/reports",
        {204: api.DescribedReply("Any origin may post.", headers=_ALLOWING)},
    )
    async def preflight(self, request: Request) -> Response:
        """What a browser asks before it sends from another origin."""
        return Response(status_code=204, headers=PREFLIGHT)

    @_studies(
        "POST",
        "/studies/{id}/reports",
        api.ok(Accepted, "They are stored, durably and once, now or earlier.")
        | {
            403: api.failure("The participation code is missing, unknown or used."),
            409: api.failure("The file holds reports of another study."),
            410: api.failure("The study is closed, whether or not the report came before."),
            503: api.UNAVAILABLE,
        },
        told=f"Either the bytes of 1 to {MOST_REPORTS:,} reports, {REPORT_BYTES} each, or a whole "
        ".tacit file of this study: 8 bytes of magic, the study's 32-byte id, then the reports. "
        "Without the admin token a rate limit may allow fewer. Any content type is accepted. "
        "Sending the same bytes again is safe.",
        parameters=(_CODE,),
        body=api.Content("application/octet-stream", _REPORTS),
    )
    async def unknown_study(self, request: Request) -> Response:
        """Send reports."""  # those of studies that are here never come this way
        self._service.writer.refuse("", "unknown study")
        raise HTTPException(404, "there is no such study here", PUBLIC)


def _page(name: str) -> Response:
    from tacit.collector.pages import page

    found = page(name)
    headers = {**PAGE, "content-security-policy": found.policy}
    return Response(found.html, headers=headers, media_type="text/html")
