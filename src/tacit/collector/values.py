"""What the dashboard shows, as values that become JSON."""

import math
from typing import Annotated

import msgspec

Count = Annotated[int, msgspec.Meta(ge=0)]


class JsonObject(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A JSON object with these keys and no others."""


class DayCount(JsonObject, frozen=True):
    """How many reports arrived on a day (UTC)."""

    day: str
    count: Count


class Foreseen(JsonObject, frozen=True):
    """What the plan expects of a coefficient: its standard error, and the people it takes.

    Those people would bring its interval down to the width that the outlook states.
    """

    name: str
    now: float | None
    at_plan: float | None
    people: float | None


class Forecast(JsonObject, frozen=True):
    """The expected standard error of the coefficient that is hardest to tell, over people.

    Of the possible truths, those at 10%, 50% and 90%.
    """

    name: str
    focused: bool
    people: list[int]
    low: list[float | None]
    median: list[float | None]
    high: list[float | None]


class TooWide(JsonObject, frozen=True):
    """A coefficient of a level too rare for the people planned, and what merging it would bring."""

    name: str
    width: float | None
    people: float | None
    merged_with: str | None
    merged_width: float | None


class Outlook(JsonObject, frozen=True):
    """What the plan says, and what it supposes; `width` is that of an interval that tells."""

    supposed: str
    width: float
    coefficients: list[Foreseen]
    forecast: Forecast
    too_wide: list[TooWide]


class Coefficient(JsonObject, frozen=True):
    """A row of the table; `scale` times a number goes on the one axis of the forest plot.

    An end that the reports do not determine is null, or one beyond all effects that anybody
    expects. `known`: both ends are there, and on that axis no farther apart than the outlook's
    width.
    """

    name: str
    shown: str
    group: str
    intercept: bool
    focused: bool
    known: bool
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
    """Everything the dashboard shows of one study.

    An interval at this `level` would reach so many standard errors to either side of an estimate.
    """

    id: str
    title: str
    purpose: str
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
    reach: float
    public_rows: int | None
    outlook: Outlook | None
    effective_rows: int | None
    coefficients: list[Coefficient] | None
    estimated_at: int | None
    reason: str | None
    notes: list[str]


def number(value: float) -> float | None:
    """JSON has neither infinity nor NaN."""
    return float(value) if math.isfinite(value) else None
