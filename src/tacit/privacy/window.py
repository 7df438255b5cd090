"""`Window`: of N cells, W neighbours are favoured by e^eps; the input chooses which.

For one number in [-1, 1], purely private, in integers throughout. Two cells are the two-point
mechanism (Duchi et al. 2018), many the piecewise one (Wang et al. 2019).
Proved: every cell has one of two probabilities, whose ratio is at most e^eps by the rounding of
one integer threshold, whatever the input. The input is first rounded to the grid at random, so
that reports are unbiased: a mixture of grid points keeps every ratio.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.audit.numbers import audit_numbers
from tacit.privacy.audit.outcome import Audit, Source
from tacit.privacy.draws import (
    LARGEST_LIMIT,
    WORD,
    below,
    check_limit,
    ratio_below,
    round_at_random,
    threshold_below,
)
from tacit.privacy.entropy import Entropy, SeededEntropy, words
from tacit.privacy.guarantee import Guarantee


@dataclass(frozen=True)
class Window:
    """`cells` outputs, `width` of them favoured; `threshold` of 2^64 is the chance of these."""

    epsilon: float
    cells: int
    width: int
    threshold: int

    @classmethod
    def of(cls, epsilon: float, cells: int, width: int) -> "Window":
        """The window whose two probabilities differ by e^eps at most."""
        ratio = ratio_below(epsilon)
        check_limit("cells", cells)
        if not 1 <= width < cells:
            raise ConfigurationError(f"width must be from 1 to {cells - 1}, got width={width}")
        threshold = threshold_below(ratio * Fraction(width, cells - width))
        return cls(epsilon, cells, width, threshold)

    @property
    def guarantee(self) -> Guarantee:
        """Pure epsilon, for the number."""
        return Guarantee(self.epsilon)

    @property
    def bound(self) -> float:
        """The largest absolute value of a report."""
        return (self.cells - 1) / 2 / self._gain

    @property
    def noise(self) -> float:
        """The largest variance over inputs: at the middle or at an end (up to the grid)."""
        return max(self.variance(0.0), self.variance(1.0))

    def variance(self, value: float) -> float:
        """Variance of a report of this value."""
        favoured = self.threshold / WORD
        rest = self.cells - self.width
        position = (value + 1) / 2 * rest
        fraction = position - math.floor(position)
        square = 0.0
        for low, chance in ((math.floor(position), 1 - fraction), (math.ceil(position), fraction)):
            inside = _square_sum(low, self.width, self.cells)
            outside = _square_sum(0, self.cells, self.cells) - inside
            square += chance * (favoured * inside / self.width + (1 - favoured) * outside / rest)
        return square / self._gain**2 - value**2

    def encode(self, values: Floats) -> Floats:
        """Numbers (n,) in [-1, 1]."""
        return clipped(values)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Reports of many devices, one integer below `cells` each."""
        rest = self.cells - self.width
        return self.draw(round_at_random((self.encode(values) + 1) / 2 * rest, entropy), entropy)

    def draw(self, start: Integers, entropy: Entropy) -> Integers:
        """A cell for each person whose favoured ones begin at `start`; two words, whatever it is.

        Both a favoured cell and another one are drawn: what is computed does not tell of them.
        """
        rest = self.cells - self.width
        favoured = words(start.size, entropy) < np.uint64(self.threshold)
        word = words(start.size, entropy)
        inside = start + below(word, self.width)
        outside = below(word, rest)
        outside += (outside >= start) * self.width
        return np.where(favoured, inside, outside)

    def value(self, reports: Integers) -> Floats:
        """Unbiased values of reports."""
        return np.asarray((reports + 0.5 - self.cells / 2) / self._gain, dtype=np.float64)

    @property
    def reports(self) -> range:
        """Every report there is."""
        return range(self.cells)

    def chances(self, reports: Integers, inputs: Floats) -> Floats:
        """How likely (n, k) each of k inputs makes each report, but for a factor of the report."""
        favoured, rest = self.threshold / WORD, self.cells - self.width
        ratio = favoured / (1.0 - favoured) * rest / self.width
        position = (self.encode(inputs) + 1) / 2 * rest
        low = np.floor(position)
        inside = np.zeros((len(reports), len(position)))
        for start, share in ((low, 1 - (position - low)), (low + 1, position - low)):
            at = np.asarray(reports)[:, None] - start
            inside += share * ((at >= 0) & (at < self.width))
        return 1.0 + (ratio - 1.0) * inside

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports as devices draw them. Simulation only."""
        return self.value(self.randomize(values, SeededEntropy(generator)))

    def audit(self, source: Source, claimed: Guarantee | None = None) -> Audit:
        """Try to refute epsilon by reports of 1 and -1: does one lie in the window of 1?"""
        first = self.cells - self.width
        pair = (np.array([1.0]), np.array([-1.0]))
        return audit_numbers(
            self, claimed or self.guarantee, source, pair, lambda cells: cells >= first
        )

    @property
    def _gain(self) -> float:
        """Mean of the centred output for an input of 1, in cells."""
        favoured = self.threshold / WORD
        pull = favoured - (1.0 - favoured) * self.width / (self.cells - self.width)
        return (self.cells - self.width) / 2 * pull


def two_point(epsilon: float) -> Window:
    """One bit per report."""
    return Window.of(epsilon, 2, 1)


def piecewise(epsilon: float) -> Window:
    """Outputs over an interval, the part near the input favoured."""
    favoured = 1 / (math.sqrt(ratio_below(epsilon)) + 1)
    return Window.of(epsilon, LARGEST_LIMIT, max(1, round(LARGEST_LIMIT * favoured)))


def clipped(values: Floats) -> Floats:
    """Any number becomes one in [-1, 1]; what is none at all becomes 0."""
    with np.errstate(all="ignore"):  # a caller who made these errors must not see a value
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        return np.clip(np.where(np.isnan(numbers), 0.0, numbers), -1.0, 1.0)


def _square_sum(start: int, count: int, cells: int) -> float:
    """Sum of squares of the centred positions of `count` cells from `start`."""
    middle = start + count / 2 - cells / 2
    return count * (middle**2 + (count**2 - 1) / 12)
