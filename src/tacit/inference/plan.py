"""What a study will be able to tell, for any number of people: a value."""

import math
import textwrap
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.inference.expected import Expected
from tacit.inference.rare import Level, Wide, in_words
from tacit.inference.solution import CAUSES
from tacit.privacy.mechanism import StudyMechanism
from tacit.privacy.words import number_up
from tacit.study.public import rows_in_words

QUANTILES = (0.1, 0.5, 0.9)  # of the possible truths: low, median, high

_INTERVAL = 2 * 1.959964  # standard errors that a 95% interval is wide
_MOST_PEOPLE = 1e15
_HALVINGS = 60
_LINE = 96
_TOLD = 8  # of the levels that are too rare


@dataclass(frozen=True)
class Plan:
    """Standard errors to expect for any number of people and any epsilon.

    `expected` has one entry for each possible truth; `supposed` says in words what these are.
    `people` is the number planned, or the number that reaches `target_se`. `purpose`: what the
    study was made for, and what a focus costs the others.
    """

    names: tuple[str, ...]
    expected: tuple[Expected, ...]
    levels: tuple[Level, ...]
    mechanism: StudyMechanism
    public_rows: int
    effective_rows: int
    people: int
    purpose: tuple[str, ...]
    supposed: str
    width: float
    target_se: float | None = None

    def standard_errors(self, people: Any = None, epsilon: float | None = None) -> Floats:
        """The median over the possible truths, for other people or another epsilon if given.

        `people` may be several numbers: then there is one row for each.
        """
        return np.asarray(self.quantiles(people, epsilon)[1])

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
        shares = np.divide(parts, whole, out=np.zeros_like(parts), where=known)
        return np.asarray(shares.mean(axis=1))

    def people_for(self, target_se: float | Floats) -> Floats:
        """People needed for each coefficient; infinite where the public rows are too few.

        There may be a target for each.
        """
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
        return tuple(self._wide(count, *each) for each in self._too_wide(count))

    def notes(self, people: float | None = None) -> list[str]:
        """What has to be read with the numbers: purpose, what is supposed, the widest of `wide`."""
        count = float(self.people if people is None else people)
        places = self._too_wide(count)
        told = [self._wide(count, *each) for each in places[:_TOLD]]
        return [*self.purpose, self.supposed, *in_words(told, len(places), self.width)]

    def __str__(self) -> str:
        return "\n".join([*self._table(), *(textwrap.fill(note, _LINE) for note in self.notes())])

    __repr__ = __str__

    def _table(self) -> list[str]:
        longest = max(len("coefficient"), *(len(name) for name in self.names))
        causes = "".join(f"  {cause:>11}" for cause in CAUSES)
        low, errors, high = self.quantiles()
        ranged = f"  {'10% to 90%':>18}" if len(self.expected) > 1 else ""
        lines = [
            f"{self.people:,} people at epsilon={number_up(self.mechanism.epsilon)}, "
            f"{rows_in_words(self.public_rows, self.effective_rows)}",
            f"{'coefficient':<{longest}}  {'std. error':>10}{ranged}{causes}",
        ]
        for name, error, *ends, shares in zip(
            self.names, errors, low, high, self.shares.T, strict=True
        ):
            between = f"  {'{:.3g} to {:.3g}'.format(*ends):>18}" if ranged else ""
            split = "".join(f"  {share:>11.0%}" for share in shares)
            lines.append(f"{name:<{longest}}  {error:>10.3g}{between}{split}")
        return lines

    def _at(self, epsilon: float | None) -> tuple[Expected, ...]:
        if epsilon is None or epsilon == self.mechanism.epsilon:
            return self.expected
        ratio = self.mechanism.at(epsilon).noise / self.mechanism.noise
        return tuple(each.with_noise(each.noise * ratio) for each in self.expected)

    def _errors_each(self, people: Floats) -> Floats:
        found = np.array([each.variances_each(people) for each in self.expected])
        return np.asarray(np.sqrt(_quantiles(found)[1]))

    @cached_property
    def _people_for_width(self) -> Floats:
        return self.people_for(self.width / _INTERVAL)

    def _too_wide(self, people: float) -> list[tuple[float, Level, int]]:
        """Width, level and group of each, widest first."""
        widths = _INTERVAL * self.standard_errors(people)
        found = [
            (float(widths[place]), level, group)
            for level in self.levels
            for group, place in enumerate(level.places)
            if widths[place] > self.width
        ]
        return sorted(found, key=lambda each: -each[0])

    def _wide(self, people: float, width: float, level: Level, group: int) -> Wide:
        place = level.places[group]
        merged = None
        if level.partner is not None:
            other = next(each for each in self.levels if each.name == level.partner)
            tied = [each.variances_tied(people, level.places, other.places)[group]
                    for each in self.expected]  # fmt: skip
            merged = _INTERVAL * math.sqrt(_quantiles(np.array(tied))[1])
        needed = float(self._people_for_width[place])
        return Wide(self.names[place], width, self.width, needed, level.partner, merged)


def _quantiles(found: Floats) -> Floats:
    """Of the possible truths along the first axis; no sums, since some may be infinite."""
    ordered = np.sort(found, axis=0)
    return np.asarray(ordered[[round(q * (len(ordered) - 1)) for q in QUANTILES]])
