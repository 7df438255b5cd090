"""The device: one person's noisy copies.

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
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Integers
from tacit.errors import ConfigurationError
from tacit.papers.common import (
    Calibration,
    Floats,
    check_budget,
    check_whole,
    clipped_rows,
    gaussian_noise,
)
from tacit.privacy import Entropy, SystemEntropy
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
class Release:
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
    def of(
        cls,
        kind: Kind,
        features: int,
        degree: int,
        *,
        epsilon: float,
        delta: float,
        calibration: Calibration = "exact",
    ) -> "Release":
        """The release whose joint noise keeps (epsilon, delta), or has the paper's scale."""
        if kind not in _SHAPES:
            raise ConfigurationError(
                f"copies must be one of {', '.join(map(repr, _SHAPES))}, got copies={kind!r}"
            )
        check_whole("features", features, 1)
        check_budget(epsilon, delta)
        copies, shape = copies_of(degree), _SHAPES[kind]
        # Erratum 9 (C). The paper gives each of the K copies of x and of y the budget eps/(2K),
        # which spends eps, then eps again on copy 0, and delta on every copy. One release has
        # one curve: with exact calibration all copies have the noise it asks for, and no more.
        weight = float(copies) if calibration == "paper" else 1.0
        mechanism = gaussian_noise(
            calibration,
            dimension=shape.width_of_first(features) + copies * shape.width(features),
            sensitivity=2.0 * math.sqrt(weight**2 * shape.reach_of_first + copies * shape.reach),
            epsilon=epsilon,
            delta=delta,
            printed_sigma=_printed_sigma(kind, copies, epsilon, delta),
        )
        return cls(features, degree, kind, weight, mechanism)

    @property
    def copies(self) -> int:
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

    def report(
        self, x: ArrayLike, y: float | None = None, entropy: Entropy | None = None
    ) -> Integers:
        """One person's report in integers. No value of x or y is refused: wild ones are clipped."""
        rows = np.asarray(x, dtype=np.float64).reshape(1, -1)
        with np.errstate(all="ignore"):  # a caller who turned these into errors must not see one
            vector = self.encode(rows, np.array([y], dtype=np.float64))[0]
            return self.mechanism.randomize(vector, entropy or SystemEntropy())

    def encode(self, X: Floats, y: Floats | None = None) -> Floats:
        """The vectors (n, dimension) that the noise is added to."""
        if np.ndim(X) != 2 or np.shape(X)[1] != self.features:
            raise ConfigurationError(
                f"records must have shape (n, {self.features}), got shape {np.shape(X)}"
            )
        x = clipped_rows(X, 1.0)
        label = np.zeros(len(x)) if y is None else np.nan_to_num(y, nan=0.0)
        label = np.clip(label, -1.0, 1.0)[:, None]
        record = np.hstack([x, label])
        copy, first = {
            "separate": (record, record),
            "product": (label * x, label * x),
            "residual": (record, x),
            "point": (x, x[:, :0]),
        }[self.kind]
        return np.hstack([self.weight * first, np.tile(copy, (1, self.copies))])

    def read(self, values: Floats) -> tuple[Floats, Floats]:
        """Copy 0 (n, columns) and the others (n, K, columns) from the values of reports."""
        first = _SHAPES[self.kind].width_of_first(self.features)
        copies = values[:, first:].reshape(len(values), self.copies, -1)
        return values[:, :first] / self.weight, copies

    def simulate(self, X: Floats, y: Floats | None, generator: np.random.Generator) -> Floats:
        """The values of n people's reports (n, dimension), with the law of `report`."""
        return self.mechanism.sample(self.encode(X, y), generator)


def copies_of(degree: int) -> int:
    """K = d(d+1)/2: the power t^j takes j copies of its own."""
    return check_whole("degree", degree, 1) * (degree + 1) // 2


def _printed_sigma(kind: Kind, copies: int, epsilon: float, delta: float) -> float:
    """32 ln(1.25/delta) K^2/eps^2 in Algorithms 1 and 2, a quarter of it in Algorithm 3."""
    parts = copies if kind == "point" else 2 * copies
    return 2.0 * classical_scale(epsilon / parts, delta)
