"""Pure eps-local mechanisms for one number in [-1, 1], in integers throughout.

`Window`: N cells, of which W neighbours are favoured by e^eps; the input chooses which. Two
cells are the two-point mechanism (Duchi et al. 2018), many the piecewise one (Wang et al. 2019).
Proved: every cell has one of two probabilities, whose ratio is at most e^eps by the rounding of
one integer threshold, whatever the input.
`Staircase` (Geng, Viswanath 2016): noise whose density falls by e^-eps for every 2, in steps.
Proved: two inputs differ by at most 2, and the probabilities of noises at most 2 apart have a
ratio of c >= e^-eps at least; outputs beyond a bound are moved to it, where the cut-off of the
noise cannot show. Whole numbers below some limit are drawn from 64-bit words, which makes them
uneven by 2^-39 at most: `_UNEVEN` takes that off the ratios.
Inputs are first rounded to the grid at random, so that reports are unbiased: a mixture of grid
points keeps every ratio.
"""

import math
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
Words = NDArray[np.uint64]

_WORD = 2**64
_LARGEST_CELLS = 2**24
_STAIRCASE_CELLS = 2**20  # in the range of the input, which is the sensitivity
_UNEVEN = 1 - Fraction(1, 2**36)  # room for the unevenness of integers drawn by `_below`
_SMALLEST_EPSILON = 1e-6  # below it that room would be a share of epsilon
_LARGEST_EPSILON = 30.0


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
        ratio = _ratio(epsilon)
        _check_cells(cells)
        if not 1 <= width < cells:
            raise ConfigurationError(f"width must be from 1 to {cells - 1}, got width={width}")
        threshold = _threshold(ratio * Fraction(width, cells - width))
        return cls(epsilon, cells, width, threshold)

    @property
    def _gain(self) -> float:
        """Mean of the centred output for an input of 1, in cells."""
        favoured = self.threshold / _WORD
        pull = favoured - (1.0 - favoured) * self.width / (self.cells - self.width)
        return (self.cells - self.width) / 2 * pull

    @property
    def bound(self) -> float:
        """The largest absolute value of a report."""
        return (self.cells - 1) / 2 / self._gain

    def variance(self, value: float) -> float:
        """Variance of a report of this value."""
        favoured = self.threshold / _WORD
        rest = self.cells - self.width
        position = (value + 1) / 2 * rest
        fraction = position - math.floor(position)
        square = 0.0
        for low, chance in ((math.floor(position), 1 - fraction), (math.ceil(position), fraction)):
            inside = _square_sum(low, self.width, self.cells)
            outside = _square_sum(0, self.cells, self.cells) - inside
            square += chance * (favoured * inside / self.width + (1 - favoured) * outside / rest)
        return square / self._gain**2 - value**2

    @property
    def worst_variance(self) -> float:
        """The largest variance over inputs: at the middle or at an end (up to the grid)."""
        return max(self.variance(0.0), self.variance(1.0))

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Reports of many devices, one integer below `cells` each."""
        rest = self.cells - self.width
        start = _round_at_random((_clipped(values) + 1) / 2 * rest, entropy)
        favoured = _words(start.size, entropy) < np.uint64(self.threshold)
        word = _words(start.size, entropy)
        inside = start + _below(word, self.width)
        outside = _below(word, rest)
        outside += (outside >= start) * self.width
        return np.where(favoured, inside, outside)

    def value(self, reports: Integers) -> Floats:
        """Unbiased values of reports."""
        return np.asarray((reports + 0.5 - self.cells / 2) / self._gain, dtype=np.float64)


@dataclass(frozen=True)
class Staircase:
    """Steps of `cells` cells, each split at `split` into a higher and a lower part.

    `coin` of 2^64 is the chance of another step, `threshold` that of the higher part.
    """

    epsilon: float
    split: int
    coin: int
    threshold: int
    cells: int = _STAIRCASE_CELLS

    @classmethod
    def best(cls, epsilon: float, cells: int = _STAIRCASE_CELLS) -> "Staircase":
        """The split with the least variance."""
        ratio = _ratio(epsilon)
        _check_cells(cells)
        if cells % 2:  # then -1 and 1 lie between cells, and could be rounded farther apart
            raise ConfigurationError(f"cells must be even, got cells={cells}")
        found = optimize.minimize_scalar(
            lambda share: _staircase_variance(share, math.exp(-epsilon)),
            bounds=(1e-6, 1 - 1e-6),
            method="bounded",
            options={"xatol": 1e-9},
        )
        split = min(max(round(found.x * cells), 1), cells - 1)
        coin = math.ceil(_WORD / ratio)
        threshold = _threshold(Fraction(split, cells - split) * _UNEVEN * _WORD / coin)
        return cls(epsilon, split, coin, threshold, cells)

    @property
    def steps(self) -> int:
        """Coins tossed for every report, whatever they show; the chance of more is below 1e-17."""
        return math.ceil(40 / self.epsilon) + 2

    @property
    def bound(self) -> float:
        """The largest absolute value of a report."""
        return 2.0 * (self.steps - 2) + 1.0 / self.cells

    @property
    def worst_variance(self) -> float:
        """Variance of a report, the same for all inputs (up to the grid)."""
        return _staircase_variance(self.split / self.cells, self.coin / _WORD)

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Reports of many devices, one integer of either sign each."""
        start = _round_at_random(_clipped(values) * (self.cells / 2), entropy)
        step = np.zeros_like(start)
        going = np.ones_like(start, dtype=np.bool_)
        for _ in range(self.steps):  # all of them, or the time taken would tell of the noise
            going &= _words(start.size, entropy) < np.uint64(self.coin)
            step += going
        high = _words(start.size, entropy) < np.uint64(self.threshold)
        word = _words(start.size, entropy)
        low = self.split + _below(word, self.cells - self.split)
        size = step * self.cells + np.where(high, _below(word, self.split), low)
        negative = _words(start.size, entropy) < np.uint64(_WORD // 2)
        largest = (self.steps - 2) * self.cells
        noisy = start + np.where(negative, -size - 1, size)
        return np.asarray(np.clip(noisy, -largest - 1, largest), dtype=np.int64)

    def value(self, reports: Integers) -> Floats:
        """Unbiased values of reports."""
        return np.asarray((reports + 0.5) * (2.0 / self.cells), dtype=np.float64)


Scalar = Window | Staircase


def two_point(epsilon: float) -> Window:
    """One bit per report."""
    return Window.of(epsilon, 2, 1)


def piecewise(epsilon: float) -> Window:
    """Outputs over an interval, the part near the input favoured."""
    favoured = 1 / (math.sqrt(_ratio(epsilon)) + 1)
    return Window.of(epsilon, _LARGEST_CELLS, max(1, round(_LARGEST_CELLS * favoured)))


def best_scalar(epsilon: float) -> Scalar:
    """The mechanism with the least worst-case variance at this epsilon."""
    candidates: list[Scalar] = [two_point(epsilon), piecewise(epsilon), Staircase.best(epsilon)]
    return min(candidates, key=lambda mechanism: mechanism.worst_variance)


def _ratio(epsilon: float) -> Fraction:
    """e^eps with room for uneven integers, exact: no context a caller has set can round it."""
    if not _SMALLEST_EPSILON <= epsilon <= _LARGEST_EPSILON:
        raise ConfigurationError(
            f"epsilon must lie between {_SMALLEST_EPSILON:g} and {_LARGEST_EPSILON:g}, "
            f"got epsilon={epsilon}"
        )
    return Fraction(Context(prec=60).exp(Decimal.from_float(epsilon))) * _UNEVEN


def _threshold(odds: Fraction) -> int:
    """The integer of 2^64 for these odds, rounded down."""
    return math.floor(odds / (1 + odds) * _WORD)


def _check_cells(cells: int) -> None:
    if not 2 <= cells <= _LARGEST_CELLS:
        raise ConfigurationError(f"cells must be from 2 to {_LARGEST_CELLS}, got cells={cells}")


def _clipped(values: Floats) -> Floats:
    """Any number becomes one in [-1, 1]; what is none at all becomes 0."""
    with np.errstate(all="ignore"):  # a caller who made these errors must not see a value
        numbers = np.ravel(np.asarray(values, dtype=np.float64))
        return np.clip(np.where(np.isnan(numbers), 0.0, numbers), -1.0, 1.0)


def _words(count: int, entropy: Entropy) -> Words:
    return np.frombuffer(entropy.draw(8 * count), dtype="<u8")


def _round_at_random(values: Floats, entropy: Entropy) -> Integers:
    """Up or down to a whole number, so that the mean is right; whole numbers stay."""
    uniform = (_words(values.size, entropy) >> np.uint64(11)).astype(np.float64) * 2.0**-53
    whole = np.floor(values)  # not floor(values + uniform): that sum can be rounded too far
    return whole.astype(np.int64) + (uniform < values - whole)


def _below(words: Words, limit: int) -> Integers:
    """floor(word limit / 2^64): each number's chance is right but for limit / 2^64 of itself."""
    high, low = words >> np.uint64(32), words & np.uint64(2**32 - 1)
    carried = (low * np.uint64(limit)) >> np.uint64(32)
    return ((high * np.uint64(limit) + carried) >> np.uint64(32)).astype(np.int64)


def _square_sum(start: int, count: int, cells: int) -> float:
    """Sum of squares of the centred positions of `count` cells from `start`."""
    middle = start + count / 2 - cells / 2
    return count * (middle**2 + (count**2 - 1) / 12)


def _staircase_variance(share: float, ratio: float) -> float:
    """Variance of the continuous staircase for sensitivity 2, split at `share` of a step."""
    high = share / (share + (1 - share) * ratio)
    first = high * share / 2 + (1 - high) * (1 + share) / 2
    second = high * share**2 / 3 + (1 - high) * (1 + share + share**2) / 3
    step = ratio / (1 - ratio)
    step_square = ratio * (1 + ratio) / (1 - ratio) ** 2
    return 4.0 * (step_square + 2 * step * first + second)
