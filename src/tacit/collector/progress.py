"""How a study is doing: what the dashboard shows, as plain values."""

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tacit.collector.estimates import Estimates
from tacit.collector.storage.interface import Store, StoredStudy
from tacit.errors import TacitError
from tacit.inference import Fit, Plan
from tacit.inference.result import ASSUMPTION
from tacit.inference.wording import Drawn, drawn_coefficients, meaning
from tacit.study import Tally

LEVEL = 0.95

_POINTS = 41  # of the forecast
_BEYOND = 2.0  # the forecast goes to twice the people planned


class Analyst:
    """Reads a store for the people who run its studies; any thread may ask."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._estimates = Estimates(store, clock)

    def forget(self, study_id: str) -> None:
        """The study's public rows have changed."""
        self._estimates.forget(study_id)

    def model(self, stored: StoredStudy) -> bytes:
        """The model file of all reports so far; raises where there is none."""
        return self._estimates.exact(stored, self._store.tally(stored.study.id)).to_bytes()

    def progress(self, stored: StoredStudy) -> dict[str, Any]:
        """Everything the dashboard shows of one study, ready for JSON."""
        study, tally = stored.study, self._store.tally(stored.study.id)
        people = tally.count / study.reports_per_person
        segments = self._store.segments(study.id)
        return {
            "id": study.id,
            "title": study.title,
            "label": study.label.column,
            "open": stored.open,
            "count": tally.count,
            "people": people,
            "planned": stored.planned,
            "minimum_batch": study.minimum_batch,
            "reports_per_person": study.reports_per_person,
            "epsilon": study.guarantee.total_epsilon,
            "needs_code": stored.needs_code,
            "days": [{"day": segment.day, "count": segment.count} for segment in segments],
            "refusals": self._store.refusals(study.id),
            "quarantined": self._store.quarantined(study.id),
            "guarantee": study.guarantee.statement(),
            "meaning": meaning(study),
            "level": LEVEL,
            **self._expected(stored, people),
            **self._estimated(stored, tally),
        }

    def _expected(self, stored: StoredStudy, people: float) -> dict[str, Any]:
        """What the plan says, whatever has been collected."""
        try:
            plan = self._estimates.plan(stored)
        except TacitError:
            return {"public_rows": None, "standard_errors": None, "forecast": None}
        drawn = drawn_coefficients(stored.study)
        now, at_plan = (_errors_at(plan, count) for count in (people, stored.planned))
        listed = zip(drawn, now, at_plan, strict=True)
        return {
            "public_rows": plan.public_rows,
            "standard_errors": [
                {"name": each.name, "now": _number(first), "at_plan": _number(last)}
                for each, first, last in listed
            ],
            "forecast": _forecast(stored, plan, drawn, people),
        }

    def _estimated(self, stored: StoredStudy, tally: Tally) -> dict[str, Any]:
        """What the reports say, once there are enough."""
        missing = max(1, stored.study.minimum_batch) - tally.count
        if missing > 0:
            return _nothing(
                f"{missing:,} more report{'s' if missing > 1 else ''} before the first estimate: "
                f"the study's minimum batch is {stored.study.minimum_batch:,}."
            )
        try:
            fitted = self._estimates.latest(stored, tally)
        except TacitError as error:
            return _nothing(str(error))
        if fitted.table is None:
            return _nothing(fitted.failure) | {"estimated_at": fitted.reports}
        return {
            "coefficients": _coefficients(fitted),
            "estimated_at": fitted.reports,
            "reason": None,
            "notes": [ASSUMPTION, *stored.study.notes, *fitted.notes],
        }


def _nothing(reason: str) -> dict[str, Any]:
    return {"coefficients": None, "estimated_at": None, "reason": reason, "notes": []}


def _coefficients(fitted: Fit) -> list[dict[str, Any]]:
    """Rows of the table; `scale` times a number goes on the one axis of the forest plot."""
    drawn = drawn_coefficients(fitted.study)
    return [
        {
            "name": row["name"],
            "shown": each.shown,
            "group": each.group,
            "intercept": each.intercept,
            "scale": each.scale,
            "estimate": _number(row["coef"]),
            "low": _number(row["low"]),
            "high": _number(row["high"]),
            "standard_error": _number(row["se"]),
            "privacy_share": _number(row["privacy_share"]),
        }
        for row, each in zip(fitted.summary(LEVEL).rows(), drawn, strict=True)
    ]


def _forecast(stored: StoredStudy, plan: Plan, drawn: list[Drawn], people: float) -> dict[str, Any]:
    """The expected standard error of the coefficient that is hardest to tell, over people."""
    least = max(1.0, stored.study.minimum_batch / stored.study.reports_per_person)
    goal = max(stored.planned or 0, people, least)
    place = _hardest(plan, drawn, goal)
    grid = np.unique(np.geomspace(min(least, goal), _BEYOND * goal, _POINTS).round())
    return {
        "name": drawn[place].name,
        "people": [int(count) for count in grid],
        "standard_error": [_number(plan.standard_errors(count)[place]) for count in grid],
    }


def _hardest(plan: Plan, drawn: list[Drawn], people: float) -> int:
    """Among those that the forest plot draws, on its axis."""
    width = plan.standard_errors(people) * [each.scale for each in drawn]
    if not all(each.intercept for each in drawn):
        width[[each.intercept for each in drawn]] = 0.0
    return int(np.argmax(width))


def _errors_at(plan: Plan, people: float | None) -> list[float]:
    if not people:
        return [math.inf] * len(plan.names)
    return [float(error) for error in plan.standard_errors(people)]


def _number(value: float) -> float | None:
    """JSON has neither infinity nor NaN."""
    return float(value) if math.isfinite(value) else None
