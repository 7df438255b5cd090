"""Thresholds of 64-bit words, exact, and the numbers that are drawn with such words.

A chance is an integer of 2^64, so a proof can count words. Whole numbers below a limit are
drawn from one word each, without rejection, which makes them uneven by 2^-39 at most: `UNEVEN`
takes that off a ratio of chances.
"""

import math
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy, Words, uniform

WORD = 2**64
LARGEST_LIMIT = 2**24  # of whole numbers drawn below it
UNEVEN = 1 - Fraction(1, 2**36)

_SMALLEST_EPSILON = 1e-6  # below it the room for unevenness would be a share of epsilon
_LARGEST_EPSILON = 30.0


def coin_threshold(epsilon: float) -> int:
    """The integer ceil(e^-eps 2^64), exact: rounding up can only strengthen the guarantee."""
    context = Context(prec=60)
    # copy_negate, unlike a minus sign, does not round to whatever context the caller has set
    share = context.exp(Decimal(epsilon).copy_negate())
    return int(context.multiply(share, Decimal(WORD)).to_integral_value(rounding=ROUND_CEILING))


def ratio_below(epsilon: float) -> Fraction:
    """e^eps with room for uneven integers, exact: no context a caller has set can round it."""
    if not _SMALLEST_EPSILON <= epsilon <= _LARGEST_EPSILON:
        raise ConfigurationError(
            f"epsilon must lie between {_SMALLEST_EPSILON:g} and {_LARGEST_EPSILON:g}, "
            f"got epsilon={epsilon}"
        )
    return Fraction(Context(prec=60).exp(Decimal.from_float(epsilon))) * UNEVEN


def threshold_below(odds: Fraction) -> int:
    """The integer of 2^64 for these odds, rounded down."""
    return math.floor(odds / (1 + odds) * WORD)


def below(drawn: Words, limit: int) -> Integers:
    """floor(word limit / 2^64): each number's chance is right but for limit / 2^64 of itself."""
    high, low = drawn >> np.uint64(32), drawn & np.uint64(2**32 - 1)
    carried = (low * np.uint64(limit)) >> np.uint64(32)
    return ((high * np.uint64(limit) + carried) >> np.uint64(32)).astype(np.int64)


def round_at_random(values: Floats, entropy: Entropy) -> Integers:
    """Up or down to a whole number, so that the mean is right; whole numbers stay."""
    chance = uniform(values.size, entropy)
    whole = np.floor(values)  # not floor(values + chance): that sum can be rounded too far
    return whole.astype(np.int64) + (chance < values - whole)


def check_limit(name: str, limit: int) -> None:
    """Refuse what `below` cannot draw evenly."""
    if not 2 <= limit <= LARGEST_LIMIT:
        raise ConfigurationError(f"{name} must be from 2 to {LARGEST_LIMIT}, got {name}={limit}")
