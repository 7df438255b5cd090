"""Plans and fits of a collector's studies, made once and kept until there is more to tell.

Any number of threads may ask. One works at a time; who comes meanwhile gets the fit before.
"""

import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from threading import Lock
from typing import Any, TypeVar

from tacit.collector.forecaster import Forecaster
from tacit.collector.storage.interface import Store, StoredStudy
from tacit.errors import PublicRowsError, PublicRowsWarning, TacitError
from tacit.inference import Fit, fit
from tacit.study import Tally
from tacit.tables import parse_parquet

GROWTH = 1.01  # of the reports, before they are worth another fit
PAUSE = 3.0  # seconds between two fits of a study

T = TypeVar("T")

_REST = 9.0  # a fit that takes long is followed by a rest that many times as long


@dataclass(frozen=True)
class _Fitted:
    """The outcome of fitting `count` reports with one edition of the public rows."""

    outcome: Fit | TacitError
    count: int
    edition: int
    rested_at: float


class Estimates:
    """What was made of each study, by its id; everything raises where there is no answer."""

    def __init__(self, store: Store, clock: Callable[[], float] = time.monotonic) -> None:
        self._store = store
        self._clock = clock
        self._working = Lock()
        self._editions: dict[str, int] = {}
        self._fits: dict[str, _Fitted] = {}
        self._plans: dict[tuple[str, int], Forecaster | TacitError] = {}

    def forget(self, study_id: str) -> None:
        """The study's public rows have changed: what was made of earlier ones is out of date."""
        edition = self._edition(study_id)
        self._editions[study_id] = edition + 1
        self._plans.pop((study_id, edition), None)

    def forecaster(self, stored: StoredStudy) -> Forecaster:
        """What the study's plan tells."""
        key = (stored.study.id, self._edition(stored.study.id))
        found = self._plans.get(key)
        if found is None:
            with self._working:
                found = self._plans.get(key) or self._plan(stored)
                self._plans[key] = found
        return _told(found)

    def latest(self, stored: StoredStudy, tally: Tally) -> Fit:
        """A fit of all reports, or of all but the last percent or the last few seconds."""
        known = self._known(stored)
        if known is None:
            with self._working:
                return _told(self._refreshed(stored, tally).outcome)
        if self._due(known, stored, tally) and self._working.acquire(blocking=False):
            try:
                known = self._refreshed(stored, tally)
            finally:
                self._working.release()
        return _told(known.outcome)

    def exact(self, stored: StoredStudy, tally: Tally) -> Fit:
        """A fit of all reports."""
        with self._working:
            known = self._known(stored)
            if known is None or known.count != tally.count:
                known = self._fit(stored, tally)
        return _told(known.outcome)

    def _edition(self, study_id: str) -> int:
        return self._editions.get(study_id, 0)

    def _known(self, stored: StoredStudy) -> _Fitted | None:
        known = self._fits.get(stored.study.id)
        same_rows = known is not None and known.edition == self._edition(stored.study.id)
        return known if same_rows else None

    def _refreshed(self, stored: StoredStudy, tally: Tally) -> _Fitted:
        """Asked again under the lock: another thread may just have done it."""
        known = self._known(stored)
        if known is None or self._due(known, stored, tally):
            return self._fit(stored, tally)
        return known

    def _due(self, known: _Fitted, stored: StoredStudy, tally: Tally) -> bool:
        fell = tally.count < known.count  # damaged reports were set aside
        grown = tally.count >= GROWTH * known.count
        last = not stored.open and tally.count != known.count
        return (grown or fell or last) and self._clock() >= known.rested_at

    def _plan(self, stored: StoredStudy) -> Forecaster | TacitError:
        rows = self._rows(stored)
        return _tried(lambda: Forecaster.of(stored, rows))

    def _fit(self, stored: StoredStudy, tally: Tally) -> _Fitted:
        edition, began = self._edition(stored.study.id), self._clock()
        rows = self._rows(stored)
        with warnings.catch_warnings():  # the fit notes it as well
            warnings.simplefilter("ignore", PublicRowsWarning)
            outcome = _tried(lambda: _computed(fit(stored.study, tally, public=rows)))
        now = self._clock()
        rested_at = now + max(PAUSE, _REST * (now - began))
        self._fits[stored.study.id] = _Fitted(outcome, tally.count, edition, rested_at)
        return self._fits[stored.study.id]

    def _rows(self, stored: StoredStudy) -> Any:
        parquet = self._store.public(stored.study.id)
        if parquet is None:
            raise PublicRowsError(
                "this study has no public rows here, and without them nothing can be estimated; "
                "pass them to `tacit serve --public`"
            )
        return parse_parquet(parquet, "the public rows")


def _computed(fitted: Fit) -> Fit:
    """With its table, while nobody else may work."""
    fitted.table()
    return fitted


def _tried(make: Callable[[], T]) -> T | TacitError:
    try:
        return make()
    except TacitError as error:
        return error


def _told(outcome: T | TacitError) -> T:
    if isinstance(outcome, TacitError):
        raise outcome.with_traceback(None)  # kept ones would collect a traceback each time
    return outcome
