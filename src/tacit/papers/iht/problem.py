"""The model of the paper, equation (1), and the bounds that follow from it."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models import Family, linear
from tacit.papers.common import check_positive, check_whole

_GRID = 2001  # points at which a measurement is looked at for its largest values


@dataclass(frozen=True)
class Problem:
    """y = f(<x, theta>) + noise; both sides derive every bound from these numbers.

    x in [-1, 1]^p, ||theta||_2 <= radius, `sparsity` s* coefficients not zero, of which the
    algorithm keeps `keep` (the paper's s), |noise| <= noise_bound (the paper's C).
    """

    dimension: int
    sparsity: int
    keep: int
    radius: float
    noise_bound: float
    family: Family

    @classmethod
    def of(
        cls,
        dimension: int,
        sparsity: int,
        *,
        keep: int | None = None,
        radius: float = 1.0,
        noise_bound: float = 1.0,
        family: Family | None = None,
    ) -> "Problem":
        """Check the numbers; `keep` is the sparsity unless said otherwise (the paper proves 8 s*).

        The measurement `family` is linear unless said otherwise.
        """
        check_whole("sparsity", sparsity, 1, dimension)
        kept = sparsity if keep is None else check_whole("keep", keep, sparsity, dimension)
        check_positive("radius", radius)
        check_positive("noise_bound", noise_bound)
        if family is not None and not isinstance(family, Family):
            raise ConfigurationError(f"family must be a tacit.Family or None, got family={family}")
        return cls(dimension, sparsity, kept, radius, noise_bound, family or linear(-1.0, 1.0))

    @cached_property
    def label_bound(self) -> float:
        """The largest |y| under the model: sqrt(s*) + C for linear measurements."""
        reach = self.radius * math.sqrt(self.sparsity)
        return float(np.abs(self.family.mean(_between(reach))).max()) + self.noise_bound

    def residual_bound(self, reach: float) -> float:
        """The largest |f'(z) (f(z) - y)| over |z| <= reach: reach + sqrt(s*) + C if linear.

        Devices clip to it, so that privacy never rests on how closely it was computed.
        """
        z = _between(reach)
        slope, mean = np.abs(self.family.slope(z)), np.abs(self.family.mean(z))
        return float((slope * (mean + self.label_bound)).max())

    def residuals(self, theta: Floats, X: Floats, y: Floats) -> Floats:
        """f'(z) (f(z) - y) at z = <x, theta>: times x, the gradient of half the squared error."""
        z = X @ theta
        return np.asarray(self.family.slope(z) * (self.family.mean(z) - y))

    def project(self, theta: Floats) -> Floats:
        """Trunc(theta, s), then the nearest point of the ball."""
        kept = truncate(theta, self.keep)
        length = float(np.linalg.norm(kept))
        return kept * min(1.0, self.radius / length) if length > 0 else kept


def truncate(theta: Floats, keep: int, level: float = 0.0) -> Floats:
    """Trunc: the `keep` largest entries in absolute value, and of these none below `level`."""
    size = np.abs(theta)
    kept = np.zeros(theta.shape, dtype=bool)
    kept[np.argsort(-size, kind="stable")[:keep]] = True
    return np.where(kept & (size >= level), theta, 0.0)


def noise_level(deviation: float, people: int, dimension: int) -> float:
    """sd sqrt(2 log(p) / n): the largest of p means of pure noise is seldom above it."""
    return deviation * math.sqrt(2.0 * math.log(max(dimension, 2)) / people)


def _between(reach: float) -> Floats:
    return np.linspace(-reach, reach, _GRID)
