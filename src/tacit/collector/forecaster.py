"""What the plan of a collector's study tells, whatever has been collected."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.collector.storage.interface import StoredStudy
from tacit.collector.values import Forecast, Foreseen, Outlook, TooWide, number
from tacit.inference import Plan, plan
from tacit.inference.rare import ENDLESS, Wide
from tacit.inference.result import LEVEL
from tacit.inference.wording import Drawn, drawn_coefficients

REACH = float(special.ndtri(0.5 + LEVEL / 2))  # standard errors from an estimate to an end

_POINTS = 41  # of the forecast
_BEYOND = 2.0  # the forecast goes to twice the people planned


@dataclass(frozen=True)
class Forecaster:
    """A plan, with the answers that take long and stay the same.

    `needed`: people for an interval of each coefficient no wider than the plan's `width` on the
    axis of the forest plot. `wide`: what would be wider with the people planned.
    """

    stored: StoredStudy
    plan: Plan
    drawn: tuple[Drawn, ...]
    needed: Floats
    wide: tuple[Wide, ...]

    @classmethod
    def of(cls, stored: StoredStudy, rows: Any) -> "Forecaster":
        """Plan a study with its public rows."""
        made = plan(stored.study, public=rows, people=1)
        drawn = tuple(drawn_coefficients(stored.study))
        scales = np.array([each.scale for each in drawn])
        needed = made.people_for(made.width / (2.0 * REACH) / scales)
        wide = made.wide(stored.planned) if stored.planned else ()
        return cls(stored, made, drawn, needed, wide)

    def outlook(self, people: float) -> Outlook:
        """With so many people so far."""
        at = (self._errors(count) for count in (people, self.stored.planned))
        return Outlook(
            supposed=self.plan.supposed,
            width=self.plan.width,
            coefficients=[
                Foreseen(each.name, number(now), number(at_plan), number(needed))
                for each, now, at_plan, needed in zip(self.drawn, *at, self.needed, strict=True)
            ],
            forecast=self._forecast(people),
            too_wide=[
                TooWide(
                    name=each.name,
                    width=_bounded(each.width, each),
                    people=number(each.people),
                    merged_with=each.merged_with,
                    merged_width=_bounded(each.merged_width, each),
                )
                for each in self.wide
            ],
        )

    def _forecast(self, people: float) -> Forecast:
        study = self.stored.study
        least = max(1.0, study.minimum_batch / study.reports_per_person)
        goal = max(self.stored.planned or 0, people, least)
        place = self._hardest(goal)
        grid = np.unique(np.geomspace(min(least, goal), _BEYOND * goal, _POINTS).round())
        low, median, high = self.plan.quantiles(grid)[:, :, place]
        return Forecast(
            name=self.drawn[place].name,
            focused=self.drawn[place].focused,
            people=[int(count) for count in grid],
            low=[number(error) for error in low],
            median=[number(error) for error in median],
            high=[number(error) for error in high],
        )

    def _hardest(self, people: float) -> int:
        """Of those in focus, or of those that so many people are enough for; on the plot's axis."""
        width = self.plan.standard_errors(people) * [each.scale for each in self.drawn]
        focused = np.array([each.focused for each in self.drawn])
        drawn = np.array([not each.intercept for each in self.drawn])
        candidates = (focused, drawn & (self.needed <= people), drawn, ~drawn)
        chosen = next(each for each in candidates if each.any())
        return int(np.argmax(np.where(chosen, width, -1.0)))

    def _errors(self, people: float | None) -> Floats:
        if not people:
            return np.full(len(self.drawn), math.inf)
        return self.plan.standard_errors(people)


def _bounded(width: float | None, wide: Wide) -> float | None:
    """Nothing where it is as good as endless."""
    return None if width is None or width > ENDLESS * wide.limit else width
