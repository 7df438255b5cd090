"""Profile intervals: where the least objective, given a coefficient, stays near the least of all.

With O(w) the objective under a prior of precision P, and R(b) its minimum where a'w = b, the prior
flat in a'w itself takes (b - b0)^2 / a'P^-1 a off R, and off nothing else. So one objective serves
every coefficient; the interval holds the b whose profile is within a quantile of chi-square(1) of
the least. Where it stays within for ever, the interval has no end on that side.
"""

import math
from dataclasses import dataclass

import numpy as np
from scipy import linalg, optimize

from tacit.arrays import Floats
from tacit.inference.penalised import Penalised
from tacit.inference.weak import WeakMode

_CLOSE = 1e-3  # of the quantile's root: how near an end is found
_AT_BOUND = 0.02  # of the way to the limit: an end so near to it is none
_STEPS = 40
_OPTIONS = {"ftol": 1e-5, "maxcor": 20, "maxiter": 200}
_LOWER = 1e-3  # of the objective: a lower minimum than the one that was found


@dataclass(frozen=True)
class Surface:
    """The objective around its mode, in coordinates x whose curvature there is the identity."""

    problem: Penalised
    prior: Floats
    mode: Floats
    root: Floats
    least: float

    @classmethod
    def around(cls, found: WeakMode) -> "Surface":
        """With the curvature and the value at the mode."""
        problem, prior, mode = found.problem, found.prior, found.weights
        curvature = problem.curvature(prior, problem.jacobian(mode))
        root = linalg.cholesky(curvature, lower=True)
        return cls(problem, prior, mode, root, problem.objective(prior, mode))

    def at(self, x: Floats) -> tuple[float, Floats]:
        """The objective less its value at the mode, and its gradient in x."""
        weights = self.mode + linalg.solve_triangular(self.root, x, lower=True, trans="T")
        value, gradient = self.problem.with_gradient(self.prior, weights)
        return value - self.least, linalg.solve_triangular(self.root, gradient, lower=True)

    def along(self, coefficient: Floats, limit: float) -> "Line":
        """The profile of a'w, looked for within `limit` of where the prior has it."""
        direction = linalg.solve_triangular(self.root, coefficient, lower=True)
        reach = float(np.linalg.norm(direction))
        spread = coefficient @ linalg.solve(self.prior, coefficient, assume_a="pos")
        return Line(
            surface=self,
            direction=direction / reach,
            reach=reach,
            middle=float(coefficient @ self.mode),
            origin=float(coefficient @ self.problem.start),
            prior_variance=float(spread),
            limit=limit,
        )


@dataclass(frozen=True)
class Point:
    """The profile at one place `t`: its value, its slope, and where the others are."""

    t: float
    value: float
    slope: float
    others: Floats


@dataclass(frozen=True)
class Line:
    """One coefficient b = middle + reach t, for every t the best of all others."""

    surface: Surface
    direction: Floats
    reach: float
    middle: float
    origin: float
    prior_variance: float
    limit: float

    @property
    def standard_error(self) -> float:
        """By the curvature at the mode, with the prior flat in this coefficient."""
        return self.reach / math.sqrt(self._informed)

    def value(self, t: float) -> float:
        """The coefficient at t."""
        return self.middle + self.reach * t

    def place(self, coefficient: float) -> float:
        """The t of a coefficient."""
        return (coefficient - self.middle) / self.reach

    def point(self, t: float, start: Floats) -> Point:
        """The profile at t, looked for from these values of the others."""

        def across(y: Floats) -> tuple[float, Floats]:
            value, gradient = self.surface.at(t * self.direction + y)
            return value, gradient - (gradient @ self.direction) * self.direction

        found = optimize.minimize(across, start, jac=True, method="L-BFGS-B", options=_OPTIONS)
        others = found.x - (found.x @ self.direction) * self.direction
        value, gradient = self.surface.at(t * self.direction + others)
        away = self.value(t) - self.origin
        return Point(
            t=t,
            value=value - away**2 / self.prior_variance,
            slope=float(gradient @ self.direction) - 2 * away * self.reach / self.prior_variance,
            others=others,
        )

    def least(self) -> Point:
        """Where the profile is least: the estimate. At the limit, if it falls until there."""
        start = (self.middle - self.origin) * self.reach / self.prior_variance / self._informed
        low, high = self._bounds
        here = self.point(min(max(start, low), high), np.zeros_like(self.direction))
        step = -here.slope / (2.0 * self._informed)
        for _ in range(_STEPS):
            if abs(step) * math.sqrt(self._informed) < _CLOSE:
                break
            there = self.point(min(max(here.t + step, low), high), here.others)
            if there.value > here.value + _LOWER:
                step /= 2.0
                continue
            change = there.slope - here.slope
            bent = change / (there.t - here.t) if there.t != here.t else 0.0
            here, far = there, 2.0 * max(abs(step), 1.0)
            if here.t in (low, high) and here.slope * here.t < 0:
                break
            step = -here.slope / bent if bent > 0 else -math.copysign(far, here.slope)
            step = min(max(step, -far), far)
        return here

    def end(self, least: Point, side: int, quantile: float) -> float:
        """The coefficient at which the profile has risen by `quantile`; infinite if it never does.

        Newton's method on the root of the rise, which is nearly linear, within a bracket.
        """
        target, bound = math.sqrt(quantile), self._bounds[side > 0]
        inside, outside = least.t, math.inf * side
        guess, others = inside + side * target / math.sqrt(self._informed), least.others
        for _ in range(_STEPS):
            guess = side * min(side * guess, side * bound)
            here = self.point(guess, others)
            if here.value - least.value > quantile:  # perhaps for want of a better start
                here = min(here, self.point(guess, least.others), key=lambda p: p.value)
            rise = math.sqrt(max(here.value - least.value, 0.0))
            if abs(rise - target) <= _CLOSE * target:
                break
            if rise > target:
                outside = guess
            elif guess == bound:
                return side * math.inf
            else:
                inside = guess
            farthest = outside if math.isfinite(outside) else least.t + 3.0 * (guess - least.t)
            newton = guess + (target - rise) * 2.0 * rise / here.slope if here.slope else math.nan
            within = min(inside, farthest) < newton < max(inside, farthest)
            guess, others = newton if within else (inside + farthest) / 2.0, here.others
        at_bound = abs(bound - guess) <= _AT_BOUND * abs(bound - least.t)
        return side * math.inf if at_bound else self.value(guess)

    def estimate(self, least: Point) -> float:
        """Where the profile is least; infinite if it falls until the limit."""
        low, high = self._bounds
        if low < least.t < high:
            return self.value(least.t)
        return math.copysign(math.inf, least.t)

    def gain(self, least: Point, coefficient: float) -> float:
        """The signed root of what the estimate gains on this coefficient."""
        there = self.point(self.place(coefficient), least.others)
        return math.copysign(
            math.sqrt(max(there.value - least.value, 0.0)), self.value(least.t) - coefficient
        )

    @property
    def _informed(self) -> float:
        """How much of the curvature along t is the tally's: 0 where it says nothing."""
        return max(1.0 - self.reach**2 / self.prior_variance, 1e-12)

    @property
    def _bounds(self) -> tuple[float, float]:
        ends = self.place(self.origin - self.limit), self.place(self.origin + self.limit)
        return min(ends), max(ends)
