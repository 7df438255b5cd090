"""What goes over the wire as JSON: the handlers send and read these, the description shows them."""

from typing import Annotated, Literal

import msgspec

from tacit.collector.values import Count, JsonObject
from tacit.collector.web.codes import MOST_AT_ONCE

Day = Annotated[str, msgspec.Meta(extra_json_schema={"format": "date"})]
Sha256 = Annotated[str, msgspec.Meta(pattern="^[0-9a-f]{64}$")]
Code = Annotated[str, msgspec.Meta(pattern="^[A-Z2-7]{6}(-[A-Z2-7]{6}){3}$")]


class Error(JsonObject, frozen=True):
    """What is wrong, and what to do."""

    error: str


class Status(JsonObject, frozen=True):
    """The process is well."""

    status: Literal["ok"]


class ListedStudy(JsonObject, frozen=True):
    """What a participant's page has to know of a study before it has its file."""

    id: Sha256
    title: str
    open: bool
    needs_code: bool


class Created(JsonObject, frozen=True):
    """The study that was sent."""

    id: Sha256


class Accepted(JsonObject, frozen=True):
    """How many reports are stored, durably and once."""

    reports: Annotated[int, msgspec.Meta(ge=1)]


class PublicTaken(JsonObject, frozen=True):
    """Public rows that are kept, and whether the study was made from these very rows."""

    rows: Count
    same_as_study: bool


class Closed(JsonObject, frozen=True):
    """Whether the study takes reports: never again."""

    open: bool


class CodesWanted(JsonObject, frozen=True):
    """How many participation codes to make."""

    count: Annotated[int, msgspec.Meta(ge=1, le=MOST_AT_ONCE)]


class Codes(JsonObject, frozen=True):
    """Participation codes, shown this once."""

    codes: list[Code]


class DayOfReports(JsonObject, frozen=True):
    """A day that has reports, and whether no more can come."""

    day: Day
    count: Count
    closed: bool
