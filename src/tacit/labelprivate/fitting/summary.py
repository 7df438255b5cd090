"""A table of a label study that prints itself."""

import math
import textwrap
from dataclasses import dataclass
from typing import Any

from scipy import special

from tacit.arrays import Floats
from tacit.labelprivate.fitting.prior import SAFETY
from tacit.privacy.words import number_up

_WIDTH = 96
_LIKELIHOOD = (
    "Intervals are profile intervals: values that the reports do not exclude, the law of the "
    "mechanism included. Where an end is infinite the reports exclude nothing on that side."
)
_MEAN_ONLY = (
    "Only the mean of the label is assumed: least squares on the unbiased released values, with "
    "standard errors that hold whatever its spread."
)
_ASSUMED = (
    "Assumed: the model is right, and whether people answered does not depend on the label beyond "
    "the features."
)


@dataclass(frozen=True)
class LabelSummary:
    """Coefficients, standard errors, intervals, z and p values. None where there is no maximum."""

    title: str
    model: str
    names: tuple[str, ...]
    coef: Floats
    standard_errors: Floats
    interval: Floats
    level: float
    people: int
    epsilon: float
    mean_only: bool
    signal: float
    notes: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per coefficient, for programs."""
        return [self._row(place) for place in range(len(self.names))]

    def _row(self, place: int) -> dict[str, Any]:
        low, high = map(float, self.interval[place])
        found = {"name": self.names[place], "low": low, "high": high}
        if math.isinf(self.coef[place]):
            return found | {"coef": None, "se": None, "z": None, "p": None}
        coef, error = float(self.coef[place]), float(self.standard_errors[place])
        z = coef / error
        return found | {"coef": coef, "se": error, "z": z, "p": 2 * float(special.ndtr(-abs(z)))}

    def __str__(self) -> str:
        percent = f"{100 * self.level:g}%"
        wide = max(len("coefficient"), *(len(name) for name in self.names))
        head = (
            f"{'coefficient':<{wide}}  {'estimate':>11}  {'std. error':>10}  "
            f"{percent + ' interval':>25}  {'z':>6}  {'p':>7}"
        )
        facts = (
            f"{self.title}: {self.model} model, {self.people:,} people, label private at epsilon="
            f"{number_up(self.epsilon)}"
        )
        under = (_MEAN_ONLY,) if self.mean_only else (_LIKELIHOOD, self._prior())
        notes = [textwrap.fill(note, _WIDTH) for note in (*under, _ASSUMED, *self.notes)]
        rule = "-" * len(head)
        body = [_line(row, wide) for row in self.rows()]
        return "\n".join([facts, rule, head, rule, *body, rule, *notes])

    __repr__ = __str__

    def _prior(self) -> str:
        return (
            "In each line the other coefficients have a weak prior, under which independent "
            f"features move the predictor with a variance of {SAFETY * self.signal:g}."
        )


def _line(row: dict[str, Any], wide: int) -> str:
    left, right = (
        ("(" if math.isinf(row["low"]) else "["),
        (")" if math.isinf(row["high"]) else "]"),
    )
    interval = f"{left}{row['low']:.5g}, {row['high']:.5g}{right}"
    if row["coef"] is None:
        return f"{row['name']:<{wide}}  {'none':>11}  {'':>10}  {interval:>25}"
    return (
        f"{row['name']:<{wide}}  {row['coef']:>11.5g}  {row['se']:>10.4g}  {interval:>25}  "
        f"{row['z']:>6.2f}  {row['p']:>7.2g}"
    )
