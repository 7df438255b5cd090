"""What is to be predicted, and how a label becomes a probability vector over K codes.

Every label is a point in the simplex of K codes; each code is a unit vector, and together they
form a regular simplex. Numbers use the two codes -1 and +1 in the proportion that has their mean.
"""

import math
import operator
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError, LabelError, MissingLabelError
from tacit.study.rows import Flags, Floats, is_missing, look_up, numbers, text

Scalar = str | bool | int | float

_LARGEST_CAP = 10**9
_SAME = {"true": "1", "false": "0"}  # 1, True and "true" are one answer, however it was stored
_FORMS = (
    "churned:binary:yes or churned:binary:yes:no, kind:categorical:a,b,c, visits:count:20, "
    "income:bounded:0:100"
)


class _Label(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    column: str

    def _check_column(self) -> None:
        if not isinstance(self.column, str) or not self.column.strip():
            raise ConfigurationError(f"a label needs a column name, got column={self.column!r}")


class Binary(_Label, frozen=True, tag="binary"):
    """Yes or no. Without `negative`, every answer but `positive` counts as no."""

    positive: Scalar
    negative: Scalar | None = None
    question: str = ""

    def __post_init__(self) -> None:
        self._check_column()
        msgspec.structs.force_setattr(self, "positive", text(self.positive))
        if self.negative is not None:
            msgspec.structs.force_setattr(self, "negative", text(self.negative))
        if not self.positive or self.negative == "" or _same(self.positive, self.negative):
            raise ConfigurationError(
                f"positive and negative must be two answers, got positive={self.positive!r}, "
                f"negative={self.negative!r}"
            )


class Categorical(_Label, frozen=True, tag="categorical"):
    """One of several classes."""

    levels: tuple[Scalar, ...]
    question: str = ""

    def __post_init__(self) -> None:
        self._check_column()
        levels = tuple(text(level) for level in _several(self.levels))
        if len({_key(level) for level in levels}) < max(len(levels), 2) or not all(levels):
            raise ConfigurationError(
                f"levels must be at least two distinct answers, got levels={levels}"
            )
        msgspec.structs.force_setattr(self, "levels", levels)


class Count(_Label, frozen=True, tag="count"):
    """A count from 0; larger ones are taken as `cap`, and the fit knows it."""

    cap: int
    question: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        self._check_column()
        cap = _whole(self.cap)
        if cap is None or not 1 <= cap <= _LARGEST_CAP:
            raise ConfigurationError(
                f"cap must be a whole number from 1 to {_LARGEST_CAP}, got cap={self.cap!r}"
            )
        msgspec.structs.force_setattr(self, "cap", cap)


class Bounded(_Label, frozen=True, tag="bounded"):
    """A number in a stated range. State the range without looking at private records."""

    low: float
    high: float
    question: str = ""
    unit: str = ""

    def __post_init__(self) -> None:
        self._check_column()
        low, high = numbers(np.array([self.low, self.high], dtype=object)).tolist()
        if not (math.isfinite(high - low) and low < high):
            raise ConfigurationError(
                f"low and high must be finite with low < high, got low={self.low!r}, "
                f"high={self.high!r}"
            )
        msgspec.structs.force_setattr(self, "low", low)
        msgspec.structs.force_setattr(self, "high", high)


Label = Binary | Categorical | Count | Bounded


def checked_label(label: Any) -> Label:
    """Refuse what is not a label, such as a bare column name."""
    if not isinstance(label, Label):
        raise ConfigurationError(
            f"label must be Binary, Categorical, Count or Bounded, such as "
            f'Binary("churned", positive="yes"), got label={label!r}'
        )
    return label


def weights(label: Label, values: NDArray[Any]) -> Floats:
    """Probabilities (n, K) of the codes. A wild label is replaced; a missing one has no report."""
    _refuse_missing(label, values)
    if isinstance(label, Count | Bounded):
        low, high = limits(label)
        share = (np.clip(numbers(values), low, high) - low) / (high - low)
        share = np.where(np.isnan(share), 0.5, share)
        return np.stack([1.0 - share, share], axis=1)
    found = _places(label, values)
    options = class_count(label)
    known = (found[:, None] == np.arange(options)).astype(np.float64)
    return np.where(found[:, None] < 0, 1.0 / options, known)


def check(label: Label, values: NDArray[Any]) -> None:
    """Refuse labels outside the stated values: for simulation, never on a device.

    A count above the cap is inside: the model is that of the capped count.
    """
    _refuse_missing(label, values)
    outside = _outside(label, values)
    if outside.any():
        raise LabelError(
            f"label {label.column!r} must be {_stated(label)}, got {values[outside][0]!r} "
            f"({int(outside.sum())} of {len(values)} rows); correct the rows or restate the label"
        )


def class_count(label: Label) -> int:
    """K: the number of codes."""
    return len(label.levels) if isinstance(label, Categorical) else 2


def codes(label: Label) -> Floats:
    """The K unit vectors (K, K-1), read-only: rows sum to 0, K = 2 gives -1 and +1."""
    return _simplex(class_count(label))


def classes(label: Binary | Categorical) -> tuple[str, ...]:
    """Names of the classes, in the order of the codes."""
    if isinstance(label, Categorical):
        return tuple(str(level) for level in label.levels)
    negative = f"not {label.positive}" if label.negative is None else str(label.negative)
    return negative, str(label.positive)


def limits(label: Binary | Count | Bounded) -> tuple[float, float]:
    """The numbers that the codes -1 and +1 stand for."""
    if isinstance(label, Bounded):
        return label.low, label.high
    return 0.0, float(label.cap) if isinstance(label, Count) else 1.0


def parse(spec: str) -> Label:
    """A label from one argument of the command line."""
    column, kind, *rest = [part.strip() for part in spec.split(":")] + [""] * (spec.count(":") < 1)
    try:
        match kind, rest:
            case "binary", [positive] | [positive, _]:
                return Binary(column, positive, rest[1] if len(rest) > 1 else None)
            case "categorical", [levels]:
                return Categorical(column, tuple(levels.split(",")))
            case "count", [cap]:
                return Count(column, int(cap))
            case "bounded", [low, high]:
                return Bounded(column, float(low), float(high))
    except ValueError as error:
        raise ConfigurationError(f"label {spec!r}: {error}. Forms: {_FORMS}") from error
    raise ConfigurationError(f"label must have one of the forms {_FORMS}; got {spec!r}")


@lru_cache(maxsize=32)
def _simplex(options: int) -> Floats:
    """Row k differs from all later ones in coordinate k alone, where they share one value."""
    vectors = np.zeros((options, options - 1))
    for k in range(options - 1):
        later = options - 1 - k
        own = math.sqrt(options * later / ((options - 1) * (options - k)))
        vectors[k, k] = -own
        vectors[k + 1 :, k] = own / later
    vectors.flags.writeable = False
    return vectors


def _places(label: Binary | Categorical, values: NDArray[Any]) -> Floats:
    """Index of each answer's class, -1 where it is none of them."""
    place = {_key(name): index for index, name in enumerate(classes(label))}
    otherwise = -1
    if isinstance(label, Binary) and label.negative is None:
        place, otherwise = {_key(str(label.positive)): 1}, 0
    return look_up(values, lambda answer: place.get(_key(answer), otherwise))


def _outside(label: Label, values: NDArray[Any]) -> Flags:
    if isinstance(label, Binary | Categorical):
        return _places(label, values) < 0
    number = numbers(values)
    low, high = limits(label)
    return ~(np.isfinite(number) & (number >= low) & ((number <= high) | isinstance(label, Count)))


def _refuse_missing(label: Label, values: NDArray[Any]) -> None:
    if values.ndim != 1:
        raise ConfigurationError(
            f"labels {label.column!r} must be one-dimensional, got shape {values.shape}"
        )
    missing = is_missing(values)
    if missing.any():
        raise MissingLabelError(
            f"label {label.column!r} is missing in {int(missing.sum())} of {len(values)} records: "
            f"no report is made without a label. Leave these records out; taking part is visible"
        )


def _stated(label: Label) -> str:
    if isinstance(label, Binary | Categorical):
        return "one of " + ", ".join(repr(name) for name in classes(label))
    if isinstance(label, Count):
        return "a count of 0 or more"
    return f"a number from {label.low:g} to {label.high:g}"


def _key(answer: str) -> str:
    return _SAME.get(answer, answer)


def _same(one: Any, other: Any) -> bool:
    return other is not None and _key(one) == _key(other)


def _several(levels: Any) -> Iterable[Any]:
    if isinstance(levels, str | bytes) or not isinstance(levels, Iterable):
        raise ConfigurationError(f"levels must be a list of answers, got levels={levels!r}")
    return levels


def _whole(value: Any) -> int | None:
    try:
        return None if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return None
