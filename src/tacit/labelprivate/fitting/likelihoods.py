"""What a released label says of the predictors of its row: log likelihood and derivatives.

With s the chance of the report under each possible label, the likelihood is the mean of s under the
model's chances of the labels. Only where nothing but the mean is assumed it is least squares.
"""

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
from scipy import special

from tacit.arrays import Floats, Integers
from tacit.models import Family, SoftmaxModel

_CHUNK = 16_384
_LARGEST_LOG_RATE = 50.0


class Released(Protocol):
    """Released labels (n), as functions of their linear predictors (n, k)."""

    def look(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Log likelihood (n,), but for a constant, and its derivative (n, k)."""
        ...

    def information(self, predictor: Floats) -> Floats:
        """Less its second derivative, or the expectation of that: (n, k, k)."""
        ...

    def thinned(self, every: int) -> "Released":
        """Of every so many rows."""
        ...


@dataclass(frozen=True)
class YesNo:
    """Randomised response: `said` (n,) of two reports, whose chances are `law` (report, label)."""

    said: Integers
    law: Floats
    family: Family

    def _chances(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Of either report (n, 2), and how they change with the mean (2,)."""
        mean = np.clip(self.family.mean(predictor[:, 0]), 0.0, 1.0)
        change = self.law[:, 1] - self.law[:, 0]
        return self.law[:, 0] + mean[:, None] * change, change

    def look(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Of the report that was sent, by the slope of the mean."""
        chances, change = self._chances(predictor)
        sent = chances[np.arange(len(chances)), self.said]
        score = (change[self.said] / sent)[:, None] * self.family.slope(predictor)
        return np.log(sent), np.asarray(score)

    def information(self, predictor: Floats) -> Floats:
        """Expected over both reports: it needs no second derivative of the mean."""
        chances, change = self._chances(predictor)
        expected = (change**2 / chances).sum(axis=1)
        return np.asarray((expected[:, None] * self.family.slope(predictor) ** 2)[:, :, None])

    def thinned(self, every: int) -> "YesNo":
        """Of every so many rows."""
        return replace(self, said=self.said[::every])


@dataclass(frozen=True)
class Classes:
    """Sets of classes: `chances` (n, K) of the report under each class."""

    chances: Floats
    model: SoftmaxModel

    def _shares(self, predictor: Floats) -> tuple[Floats, Floats, Floats]:
        """Of the classes before and after the report is known, and the report's likelihood."""
        before = self.model.predicted(predictor)
        joint = before * self.chances
        total = joint.sum(axis=1)
        return before, joint / total[:, None], total

    def look(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Of the report, whatever the class, by how much it moves the classes."""
        before, after, total = self._shares(predictor)
        return np.log(total), (after - before) @ self.model.scores

    def information(self, predictor: Floats) -> Floats:
        """Observed: what the classes vary before the report, less what they vary after it."""
        before, after, _ = self._shares(predictor)
        scores = self.model.scores
        squares = np.einsum("nk,ka,kb->nab", before - after, scores, scores, optimize=True)
        first, second = before @ scores, after @ scores
        return np.asarray(
            squares
            - first[:, :, None] * first[:, None, :]
            + second[:, :, None] * second[:, None, :]
        )

    def thinned(self, every: int) -> "Classes":
        """Of every so many rows."""
        return replace(self, chances=self.chances[::every])


@dataclass(frozen=True)
class Counts:
    """Poisson counts: `chances` (m, cap + 1) of m distinct reports, and `which` (n,) was sent."""

    chances: Floats
    which: Integers

    def _moments(self, predictor: Floats) -> Floats:
        """The likelihood of each report and its first two derivatives, (3, n).

        The cap takes all that is left, so the others count by what they differ from it.
        """
        counts = np.arange(self.chances.shape[1] - 1)
        found = np.empty((3, len(predictor)))
        for start in range(0, len(predictor), _CHUNK):
            rows = slice(start, start + _CHUNK)
            log_rate = np.minimum(predictor[rows], _LARGEST_LOG_RATE)
            rate = np.exp(log_rate)
            mass = np.exp(counts * log_rate - rate - special.gammaln(counts + 1))
            sent = self.chances[self.which[rows]]
            mass *= sent[:, :-1] - sent[:, -1:]
            found[0, rows] = sent[:, -1] + mass.sum(axis=1)
            found[1, rows] = (mass * (counts - rate)).sum(axis=1)
            found[2, rows] = (mass * ((counts - rate) ** 2 - rate)).sum(axis=1)
        return found

    def look(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Summed over all counts, by the log rate."""
        chance, slope, _ = self._moments(predictor)
        return np.asarray(np.log(chance)), np.asarray((slope / chance)[:, None])

    def information(self, predictor: Floats) -> Floats:
        """Observed."""
        chance, slope, bend = self._moments(predictor)
        return np.asarray(((slope / chance) ** 2 - bend / chance)[:, None, None])

    def thinned(self, every: int) -> "Counts":
        """Of every so many rows."""
        return replace(self, which=self.which[::every])


@dataclass(frozen=True)
class Numbers:
    """Unbiased released numbers (n,), of which only the mean is assumed: least squares.

    `unit` is the size of their error, which makes a squared deviation one of a likelihood.
    """

    values: Floats
    family: Family
    unit: float

    def look(self, predictor: Floats) -> tuple[Floats, Floats]:
        """Less half of the squared deviation, by the slope of the mean."""
        gap = (self.values - self.family.mean(predictor[:, 0])) / self.unit
        score = gap[:, None] * self.family.slope(predictor) / self.unit
        return np.asarray(-0.5 * gap**2), np.asarray(score)

    def information(self, predictor: Floats) -> Floats:
        """Without the second derivative of the mean, whose expectation is zero."""
        return np.asarray((self.family.slope(predictor) / self.unit) ** 2)[:, :, None]

    def thinned(self, every: int) -> "Numbers":
        """Of every so many rows."""
        return replace(self, values=self.values[::every])
