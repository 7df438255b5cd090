"""What is asked of a person, and how an answer becomes numbers."""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec
import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError
from tacit.study.rows import Flags, Floats, is_missing, look_up, numbers, text

OTHER = "other"
WILD = 1e6  # public standard deviations beyond which a number is taken for an error

_KINDS = ("auto", "numeric", "binary", "categorical")
_TRUTH = dict.fromkeys(("1", "true", "yes", "y"), 1.0) | dict.fromkeys(
    ("0", "false", "no", "n"), 0.0
)

Kind = Literal["auto", "numeric", "binary", "categorical"]


class Feature(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One question. Kind "auto" and empty levels are settled by the public rows.

    `levels`: the baseline first, "other" last if rare levels were merged into it (`merged`).
    `fill` stands in for a missing or wild value; `spread` is the public standard deviation;
    with `indicator` a column of its own says that the value was missing.
    """

    name: str
    kind: Kind = "auto"
    question: str = ""
    unit: str = ""
    levels: tuple[str, ...] = ()
    merged: tuple[str, ...] = ()
    fill: float = 0.0
    spread: float = 0.0
    indicator: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip():
            raise ConfigurationError(f"a feature needs a name, got name={self.name!r}")
        if self.kind not in _KINDS:
            raise ConfigurationError(
                f"kind of feature {self.name!r} must be one of {', '.join(_KINDS)}, "
                f"got kind={self.kind!r}"
            )
        if self.levels and self.kind in ("numeric", "binary"):
            raise ConfigurationError(
                f"only a categorical feature has levels, got kind={self.kind!r} and "
                f"levels={self.levels!r} of feature {self.name!r}"
            )
        for field in ("levels", "merged"):
            levels = tuple(text(level) for level in getattr(self, field))
            if len(set(levels)) < len(levels) or not all(levels):
                raise ConfigurationError(
                    f"{field} of feature {self.name!r} must be distinct and not blank, got {levels}"
                )
            msgspec.structs.force_setattr(self, field, levels)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the design columns this feature is coded into."""
        if self.kind == "categorical":
            names = tuple(f"{self.name}: {level}" for level in self.levels[1:])
        else:
            names = (self.name,)
        return (*names, f"{self.name} missing") if self.indicator else names


def column_names(features: Sequence[Feature]) -> tuple[str, ...]:
    """Names of the design columns of several features, in order."""
    return tuple(name for feature in features for name in feature.columns)


def code(feature: Feature, values: NDArray[Any]) -> tuple[Floats, Flags]:
    """Design columns (n, k) of a column of answers, and which answers were replaced."""
    if feature.kind == "categorical":
        coded, replaced, flagged = _code_categorical(feature, values)
    else:
        number, sane = truth(values) if feature.kind == "binary" else _number(feature, values)
        replaced = flagged = ~sane
        coded = np.where(sane, number, feature.fill)[:, None]
    if feature.indicator:
        coded = np.concatenate([coded, flagged[:, None]], axis=1, dtype=np.float64)
    return coded, replaced


def design(features: Sequence[Feature], table: dict[str, NDArray[Any]], count: int) -> Floats:
    """Design matrix (count, k) of all features."""
    matrix = np.empty((count, len(column_names(features))), order="F")  # columns in one piece
    done = 0
    for feature in features:
        coded, _ = code(feature, table[feature.name])
        matrix[:, done : done + coded.shape[1]] = coded
        done += coded.shape[1]
    return matrix


def truth(values: NDArray[Any]) -> tuple[Floats, Flags]:
    """1 for yes and 0 for no, and which values are one of them."""
    if values.dtype.kind in "biuf":
        number = numbers(values)
    else:
        number = look_up(values, lambda answer: _TRUTH.get(answer.casefold(), np.nan))
    return number, (number == 0.0) | (number == 1.0)


def _number(feature: Feature, values: NDArray[Any]) -> tuple[Floats, Flags]:
    """Numbers, and which are neither missing nor infinite nor wild (no sum can overflow)."""
    number = numbers(values)
    reach = WILD * feature.spread
    return number, (number >= feature.fill - reach) & (number <= feature.fill + reach)


def _code_categorical(feature: Feature, values: NDArray[Any]) -> tuple[Floats, Flags, Flags]:
    """Reference coding. A level the study does not know is "other", or else the baseline."""
    missing = is_missing(values)
    place = {level: index for index, level in enumerate(feature.levels)}
    index = look_up(values, lambda answer: place.get(answer, -1))
    index[missing] = -1
    replaced = index < 0
    index[replaced] = place.get(OTHER, 0)
    index[missing] = 0
    coded = (index[:, None] == np.arange(1, len(feature.levels))).astype(np.float64)
    return coded, replaced, missing
