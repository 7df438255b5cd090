"""Profile intervals: where the likelihood, at its best in all else, stays near its maximum.

2 (maximum - profile) is compared with the quantile of chi-square(1). Where it levels off below that
the interval has no end on this side: the data do not exclude any value there. All but the
coefficient asked about has a weak prior, T its covariance: for a'w the precision is
T^-1 - a a'/(a' T a), which is flat along it and the prior in all else.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.labelprivate.fitting.climb import LabelProblem, climb

_EVALUATIONS = 60
_NEAR = 2e-3  # of the quantile's root: from here a straight line leads to the end
_LEVEL_OFF = 1e-3  # less growth than this while the distance doubles twice: it has levelled off
_AS_GREAT = 0.03  # root of the deviance that is none
_USUAL = 1.96  # how far the root of a 95% interval reaches
_FARTHEST = 30.0  # units of the family: no predictor is told from an endless one there
_SUSPECT = 3.0  # a standard error of so many units of the family may be one of no maximum
_SMALLEST = 1e-9  # share of the prior variance that a coefficient's own must leave


@dataclass(frozen=True)
class Profile:
    """The likelihood as a function of `direction` @ weights; `weights` are its maximum, `top`."""

    problem: LabelProblem
    direction: Floats
    weights: Floats
    top: float
    inverse: Floats

    @classmethod
    def of(
        cls, problem: LabelProblem, direction: Floats, near: Floats, inverse: Floats
    ) -> "Profile":
        """Of a problem with its prior, which is taken from this direction.

        `near` are the weights under the whole prior, `inverse` that of the information there.
        """
        spread = direction @ np.linalg.solve(problem.precision, direction)
        own = direction / math.sqrt(spread)
        free = replace(problem, precision=problem.precision - np.outer(own, own))
        left = max(1.0 - float(own @ inverse @ own), _SMALLEST)
        toward = inverse @ own
        without = inverse + np.outer(toward, toward) / left
        weights, top = climb(free, near, without)
        return cls(free, direction, weights, top, without)

    @cached_property
    def estimate(self) -> float:
        """Where it is greatest; infinite if that is nowhere."""
        found = float(self.direction @ self.weights)
        if self.standard_error <= _SUSPECT * self._unit:
            return found
        for side in (-1.0, 1.0):
            end, highest = self.end(side, _USUAL)
            if math.isinf(end) and highest < _AS_GREAT:
                return end
        return found

    @property
    def standard_error(self) -> float:
        """By the curvature."""
        return math.sqrt(self.direction @ self.inverse @ self.direction)

    def interval(self, level: float) -> tuple[float, float]:
        """Its ends, infinite where there is none."""
        reach = float(special.ndtri(0.5 + level / 2))
        return self.end(-1.0, reach)[0], self.end(1.0, reach)[0]

    def end(self, side: float, reach: float) -> tuple[float, float]:
        """Where the root of the deviance is `reach`, and the greatest root found on the way."""
        start = float(self.direction @ self.weights)
        # no first step beyond ten units
        unit = side * min(self.standard_error, 10.0 * self._unit)
        weights, reached = self.weights, 0.0
        inside, outside, at, flat = (0.0, 0.0), None, reach, 0
        for _ in range(_EVALUATIONS):
            weights, root = self._root(weights, unit * (at - reached))
            reached = at
            if abs(root - reach) <= _NEAR * reach:
                return start + unit * at * reach / root, root
            if root > reach:
                outside = (at, root)
            else:
                doubled = outside is None and at >= 1.99 * inside[0] > 0
                flat = flat + 1 if doubled and root - inside[1] < _LEVEL_OFF * reach else 0
                if flat == 2 or abs(unit) * at > _FARTHEST * self._unit:
                    return side * math.inf, max(root, inside[1])
                inside = (at, root)
            at = _next(inside, outside, reach)
        return start + unit * at, reach

    def _root(self, weights: Floats, distance: float) -> tuple[Floats, float]:
        """The best weights so much farther, from these, and the root of their deviance."""
        toward = self.inverse @ self.direction / self.standard_error**2
        alone = self.direction / (self.direction @ self.direction)
        starts = (weights + toward * distance, weights + alone * distance)
        start = max(starts, key=lambda w: np.nan_to_num(self.problem.look(w)[0], nan=-np.inf))
        moved, found = climb(self.problem, start, self.inverse, self.direction)
        return moved, math.sqrt(max(2.0 * (self.top - found), 0.0))

    @cached_property
    def _unit(self) -> float:
        """The change of the combination that moves predictors by one unit of the family."""
        toward = self.inverse @ self.direction / self.standard_error**2
        size = math.sqrt((self.problem.predictor(toward) ** 2).sum(axis=1).mean())
        return self.problem.unit / max(size, 1e-300)


def _next(inside: tuple[float, float], outside: tuple[float, float] | None, reach: float) -> float:
    """By a straight line through what was found; without one, or a bracket, ever farther."""
    at, root = inside
    if outside is None:
        return at * (1.01 * reach / root if root > 0.8 * at else 2.0)
    share = (reach - root) / (outside[1] - root)
    return at + min(max(share, 0.05), 0.95) * (outside[0] - at)
