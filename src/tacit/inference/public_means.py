"""Means over the public rows, and what each row adds to their error.

Rows count by their shares. A mean follows the public rows that happened to be drawn: its variance
by that is the sum of squares of what each row contributes beyond its part, and beyond what margins
explain of it.
"""

import numpy as np

from tacit.arrays import Floats
from tacit.inference.design import Design


def shares(design: Design) -> Floats:
    """What each row counts, (m,)."""
    return design.share


def contributions(design: Design, values: Floats) -> Floats:
    """What each row adds to the error of the mean of values (m, t)."""
    share = shares(design)[:, None]
    known = np.column_stack([np.ones(len(values)), design.gaps])
    slopes = np.linalg.lstsq((known * share).T @ known, known.T @ (share * values), rcond=None)[0]
    return np.asarray(share * (values - known @ slopes))
