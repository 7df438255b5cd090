"""Means over the public rows, and what each row adds to their error.

Every row counts alike. A mean follows the public rows that happened to be drawn: its variance by
that is the sum of squares of what each row contributes beyond its part.
"""

import numpy as np

from tacit.arrays import Floats
from tacit.inference.design import Design


def shares(design: Design) -> Floats:
    """What each row counts, (m,)."""
    return np.full(len(design.z), 1.0 / len(design.z))


def contributions(design: Design, values: Floats) -> Floats:
    """What each row adds to the error of the mean of values (m, t)."""
    share = shares(design)
    return np.asarray(share[:, None] * (values - share @ values))
