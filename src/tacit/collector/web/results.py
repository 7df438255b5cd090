"""What the holder of the admin token may have: progress, files of results, metrics."""

import asyncio
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from tacit.collector import export
from tacit.collector.storage.interface import StoredStudy
from tacit.collector.values import Progress
from tacit.collector.web import described as api
from tacit.collector.web.asked import study_of
from tacit.collector.web.bodies import DayOfReports
from tacit.collector.web.headers import PRIVATE
from tacit.collector.web.metrics import family
from tacit.collector.web.replies import json_response
from tacit.collector.web.service import Service
from tacit.errors import StorageError, TacitError

_BYTES = "application/octet-stream"
_PARQUET = "application/vnd.apache.parquet"
_METRICS = api.Content("text/plain", api.TEXT)
_MODEL = api.DescribedReply(
    "It, as `tacit predict` reads it.",
    api.json_of({"type": "object", "required": ["id", "model"]}),
    ("Content-Disposition",),
)

_admin = partial(api.described, "GET", tag="admin", admin=True)


class Results:
    """Routes that look at the token before anything else."""

    def __init__(self, service: Service) -> None:
        self._service = service

    @_admin("/studies/{id}/progress", api.ok(Progress, "Counts, plan, guarantee and fit."))
    async def progress(self, request: Request) -> Response:
        """What the dashboard shows."""
        stored = study_of(self._service, request)
        await self._service.writer.store_refusals()
        return json_response(await asyncio.to_thread(self._service.analyst.progress, stored))

    @_admin(
        "/studies/{id}/model",
        {200: _MODEL, 409: api.failure("There is no model yet; the error says why.")},
    )
    async def model(self, request: Request) -> Response:
        """The model file of all reports so far."""
        stored = study_of(self._service, request)
        try:
            made = await asyncio.to_thread(self._service.analyst.model, stored)
        except StorageError:
            raise
        except TacitError as error:
            raise HTTPException(409, str(error)) from error
        return _download(made, "application/json", "model.json")

    @_admin("/studies/{id}/tally", api.file(_BYTES, "Its canonical bytes."))
    async def tally(self, request: Request) -> Response:
        """Count and sums of all reports."""
        identity, store = study_of(self._service, request).study.id, self._service.store
        made = await asyncio.to_thread(lambda: store.tally(identity).to_bytes())
        return _download(made, _BYTES, "study.tally")

    @_admin("/studies/{id}/reports", api.file(_BYTES, "Sorted by day, by nothing finer."))
    async def reports(self, request: Request) -> Response:
        """All reports, as a .tacit file."""
        pieces = export.reports_file(self._service.store, study_of(self._service, request))
        headers = {**PRIVATE, **_named("reports.tacit")}
        return StreamingResponse(pieces, 200, headers, _BYTES)

    @_admin("/studies/{id}/segments", api.ok(list[DayOfReports], "In order."))
    async def segments(self, request: Request) -> Response:
        """The days that have reports."""
        stored, store = study_of(self._service, request), self._service.store
        today = await self._service.writer.today()
        found = await asyncio.to_thread(store.segments, stored.study.id)
        return json_response(
            [
                DayOfReports(each.day, each.count, _is_over(stored, each.day, today))
                for each in found
            ]
        )

    @_admin(
        "/studies/{id}/segments/{day}",
        api.file(_PARQUET, "A Parquet file with a column `seed` of 16 bytes, sorted.")
        | {
            404: api.failure("There is no such study, or no report of that day."),
            409: api.failure("The day is not over (UTC) and the study is open."),
        },
    )
    async def segment(self, request: Request) -> Response:
        """One day's reports."""
        stored, store = study_of(self._service, request), self._service.store
        day = request.path_params["day"]
        found = await asyncio.to_thread(store.segments, stored.study.id)
        if day not in {segment.day for segment in found}:
            raise HTTPException(404, "there are no reports of that day")
        if not _is_over(stored, day, await self._service.writer.today()):
            raise HTTPException(409, "that day is not over (UTC), and the study is open")
        made = await asyncio.to_thread(export.segment_parquet, store, stored, day)
        return _download(made, _PARQUET, f"{day}.parquet")

    @_admin("/metrics", {200: api.DescribedReply("Version 0.0.4.", _METRICS)}, tag="health")
    async def metrics(self, request: Request) -> Response:
        """Metrics in the text format of Prometheus."""
        service = self._service
        lines = await asyncio.to_thread(_store_metrics, service)
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
