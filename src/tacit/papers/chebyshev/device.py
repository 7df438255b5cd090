"""The device: one person's copies.

With K = d(d+1)/2, a person sends a copy 0 and K further copies, all with independent noise:

    separate   (x, y), K + 1 times                    Algorithms 1 and 2 as printed
    product    y x, K + 1 times                       the same, and nothing else is ever used
    residual   x, then (x, y) K times                 the absolute loss (Remark 15)
    point      x, K times, no copy 0                  Algorithm 3

Proved: |x| <= 1 and |y| <= 1 after clipping, so two records are at most 2 sqrt(reach) apart in
each copy, `reach` being 2 for (x, y) and 1 otherwise. The copies are one release of one vector,
whose exact curve is that of the Gaussian mechanism.
"""

import math
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.papers.common import (
    Allowance,
    check_choice,
    check_whole,
    clipped,
    feature_rows,
    shortened,
)
from tacit.privacy.curve import classical_scale
from tacit.privacy.gaussian import GaussianMechanism

Kind = Literal["separate", "product", "residual", "point"]


class _Shape(NamedTuple):
    """Columns (features added) and squared reach of a copy and of copy 0."""

    labels: int
    labels_of_first: int | None  # None: there is no copy 0
    reach: float
    reach_of_first: float

    def width(self, features: int) -> int:
        return features + self.labels

    def width_of_first(self, features: int) -> int:
        return 0 if self.labels_of_first is None else features + self.labels_of_first


_SHAPES = {
    "separate": _Shape(1, 1, 2.0, 2.0),
    "product": _Shape(0, 0, 1.0, 1.0),
    "residual": _Shape(1, 0, 2.0, 1.0),
    "point": _Shape(0, None, 1.0, 0.0),
}


@dataclass(frozen=True)
class Copies:
    """What one person sends, and what the server reads from it.

    `weight` multiplies copy 0 before the common noise is added, so its own noise is
    mechanism.sigma / weight: 1 with exact calibration, K in the paper.
    """

    features: int
    degree: int
    kind: Kind
    weight: float
    mechanism: GaussianMechanism

    @classmethod
    def of(cls, kind: Kind, features: int, degree: int, allowance: Allowance) -> "Copies":
        """The copies whose joint noise keeps (epsilon, delta), or has the paper's scale."""
        check_choice("copies", kind, tuple(_SHAPES))
        check_whole("features", features, 1)
        copies, shape = copies_of(degree), _SHAPES[kind]
        # Erratum 9 (C). The paper gives each of the K copies of x and of y the budget eps/(2K),
        # which spends eps, then eps again on copy 0, and delta on every copy. One release has
        # one curve: with exact calibration all copies have the noise it asks for, and no more.
        weight = float(copies) if allowance.calibration == "paper" else 1.0
        mechanism = allowance.noise(
            shape.width_of_first(features) + copies * shape.width(features),
            sensitivity=2.0 * math.sqrt(weight**2 * shape.reach_of_first + copies * shape.reach),
            printed_sigma=_printed_sigma(kind, copies, allowance),
        )
        return cls(features, degree, kind, weight, mechanism)

    @property
    def number(self) -> int:
        """K, copy 0 not counted."""
        return copies_of(self.degree)

    @property
    def noise(self) -> float:
        """Standard deviation of each number of a copy."""
        return self.mechanism.sigma

    @property
    def noise_of_first(self) -> float:
        """Standard deviation of each number of copy 0."""
        return self.mechanism.sigma / self.weight

    def encode(self, X: NDArray[Any], y: NDArray[Any]) -> Floats:
        """The vectors (n, dimension) that the noise is added to, whatever the records hold."""
        x, label = shortened(feature_rows(X, self.features), 1.0), clipped(y, 1.0)[:, None]
        record = np.hstack([x, label])
        copy, first = {
            "separate": (record, record),
            "product": (label * x, label * x),
            "residual": (record, x),
            "point": (x, x[:, :0]),
        }[self.kind]
        return np.hstack([self.weight * first, np.tile(copy, (1, self.number))])

    def read(self, values: Floats) -> tuple[Floats, Floats]:
        """Copy 0 (n, columns) and the others (n, K, columns) from the values of reports."""
        first = _SHAPES[self.kind].width_of_first(self.features)
        copies = values[:, first:].reshape(len(values), self.number, -1)
        return values[:, :first] / self.weight, copies


def copies_of(degree: int) -> int:
    """K = d(d+1)/2: the power t^j takes j copies of its own."""
    return check_whole("degree", degree, 1) * (degree + 1) // 2


def _printed_sigma(kind: Kind, copies: int, allowance: Allowance) -> float:
    """32 ln(1.25/delta) K^2/eps^2 in Algorithms 1 and 2, a quarter of it in Algorithm 3."""
    parts = copies if kind == "point" else 2 * copies
    return 2.0 * classical_scale(allowance.epsilon / parts, allowance.delta)
