"""The Gaussian mechanism: rounded, on an integer grid, for devices; continuous for simulation.

Proved: two vectors at most D apart, rounded to a grid of step h and clipped to 2^44 steps, are
at most D + h sqrt(d) (1 + 2^-9) apart: a quotient x/h below 2^44 is right to 2^-10, rounding moves
it by a half more, and clipping is a contraction. (The step is a normal float, hence exactly
sigma / 2^14, and 2^44 steps are a float as well.)
Noise that takes the integer k with probability p_k = Phi((k + 1/2)/t) - Phi((k - 1/2)/t),
t = sigma/h, is continuous Gaussian noise rounded to the grid, so the exact curve of `curve.py`
applies with mu = that distance / sigma. A table draws it with probabilities q_k that exceed p_k
by TABLE_ERROR at most in all, and have p_k <= (1 + THINNEST) q_k within the table, which p leaves
with probability BEYOND. For any set S of reports and inputs v, w therefore
Q(S|v) <= P(S|v) + d TABLE_ERROR, and P(S|w) <= (1 + THINNEST)^d Q(S|w) + d BEYOND: together they
cost d THINNEST in eps and d (TABLE_ERROR + e^eps BEYOND) in delta, and are charged there.
The step is always sigma / 2^14: one table serves every sigma.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.audit.gaussian import audit_gaussian
from tacit.privacy.audit.outcome import Audit, OnProgress, Source
from tacit.privacy.curve import GaussianCurve, calibrate
from tacit.privacy.draws import words
from tacit.privacy.entropy import Entropy
from tacit.privacy.guarantee import Guarantee

STEPS_PER_SIGMA = 2**14
TABLE_ERROR = 2e-14  # total variation between the table and the law it stands for, at most
THINNEST = 1e-9  # how much likelier than in the table a cell of the table is, at most
BEYOND = 2e-23  # the chance of all cells beyond the table

_TABLE_SIGMAS = 10
_LARGEST_EPSILON = 30.0  # asked for more, the curve is read here: delta only falls
_LARGEST_STEPS = 2.0**44  # of an input, or 2^30 sigma
_ROUNDING = 1.0 + 2.0**-9  # of two quotients up to it, in steps
_SLACK = 1e-12  # of the sensitivity: the caller's floats
_LARGEST = 1e100  # of sigma and sensitivity, and its inverse the smallest: no step is subnormal


@dataclass(frozen=True)
class GaussianMechanism:
    """Adds Gaussian noise to a vector of known sensitivity (largest distance of two inputs).

    The sensitivity is the caller's word: clip inputs to a set of that diameter before. `at_delta`
    is the delta for which `guarantee` states the epsilon.
    """

    dimension: int
    sensitivity: float
    sigma: float
    at_delta: float = 1e-6

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise ConfigurationError(f"dimension must be at least 1, got {self.dimension}")
        for name, value in (("sensitivity", self.sensitivity), ("sigma", self.sigma)):
            if not 1.0 / _LARGEST <= value <= _LARGEST:
                raise ConfigurationError(
                    f"{name} must lie between {1.0 / _LARGEST:g} and {_LARGEST:g}, "
                    f"got {name}={value}; use other units"
                )

    @classmethod
    def exact(
        cls, dimension: int, sensitivity: float, epsilon: float, delta: float
    ) -> "GaussianMechanism":
        """The least noise with which the device's own report is (epsilon, delta)-private."""
        inner, charge = _charges(dimension, epsilon)
        if not (inner > 0 and math.isfinite(epsilon) and delta > charge):
            raise ConfigurationError(
                f"epsilon={epsilon:g} with delta={delta:g} cannot be kept by a table of 64-bit "
                f"numbers in {dimension} dimensions; use an epsilon from "
                f"{dimension * THINNEST:g} to {_LARGEST_EPSILON:g}, or a larger delta"
            )
        scale = calibrate(inner, delta - charge) * (1.0 + _SLACK) ** 2
        grid = 1.0 - scale * _rounding(dimension) / STEPS_PER_SIGMA
        if grid <= 0:
            raise ConfigurationError(
                f"epsilon={epsilon:g} needs more noise in {dimension} dimensions than the grid "
                "can hold; use a larger epsilon or fewer dimensions"
            )
        return cls(dimension, sensitivity, scale * sensitivity / grid, delta)

    @property
    def step(self) -> float:
        """The grid's step."""
        return self.sigma / STEPS_PER_SIGMA

    @property
    def curve(self) -> GaussianCurve:
        """What the noise really gives, were it drawn without a table."""
        rounded = self.sensitivity * (1.0 + _SLACK) + self.step * _rounding(self.dimension)
        return GaussianCurve(rounded / self.sigma)

    def delta(self, epsilon: float) -> float:
        """The delta of a device's report at this epsilon, the table's charges included."""
        inner, charge = _charges(self.dimension, epsilon)
        if inner < 0:  # at no epsilon is delta larger than the total variation
            return min(1.0, self.curve.delta(0.0) + 2.0 * self.dimension * TABLE_ERROR)
        return min(1.0, self.curve.delta(inner) + charge)

    def epsilon(self, delta: float) -> float:
        """An epsilon that a device's report keeps at this delta, the table's charges included."""
        rough = self.curve.epsilon(delta / 2.0)
        charge = self.dimension * (TABLE_ERROR + math.exp(min(rough, 700.0)) * BEYOND)
        if charge > delta / 2.0:
            return math.inf
        return self.curve.epsilon(delta - charge) + self.dimension * THINNEST

    @property
    def guarantee(self) -> Guarantee:
        """What a device's report really gives at `at_delta`."""
        return Guarantee(self.epsilon(self.at_delta), delta=self.at_delta)

    @property
    def noise(self) -> float:
        """Variance of each number of a report."""
        return self.sigma**2

    def encode(self, values: Floats) -> Integers:
        """Values in integer steps. The last axes hold the `dimension` numbers of an input.

        What the grid cannot hold becomes its end, which never adds distance; what is no number
        becomes 0 (where 0 is no legal input the caller must have put something else).
        """
        self._check_shape(np.shape(values))
        with np.errstate(all="ignore"):  # a caller who made these errors must not see a value
            steps = np.rint(np.asarray(values, dtype=np.float64) / self.step)
            steps = np.clip(np.where(np.isnan(steps), 0.0, steps), -_LARGEST_STEPS, _LARGEST_STEPS)
            return steps.astype(np.int64)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Reports in integer steps: values on the grid plus noise. No value is refused."""
        steps = self.encode(values)
        return steps + rounded_noise(steps.size, entropy).reshape(steps.shape)

    def _check_shape(self, shape: tuple[int, ...]) -> None:
        """The charges count coordinates, so that there must be as many as stated."""
        if all(math.prod(shape[axis:]) != self.dimension for axis in range(len(shape) + 1)):
            raise ConfigurationError(
                f"the last axes must hold {self.dimension} numbers, got an input of shape {shape}"
            )

    def value(self, reports: Integers) -> Floats:
        """What reports stand for."""
        return np.asarray(reports * self.step, dtype=np.float64)

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports with continuous noise. Simulation only."""
        return values + generator.normal(0.0, self.sigma, np.shape(values))

    def total(self, reports: Integers) -> Integers:
        """The sum of reports, exactly."""
        return np.asarray(reports.sum(axis=0))

    def sample_total(self, values: Iterable[Floats], generator: np.random.Generator) -> Integers:
        """The total of the reports of so many blocks of inputs: its noise is one draw."""
        people, total = 0, np.zeros(1)
        for block in values:
            people, total = people + len(block), total + block.sum(axis=0)
        noisy = total + generator.normal(0.0, self.sigma * math.sqrt(people), total.shape)
        return np.rint(noisy / self.step).astype(np.int64)

    def mean(self, total: Integers, count: int) -> Floats:
        """What so many reports with this total say on average."""
        return self.value(total) / count

    def audit(
        self,
        *,
        claimed: Guarantee | None = None,
        draws: int = 1_000_000,
        entropy: Entropy | None = None,
        progress: OnProgress | None = None,
        pair: tuple[Floats, Floats] | None = None,
    ) -> Audit:
        """Try to refute the guarantee by reports of two inputs as far apart as allowed."""
        source = Source(draws, entropy, progress)
        return audit_gaussian(self, claimed or self.guarantee, source, pair)


def _rounding(dimension: int) -> float:
    """By how many steps rounding can drive two vectors apart."""
    return math.sqrt(dimension) * _ROUNDING


def _charges(dimension: int, epsilon: float) -> tuple[float, float]:
    """The epsilon left to the curve, and the delta, that the table takes away."""
    inner = min(epsilon - dimension * THINNEST, _LARGEST_EPSILON)
    return inner, dimension * (TABLE_ERROR + math.exp(inner) * BEYOND)


def rounded_noise(count: int, entropy: Entropy) -> Integers:
    """Independent rounded Gaussians with a standard deviation of 2^14 steps.

    One look-up each, without rejection: how long it takes depends on no input, and on the noise
    by no more than the cache does.
    """
    table = cumulative()
    places = np.searchsorted(table, words(count, entropy), side="right")
    return places.astype(np.int64) - len(table) // 2


@lru_cache(maxsize=1)
def cumulative() -> NDArray[np.uint64]:
    """P(noise <= k) 2^64 in integers, for every k of the table but the largest.

    A cell's probability comes from the density at its middle and two corrections, right to
    1e-15 of itself; a difference of distribution functions would be right to 1e-16 of 1.
    All but the middle one are rounded up, so that no cell is much thinner than it should be.
    """
    width = 1.0 / STEPS_PER_SIGMA
    x = np.arange(1, _TABLE_SIGMAS * STEPS_PER_SIGMA) * width
    square = x * x
    bend = width**2 / 24 * (square - 1.0) + width**4 / 1920 * (square * (square - 6.0) + 3.0)
    cell = width / math.sqrt(2.0 * math.pi) * np.exp(-square / 2.0) * (1.0 + bend)
    side = np.ceil(cell * 2.0**64).astype(np.uint64)
    middle = np.array([2**64 - 2 * int(side.sum())], dtype=np.uint64)
    return np.cumsum(np.concatenate([side[::-1], middle, side]))[:-1]
