"""What only the holder of the admin token may do: studies, their public rows, codes, checks."""

import asyncio
from functools import partial

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from tacit.collector.storage.interface import Verification
from tacit.collector.web import codes
from tacit.collector.web import described as api
from tacit.collector.web.asked import choice, json_body, number, read_body, study_of
from tacit.collector.web.bodies import Closed, Codes, CodesWanted, Created, PublicTaken
from tacit.collector.web.replies import json_response
from tacit.collector.web.service import Service, otherwise, planned_for
from tacit.study import Study
from tacit.tables import parse_parquet

STUDY_BYTES = 16 * 2**20
PUBLIC_BYTES = 512 * 2**20
MOST_PEOPLE = 10**12

_PEOPLE = api.Parameter(
    "people",
    "query",
    {"type": "integer", "minimum": 1, "maximum": MOST_PEOPLE},
    "How many people are hoped for; otherwise those that the study was made for, if it says so.",
)
_CODES = api.Parameter(
    "codes",
    "query",
    {"type": "string", "enum": ["required", "none"]},
    "Whether a report needs a participation code; a new study needs none unless this says so.",
)

_admin = partial(api.described, tag="admin", admin=True)


class Admin:
    """Routes that look at the token before anything else."""

    def __init__(self, service: Service) -> None:
        self._service = service

    @_admin(
        "POST",
        "/studies",
        {
            200: api.DescribedReply("It was there already; nothing changed.", api.json_of(Created)),
            201: api.DescribedReply("It was added.", api.json_of(Created)),
            409: api.failure("It was there already, with other people or codes, which it keeps."),
        },
        parameters=(_PEOPLE, _CODES),
        body=api.json_of({"type": "object"}, "The study file, as tacit wrote it, up to 16 MiB."),
    )
    async def create(self, request: Request) -> Response:
        """Add a study."""
        people = number(request, "people", MOST_PEOPLE)
        wanted = choice(request, "codes", ("required", "none"))
        needs_code = None if wanted is None else wanted == "required"
        body = await read_body(request, STUDY_BYTES)
        study = await asyncio.to_thread(Study.from_bytes, body)
        if study.simulation:
            raise HTTPException(400, "this study was made for simulation; no device runs it")
        store, planned = self._service.store, planned_for(study, people)
        new = await self._service.change(
            lambda: store.create(study, planned=planned, needs_code=bool(needs_code))
        )
        kept = otherwise(self._service.studies[study.id], people, needs_code)
        if kept is not None:
            raise HTTPException(
                409, f"this study is here already and keeps {kept}; ask for no other"
            )
        return json_response(Created(study.id), 201 if new else 200)

    @_admin(
        "PUT",
        "/studies/{id}/public",
        api.ok(PublicTaken, "They fit the study and are kept."),
        body=api.Content(
            "application/octet-stream",
            api.BINARY,
            "A Parquet file of the study's features, up to 512 MiB. Any content type is accepted.",
        ),
    )
    async def set_public(self, request: Request) -> Response:
        """Give a study its public rows."""
        study = study_of(self._service, request).study
        parquet = await read_body(request, PUBLIC_BYTES)
        rows, same = await asyncio.to_thread(fit_of, study, parquet)
        await self._service.change(lambda: self._service.store.set_public(study.id, parquet))
        self._service.analyst.forget(study.id)
        return json_response(PublicTaken(rows, same))

    @_admin("POST", "/studies/{id}/close", api.ok(Closed, "It is closed."))
    async def close(self, request: Request) -> Response:
        """Take no more reports, for ever."""
        identity = study_of(self._service, request).study.id
        await self._service.change(lambda: self._service.store.close_study(identity))
        return json_response(Closed(open=False))

    @_admin(
        "POST",
        "/studies/{id}/codes",
        api.ok(Codes, "Shown this once: only their hashes are kept.")
        | {
            409: api.failure("The study takes reports without a code."),
            410: api.failure("The study is closed."),
        },
        body=api.json_of(CodesWanted),
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
        made = await asyncio.to_thread(codes.make, wanted.count)
        hashes = [codes.digest(identity, code.encode()) for code in made]
        await self._service.writer.change(lambda: store.add_codes(identity, hashes))
        return json_response(Codes(made))

    @_admin(
        "POST",
        "/studies/{id}/check",
        api.ok(Verification, "Damaged reports were set aside and taken out of the tallies."),
    )
    async def check(self, request: Request) -> Response:
        """Read everything back, of all studies."""
        study_of(self._service, request)
        return json_response(await asyncio.to_thread(self._service.store.verify))


def fit_of(study: Study, parquet: bytes) -> tuple[int, bool]:
    """How many public rows there are and whether the study was made from them; raises if unfit."""
    table = parse_parquet(parquet, "the public rows")
    z, _, fingerprint = study.encode_public(table)
    return len(z), fingerprint == study.fingerprint
