"""How a study is doing: what its store, its plan and its fit tell."""

import math
import time
from collections.abc import Callable

import msgspec

from tacit.collector.estimates import Estimates
from tacit.collector.forecaster import REACH
from tacit.collector.storage.interface import Store, StoredStudy
from tacit.collector.values import (
    Coefficient,
    DayCount,
    Outlook,
    Progress,
    Promised,
    Sentence,
    number,
)
from tacit.errors import TacitError
from tacit.inference import Fit
from tacit.inference.rare import ENDLESS
from tacit.inference.result import ASSUMPTION, LEVEL
from tacit.inference.summary import how, many
from tacit.inference.wording import drawn_terms, meaning
from tacit.privacy.guarantee import ASSUMED, NOT_PROTECTED, Guarantee
from tacit.study import Tally, purpose


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
            purpose=purpose.in_words(study),
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
            reach=REACH,
            public_rows=None,
            outlook=None,
            effective_rows=None,
            coefficients=None,
            estimated_at=None,
            reason=None,
            notes=[],
        )
        return self._estimated(self._expected(counted, stored), stored, tally)

    def _expected(self, counted: Progress, stored: StoredStudy) -> Progress:
        """With what the plan says, whatever has been collected."""
        try:
            forecaster = self._estimates.forecaster(stored)
        except TacitError:
            return counted
        return msgspec.structs.replace(
            counted,
            public_rows=forecaster.plan.public_rows,
            effective_rows=forecaster.plan.effective_rows,
            outlook=forecaster.outlook(counted.people),
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
        table = fitted.table(LEVEL)
        return change(
            expected,
            coefficients=_coefficients(fitted, expected.outlook),
            estimated_at=fitted.reports,
            notes=[
                many("coefficients", len(table.z), LEVEL),
                how(table),
                ASSUMPTION,
                *stored.study.notes,
                *fitted.notes,
            ],
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


def _coefficients(fitted: Fit, outlook: Outlook | None) -> list[Coefficient]:
    drawn = drawn_terms(fitted.study, fitted.terms)
    widest = math.inf if outlook is None else outlook.width
    return [
        Coefficient(
            name=row["name"],
            shown=each.shown,
            group=each.group,
            intercept=each.intercept,
            focused=each.focused,
            known=math.isfinite(row["low"])
            and math.isfinite(row["high"])
            and (row["high"] - row["low"]) * each.scale <= widest,
            scale=each.scale,
            estimate=number(row["coef"]),
            low=_end(row["low"], each.scale, widest),
            high=_end(row["high"], each.scale, widest),
            standard_error=number(row["se"]),
            z=number(row["z"]),
            p=number(row["p"]),
            raw_error=number(row["raw_se"]),
        )
        for row, each in zip(fitted.summary(LEVEL).rows(), drawn, strict=True)
    ]


def _end(value: float, scale: float, widest: float) -> float | None:
    """Nothing where it is as good as open: nobody expects effects of such a size."""
    return number(value) if abs(value) * scale <= ENDLESS * widest else None
