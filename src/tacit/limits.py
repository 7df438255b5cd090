"""Numbers in a study: how many digits they have, how small and how large they may be."""

import math
from collections.abc import Sequence

import numpy as np

from tacit.arrays import Floats

DIGITS = 10  # significant digits of every number made from public rows
ROTATED_DIGITS = 6  # of what follows from eigenvectors, so that every computer finds the same
SMALLEST, LARGEST = 1e-100, 1e100  # far from the edges of floats, whatever is multiplied


def significant(value: float, unit: float | None = None, digits: int = DIGITS) -> float:
    """Rounded to so many significant digits, or to digits of a coarser or finer unit."""
    if unit is None or unit == 0.0:
        return float(f"{value:.{digits}g}")
    return round(float(value), digits - math.ceil(math.log10(unit)))


def within_limits(numbers: Floats | Sequence[float]) -> bool:
    """Whether every number is zero or has a size from 1e-100 to 1e100."""
    sizes = np.abs(np.asarray(numbers, dtype=np.float64))
    return bool(((sizes == 0.0) | ((sizes >= SMALLEST) & (sizes <= LARGEST))).all())
