"""What only the holder of the admin token may do: studies, codes, results, metrics."""

from collections.abc import Awaitable, Callable
from dataclasses import asdict
from typing import Annotated

import msgspec
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from tacit.collector import export
from tacit.collector.storage.interface import StoredStudy
from tacit.collector.web import codes
from tacit.collector.web.answers import find, json_response, read_body
from tacit.collector.web.headers import PRIVATE
from tacit.collector.web.metrics import family
from tacit.collector.web.service import Service, otherwise
from tacit.errors import StorageError, TacitError
from tacit.study import Study
from tacit.tables import parse_parquet

STUDY_BYTES = 16 * 2**20
PUBLIC_BYTES = 512 * 2**20
MOST_PEOPLE = 10**12

Endpoint = Callable[[Request], Awaitable[Response]]


class _Order(msgspec.Struct, forbid_unknown_fields=True):
    count: Annotated[int, msgspec.Meta(ge=1, le=codes.MOST_AT_ONCE)]


class Admin:
    """Routes that look at the token before anything else."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[Route]:
        """All of them."""
        return [
            self._route("POST", "/studies", self.create),
            self._route("PUT", "/studies/{id}/public", self.set_public),
            self._route("POST", "/studies/{id}/close", self.close),
            self._route("POST", "/studies/{id}/codes", self.make_codes),
            self._route("GET", "/studies/{id}/progress", self.progress),
            self._route("GET", "/studies/{id}/model", self.model),
            self._route("GET", "/studies/{id}/tally", self.tally),
            self._route("GET", "/studies/{id}/reports", self.reports),
            self._route("GET", "/studies/{id}/segments", self.segments),
            self._route("GET", "/studies/{id}/segments/{day}", self.segment),
            self._route("POST", "/studies/{id}/check", self.check),
            self._route("GET", "/metrics", self.metrics),
        ]

    def _route(self, method: str, path: str, endpoint: Endpoint) -> Route:
        async def guarded(request: Request) -> Response:
            if not self._service.is_admin(request.headers.get("authorization", "")):
                raise HTTPException(
                    401,
                    "this needs the admin token, as `Authorization: Bearer TOKEN`",
                    {"www-authenticate": "Bearer"},
                )
            return await endpoint(request)

        return Route(path, guarded, methods=[method])

    async def create(self, request: Request) -> Response:
        """Take a study; it may be there already."""
        planned, needs_code = _people(request), _needs_code(request)
        body = await read_body(request, STUDY_BYTES)
        study = await self._service.in_thread(lambda: Study.from_bytes(body))
        if study.simulation:
            raise HTTPException(400, "this study was made for simulation; no device runs it")
        store = self._service.store
        new = await self._service.change(
            lambda: store.create(study, planned=planned, needs_code=bool(needs_code))
        )
        kept = otherwise(self._service.studies[study.id], planned, needs_code)
        if kept is not None:
            raise HTTPException(
                409, f"this study is here already and keeps {kept}; ask for no other"
            )
        return json_response({"id": study.id}, 201 if new else 200)

    async def set_public(self, request: Request) -> Response:
        """Take a study's public rows, once they are known to fit it."""
        study = find(self._service, request).study
        parquet = await read_body(request, PUBLIC_BYTES)
        rows, same = await self._service.in_thread(lambda: fit_of(study, parquet))
        await self._service.change(lambda: self._service.store.set_public(study.id, parquet))
        self._service.analyst.forget(study.id)
        return json_response({"rows": rows, "same_as_study": same})

    async def close(self, request: Request) -> Response:
        """Take no more reports, for ever."""
        identity = find(self._service, request).study.id
        await self._service.change(lambda: self._service.store.close_study(identity))
        return json_response({"open": False})

    async def make_codes(self, request: Request) -> Response:
        """Fresh codes, which nobody can see again."""
        stored = find(self._service, request)
        order = await _order(request)
        if not stored.open:
            raise HTTPException(410, "this study is closed")
        if not stored.needs_code:
            raise HTTPException(409, "this study takes reports without a code")
        identity, store = stored.study.id, self._service.store
        made = await self._service.in_thread(lambda: codes.make(order.count))
        hashes = [codes.digest(identity, code.encode()) for code in made]
        await self._service.writer.change(lambda: store.add_codes(identity, hashes))
        return json_response({"codes": made})

    async def progress(self, request: Request) -> Response:
        """What the dashboard shows."""
        stored = find(self._service, request)
        await self._service.writer.store_refusals()
        analyst = self._service.analyst
        return json_response(await self._service.in_thread(lambda: analyst.progress(stored)))

    async def model(self, request: Request) -> Response:
        """The model file of all reports so far."""
        stored, analyst = find(self._service, request), self._service.analyst
        try:
            made = await self._service.in_thread(lambda: analyst.model(stored))
        except StorageError:
            raise
        except TacitError as error:
            raise HTTPException(409, str(error)) from error
        return _download(made, "application/json", "model.json")

    async def tally(self, request: Request) -> Response:
        """Count and sums of all reports."""
        identity, store = find(self._service, request).study.id, self._service.store
        made = await self._service.in_thread(lambda: store.tally(identity).to_bytes())
        return _download(made, "application/octet-stream", "study.tally")

    async def reports(self, request: Request) -> Response:
        """All reports, as a file."""
        pieces = export.reports_file(self._service.store, find(self._service, request))
        headers = {**PRIVATE, **_named("reports.tacit")}
        return StreamingResponse(pieces, 200, headers, "application/octet-stream")

    async def segments(self, request: Request) -> Response:
        """The days that have reports, and whether more can still come."""
        stored, store = find(self._service, request), self._service.store
        today = await self._service.writer.today()
        found = await self._service.in_thread(lambda: store.segments(stored.study.id))
        return json_response(
            [
                {"day": each.day, "count": each.count, "closed": _is_over(stored, each.day, today)}
                for each in found
            ]
        )

    async def segment(self, request: Request) -> Response:
        """One day's reports as Parquet."""
        stored, store, day = (
            find(self._service, request),
            self._service.store,
            request.path_params["day"],
        )
        found = await self._service.in_thread(lambda: store.segments(stored.study.id))
        if day not in {segment.day for segment in found}:
            raise HTTPException(404, "there are no reports of that day")
        if not _is_over(stored, day, await self._service.writer.today()):
            raise HTTPException(409, "that day is not over (UTC), and the study is open")
        made = await self._service.in_thread(lambda: export.segment_parquet(store, stored, day))
        return _download(made, "application/vnd.apache.parquet", f"{day}.parquet")

    async def check(self, request: Request) -> Response:
        """Read everything back, of all studies."""
        find(self._service, request)
        return json_response(asdict(await self._service.in_thread(self._service.store.verify)))

    async def metrics(self, request: Request) -> Response:
        """For Prometheus."""
        service = self._service
        lines = await service.in_thread(lambda: _store_metrics(service))
        lines += family(
            "tacit_refusals_total",
            "counter",
            "Refused requests since the start.",
            [
                ({"study": study, "reason": reason}, count)
                for (study, reason), count in sorted(service.refusals.total.items())
            ],
        )
        lines += service.writer.commits.lines("tacit_commit_seconds")
        for name, text, value in (
            ("tacit_waiting_reports", "Reports that wait for a commit.", service.writer.waiting),
            ("tacit_open_connections", "Connections now open.", service.connections()),
            ("tacit_ready", "1 if the last attempt to store worked.", int(service.writer.ready)),
        ):
            lines += family(name, "gauge", text, [({}, value)])
        text = "\n".join([*lines, ""])
        return Response(text, headers=PRIVATE, media_type="text/plain; version=0.0.4")


def fit_of(study: Study, parquet: bytes) -> tuple[int, bool]:
    """How many public rows there are and whether the study was made from them; raises if unfit."""
    table = parse_parquet(parquet, "the public rows")
    study.encode_public(table)
    return table.num_rows, study.fingerprint_of(table) == study.fingerprint


async def _order(request: Request) -> _Order:
    try:
        return msgspec.json.decode(await read_body(request, 1024), type=_Order)
    except (msgspec.MsgspecError, UnicodeError) as error:
        raise HTTPException(
            400, f'say how many codes, from 1 to {codes.MOST_AT_ONCE:,}: {{"count": 100}}'
        ) from error


def _store_metrics(service: Service) -> list[str]:
    stored, aside = [], []
    for identity in service.studies:
        labels = {"study": identity}
        segments = service.store.segments(identity)
        stored.append((labels, sum(segment.count for segment in segments)))
        aside.append((labels, service.store.quarantined(identity)))
    return [
        *family("tacit_reports", "gauge", "Reports stored.", stored),
        *family("tacit_quarantined", "gauge", "Reports set aside as damaged.", aside),
    ]


def _is_over(stored: StoredStudy, day: str, today: str) -> bool:
    return not stored.open or day < today


def _people(request: Request) -> int | None:
    given = request.query_params.get("people")
    if given is None:
        return None
    if not given.isascii() or not given.isdigit() or not 1 <= int(given[:20]) <= MOST_PEOPLE:
        raise HTTPException(400, f"people must be a number from 1 to {MOST_PEOPLE:,}")
    return int(given)


def _needs_code(request: Request) -> bool | None:
    given = request.query_params.get("codes")
    if given not in (None, "required", "none"):
        raise HTTPException(400, "codes must be `required` or `none`")
    return None if given is None else given == "required"


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _download(content: bytes, kind: str, name: str) -> Response:
    return Response(content, headers={**PRIVATE, **_named(name)}, media_type=kind)
