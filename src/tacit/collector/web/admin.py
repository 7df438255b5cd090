"""What only the holder of the admin token may do: studies, codes, results, metrics."""

from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tacit.collector import export
from tacit.collector.storage.interface import StoredStudy, Verification
from tacit.collector.values import Progress
from tacit.collector.web import codes
from tacit.collector.web.answers import json_response
from tacit.collector.web.asked import choice, json_body, number, read_body, study_of
from tacit.collector.web.bodies import (
    Closed,
    Codes,
    CodesWanted,
    Created,
    DayOfReports,
    PublicTaken,
)
from tacit.collector.web.described import (
    BINARY,
    CLOSED,
    TEXT,
    UNKNOWN_STUDY,
    Answer,
    Body,
    Content,
    DescribedRoute,
    Endpoint,
    Parameter,
    described,
    failure,
    json_of,
    routes_of,
)
from tacit.collector.web.headers import PRIVATE
from tacit.collector.web.metrics import family
from tacit.collector.web.service import Service, otherwise
from tacit.errors import StorageError, TacitError
from tacit.study import Study
from tacit.tables import parse_parquet

STUDY_BYTES = 16 * 2**20
PUBLIC_BYTES = 512 * 2**20
MOST_PEOPLE = 10**12

_BYTES = "application/octet-stream"
_PARQUET = "application/vnd.apache.parquet"
_NAMED = ("Content-Disposition",)
_PEOPLE = Parameter(
    "people",
    "query",
    {"type": "integer", "minimum": 1, "maximum": MOST_PEOPLE},
    "How many people are hoped for.",
)
_CODES = Parameter(
    "codes",
    "query",
    {"type": "string", "enum": ["required", "none"]},
    "Whether a report needs a participation code; a new study needs none unless this says so.",
)

_admin = partial(described, admin=True)


class Admin:
    """Routes that look at the token before anything else."""

    def __init__(self, service: Service) -> None:
        self._service = service

    def routes(self) -> list[DescribedRoute]:
        """All of them."""
        return routes_of(self, self._guarded)

    def _guarded(self, endpoint: Endpoint) -> Endpoint:
        async def guarded(request: Request) -> Response:
            if not self._service.is_admin(request.headers.get("authorization", "")):
                raise HTTPException(
                    401,
                    "this needs the admin token, as `Authorization: Bearer TOKEN`",
                    {"www-authenticate": "Bearer"},
                )
            return await endpoint(request)

        return guarded

    @_admin(
        "POST",
        "/studies",
        "admin",
        {
            200: Answer("It was there already; nothing changed.", json_of(Created)),
            201: Answer("It was added.", json_of(Created)),
            409: failure("It was there already, with other people or codes, which it keeps."),
        },
        parameters=(_PEOPLE, _CODES),
        body=Body(json_of({"type": "object"}), "The study file, as tacit wrote it, up to 16 MiB."),
    )
    async def create(self, request: Request) -> Response:
        """Add a study."""
        planned = number(request, "people", MOST_PEOPLE)
        wanted = choice(request, "codes", ("required", "none"))
        needs_code = None if wanted is None else wanted == "required"
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
        return json_response(Created(study.id), 201 if new else 200)

    @_admin(
        "PUT",
        "/studies/{id}/public",
        "admin",
        {
            200: Answer("They fit the study and are kept.", json_of(PublicTaken)),
            404: UNKNOWN_STUDY,
        },
        body=Body(
            Content(_BYTES, BINARY),
            "A Parquet file of the study's features, up to 512 MiB. Any content type is accepted.",
        ),
    )
    async def set_public(self, request: Request) -> Response:
        """Give a study its public rows."""
        study = study_of(self._service, request).study
        parquet = await read_body(request, PUBLIC_BYTES)
        rows, same = await self._service.in_thread(lambda: fit_of(study, parquet))
        await self._service.change(lambda: self._service.store.set_public(study.id, parquet))
        self._service.analyst.forget(study.id)
        return json_response(PublicTaken(rows, same))

    @_admin(
        "POST",
        "/studies/{id}/close",
        "admin",
        {200: Answer("It is closed.", json_of(Closed)), 404: UNKNOWN_STUDY},
    )
    async def close(self, request: Request) -> Response:
        """Take no more reports, for ever."""
        identity = study_of(self._service, request).study.id
        await self._service.change(lambda: self._service.store.close_study(identity))
        return json_response(Closed(open=False))

    @_admin(
        "POST",
        "/studies/{id}/codes",
        "admin",
        {
            200: Answer("Shown this once: only their hashes are kept.", json_of(Codes)),
            404: UNKNOWN_STUDY,
            409: failure("The study takes reports without a code."),
            410: CLOSED,
        },
        body=Body(json_of(CodesWanted)),
    )
    async def make_codes(self, request: Request) -> Response:
        """Make participation codes."""
        stored = study_of(self._service, request)
        wanted = await json_body(request, CodesWanted, 1024, '{"count": 100}')
        if not stored.open:
            raise HTTPException(410, "this study is closed")
        if not stored.needs_code:
            raise HTTPException(409, "this study takes reports without a code")
        identity, store = stored.study.id, self._service.store
        made = await self._service.in_thread(lambda: codes.make(wanted.count))
        hashes = [codes.digest(identity, code.encode()) for code in made]
        await self._service.writer.change(lambda: store.add_codes(identity, hashes))
        return json_response(Codes(made))

    @_admin(
        "GET",
        "/studies/{id}/progress",
        "admin",
        {
            200: Answer("Counts, plan, guarantee and, if it can be, a fit.", json_of(Progress)),
            404: UNKNOWN_STUDY,
        },
    )
    async def progress(self, request: Request) -> Response:
        """What the dashboard shows."""
        stored = study_of(self._service, request)
        await self._service.writer.store_refusals()
        analyst = self._service.analyst
        return json_response(await self._service.in_thread(lambda: analyst.progress(stored)))

    @_admin(
        "GET",
        "/studies/{id}/model",
        "admin",
        {
            200: Answer(
                "It, as `tacit predict` reads it.",
                json_of({"type": "object", "required": ["id", "model"]}),
                _NAMED,
            ),
            404: UNKNOWN_STUDY,
            409: failure("There is no model yet; the error says why."),
        },
    )
    async def model(self, request: Request) -> Response:
        """The model file of all reports so far."""
        stored, analyst = study_of(self._service, request), self._service.analyst
        try:
            made = await self._service.in_thread(lambda: analyst.model(stored))
        except StorageError:
            raise
        except TacitError as error:
            raise HTTPException(409, str(error)) from error
        return _download(made, "application/json", "model.json")

    @_admin(
        "GET",
        "/studies/{id}/tally",
        "admin",
        {200: Answer("Canonical bytes.", Content(_BYTES, BINARY), _NAMED), 404: UNKNOWN_STUDY},
    )
    async def tally(self, request: Request) -> Response:
        """Count and sums of all reports."""
        identity, store = study_of(self._service, request).study.id, self._service.store
        made = await self._service.in_thread(lambda: store.tally(identity).to_bytes())
        return _download(made, _BYTES, "study.tally")

    @_admin(
        "GET",
        "/studies/{id}/reports",
        "admin",
        {
            200: Answer(
                "Each day is sorted, so that the file does not tell the order of arrival.",
                Content(_BYTES, BINARY),
                _NAMED,
            ),
            404: UNKNOWN_STUDY,
        },
    )
    async def reports(self, request: Request) -> Response:
        """All reports, as a .tacit file."""
        pieces = export.reports_file(self._service.store, study_of(self._service, request))
        headers = {**PRIVATE, **_named("reports.tacit")}
        return StreamingResponse(pieces, 200, headers, _BYTES)

    @_admin(
        "GET",
        "/studies/{id}/segments",
        "admin",
        {200: Answer("In order.", json_of(list[DayOfReports])), 404: UNKNOWN_STUDY},
    )
    async def segments(self, request: Request) -> Response:
        """The days that have reports."""
        stored, store = study_of(self._service, request), self._service.store
        today = await self._service.writer.today()
        found = await self._service.in_thread(lambda: store.segments(stored.study.id))
        return json_response(
            [
                DayOfReports(each.day, each.count, _is_over(stored, each.day, today))
                for each in found
            ]
        )

    @_admin(
        "GET",
        "/studies/{id}/segments/{day}",
        "admin",
        {
            200: Answer(
                "A Parquet file with a column `seed` of 16 bytes, sorted.",
                Content(_PARQUET, BINARY),
                _NAMED,
            ),
            404: failure("There is no such study, or no report of that day."),
            409: failure("The day is not over (UTC) and the study is open."),
        },
    )
    async def segment(self, request: Request) -> Response:
        """One day's reports."""
        stored, store = study_of(self._service, request), self._service.store
        day = request.path_params["day"]
        found = await self._service.in_thread(lambda: store.segments(stored.study.id))
        if day not in {segment.day for segment in found}:
            raise HTTPException(404, "there are no reports of that day")
        if not _is_over(stored, day, await self._service.writer.today()):
            raise HTTPException(409, "that day is not over (UTC), and the study is open")
        made = await self._service.in_thread(lambda: export.segment_parquet(store, stored, day))
        return _download(made, _PARQUET, f"{day}.parquet")

    @_admin(
        "POST",
        "/studies/{id}/check",
        "admin",
        {
            200: Answer(
                "What was found; damaged reports were set aside and taken out of the tallies.",
                json_of(Verification),
            ),
            404: UNKNOWN_STUDY,
        },
    )
    async def check(self, request: Request) -> Response:
        """Read everything back, of all studies."""
        study_of(self._service, request)
        return json_response(await self._service.in_thread(self._service.store.verify))

    @_admin("GET", "/metrics", "health", {200: Answer("0.0.4.", Content("text/plain", TEXT))})
    async def metrics(self, request: Request) -> Response:
        """Metrics in the text format of Prometheus."""
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


def _named(name: str) -> dict[str, str]:
    return {"content-disposition": f'attachment; filename="{name}"'}


def _download(content: bytes, kind: str, name: str) -> Response:
    return Response(content, headers={**PRIVATE, **_named(name)}, media_type=kind)
