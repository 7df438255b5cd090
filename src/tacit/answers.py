"""What a person answered, read once into values that everything behind can trust.

An answer may be any object whatever. `plain` makes it None, a bool, an int, a float or a text, and
never runs code that the answer brings along: it looks at the type and calls Python's and numpy's
own functions on it. It raises nothing. Its work is bounded: an integer counts as infinite beyond
the range of floats, a text of more than 4,096 characters is unreadable. What is linear in the size
of an answer is a single pass (the blanks around a text, the digits of a Decimal or Fraction).
"""

import math
from collections.abc import Iterable, Mapping
from datetime import date
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.errors import ConfigurationError

Plain = None | bool | int | float | str
Column = NDArray[Any]  # booleans, integers, floats, or plain values as objects
Flags = NDArray[np.bool_]

UNREADABLE = "\N{REPLACEMENT CHARACTER}"  # no number, and no level of any study
LONGEST_TEXT = 4096

_MACHINE = "biuf"
_ABSENT_TYPES = ("NAType", "NaTType")  # of pandas, which is never imported here
_name_of = type.__dict__["__name__"].__get__  # a metaclass cannot come between


def plain(value: object) -> Plain:
    """None (also for NA and NaT), a bool, an int, a float, or a text."""
    try:
        return _plain(value, type(value))
    except Exception:  # a number that only looks like one: nothing about it may stop a report
        return UNREADABLE


def _plain(value: Any, kind: type) -> Plain:
    if value is None or kind is bool:
        return value  # type: ignore[no-any-return]
    if issubclass(kind, str):
        return _shortened(str.__str__(value))
    if issubclass(kind, np.bool_ | np.integer):
        return _plain(item := np.generic.item(value), type(item))
    # not issubclass for Fraction: that is an abstract class's, which asks the type for its hash
    if kind is Fraction or issubclass(kind, float | int | np.floating | Decimal):
        return _number_of(value, kind)
    return _foreign(value, kind)


def _shortened(answer: str) -> str:
    if len(answer) > LONGEST_TEXT:
        answer = answer.strip()
    return answer if len(answer) <= LONGEST_TEXT else UNREADABLE


def _number_of(value: Any, kind: type) -> int | float:
    if issubclass(kind, float):
        return float.__float__(value)
    if issubclass(kind, int):
        return _whole(int.__int__(value))
    if issubclass(kind, np.floating):
        return np.floating.__float__(value)
    if issubclass(kind, Decimal):
        return math.nan if Decimal.is_nan(value) else Decimal.__float__(value)
    # what a Fraction holds may have been put there by hand
    return _quotient(int.__int__(value.numerator), int.__int__(value.denominator))


def _foreign(value: Any, kind: type) -> Plain:
    """Dates are texts such as 2025-01-02; what has no meaning here is unreadable."""
    if _name_of(kind) in _ABSENT_TYPES:
        return None
    if issubclass(kind, np.datetime64):
        value = np.datetime64(value, "D").item()
        return None if value is None else _foreign(value, type(value))
    return date.isoformat(value) if issubclass(kind, date) else UNREADABLE


def _whole(number: int) -> int | float:
    try:
        float(number)
    except OverflowError:
        return math.copysign(math.inf, number > 0 or -1)
    return number


def _quotient(above: int, below: int) -> float:
    try:
        return above / below
    except OverflowError:
        return math.copysign(math.inf, above > 0 or -1)


def column(values: Any) -> Column:
    """Answers of many people, each read once; numbers of a machine type stay as they are."""
    if isinstance(values, list | tuple):
        return _objects(map(plain, values), len(values))
    array = np.asarray(values)
    if array.ndim != 1:
        raise ConfigurationError(f"a column must be one-dimensional, got shape {array.shape}")
    if array.dtype.kind in _MACHINE:
        return array
    if array.dtype.kind == "M":
        array = array.astype("datetime64[D]")
    return _objects(map(plain, array.tolist()), len(array))


def is_missing(values: Column) -> Flags:
    """None, NaN and blank text."""
    if values.dtype.kind == "f":
        return np.asarray(np.isnan(values))
    if values.dtype.kind in _MACHINE:
        return np.zeros(len(values), dtype=bool)
    return np.fromiter(map(_is_absent, values), dtype=bool, count=len(values))


def numbers(values: Column) -> Floats:
    """As float64: numeric text is parsed, booleans are 0 and 1, anything else is NaN."""
    if values.dtype.kind in _MACHINE:
        return np.ascontiguousarray(values, dtype=np.float64)
    return np.fromiter(map(_as_float, values), dtype=np.float64, count=len(values))


def look_up(
    values: Column, places: Mapping[str, float], otherwise: float, *, fold: bool = False
) -> Floats:
    """What stands in `places` under each text; of a machine type, once per distinct value."""
    if values.dtype.kind in _MACHINE:
        distinct, positions = np.unique(values, return_inverse=True)
        return look_up(distinct.astype(object), places, otherwise, fold=fold)[positions]
    texts = map(folded, values) if fold else map(text, values)
    found = (places.get(answer, otherwise) for answer in texts)
    return np.fromiter(found, dtype=np.float64, count=len(values))


def text(value: Plain) -> str:
    """The canonical text of a plain value: True is "true", 1 and 1.0 are "1"."""
    if isinstance(value, str):
        stripped = value.strip()
        case = stripped.casefold()
        return case if case in ("true", "false") else stripped
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() else repr(value)
    return "" if value is None else str(value)


def level(value: object) -> str:
    """The canonical text of a stated answer, "" if no answer could ever equal it."""
    stated = text(plain(value))
    return "" if stated == UNREADABLE else stated


def folded(value: Plain) -> str:
    """The same without upper case."""
    return text(value).casefold()


def _is_absent(value: Plain) -> bool:
    if isinstance(value, str):
        return not value.strip()
    return value is None or value != value  # noqa: PLR0124 (only NaN differs from itself)


def _as_float(value: Plain) -> float:
    try:
        return math.nan if value is None else float(value)
    except ValueError:
        return math.nan


def _objects(values: Iterable[Plain], count: int) -> Column:
    return np.fromiter(values, dtype=object, count=count)
