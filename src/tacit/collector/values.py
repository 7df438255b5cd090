"""What the dashboard shows, as values that become JSON."""

from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]


class JsonObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object with these keys and no others."""


class DayCount(JsonObject, frozen=True):
    """How many reports arrived on a day (UTC)."""

    day: str
    count: Count


class StandardError(JsonObject, frozen=True):
    """What the plan expects of a coefficient with the people so far, and with those planned."""

    name: str
    now: float | None
    at_plan: float | None


class Forecast(JsonObject, frozen=True):
    """The expected standard error of the coefficient that is hardest to tell, over people."""

    name: str
    people: list[int]
    standard_error: list[float | None]


class Coefficient(JsonObject, frozen=True):
    """A row of the table; `scale` times a number goes on the one axis of the forest plot."""

    name: str
    shown: str
    group: str
    intercept: bool
    scale: float
    estimate: float | None
    low: float | None
    high: float | None
    standard_error: float | None
    z: float | None
    p: float | None
    raw_error: float | None


class Sentence(JsonObject, frozen=True):
    """One sentence of a promise under its head."""

    head: str
    text: str


class Promised(JsonObject, frozen=True):
    """What the study promises each person, as the participant's page says it."""

    best_guess: float
    promise: list[Sentence]
    not_protected: list[str]
    assumed: list[str]


class Progress(JsonObject, frozen=True):
    """Everything the dashboard shows of one study."""

    id: str
    title: str
    label: str
    open: bool
    count: Count
    people: float
    planned: int | None
    minimum_batch: Count
    reports_per_person: Count
    epsilon: float
    needs_code: bool
    days: list[DayCount]
    refusals: dict[str, int]
    quarantined: Count
    guarantee: Promised
    meaning: str
    level: float
    public_rows: int | None
    effective_rows: int | None
    standard_errors: list[StandardError] | None
    forecast: Forecast | None
    coefficients: list[Coefficient] | None
    estimated_at: int | None
    reason: str | None
    notes: list[str]
