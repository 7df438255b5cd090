"""One round of Algorithm 1: what the server publishes, a device's report, the server's step.

Device. The gradient x f'(z)(f(z) - y) is clipped to length R = sqrt(p) B, with B the largest
residual under the model (erratum 12 (P): no clipping is stated, yet the randomizer needs a bound).
Written as t R u with u a unit vector and |t| <= 1, it becomes +u with probability (1 + t)/2,
else -u: always a unit vector, whose mean is t u. That goes through the sphere mechanism, or
through the one the paper names (Duchi et al. 2018), which is the same with half the sphere for
its cap.
Proved: each report is eps-locally private, whatever was published before, as the sphere mechanism
is for every unit vector.
Server. R / mu times the mean of the reports is unbiased for the mean clipped gradient.
"""

import math
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal

import numpy as np

from tacit.arrays import Seeds
from tacit.errors import ConfigurationError
from tacit.papers.common import Calibration, Floats, check_budget, check_calibration
from tacit.papers.iht.problem import Problem, cleaned, clipped_labels
from tacit.privacy.draws import uniform
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.expand import SCALE, quantise, quantised_sums
from tacit.privacy.sphere import Sphere, normalised
from tacit.study.checks import LARGEST_EPSILON

Randomizer = Literal["sphere", "duchi"]

_CHUNK = 4096


@dataclass(frozen=True, eq=False)
class Round:
    """The iterate theta of round `number`, and all a device needs to answer it.

    `bound` is B, the largest residual. `tilde` is the iterate before Trunc that led here, kept
    because the printed algorithm truncates it one round late.
    """

    problem: Problem
    sphere: Sphere
    calibration: Calibration
    number: int
    theta: Floats
    tilde: Floats

    @classmethod
    def first(
        cls,
        problem: Problem,
        sphere: Sphere,
        calibration: Calibration = "exact",
    ) -> "Round":
        """theta_0 = 0."""
        check_calibration(calibration)
        zero = np.zeros(problem.dimension)
        return cls(problem, sphere, calibration, 0, zero, zero)

    @property
    def bound(self) -> float:
        """B: over all records at this theta, or ("paper") at any theta that could come up."""
        reach = float(np.abs(self.theta).sum())
        if self.calibration == "paper":
            reach = self.problem.radius * math.sqrt(self.problem.keep)
        return self.problem.residual_bound(reach)

    @property
    def radius(self) -> float:
        """R = sqrt(p) B: sqrt(p)(sqrt(s) + sqrt(s*) + C) in the paper."""
        return math.sqrt(self.problem.dimension) * self.bound

    @property
    def tag(self) -> bytes:
        """Separates the seeds of one round from those of all others."""
        head = f"iht {self.number} {self.sphere} {self.radius!r}".encode()
        return blake2b(head + self.theta.tobytes(), digest_size=16).digest()

    # Device

    def gradients(self, X: Floats, y: Floats) -> Floats:
        """The clipped gradients (n, p) of records."""
        units, share = self._directions(X, y)
        return units * (self.radius * share)[:, None]

    def units(self, X: Floats, y: Floats, uniform: Floats) -> Floats:
        """The unit vectors that are randomized; `uniform` in [0, 1) draws their signs."""
        units, share = self._directions(X, y)
        return units * np.where(uniform < (1.0 + share) / 2.0, 1.0, -1.0)[:, None]

    def report(self, x: Floats, y: float, entropy: Entropy | None = None) -> bytes:
        """One person's answer to this round: 16 bytes. Nobody answers twice."""
        source = SystemEntropy() if entropy is None else entropy
        return self.reports(np.atleast_2d(x), np.atleast_1d(y), source).tobytes()

    def reports(self, X: Floats, y: Floats, entropy: Entropy) -> Seeds:
        """Seeds (n, 16) of many devices. Beyond epsilon = 12 there is simulation only."""
        if self.sphere.epsilon > LARGEST_EPSILON:
            raise ConfigurationError(
                f"devices take epsilon up to {LARGEST_EPSILON:g}, got epsilon="
                f"{self.sphere.epsilon:g}; larger ones can be simulated"
            )
        units = self.units(X, y, uniform(len(X), entropy))
        return replace(self.sphere, tag=self.tag).randomize(units, entropy)

    def _directions(self, X: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Unit vectors u and shares t with clipped gradient t R u; a zero row has t = 0."""
        rows = cleaned(X, self.problem.dimension)
        labels = clipped_labels(y, self.problem.label_bound)
        bound = self.bound
        residual = np.clip(self.problem.residuals(self.theta, rows, labels), -bound, bound)
        length = np.sqrt(np.einsum("np,np->n", rows, rows) / self.problem.dimension)
        return normalised(rows), residual / bound * np.minimum(length, 1.0)

    # Server

    def mean_gradient(self, seeds: Seeds) -> Floats:
        """The unbiased mean gradient of a group's reports."""
        sums = quantised_sums(seeds, self.tag, self.problem.dimension)
        return self._unbiased(sums / SCALE, len(seeds))

    def after(self, gradient: Floats, step: float, *, printed: bool = False) -> "Round":
        """The next round: descend, truncate, project."""
        tilde = self.theta - step * gradient
        # Erratum 11 (E): line 6 prints Trunc(tilde_{t-1}), the iterate of the round before. The
        # last group's reports would go unused, and with T = 1 the answer would always be 0.
        theta = self.problem.project(self.tilde if printed else tilde)
        return replace(self, number=self.number + 1, theta=theta, tilde=tilde)

    def simulated_gradient(self, X: Floats, y: Floats, generator: np.random.Generator) -> Floats:
        """`mean_gradient` of simulated devices: reports drawn from their law."""
        sums = np.zeros(self.problem.dimension, dtype=np.int64)
        for start in range(0, len(X), _CHUNK):
            part = slice(start, start + _CHUNK)
            units = self.units(X[part], y[part], generator.random(len(X[part])))
            sums += quantise(self.sphere.points(units, generator).sum(axis=0))
        return self._unbiased(sums / SCALE, len(X))

    def _unbiased(self, sums: Floats, people: int) -> Floats:
        return np.asarray(sums * (self.radius / self.sphere.mean_length / people))


def sphere_for(randomizer: str, dimension: int, epsilon: float) -> Sphere:
    """The mechanism of that name."""
    check_budget(epsilon)
    if randomizer == "sphere":
        return Sphere.best(dimension, epsilon)
    if randomizer == "duchi":
        return Sphere.hemisphere(dimension, epsilon)
    raise ConfigurationError(
        f"randomizer must be 'sphere' or 'duchi', got randomizer={randomizer!r}"
    )
