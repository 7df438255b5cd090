"""What is asked of a person."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from tacit.answers import level
from tacit.errors import ConfigurationError

OTHER = "other"
REPORT, STUDY = "report", "study"  # columns beside known features
WILD = 1e6  # public standard deviations beyond which a number is taken for an error

_KINDS = ("auto", "numeric", "binary", "categorical")
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
            levels = tuple(map(level, getattr(self, field)))
            if len(set(levels)) < len(levels) or not all(levels):
                raise ConfigurationError(
                    f"{field} of feature {self.name!r} must be distinct and not blank, got {levels}"
                )
            msgspec.structs.force_setattr(self, field, levels)

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the design columns of this feature."""
        if self.kind == "categorical":
            names = tuple(f"{self.name}: {level}" for level in self.levels[1:])
        else:
            names = (self.name,)
        return (*names, f"{self.name} missing") if self.indicator else names


def column_names(features: Sequence[Feature]) -> tuple[str, ...]:
    """Names of the design columns of several features, in order."""
    return tuple(name for feature in features for name in feature.columns)
