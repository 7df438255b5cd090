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
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy import optimize, special

from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy
from tacit.privacy.expand import SEED_BYTES, Floats, Seeds, chunk_size, expand

_COIN_BITS = 64
_LARGEST_EPSILON = 30.0  # beyond it 64 bits of coin and of cap height carry too few digits
_TRIALS_AHEAD = 3.0  # trials drawn at once for one report, in units of the expected number


@dataclass(frozen=True)
class Sphere:
    """Randomizes unit vectors of one dimension with eps-local differential privacy.

    `cap` is the height of the favoured cap around the input, `coin` the threshold below which
    a 64-bit word accepts a seed outside it. Use `Sphere.best`, which derives both.
    """

    dimension: int
    epsilon: float
    cap: float
    coin: int

    @classmethod
    def best(cls, dimension: int, epsilon: float) -> "Sphere":
        """The mechanism with the least error for this dimension and epsilon."""
        _check(dimension, epsilon)
        return cls(dimension, epsilon, _best_cap(dimension, epsilon), coin_threshold(epsilon))

    @classmethod
    def hemisphere(cls, dimension: int, epsilon: float) -> "Sphere":
        """The l2 randomizer of Duchi, Jordan, Wainwright 2018: half the sphere is the cap.

        `noise_variance` is then that of the average coordinate: the one along the input has
        1 / (d mu^2) - 1, all others 1 / (d mu^2).
        """
        _check(dimension, epsilon)
        return cls(dimension, epsilon, 0.0, coin_threshold(epsilon))

    @cached_property
    def cap_rate(self) -> float:
        """The share `q` of the sphere that lies in the cap."""
        return _cap_rate(self.dimension, self.cap)

    @cached_property
    def mean_length(self) -> float:
        """The mean `mu` of the output along the input; the output divided by it is unbiased."""
        return _mean_length(self.dimension, self.epsilon, self.cap)

    @property
    def squared_error(self) -> float:
        """Expected squared distance of one unbiased report from its input."""
        return 1.0 / self.mean_length**2 - 1.0

    @property
    def noise_variance(self) -> float:
        """Variance of each coordinate of an unbiased report given its input (at the best cap)."""
        return self.squared_error / self.dimension

    @property
    def accept_rate(self) -> float:
        """The chance that one trial is accepted, whatever the input."""
        return self.cap_rate + (1.0 - self.cap_rate) * self.coin / 2.0**_COIN_BITS

    @property
    def expected_trials(self) -> float:
        """How many seeds a device tries on average, whatever the input."""
        return 1.0 / self.accept_rate

    def randomize(self, vectors: Floats, tag: bytes, entropy: Entropy) -> Seeds:
        """One accepted seed for each vector: (n, dimension) to (n, 16). No value is refused."""
        return self.randomize_counting(vectors, tag, entropy)[0]

    def randomize_counting(
        self, vectors: Floats, tag: bytes, entropy: Entropy
    ) -> tuple[Seeds, NDArray[np.int64]]:
        """As `randomize`, with the number of trials each took (for audits)."""
        seeds = np.empty((len(vectors), SEED_BYTES), dtype=np.uint8)
        trials = np.zeros(len(vectors), dtype=np.int64)
        step = chunk_size(self.dimension)
        for start in range(0, len(vectors), step):
            units = self._units(vectors[start : start + step])
            pending = np.arange(start, start + len(units))
            while len(pending):
                ahead = self._trials_at_once(len(pending))
                found, first, accepted = self._try(units, ahead, tag, entropy)
                seeds[pending[found]] = accepted
                trials[pending] += np.where(found, first + 1, ahead)
                pending, units = pending[~found], units[~found]
        return seeds, trials

    def _units(self, vectors: Floats) -> Floats:
        """`normalised`, for the dimension of the study: a public number, so it is checked."""
        if np.ndim(vectors) != 2 or np.shape(vectors)[1] != self.dimension:
            raise ConfigurationError(
                f"vectors must have shape (n, {self.dimension}), got shape {np.shape(vectors)}"
            )
        return normalised(vectors)

    def _trials_at_once(self, pending: int) -> int:
        """Depends on the study and on how many are pending, never on an input."""
        room = -(-chunk_size(self.dimension) // pending)
        return min(room, math.ceil(_TRIALS_AHEAD * self.expected_trials))

    def _try(
        self, vectors: Floats, ahead: int, tag: bytes, entropy: Entropy
    ) -> tuple[NDArray[np.bool_], NDArray[np.int64], Seeds]:
        """`ahead` trials for each vector: which found a seed, at which trial, and the seeds."""
        count = len(vectors) * ahead
        seeds = np.frombuffer(entropy.draw(SEED_BYTES * count), dtype=np.uint8)
        seeds = seeds.reshape(count, SEED_BYTES)
        words = np.frombuffer(entropy.draw(8 * count), dtype="<u8")
        accepted = self.accepts(seeds, words, np.repeat(vectors, ahead, axis=0), tag)
        accepted = accepted.reshape(len(vectors), ahead)
        found: NDArray[np.bool_] = np.any(accepted, axis=1)
        first = np.argmax(accepted, axis=1)
        chosen = seeds.reshape(len(vectors), ahead, SEED_BYTES)[found, first[found]]
        return found, first, chosen

    def accepts(
        self, seeds: Seeds, words: NDArray[np.uint64], vectors: Floats, tag: bytes
    ) -> NDArray[np.bool_]:
        """The accept rule: cap or coin, both always computed, so neither shows in the timing."""
        in_cap = self.in_cap(expand(seeds, tag, self.dimension), vectors)
        by_coin = words <= np.uint64(self.coin - 1)  # the coin may be 2^64: always accept
        return in_cap | by_coin

    def in_cap(self, points: Floats, vectors: Floats) -> NDArray[np.bool_]:
        """Whether each point (dimension, n) lies in the cap around its vector (n, dimension)."""
        heights: Floats = np.einsum("dn,nd->n", points, vectors)
        return heights >= self.cap

    def sample(self, vectors: Floats, generator: np.random.Generator) -> Floats:
        """Draw outputs (n, dimension) from the law of `randomize` directly. Simulation only."""
        vectors = self._units(vectors)
        across = generator.standard_normal(vectors.shape)
        along = self._sample_along(across, generator)
        if self.dimension == 1:
            return along[:, None] * vectors
        across[:, 0] = 0.0
        across *= np.sqrt((1.0 - along**2) / np.einsum("nd,nd->n", across, across))[:, None]
        # reflect by the mirror v + sign(v_0) e_0, which takes the first axis to v, up to sign
        turn = np.einsum("nd,nd->n", across, vectors) / (1.0 + np.abs(vectors[:, 0]))
        across += (along - turn)[:, None] * vectors
        across[:, 0] -= np.copysign(turn, turn * vectors[:, 0])
        return across

    def _sample_along(self, normals: Floats, generator: np.random.Generator) -> Floats:
        """The component of the output along the input: inside or outside the cap, as drawn.

        The first coordinate of a uniform direction has the right law given its side, and is
        independent of the direction of the others: it serves where it fell on the side drawn.
        """
        in_cap = generator.random(len(normals)) < self.cap_rate / self.accept_rate
        along: Floats = normals[:, 0] / np.sqrt(np.einsum("nd,nd->n", normals, normals))
        wrong = np.flatnonzero((along >= self.cap) != in_cap)
        along[wrong] = self._invert_along(in_cap[wrong], 1.0 - generator.random(len(wrong)))
        return along

    def _invert_along(self, in_cap: NDArray[np.bool_], uniform: Floats) -> Floats:
        """The quantile of that component given its side, by inversion of its survival function."""
        if self.dimension == 1:
            return np.where(in_cap, 1.0, -1.0)
        q = self.cap_rate
        survival = np.where(in_cap, uniform * q, q + uniform * (1.0 - q))
        tail = 2.0 * np.minimum(survival, 1.0 - survival)
        height: Floats = np.sqrt(special.betainccinv(0.5, (self.dimension - 1) / 2, tail))
        return np.where(survival <= 0.5, height, -height)


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


def coin_threshold(epsilon: float) -> int:
    """The integer ceil(e^-eps 2^64), exact: rounding up can only strengthen the guarantee."""
    context = Context(prec=60)
    # copy_negate, unlike a minus sign, does not round to whatever context the caller has set
    share = context.exp(Decimal(epsilon).copy_negate())
    scaled = context.multiply(share, Decimal(2**_COIN_BITS))
    return int(scaled.to_integral_value(rounding=ROUND_CEILING))


def _cap_rate(dimension: int, cap: float) -> float:
    if dimension == 1:
        return 0.5
    return float(special.betainc((dimension - 1) / 2, 0.5, (1.0 - cap) * (1.0 + cap))) / 2.0


def _mean_length(dimension: int, epsilon: float, cap: float) -> float:
    """mu = a (e^eps - 1) / (1 + (e^eps - 1) q), `a` the mean height of the cap times its rate."""
    if dimension == 1:
        return math.tanh(epsilon / 2.0)
    half = (dimension - 1) / 2
    log_width = math.log1p(-cap) + math.log1p(cap)  # log(1 - cap^2), exact also near cap = 1
    log_a = half * log_width - math.log(2.0 * half) - special.betaln(0.5, half)
    gain = math.expm1(epsilon)
    return float(math.exp(log_a) * gain / (1.0 + gain * _cap_rate(dimension, cap)))


def _best_cap(dimension: int, epsilon: float) -> float:
    """The cap height that equals its mean length: d mu / d cap has the sign of mu - cap."""
    if dimension == 1:
        return math.tanh(epsilon / 2.0)

    def excess(cap: float) -> float:
        return _mean_length(dimension, epsilon, cap) - cap

    return float(optimize.brentq(excess, 0.0, 1.0 - 1e-15, xtol=1e-15, rtol=1e-14))
