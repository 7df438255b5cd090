"""Upper bounds for people: rounded up, so that what is said is never less than what is true.

`tests/vectors/bounds.json` holds what both functions must say, here and in the browser.
"""

import math
from decimal import ROUND_CEILING, Context, Decimal

_ROOM = 1.0 + 2.0**-44  # more than the floats below err, and less than any digit shown
_MOST_DIGITS = 12
_WHOLE = 1e3  # from here on a factor is a whole number, and from _POWER on a power of e
_POWER = 1e12


def percent_up(probability: float) -> str:
    """A chance of at most this: with one digit, or as many as it takes to stay below 100%."""
    for digits in range(1, _MOST_DIGITS + 1):
        size = 10**digits
        shown = math.ceil(probability * (100 * size) * _ROOM)
        if shown < 100 * size:
            return f"{shown // size}.{shown % size:0{digits}}%"
    return "100%"


def times_up(epsilon: float) -> str:
    """A factor of at most e^epsilon: three digits, whole numbers from 1,000, powers from 1e12."""
    if epsilon >= math.log(_POWER):
        return f"e^{number_up(epsilon)}"
    factor = math.exp(epsilon) * _ROOM
    if factor >= _WHOLE:
        return f"{math.ceil(factor):,}"
    size = 10 ** (2 - math.floor(math.log10(factor)))
    shown = math.ceil(factor * size) / size
    return f"{shown:g}" if shown < _WHOLE else f"{shown:,.0f}"


def number_up(number: float) -> str:
    """Six digits of an epsilon or delta; sums of decimals are first freed of their float's dust."""
    context = Context(prec=6, rounding=ROUND_CEILING)
    return f"{float(context.plus(context.create_decimal(Decimal(f'{number:.12g}')))):g}"
