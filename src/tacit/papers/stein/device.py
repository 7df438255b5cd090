"""What one person contributes: x x' and x y, clipped and laid out as one vector.

Proved here: the distance of two such vectors is at most `sensitivity`, and some pair reaches it.
Write reach = k B for labels |y| <= B. For records (x, y), (z, v) the squared distance is
|x|^4 + |z|^4 - 2<x,z>^2 + k^2 |x y - z v|^2, largest at y = -v = B, <x,z> >= 0.
- ||x||_2 <= r, p >= 2: at the best angle, cos = min(1, reach^2 / (2|x||z|)), it grows with both
  lengths; at length r it is 2 (r^2 + reach^2/2)^2 if reach^2 <= 2 r^2, else 4 reach^2 r^2.
- ||x||_1 <= r, p >= 2: max(2 r^4 + 2 reach^2 r^2, 4 reach^2 r^2). The square is linear in
  reach^2 with slope |x + z|^2 <= 4 r^2, so reach = 0 (clear) and reach = r suffice. At r = 1 and
  s = <x,z> it asks |x|^4 + |x|^2 + |z|^4 + |z|^2 + 2s(1 - s) <= 4, which follows (|x| <= 1) from
  s(1 - s) <= (1 - |x|^2) + (1 - |z|^2). Let P, Q be independent on {0, +-e_i} with means x, z:
  as <P,Q> is 0 or +-1, s(1 - s) <= Var<P,Q> = E Var(<P,Q> | Q) + Var<x,Q> <= tr Cov P + tr Cov Q.
- p = 1: z = t x, maximum of (1 - t^2)^2 + (reach/r)^2 (1 + t)^2 over [0, 1], times r^4.

Erratum 2: the texts use 2 r^2 for x x' (it is sqrt(2) r^2), 2 r B for x y, and add the two budgets.
Counting every off-diagonal entry sqrt(2) times makes the vector's length that of the matrix: the
sensitivity stays, and the variance of those entries is halved.
"""

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.papers.common import clipped, feature_rows, shortened

Places = NDArray[np.intp]
Design = Literal["gaussian", "bounded"]

SQRT_2 = math.sqrt(2.0)


@dataclass(frozen=True)
class Moments:
    """Encodes records with ||x||_2 <= radius ("gaussian") or ||x||_1 <= radius ("bounded").

    The vector is the upper triangle of x x', off-diagonal entries times `off_diagonal`, then
    `weight` times x y.
    """

    features: int
    design: Design
    radius: float
    label_bound: float
    weight: float
    off_diagonal: float = SQRT_2

    @property
    def dimension(self) -> int:
        """Numbers in one report."""
        return self.features * (self.features + 3) // 2

    @property
    def sensitivity(self) -> float:
        """The largest distance of two records' vectors, which some pair reaches."""
        reach = self.weight * self.label_bound
        return self.radius**2 * _relative_sensitivity(
            self.features, self.design, reach / self.radius
        )

    @property
    def longest(self) -> float:
        """The largest length of a record's vector."""
        return self.radius * math.hypot(self.radius, self.weight * self.label_bound)

    def clip(self, X: NDArray[Any], y: NDArray[Any]) -> tuple[Floats, Floats]:
        """Records inside the stated range, whatever they were."""
        # erratum 1: the preprint lets a device with a longer x send "bottom", which tells it from
        # every shorter one; erratum 4: no text clips the labels that the noise relies on
        rows = feature_rows(X, self.features)
        order = 1 if self.design == "bounded" else 2
        return shortened(rows, self.radius, order), clipped(y, self.label_bound)

    def encode(self, X: NDArray[Any], y: NDArray[Any]) -> Floats:
        """Vectors (n, dimension) of n records."""
        X, y = self.clip(X, y)
        i, j, factor = _triangle(self.features, self.off_diagonal)
        return np.hstack([X[:, i] * X[:, j] * factor, self.weight * X * y[:, None]])

    def decode(self, vector: Floats) -> tuple[Floats, Floats]:
        """The matrix x x' and the vector x y (or their means) that a vector stands for."""
        i, j, factor = _triangle(self.features, self.off_diagonal)
        entries = vector[: len(i)] / factor
        gram = np.empty((self.features, self.features))
        gram[i, j] = gram[j, i] = entries
        return gram, vector[len(i) :] / self.weight


@lru_cache(maxsize=32)
def _triangle(features: int, off_diagonal: float) -> tuple[Places, Places, Floats]:
    """Rows, columns and factors of the upper triangle's entries."""
    i, j = np.triu_indices(features)
    return i, j, np.where(i == j, 1.0, off_diagonal)


def _relative_sensitivity(features: int, design: Design, reach: float) -> float:
    square = reach**2
    if features == 1:
        turn = (1.0 - math.sqrt(max(0.0, 1.0 - 2.0 * square))) / 2.0
        inside = math.hypot(1.0 - turn**2, reach * (1.0 + turn)) if square < 0.5 else 0.0
        return max(inside, 2.0 * reach)
    if design == "bounded":
        return math.sqrt(max(2.0 + 2.0 * square, 4.0 * square))
    return SQRT_2 * (1.0 + square / 2.0) if square <= 2.0 else 2.0 * reach
