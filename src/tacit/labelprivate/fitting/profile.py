"""Profile intervals: where the likelihood, at its best in all else, stays near its maximum.

2 (maximum - profile) is compared with the quantile of chi-square(1). Where it levels off below that
the interval has no end on this side: the data do not exclude any value there.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.labelprivate.fitting.climb import LabelProblem, climb

_EVALUATIONS = 60
_NEAR = 2e-3  # of the quantile's root: from here a straight line leads to the end
_LEVEL_OFF = 1e-3  # less growth than this while the distance doubles, and it has levelled off
_FARTHEST = 1e6  # standard deviations of a predictor


@dataclass(frozen=True)
class Profiles:
    """Of combinations `directions` (c, weights) of the weights that maximise a problem."""

    problem: LabelProblem
    weights: Floats
    top: float
    directions: Floats
    inverse: Floats = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "inverse", self.problem.inverse(self.weights))

    @property
    def standard_errors(self) -> Floats:
        """By the curvature at the maximum."""
        inside = self.directions @ self.inverse
        return np.asarray(np.sqrt((inside * self.directions).sum(axis=1)))

    def interval(self, place: int, level: float) -> tuple[float, float]:
        """The ends of one combination's interval; infinite where there is none."""
        reach = float(special.ndtri(0.5 + level / 2))
        return self._end(place, -1.0, reach)[0], self._end(place, 1.0, reach)[0]

    def runs_away(self, place: int) -> float:
        """-inf or inf if the likelihood is as great there as at its maximum, else 0."""
        for side in (-1.0, 1.0):
            end, highest = self._end(place, side, 0.1)
            if math.isinf(end) and highest < _LEVEL_OFF:
                return end
        return 0.0

    def _end(self, place: int, side: float, reach: float) -> tuple[float, float]:
        """Where the signed root of the deviance is `reach`, and the greatest root found."""
        direction = self.directions[place]
        toward = self.inverse @ direction
        estimate, error = float(direction @ self.weights), math.sqrt(direction @ toward)
        toward /= error**2
        size = float(np.sqrt((self.problem.predictor(toward) ** 2).mean())) / self.problem.unit
        unit = side * min(error, 10.0 / max(size, 1e-300))  # no first step beyond ten units
        walk = _Walk(self, direction, toward)
        inside, outside, at = (0.0, 0.0), None, reach
        for _ in range(_EVALUATIONS):
            root = walk.root(unit * at)
            if abs(root - reach) <= _NEAR * reach:
                return estimate + unit * at * reach / root, root
            if root > reach:
                outside = (at, root)
            else:
                doubled = outside is None and at >= 1.99 * inside[0] > 0
                if doubled and root - inside[1] < _LEVEL_OFF * reach:
                    return side * math.inf, max(root, inside[1])
                if size * abs(unit) * at > _FARTHEST:
                    return side * math.inf, root
                inside = (at, root)
            at = _next(inside, outside, reach)
        return estimate + unit * at, reach


def _next(inside: tuple[float, float], outside: tuple[float, float] | None, reach: float) -> float:
    """By a straight line through what was found; without one, or a bracket, ever farther."""
    at, root = inside
    if outside is None:
        return at * (1.01 * reach / root if root > 0.8 * at else 2.0)
    share = (reach - root) / (outside[1] - root)
    return at + min(max(share, 0.05), 0.95) * (outside[0] - at)


@dataclass
class _Walk:
    """One side of a profile; every maximisation starts from the one before."""

    profiles: Profiles
    direction: Floats
    toward: Floats
    weights: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.weights = self.profiles.weights

    def root(self, distance: float) -> float:
        """The root of the deviance at this distance from the estimate."""
        top = self.profiles
        moved = float(self.direction @ (self.weights - top.weights))
        start = self.weights + self.toward * (distance - moved)
        self.weights, found = climb(top.problem, start, top.inverse, self.direction)
        return math.sqrt(max(2.0 * (top.top - found), 0.0))
