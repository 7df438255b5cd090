"""Numbers in a stated range."""

from collections.abc import Sequence
from typing import ClassVar

import numpy as np
from msgspec.structs import force_setattr

from tacit.answers import Column, Flags, column, numbers
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.labels.base import AnyLabel
from tacit.limits import LARGEST, SMALLEST, within_limits
from tacit.models import Family, LabelModel, scalar_model


class Bounded(AnyLabel, frozen=True, tag="bounded"):
    """A number in a stated range. State the range without looking at private records."""

    low: float
    high: float
    question: str = ""
    unit: str = ""

    form: ClassVar[str] = "income:bounded:0:100"

    def __post_init__(self) -> None:
        super().__post_init__()
        low, high = numbers(column([self.low, self.high])).tolist()
        if not (low < high and within_limits([low, high])):
            raise ConfigurationError(
                f"low and high must be finite with low < high, each 0 or of a size from "
                f"{SMALLEST:g} to {LARGEST:g}, got low={self.low!r}, high={self.high!r}"
            )
        force_setattr(self, "low", low)
        force_setattr(self, "high", high)

    @classmethod
    def parse(cls, column: str, parts: Sequence[str]) -> "Bounded | None":
        """From the parts of an argument, None if they have another form."""
        return cls(column, float(parts[0]), float(parts[1])) if len(parts) == 2 else None

    @property
    def axis(self) -> str:
        """What a coefficient changes."""
        return self.column + (f" ({self.unit})" if self.unit else "")

    def in_words(self) -> str:
        """The values it takes."""
        unit = f" ({self.unit})" if self.unit else ""
        return f"a number from {self.low:g} to {self.high:g}{unit}"

    def weights(self, values: Column) -> Floats:
        """Weights (n, 2) of both ends, whose mean is the clipped number."""
        return self._range_weights(values, self.low, self.high)

    def model(self, family: str | Family | None = None) -> LabelModel:
        """Linear, unless another family is asked for."""
        return scalar_model(family, "linear", self.low, self.high)

    def _outside(self, values: Column) -> Flags:
        number = numbers(values)
        return ~(np.isfinite(number) & (number >= self.low) & (number <= self.high))

    def _stated(self) -> str:
        return f"a number from {self.low:g} to {self.high:g}"
