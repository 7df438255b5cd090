"""Counts from 0 up to a cap."""

import operator
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np
from msgspec.structs import force_setattr

from tacit.answers import Column, Flags, numbers
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.labels.base import AnyLabel
from tacit.models import Family, LabelModel, scalar_model

_LARGEST_CAP = 10**9


class Count(AnyLabel, frozen=True, tag="count"):
    """A count from 0; larger ones are taken as `cap`, and the fit knows it."""

    cap: int
    question: str = ""
    unit: str = ""

    form: ClassVar[str] = "visits:count:20"

    def __post_init__(self) -> None:
        super().__post_init__()
        cap = _whole(self.cap)
        if not 1 <= cap <= _LARGEST_CAP:
            raise ConfigurationError(
                f"cap must be a whole number from 1 to {_LARGEST_CAP}, got cap={self.cap!r}"
            )
        force_setattr(self, "cap", cap)

    @classmethod
    def parse(cls, column: str, parts: Sequence[str]) -> "Count | None":
        """From the parts of an argument, None if they have another form."""
        return cls(column, int(parts[0])) if len(parts) == 1 else None

    @property
    def axis(self) -> str:
        """What a coefficient changes."""
        return f"the log rate of {self.column}"

    def in_words(self) -> str:
        """The values it takes."""
        return f"a count, capped at {self.cap}" + (f" ({self.unit})" if self.unit else "")

    def weights(self, values: Column) -> Floats:
        """Weights (n, 2) of 0 and the cap, whose mean is the capped count."""
        return self._range_weights(values, 0.0, float(self.cap))

    def model(self, family: str | Family | None = None) -> LabelModel:
        """Poisson, corrected for the cap, unless another family is asked for."""
        return scalar_model(family, "poisson", 0.0, float(self.cap))

    def _outside(self, values: Column) -> Flags:
        """A count above the cap is inside: the model is that of the capped count."""
        number = numbers(values)
        return ~(np.isfinite(number) & (number >= 0.0))

    def _stated(self) -> str:
        return "a count of 0 or more"


def _whole(value: Any) -> int:
    try:
        return 0 if isinstance(value, bool) else operator.index(value)
    except TypeError:
        return 0
