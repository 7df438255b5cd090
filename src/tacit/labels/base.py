"""What labels of every kind share.

Each label becomes a probability vector over K corners: unit vectors that form a regular simplex.
A device draws one corner by these weights. Numbers use the two corners -1 and +1 in the proportion
that has their mean.
"""

import math
from collections.abc import Mapping
from functools import lru_cache
from typing import ClassVar

import msgspec
import numpy as np

from tacit.answers import Column, Flags, is_missing, look_up, numbers
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError, MissingLabelError

Places = Mapping[str, float]


class AnyLabel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind"):
    """A label with two corners and one group of coefficients, unless its kind says otherwise."""

    column: str

    form: ClassVar[str] = ""  # an example for the command line

    def __post_init__(self) -> None:
        if not isinstance(self.column, str) or not self.column.strip():
            raise ConfigurationError(f"a label needs a column name, got column={self.column!r}")

    @property
    def class_count(self) -> int:
        """K: the number of corners."""
        return 2

    @property
    def corners(self) -> Floats:
        """K unit vectors (K, K - 1), read-only: they sum to 0, K = 2 gives -1 and +1."""
        return simplex(self.class_count)

    @property
    def classes(self) -> tuple[str, ...]:
        """Names of the classes in the order of the corners; numbers have none."""
        return ()

    @property
    def groups(self) -> tuple[str, ...]:
        """What each group of coefficients compares; "" where there is only one."""
        return ("",)

    def check(self, values: Column) -> None:
        """Refuse labels outside the stated values: for simulation, never on a device."""
        self._refuse_missing(values)
        outside = self._outside(values)
        if outside.any():
            raise LabelError(
                f"label {self.column!r} must be {self._stated()}, got {values[outside][0]!r} "
                f"({int(outside.sum())} of {len(values)} rows); correct the rows or restate the "
                "label"
            )

    def check_occurs(self, values: Column) -> None:
        """Refuse labels of many people without the one asked about: for trying out alone."""

    def _outside(self, values: Column) -> Flags:
        """Which values are none of the classes."""
        return np.asarray(self.weights(values).max(axis=1) < 1.0)

    def weights(self, values: Column) -> Floats:
        """Probabilities (n, K) of the corners. A wild label is replaced, a missing one raises."""
        raise NotImplementedError

    def _stated(self) -> str:
        return "one of " + ", ".join(map(repr, self.classes))

    def _class_weights(self, values: Column, places: Places, otherwise: float) -> Floats:
        """Weights (n, K) of classes by their places; all are equal where the place is -1."""
        self._refuse_missing(values)
        found = look_up(values, places, otherwise)[:, None]
        known = (found == np.arange(self.class_count)).astype(np.float64)
        return np.where(found < 0, 1.0 / self.class_count, known)

    def _range_weights(self, values: Column, low: float, high: float) -> Floats:
        """Weights (n, 2) with the clipped number as their mean; what is no number is even."""
        self._refuse_missing(values)
        share = (np.clip(numbers(values), low, high) - low) / (high - low)
        share = np.where(np.isnan(share), 0.5, share)
        return np.stack([1.0 - share, share], axis=1)

    def _refuse_missing(self, values: Column) -> None:
        missing = is_missing(values)
        if missing.any():
            raise MissingLabelError(
                f"label {self.column!r} is missing in {int(missing.sum())} of {len(values)} "
                "records: no report is made without a label. Leave these records out; taking part "
                "is visible"
            )


@lru_cache(maxsize=64)
def places_of(names: tuple[str, ...]) -> Places:
    """Place of every class; 1, True and "true" are one answer, however it was stored."""
    same = {"true": "1", "1": "true", "false": "0", "0": "false"}
    aliases = {same[name]: place for place, name in enumerate(names) if name in same}
    return {name: float(place) for place, name in enumerate(names)} | aliases


@lru_cache(maxsize=32)
def simplex(options: int) -> Floats:
    """Row k differs from all later ones in coordinate k alone, where they share one value."""
    vectors = np.zeros((options, options - 1))
    for k in range(options - 1):
        later = options - 1 - k
        own = math.sqrt(options * later / ((options - 1) * (options - k)))
        vectors[k, k] = -own
        vectors[k + 1 :, k] = own / later
    vectors.flags.writeable = False
    return vectors
