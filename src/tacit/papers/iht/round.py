"""What is asked in Algorithm 1, in Theorem 1 and in section 5, and what the server makes of it.

Proved: a gradient's or a label's report is eps-locally private by its mechanism, for whatever was
published before. Algorithm 1 asks disjoint groups in turn, so nobody reports twice.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.papers.common import (
    Allowance,
    Calibration,
    check_budget,
    check_calibration,
    check_choice,
    clipped,
)
from tacit.papers.iht.device import gradient_directions, products
from tacit.papers.iht.problem import Problem
from tacit.privacy.curve import classical_scale
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.scalar import best_scalar
from tacit.privacy.sphere import Sphere
from tacit.privacy.staircase import Staircase
from tacit.privacy.window import piecewise, two_point
from tacit.protocol import Records, Round

Randomizer = Literal["sphere", "duchi"]
LabelMechanism = Literal["best", "two-point", "piecewise", "staircase", "gaussian"]

_PURE = {
    "best": best_scalar,
    "two-point": two_point,
    "piecewise": piecewise,
    "staircase": Staircase.best,
}


@dataclass(frozen=True, eq=False)
class GradientRound(Round):
    """Algorithm 1: the iterate theta of round `number` of `iterations` (t of T).

    `sphere` is the mechanism, or the one the paper names (Duchi et al. 2018), which is the same
    with half the sphere for its cap. `tilde` is the iterate before Trunc that led here, kept
    because the `printed` algorithm truncates it one round late.
    """

    problem: Problem
    sphere: Sphere
    calibration: Calibration
    iterations: int
    step: float
    printed: bool
    number: int
    theta: Floats
    tilde: Floats

    summed = True
    draws = 1

    @classmethod
    def first(
        cls,
        problem: Problem,
        sphere: Sphere,
        calibration: Calibration = "exact",
        *,
        iterations: int = 1,
        step: float = 1.0,
        printed: bool = False,
    ) -> "GradientRound":
        """theta_0 = 0."""
        check_calibration(calibration)
        zero = np.zeros(problem.dimension)
        return cls(problem, sphere, calibration, iterations, step, printed, 0, zero, zero)

    @cached_property
    def bound(self) -> float:
        """The largest residual: over all records here, or ("paper") at any theta to come."""
        reach = float(np.abs(self.theta).sum())
        if self.calibration == "paper":
            reach = self.problem.radius * math.sqrt(self.problem.keep)
        return self.problem.residual_bound(reach)

    @property
    def radius(self) -> float:
        """R, to which gradients are clipped: sqrt(p)(sqrt(s) + sqrt(s*) + C) in the paper."""
        return math.sqrt(self.problem.dimension) * self.bound

    @cached_property
    def mechanism(self) -> Sphere:
        """Seeds of one round mean nothing in another."""
        head = f"iht {self.number} {self.sphere} {self.radius!r}".encode()
        return replace(
            self.sphere, tag=blake2b(head + self.theta.tobytes(), digest_size=16).digest()
        )

    def asked(self, people: int) -> slice:
        """S_1, ..., S_T: consecutive, floor(n/T) people each, the last one takes the rest."""
        size = people // self.iterations
        last = self.number == self.iterations - 1
        return slice(self.number * size, people if last else (self.number + 1) * size)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """The gradient t R u becomes u with probability (1 + t)/2, else -u: its mean is t u."""
        units, share = gradient_directions(self.problem, self.theta, self.bound, records)
        return units * np.where(luck[:, 0] < (1.0 + share) / 2.0, 1.0, -1.0)[:, None]

    def after(self, reported: Integers, people: int) -> "GradientRound | Floats":
        """The next round, or theta_T."""
        following = self.descended(self.gradient(reported, people))
        return following if following.number < self.iterations else following.theta

    def gradient(self, total: Integers, people: int) -> Floats:
        """The mean of the clipped gradients, unbiased."""
        return self.radius * self.mechanism.mean(total, people)

    def descended(self, gradient: Floats) -> "GradientRound":
        """Lines 5 to 7: descend, truncate, project."""
        tilde = self.theta - self.step * gradient
        # Erratum 11 (E): line 6 prints Trunc(tilde_{t-1}), the iterate of the round before. The
        # last group's reports would go unused, and with T = 1 the result would always be 0.
        theta = self.problem.project(self.tilde if self.printed else tilde)
        return replace(self, number=self.number + 1, theta=theta, tilde=tilde)


@dataclass(frozen=True)
class ProductRound(Round):
    """Theorem 1: x y of everyone, once, with Gaussian noise.

    Two records are at most 2 sqrt(p)(sqrt(s*) + C) apart.
    """

    problem: Problem
    noise: GaussianMechanism

    summed = True

    @property
    def mechanism(self) -> GaussianMechanism:
        """The noise on the products."""
        return self.noise

    @classmethod
    def of(cls, problem: Problem, allowance: Allowance) -> "ProductRound":
        """The classical formula stands for the appendix's noise ("paper")."""
        sensitivity = 2.0 * math.sqrt(problem.dimension) * problem.label_bound
        noise = allowance.noise(
            problem.dimension,
            sensitivity=sensitivity,
            printed_sigma=sensitivity * classical_scale(allowance.epsilon, allowance.delta),
        )
        return cls(problem, noise)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """x y of each record."""
        return products(self.problem, records)

    def after(self, reported: Integers, people: int) -> Floats:
        """The mean estimates theta, for features with E[x x'] = I."""
        return self.mechanism.mean(reported, people)


@dataclass(frozen=True)
class LabelRound(Round):
    """Section 5: features are public, the label in +-`bound` alone is protected.

    It goes through the eps-private mechanism for one number that has the least variance at this
    eps, or through Gaussian noise, as printed. The pure one is also the better one: at eps = 1 the
    two-point one has 3.9 times less standard deviation than exact noise at delta = 1e-6.
    """

    bound: float
    randomizer: Mechanism

    summed = False

    @property
    def mechanism(self) -> Mechanism:
        """Of one number in [-1, 1]."""
        return self.randomizer

    @classmethod
    def of(
        cls, bound: float, allowance: Allowance, name: LabelMechanism | None = None
    ) -> "LabelRound":
        """The mechanism of that name; the classical formula stands for the printed noise.

        (The text that we follow lost its line 2: the formula of sigma_1 is missing.)
        """
        chosen = chosen_mechanism(name, allowance.calibration, tuple(_PURE))
        if chosen != "gaussian":
            return cls(bound, _PURE[chosen](allowance.epsilon))
        printed = 2.0 * classical_scale(allowance.epsilon, allowance.delta)
        noise = allowance.noise(1, sensitivity=2.0, printed_sigma=printed)
        return cls(bound, noise)

    @property
    def variance(self) -> float:
        """Of a private label around its own, at the label that has most."""
        return self.bound**2 * self.mechanism.noise

    def encode(self, records: Records, luck: Floats) -> Floats:
        """Labels in [-1, 1]."""
        (labels,) = records
        return clipped(labels, self.bound) / self.bound

    def after(self, reported: Iterator[Floats], people: int) -> Floats:
        """Unbiased labels, one for each person: what follows is ordinary regression."""
        return self.bound * np.concatenate(list(reported))


def sphere_for(randomizer: str, dimension: int, epsilon: float) -> Sphere:
    """The mechanism of that name."""
    check_budget(epsilon)
    check_choice("randomizer", randomizer, get_args(Randomizer))
    if randomizer == "duchi":
        return Sphere.hemisphere(dimension, epsilon)
    return Sphere.best(dimension, epsilon)


def chosen_mechanism(name: str | None, calibration: str, pure: tuple[str, ...]) -> str:
    """The first of the eps-private mechanisms unless said otherwise; printed noise is Gaussian."""
    check_calibration(calibration)
    check_choice("mechanism", name, (*pure, "gaussian", None))
    chosen = name or ("gaussian" if calibration == "paper" else pure[0])
    if calibration == "paper" and chosen != "gaussian":
        raise ConfigurationError(
            f"calibration='paper' is Gaussian noise, got mechanism={name!r}; leave mechanism "
            "out, or use calibration='exact'"
        )
    return chosen
