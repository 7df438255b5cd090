"""How a study is doing: what its store, its plan and its fit tell."""

import math
import time
from collections.abc import Callable

import msgspec
import numpy as np

from tacit.collector.estimates import Estimates
from tacit.collector.storage.interface import Store, StoredStudy
from tacit.collector.values import (
    Coefficient,
    DayCount,
    Forecast,
    Progress,
    Promised,
    Sentence,
    StandardError,
)
from tacit.errors import TacitError
from tacit.inference import Fit, Plan
from tacit.inference.result import ASSUMPTION
from tacit.inference.wording import Drawn, drawn_coefficients, drawn_terms, meaning
from tacit.privacy.guarantee import ASSUMED, NOT_PROTECTED, Guarantee
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

    def progress(self, stored: StoredStudy) -> Progress:
        """How a study is doing."""
        study, tally = stored.study, self._store.tally(stored.study.id)
        counted = Progress(
            id=study.id,
            title=study.title,
            label=study.label.column,
            open=stored.open,
            count=tally.count,
            people=tally.count / study.reports_per_person,
            planned=stored.planned,
            minimum_batch=study.minimum_batch,
            reports_per_person=study.reports_per_person,
            epsilon=study.guarantee.total_epsilon,
            needs_code=stored.needs_code,
            days=[DayCount(each.day, each.count) for each in self._store.segments(study.id)],
            refusals=self._store.refusals(study.id),
            quarantined=self._store.quarantined(study.id),
            guarantee=_promised(study.guarantee),
            meaning=meaning(study),
            level=LEVEL,
            public_rows=None,
            effective_rows=None,
            standard_errors=None,
            forecast=None,
            coefficients=None,
            estimated_at=None,
            reason=None,
            notes=[],
        )
        return self._estimated(self._expected(counted, stored), stored, tally)

    def _expected(self, counted: Progress, stored: StoredStudy) -> Progress:
        """With what the plan says, whatever has been collected."""
        try:
            plan = self._estimates.plan(stored)
        except TacitError:
            return counted
        drawn = drawn_coefficients(stored.study)
        now, at_plan = (_errors_at(plan, count) for count in (counted.people, stored.planned))
        listed = zip(drawn, now, at_plan, strict=True)
        return msgspec.structs.replace(
            counted,
            public_rows=plan.public_rows,
            effective_rows=plan.effective_rows,
            standard_errors=[
                StandardError(each.name, _number(first), _number(last))
                for each, first, last in listed
            ],
            forecast=_forecast(stored, plan, drawn, counted.people),
        )

    def _estimated(self, expected: Progress, stored: StoredStudy, tally: Tally) -> Progress:
        """With what the reports say, once there are enough, or the reason why there is nothing."""
        change = msgspec.structs.replace
        missing = max(1, stored.study.minimum_batch) - tally.count
        if missing > 0:
            return change(
                expected,
                reason=f"{missing:,} more report{'s' if missing > 1 else ''} before the first "
                f"estimate: the study's minimum batch is {stored.study.minimum_batch:,}.",
            )
        try:
            fitted = self._estimates.latest(stored, tally)
        except TacitError as error:
            return change(expected, reason=str(error))
        return change(
            expected,
            coefficients=_coefficients(fitted),
            estimated_at=fitted.reports,
            notes=[ASSUMPTION, *stored.study.notes, *fitted.notes],
        )


def _promised(guarantee: Guarantee) -> Promised:
    """The statement of the guarantee, sentence by sentence."""
    notes = (("Note", note) for note in guarantee.all_notes())
    return Promised(
        best_guess=guarantee.best_guess,
        promise=[Sentence(head, text) for head, text in (*guarantee.promise(), *notes)],
        not_protected=list(NOT_PROTECTED),
        assumed=[ASSUMED],
    )


def _coefficients(fitted: Fit) -> list[Coefficient]:
    drawn = drawn_terms(fitted.study, fitted.terms)
    return [
        Coefficient(
            name=row["name"],
            shown=each.shown,
            group=each.group,
            intercept=each.intercept,
            scale=each.scale,
            estimate=_number(row["coef"]),
            low=_number(row["low"]),
            high=_number(row["high"]),
            standard_error=_number(row["se"]),
            z=_number(row["z"]),
            p=_number(row["p"]),
            raw_error=_number(row["raw_se"]),
        )
        for row, each in zip(fitted.summary(LEVEL).rows(), drawn, strict=True)
    ]


def _forecast(stored: StoredStudy, plan: Plan, drawn: list[Drawn], people: float) -> Forecast:
    least = max(1.0, stored.study.minimum_batch / stored.study.reports_per_person)
    goal = max(stored.planned or 0, people, least)
    place = _hardest(plan, drawn, goal)
    grid = np.unique(np.geomspace(min(least, goal), _BEYOND * goal, _POINTS).round())
    return Forecast(
        drawn[place].name,
        [int(count) for count in grid],
        [_number(plan.standard_errors(count)[place]) for count in grid],
    )


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
