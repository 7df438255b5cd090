"""The sphere mechanism: PrivUnit (Bhowmick et al. 2018), sent as a 16-byte seed.

Proved: for any two inputs and any seed s, P(s | v) <= e^eps P(s | v'). In one trial a seed in
the cap is accepted with probability 1 and any other with probability c = coin / 2^64 >= e^-eps,
and trials go on until one is accepted, so P(s | v) = 2^-128 (1 or c) / A(v) with
A(v) = q(v) + (1 - q(v)) c. The cap rate q(v) is the same for every unit v (the sphere is
symmetric), and every input is made a unit vector first, whatever it was. The number of trials is
geometric with rate A, so it says nothing about v either.
Words of 32 bits make q(v) uneven: not at all for d = 1, by at most 2^-32 for d = 2, where one word
sets the direction (3e-8 in eps at eps = 12), by less from d = 3 on (4e-9 there, along an axis).
Optimal among unbiased pure eps-LDP mechanisms: Asi, Feldman, Talwar 2022. Seeds: Feldman,
Talwar 2021; this step assumes that ChaCha20 is a pseudorandom function.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import msgspec
import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers, Seeds
from tacit.errors import ConfigurationError
from tacit.privacy import geometry
from tacit.privacy.audit.outcome import Audit, Source
from tacit.privacy.audit.seeds import audit_seeds
from tacit.privacy.direct import DrawnPoints, draw
from tacit.privacy.draws import WORD, coin_threshold
from tacit.privacy.entropy import Entropy, Words, words
from tacit.privacy.expand import (
    SCALE,
    SEED_BYTES,
    TAG_BYTES,
    chunk_size,
    expand,
    quantise,
    quantised_sums,
)
from tacit.privacy.guarantee import Guarantee

_CAP_TOLERANCE = 1e-9
_LARGEST_EPSILON = 30.0  # beyond it 64 bits of coin and of cap height carry too few digits
_SMALLEST = 1e-200  # squared length, far from where squares leave the range of floats
_TRIALS_AHEAD = 3.0  # trials drawn at once for one report, in units of the expected number


@dataclass(frozen=True)
class Sphere:
    """Randomizes unit vectors of one dimension with eps-local differential privacy.

    `cap` is the height of the favoured cap around the input, `coin` the threshold below which
    a 64-bit word accepts a seed outside it. Use `Sphere.best`, which derives both. `tag` ties
    the expansion of seeds to one study; without it nothing can be randomized, only sampled.
    """

    dimension: int
    epsilon: float
    cap: float
    coin: int
    tag: bytes = b""

    @classmethod
    def best(cls, dimension: int, epsilon: float, tag: bytes = b"") -> "Sphere":
        """The mechanism with the least error for this dimension and epsilon."""
        _check(dimension, epsilon)
        cap = geometry.best_cap(dimension, epsilon)
        return cls(dimension, epsilon, cap, coin_threshold(epsilon), tag)

    @classmethod
    def hemisphere(cls, dimension: int, epsilon: float, tag: bytes = b"") -> "Sphere":
        """The l2 randomizer of Duchi, Jordan, Wainwright 2018: half the sphere is the cap.

        `noise` is then that of the average coordinate: the one along the input has
        1 / (d mu^2) - 1, all others 1 / (d mu^2).
        """
        _check(dimension, epsilon)
        return cls(dimension, epsilon, 0.0, coin_threshold(epsilon), tag)

    def at(self, epsilon: float) -> "Sphere":
        """The best of this dimension for another epsilon."""
        return Sphere.best(self.dimension, epsilon, self.tag)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, for the vector."""
        return Guarantee(self.epsilon)

    @cached_property
    def cap_rate(self) -> float:
        """The share `q` of the sphere that lies in the cap."""
        return geometry.cap_rate(self.dimension, self.cap)

    @cached_property
    def mean_length(self) -> float:
        """The mean `mu` of the output along the input; the output divided by it is unbiased."""
        return geometry.mean_length(self.dimension, self.epsilon, self.cap)

    @property
    def squared_error(self) -> float:
        """Expected squared distance of one unbiased report from its input."""
        return 1.0 / self.mean_length**2 - 1.0

    @property
    def noise(self) -> float:
        """Variance of each coordinate of an unbiased report given its input (at the best cap)."""
        return self.squared_error / self.dimension

    @property
    def accept_rate(self) -> float:
        """The chance that one trial is accepted, whatever the input."""
        return self.cap_rate + (1.0 - self.cap_rate) * self.coin / WORD

    @property
    def expected_trials(self) -> float:
        """How many seeds a device tries on average, whatever the input."""
        return 1.0 / self.accept_rate

    def encode(self, values: Floats) -> Floats:
        """`normalised`, for the dimension of the study: a public number, so it is checked."""
        self._check_shape(values)
        return normalised(values)

    def _check_shape(self, values: Floats) -> None:
        if np.ndim(values) != 2 or np.shape(values)[1] != self.dimension:
            raise ConfigurationError(
                f"vectors must have shape (n, {self.dimension}), got shape {np.shape(values)}"
            )

    def randomize(self, values: Floats, entropy: Entropy) -> Seeds:
        """One accepted seed for each vector: (n, dimension) to (n, 16). No value is refused."""
        return self.randomize_counting(values, entropy)[0]

    def randomize_counting(self, values: Floats, entropy: Entropy) -> tuple[Seeds, Integers]:
        """As `randomize`, with the number of trials each took (for audits)."""
        self._check_tag()
        seeds = np.empty((len(values), SEED_BYTES), dtype=np.uint8)
        trials = np.zeros(len(values), dtype=np.int64)
        step = chunk_size(self.dimension)
        for start in range(0, len(values), step):
            units = self.encode(values[start : start + step])
            pending = np.arange(start, start + len(units))
            while len(pending):
                ahead = self.trials_at_once(len(pending))
                found, first, accepted = self._try(units, ahead, entropy)
                seeds[pending[found]] = accepted
                trials[pending] += np.where(found, first + 1, ahead)
                pending, units = pending[~found], units[~found]
        return seeds, trials

    def value(self, reports: Seeds) -> Floats:
        """Unbiased vectors (n, dimension) of seeds (n, 16)."""
        return expand(reports, self.tag, self.dimension).T / self.mean_length

    def _check_tag(self) -> None:
        if len(self.tag) != TAG_BYTES:
            raise ConfigurationError(
                f"randomizing takes the study's tag of {TAG_BYTES} bytes, got {len(self.tag)}"
            )

    def trials_at_once(self, pending: int) -> int:
        """Depends on the study and on how many are pending, never on an input."""
        room = -(-chunk_size(self.dimension) // pending)
        return min(room, math.ceil(_TRIALS_AHEAD * self.expected_trials))

    def _try(
        self, units: Floats, ahead: int, entropy: Entropy
    ) -> tuple[NDArray[np.bool_], Integers, Seeds]:
        """`ahead` trials for each vector: which found a seed, at which trial, and the seeds."""
        count = len(units) * ahead
        seeds = np.frombuffer(entropy.draw(SEED_BYTES * count), dtype=np.uint8)
        seeds = seeds.reshape(count, SEED_BYTES)
        drawn = words(count, entropy)
        accepted = self.accepts(seeds, drawn, np.repeat(units, ahead, axis=0))
        accepted = accepted.reshape(len(units), ahead)
        found: NDArray[np.bool_] = np.any(accepted, axis=1)
        first = np.argmax(accepted, axis=1)
        chosen = seeds.reshape(len(units), ahead, SEED_BYTES)[found, first[found]]
        return found, first, chosen

    def accepts(self, seeds: Seeds, drawn: Words, units: Floats) -> NDArray[np.bool_]:
        """The accept rule: cap or coin, both always computed, so neither shows in the timing."""
        in_cap = self.in_cap(expand(seeds, self.tag, self.dimension), units)
        return in_cap | self.by_coin(drawn)

    def in_cap(self, points: Floats, units: Floats) -> NDArray[np.bool_]:
        """Whether each point (dimension, n) lies in the cap around its vector (n, dimension)."""
        heights: Floats = np.einsum("dn,nd->n", points, units)
        return heights >= self.cap

    def by_coin(self, drawn: Words) -> NDArray[np.bool_]:
        """Whether each word accepts by itself."""
        return drawn <= np.uint64(self.coin - 1)  # the coin may be 2^64: always

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Unbiased vectors (n, dimension), drawn from their law directly. Simulation only."""
        return self.points(values, generator) / self.mean_length

    def total(self, reports: Seeds) -> Integers:
        """The sum of expanded vectors in units of 2^-32, exactly."""
        return quantised_sums(reports, self.tag, self.dimension)

    def sample_total(self, values: Iterable[Floats], generator: np.random.Generator) -> Integers:
        """The total of the reports of so many blocks of inputs. Simulation only."""
        total = np.zeros(self.dimension, dtype=np.int64)
        for block in values:
            total += quantise(self._drawn(block, generator).sum())
        return total

    def mean(self, total: Integers, count: int) -> Floats:
        """What so many reports with this total say on average."""
        return np.asarray(total / (SCALE * count * self.mean_length))

    def points(self, values: Floats, generator: np.random.Generator) -> Floats:
        """What reports expand to, drawn from the law of `randomize`. Simulation only."""
        return self._drawn(values, generator).points()

    def _drawn(self, values: Floats, generator: np.random.Generator) -> DrawnPoints:
        self._check_shape(values)
        favoured = self.cap_rate * (1.0 - self.coin / WORD) / self.accept_rate
        return draw(_units(values), self.cap, self.cap_rate, favoured, generator)

    def audit(self, source: Source, claimed: Guarantee | None = None) -> Audit:
        """Try to refute epsilon, or another one that is claimed, by running the device's code."""
        return audit_seeds(self, (claimed or self.guarantee).epsilon, source)


class SphereParameters(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="sphere"
):
    """What a study file states; the coin in hexadecimal, which JavaScript can read exactly."""

    dimension: int
    cap: float
    coin: str

    @classmethod
    def best(cls, dimension: int, epsilon: float) -> "SphereParameters":
        """Those of `Sphere.best`."""
        sphere = Sphere.best(dimension, epsilon)
        return cls(dimension, sphere.cap, f"{sphere.coin:016x}")

    def check(self, dimension: int, epsilon: float) -> None:
        """Derived again to be sure; another computer's cap may differ in its last digits."""
        best = SphereParameters.best(dimension, epsilon)
        near = abs(self.cap - best.cap) <= _CAP_TOLERANCE
        if not near or (self.dimension, self.coin) != (dimension, best.coin):
            raise ConfigurationError(
                f"the mechanism is not that of dimension {dimension} and epsilon {epsilon:g}: "
                f"{self}"
            )

    def mechanism(self, epsilon: float, tag: bytes) -> Sphere:
        """The mechanism with these parameters."""
        return Sphere(self.dimension, epsilon, self.cap, int(self.coin, 16), tag)


def _check(dimension: int, epsilon: float) -> None:
    if dimension < 1:
        raise ConfigurationError(f"dimension must be at least 1, got dimension={dimension}")
    if not 0 < epsilon <= _LARGEST_EPSILON:
        raise ConfigurationError(
            f"epsilon must be positive and at most {_LARGEST_EPSILON:g}, got epsilon={epsilon}"
        )


def normalised(vectors: Floats) -> Floats:
    """Rows scaled to length 1; a row that has no direction (zero, infinite, NaN) is the first axis.

    The proof needs unit vectors, and a refusal would tell of the row, so every row becomes one.
    """
    with np.errstate(all="ignore"):  # a caller who turned these into errors must not see a value
        units = np.array(vectors, dtype=np.float64)
        peak = np.abs(units).max(axis=1, keepdims=True)
        units /= peak  # first, or the squares of huge and tiny rows leave the range of floats
        units /= np.sqrt(np.einsum("nd,nd->n", units, units))[:, None]
    return np.where(np.isfinite(peak) & (peak > 0.0), units, np.eye(1, units.shape[1]))


def _units(vectors: Floats) -> Floats:
    """As `normalised`, with less work if no row is extreme, which only a simulation may look at."""
    squares = np.einsum("nd,nd->n", vectors, vectors)
    if len(squares) and _SMALLEST < squares.min() <= squares.max() < 1.0 / _SMALLEST:
        return np.asarray(vectors / np.sqrt(squares)[:, None])
    return normalised(vectors)
