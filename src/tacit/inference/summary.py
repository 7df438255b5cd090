"""A table of coefficients that prints itself."""

import textwrap
from dataclasses import dataclass
from typing import Any

from tacit.arrays import Floats
from tacit.privacy.words import number_up
from tacit.study.public import rows_in_words

_WIDTH = 96


@dataclass(frozen=True)
class Summary:
    """Coefficients, standard errors, intervals and the share of variance due to privacy noise."""

    title: str
    model: str
    names: tuple[str, ...]
    coef: Floats
    standard_errors: Floats
    interval: Floats
    shares: Floats
    level: float
    people: int
    public_rows: int
    effective_rows: int
    source: str
    epsilon: float
    notes: tuple[str, ...]

    def rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per coefficient, for programs."""
        return [
            {
                "name": name,
                "coef": float(self.coef[i]),
                "se": float(self.standard_errors[i]),
                "low": float(self.interval[i, 0]),
                "high": float(self.interval[i, 1]),
                "privacy_share": float(self.shares[0, i]),
            }
            for i, name in enumerate(self.names)
        ]

    def __str__(self) -> str:
        percent = f"{100 * self.level:g}%"
        wide = max(len("coefficient"), *(len(name) for name in self.names))
        head = (
            f"{'coefficient':<{wide}}  {'estimate':>11}  {'std. error':>10}  "
            f"{percent + ' interval':>25}  {'privacy':>7}"
        )
        body = [self._line(row, wide) for row in self.rows()]
        facts = (
            f"{self.title}: {self.model} model, {self.people:,} people at epsilon="
            f"{number_up(self.epsilon)}, {rows_in_words(self.public_rows, self.effective_rows)} "
            f"({self.source})"
        )
        under = "`privacy` is the share of the variance that is privacy noise."
        notes = [textwrap.fill(note, _WIDTH) for note in (under, *self.notes)]
        rule = "-" * len(head)
        return "\n".join([facts, rule, head, rule, *body, rule, *notes])

    __repr__ = __str__

    def _line(self, row: dict[str, Any], wide: int) -> str:
        interval = f"[{row['low']:.5g}, {row['high']:.5g}]"
        return (
            f"{row['name']:<{wide}}  {row['coef']:>11.5g}  {row['se']:>10.4g}  "
            f"{interval:>25}  {row['privacy_share']:>7.0%}"
        )
