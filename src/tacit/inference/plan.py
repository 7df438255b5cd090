"""What a study will be able to tell, for any number of people: a value."""

import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.inference.expected import Expected
from tacit.inference.rare import Level, Wide, in_words
from tacit.inference.solution import CAUSES
from tacit.privacy.mechanism import StudyMechanism
from tacit.privacy.words import number_up

QUANTILES = (0.1, 0.5, 0.9)  # of the possible truths: low, median, high

_INTERVAL = 2 * 1.959964  # standard errors that a 95% interval is wide
_MOST_PEOPLE = 1e15
_HALVINGS = 60
_LINE = 96


@dataclass(frozen=True)
class Plan:
    """Standard errors to expect for any number of people and any epsilon.

    `expected` has one entry for each possible truth; `supposed` says in words what these are.
    `people` is the number planned, or the number that reaches `target_se`.
    """

    names: tuple[str, ...]
    expected: tuple[Expected, ...]
    levels: tuple[Level, ...]
    mechanism: StudyMechanism
    public_rows: int
    people: int
    supposed: str
    width: float
    target_se: float | None = None

    def standard_errors(self, people: Any = None, epsilon: float | None = None) -> Floats:
        """The median over the possible truths, for other people or another epsilon if given.

        `people` may be several numbers: then there is one row for each.
        """
        return self.quantiles(people, epsilon)[1]

    def quantiles(self, people: Any = None, epsilon: float | None = None) -> Floats:
        """Standard errors at 10%, 50% and 90% of the possible truths, along the first axis."""
        counts = np.asarray(self.people if people is None else people, dtype=np.float64)
        found = [each.variances(counts.ravel()) for each in self._at(epsilon)]
        errors = np.sqrt(_quantiles(np.array(found)))
        return errors.reshape(len(QUANTILES), *counts.shape, len(self.names))

    @property
    def shares(self) -> Floats:
        """Shares of each variance by cause (3, coefficients): privacy, people, public rows.

        What would go without privacy noise, what then with endlessly many people, and the rest.
        """
        people, endless = np.array([float(self.people)]), np.array([np.inf])
        whole = np.array([each.variances(people)[0] for each in self.expected])
        public = np.array([each.variances(endless)[0] for each in self.expected])
        noiseless = [each.with_noise(0.0).variances(people)[0] for each in self.expected]
        with np.errstate(invalid="ignore"):
            parts = np.array([whole - noiseless, noiseless - public, public])
        known = np.isfinite(whole)
        return np.divide(parts, whole, out=np.zeros_like(parts), where=known).mean(axis=1)

    def people_for(self, target_se: float) -> Floats:
        """People needed for each coefficient; infinite where the public rows are too few."""
        low, high = np.ones(len(self.names)), np.full(len(self.names), _MOST_PEOPLE)
        reachable = self._errors_each(high) <= target_se
        high[self._errors_each(low) <= target_se] = 1.0
        for _ in range(_HALVINGS):
            middle = np.sqrt(low * high)
            enough = self._errors_each(middle) <= target_se
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return np.where(reachable, np.ceil(high), np.inf)

    def wide(self, people: float | None = None) -> tuple[Wide, ...]:
        """Coefficients of levels whose 95% interval would be wider than `width`, widest first."""
        count = float(self.people if people is None else people)
        widths = _INTERVAL * self.standard_errors(count)
        needed = self.people_for(self.width / _INTERVAL)
        places = {level.name: level.places for level in self.levels}
        found = []
        for level in self.levels:
            if not (widths[[*level.places]] > self.width).any():
                continue
            merged = self._merged(level, places, count)
            for place, after in zip(level.places, merged, strict=True):
                if widths[place] > self.width:
                    found.append(Wide(self.names[place], float(widths[place]),
                                      float(needed[place]), level.partner, after))  # fmt: skip
        return tuple(sorted(found, key=lambda each: -each.width))

    def __str__(self) -> str:
        notes = [self.supposed, *in_words(self.wide(), self.width)]
        return "\n".join([*self._table(), *(textwrap.fill(note, _LINE) for note in notes)])

    __repr__ = __str__

    def _table(self) -> list[str]:
        wide = max(len("coefficient"), *(len(name) for name in self.names))
        causes = "".join(f"  {cause:>11}" for cause in CAUSES)
        low, errors, high = self.quantiles()
        lines = [
            f"{self.people:,} people at epsilon={number_up(self.mechanism.epsilon)}, "
            f"{self.public_rows:,} public rows",
            f"{'coefficient':<{wide}}  {'std. error':>10}  {'10% to 90%':>18}{causes}"
            "   (shares of the variance)",
        ]
        for i, name in enumerate(self.names):
            split = "".join(f"  {share:>11.0%}" for share in self.shares[:, i])
            between = f"{low[i]:.3g} to {high[i]:.3g}"
            lines.append(f"{name:<{wide}}  {errors[i]:>10.3g}  {between:>18}{split}")
        return lines

    def _at(self, epsilon: float | None) -> tuple[Expected, ...]:
        if epsilon is None or epsilon == self.mechanism.epsilon:
            return self.expected
        ratio = self.mechanism.at(epsilon).noise / self.mechanism.noise
        return tuple(each.with_noise(each.noise * ratio) for each in self.expected)

    def _errors_each(self, people: Floats) -> Floats:
        found = np.array([each.variances_each(people) for each in self.expected])
        return np.asarray(np.sqrt(_quantiles(found)[1]))

    def _merged(
        self, level: Level, places: Mapping[str, tuple[int, ...]], people: float
    ) -> list[float] | list[None]:
        if level.partner is None:
            return [None] * len(level.places)
        other = places[level.partner]
        tied = [each.variances_tied(people, level.places, other) for each in self.expected]
        return (_INTERVAL * np.sqrt(_quantiles(np.array(tied))[1])).tolist()


def _quantiles(found: Floats) -> Floats:
    """Of the possible truths along the first axis; no sums, since some may be infinite."""
    ordered = np.sort(found, axis=0)
    return np.asarray(ordered[[round(q * (len(ordered) - 1)) for q in QUANTILES]])
