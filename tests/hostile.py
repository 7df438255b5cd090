"""Answers that no device should have to see, and every device has to bear."""

import datetime
import enum
import math
import struct
from decimal import Decimal
from fractions import Fraction
from typing import Any, NoReturn

import numpy as np


class Touched(BaseException):
    """What nobody catches by accident, like the interrupt of a keyboard."""


def _stop(*_: Any, **__: Any) -> NoReturn:
    """Were any of an answer's code run, a test would fail."""
    raise Touched


_HOOKS = (
    "__str__", "__repr__", "__eq__", "__ne__", "__hash__", "__len__", "__iter__", "__bool__",
    "__float__", "__int__", "__index__", "__getattribute__", "__array__", "__format__", "__lt__",
    "__contains__", "__getitem__", "__floordiv__", "__truediv__", "__rtruediv__", "__sub__",
    "__ge__", "strip", "casefold", "is_integer", "item", "astype", "isoformat", "is_nan",
    "numerator", "bit_length", "tolist",
)  # fmt: skip


class _Meta(type):
    """A class that cannot even be asked for its name or hash."""

    __hash__ = _stop
    __eq__ = _stop
    __instancecheck__ = _stop
    __subclasscheck__ = _stop
    __name__ = property(_stop)
    mro = type.mro


def _mined(base: type) -> type:
    """A subclass that stops the program wherever it is touched; `__class__` included."""
    return type(f"Mined{base.__name__}", (base,), dict.fromkeys(_HOOKS, _stop))


class Lying:
    """An object that says it is a text, and is none."""

    __class__ = str  # type: ignore[assignment]


def _fraction(above: Any, below: Any) -> Fraction:
    """With parts that no constructor would let in."""
    made = Fraction(1, 2)
    made._numerator, made._denominator = above, below  # type: ignore[attr-defined]
    return made


MinedObject = _Meta(
    "MinedObject", (), dict.fromkeys(_HOOKS, _stop) | {"__class__": property(_stop)}
)


class Colour(enum.StrEnum):
    """Answers as a program may keep them."""

    RED = "yes"


NAN_PAYLOADS = [
    struct.unpack("<d", struct.pack("<Q", bits))[0]
    for bits in (0x7FF0000000000001, 0x7FF8000000000123, 0xFFFFFFFFFFFFFFFF)
]
POWERS = [sign * 2.0**power for power in range(-1074, 1024) for sign in (1, -1)]
EXTREMES: list[object] = [
    5e-324, -5e-324, 2.2250738585072014e-308, 1e-310, -1e-310, 1e308, -1e308, math.inf, -math.inf,
    np.float64(5e-324), np.float32(1e-45), np.float64(math.inf), -np.float64(math.inf),
    np.float16(math.inf), np.longdouble(10) ** -4900, np.longdouble(10) ** 4000, -0.0,
    10**400, -(10**400), 10**4000, -(10**5000), 2**1024 - 1, 2**53 + 1,
    Decimal("1e-400"), Decimal("1e400"), Decimal("-1E+999999"), Decimal("Infinity"),
    Fraction(1, 10**400), Fraction(10**400), Fraction(-(10**5000), 3),
    "5e-324", "1e-310", "1e400", "-1e400", "9" * 4000, "9" * 10_000, "inf", "nan", "1_0", "0x1",
]  # fmt: skip
ODD: list[object] = [
    "", " ", "x" * 1_000_000, " " * 1_000_000, "\x00", "\ud800", "\N{REPLACEMENT CHARACTER}",
    b"yes", bytearray(3), 1j, [], [1, 2], (), {}, {1}, [[1], [2, [3]]], object(), print, int,
    np.array(3.0), np.ones(3), np.ones((2, 2)), np.array(["yes"]), np.str_("yes"), np.bytes_(b"y"),
    np.timedelta64(1, "s"), np.datetime64("2025-01-02"), np.clongdouble(1), np.True_,
    datetime.date(2025, 1, 2), datetime.datetime(2025, 1, 2, tzinfo=datetime.UTC), Colour.RED,
    Decimal("sNaN2"), Lying(),
]  # fmt: skip
MINED: list[object] = [
    MinedObject(),
    _mined(object)(),
    _mined(str)("yes"),
    _mined(int)(3),
    _mined(float)(2.5),
    _mined(np.float64)(2.5),
    _mined(np.float32)(2.5),
    _mined(np.int64)(3),
    _mined(np.str_)("yes"),
    _mined(Decimal)("2.5"),
    _mined(Fraction)(5, 2),
    _fraction(MinedObject(), 2),
    _fraction(1, _mined(int)(2)),
    _fraction(1, 0),
    _mined(list)([1]),
    _mined(dict)(),
    _mined(datetime.date)(2025, 1, 2),
    _mined(datetime.datetime)(2025, 1, 2),
    _mined(BaseException)(),
]


def _name(value: object) -> str:
    return str(type.__dict__["__name__"].__get__(type(value)))


# By name: whoever runs the tests must not touch the values either.
WILD: dict[str, object] = {
    f"{place} {_name(value)}": value for place, value in enumerate((*EXTREMES, *ODD, *MINED))
}
