"""`Staircase` (Geng, Viswanath 2016): noise whose density falls by e^-eps for every 2, in steps.

For one number in [-1, 1], purely private, in integers throughout.
Proved: two inputs differ by at most 2, and the probabilities of noises at most 2 apart have a
ratio of c >= e^-eps at least; outputs beyond a bound are moved to it, where the cut-off of the
noise cannot show. Inputs are first rounded to the grid at random, so that reports are unbiased:
a mixture of grid points keeps every ratio.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from scipy import optimize

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.audit.numbers import audit_numbers
from tacit.privacy.audit.outcome import Audit, Source
from tacit.privacy.draws import (
    UNEVEN,
    WORD,
    below,
    check_limit,
    ratio_below,
    round_at_random,
    threshold_below,
)
from tacit.privacy.entropy import Entropy, SeededEntropy, words
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.window import clipped

_CELLS = 2**20  # in the range of the input, which is the sensitivity


@dataclass(frozen=True)
class Staircase:
    """Steps of `cells` cells, each split at `split` into a higher and a lower part.

    `coin` of 2^64 is the chance of another step, `threshold` that of the higher part.
    """

    epsilon: float
    split: int
    coin: int
    threshold: int
    cells: int = _CELLS

    @classmethod
    def best(cls, epsilon: float, cells: int = _CELLS) -> "Staircase":
        """The split with the least variance."""
        fall = float(1 / ratio_below(epsilon))
        check_limit("cells", cells)
        found = optimize.minimize_scalar(
            lambda share: _variance(share, fall),
            bounds=(1e-6, 1 - 1e-6),
            method="bounded",
            options={"xatol": 1e-9},
        )
        return cls.of(epsilon, min(max(round(found.x * cells), 1), cells - 1), cells)

    @classmethod
    def of(cls, epsilon: float, split: int, cells: int = _CELLS) -> "Staircase":
        """Steps that fall by e^-eps at least, split in this place."""
        ratio = ratio_below(epsilon)
        check_limit("cells", cells)
        if cells % 2:  # then -1 and 1 lie between cells, and could be rounded farther apart
            raise ConfigurationError(f"cells must be even, got cells={cells}")
        if not 1 <= split < cells:
            raise ConfigurationError(f"split must be from 1 to {cells - 1}, got split={split}")
        coin = math.ceil(WORD / ratio)
        threshold = threshold_below(Fraction(split, cells - split) * UNEVEN * WORD / coin)
        return cls(epsilon, split, coin, threshold, cells)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, for the number."""
        return Guarantee(self.epsilon)

    @property
    def steps(self) -> int:
        """Coins tossed for every report, whatever they show; the chance of more is below 1e-17."""
        return math.ceil(40 / self.epsilon) + 2

    @property
    def bound(self) -> float:
        """The largest absolute value of a report."""
        return 2.0 * (self.steps - 2) + 1.0 / self.cells

    @property
    def noise(self) -> float:
        """Variance of a report, the same for all inputs (up to the grid)."""
        return _variance(self.split / self.cells, self.coin / WORD)

    def encode(self, values: Floats) -> Floats:
        """Numbers (n,) in [-1, 1]."""
        return clipped(values)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Reports of many devices, one integer of either sign each."""
        start = round_at_random(self.encode(values) * (self.cells / 2), entropy)
        # how many steps from the input
        step = np.zeros_like(start)
        going = np.ones_like(start, dtype=np.bool_)
        for _ in range(self.steps):  # all of them, or the time taken would tell of the noise
            going &= words(start.size, entropy) < np.uint64(self.coin)
            step += going
        # where within the step
        high = words(start.size, entropy) < np.uint64(self.threshold)
        word = words(start.size, entropy)
        low = self.split + below(word, self.cells - self.split)
        size = step * self.cells + np.where(high, below(word, self.split), low)
        # to which side
        negative = words(start.size, entropy) < np.uint64(WORD // 2)
        largest = (self.steps - 2) * self.cells
        noisy = start + np.where(negative, -size - 1, size)
        return np.asarray(np.clip(noisy, -largest - 1, largest), dtype=np.int64)

    def value(self, reports: Integers) -> Floats:
        """Unbiased values of reports."""
        return np.asarray((reports + 0.5) * (2.0 / self.cells), dtype=np.float64)

    @property
    def reports(self) -> range:
        """Every report there is."""
        largest = (self.steps - 2) * self.cells
        return range(-largest - 1, largest + 1)

    def chances(self, reports: Integers, inputs: Floats) -> Floats:
        """How likely (n, k) each of k inputs makes each report, but for a factor of the report."""
        position = self.encode(inputs) * (self.cells / 2)
        low = np.floor(position)
        total = np.zeros((len(reports), len(position)))
        for start, share in ((low, 1 - (position - low)), (low + 1, position - low)):
            total += share * self._density(np.asarray(reports)[:, None] - start.astype(np.int64))
        return total

    def _density(self, noise: Integers) -> Floats:
        """Chance of a noise, relative to that of the smallest."""
        step, within = np.divmod(np.where(noise < 0, -noise - 1, noise), self.cells)
        high = self.threshold / WORD
        lower = (1.0 - high) / high * self.split / (self.cells - self.split)
        fallen: Floats = (self.coin / WORD) ** step
        return fallen * np.where(within < self.split, 1.0, lower)

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports as devices draw them. Simulation only."""
        return self.value(self.randomize(values, SeededEntropy(generator)))

    def audit(self, source: Source, claimed: Guarantee | None = None) -> Audit:
        """Try to refute epsilon by reports of 1 and -1: is one at least 1?"""
        first = self.cells // 2
        pair = (np.array([1.0]), np.array([-1.0]))
        return audit_numbers(
            self, claimed or self.guarantee, source, pair, lambda cells: cells >= first
        )


def _variance(share: float, ratio: float) -> float:
    """Variance of the continuous staircase for sensitivity 2, split at `share` of a step."""
    high = share / (share + (1 - share) * ratio)
    first = high * share / 2 + (1 - high) * (1 + share) / 2
    second = high * share**2 / 3 + (1 - high) * (1 + share + share**2) / 3
    step = ratio / (1 - ratio)
    step_square = ratio * (1 + ratio) / (1 - ratio) ** 2
    return 4.0 * (step_square + 2 * step * first + second)
