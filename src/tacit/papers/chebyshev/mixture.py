"""Lemma 13: every convex 1-Lipschitz f on [-1, 1] is a mixture of absolute values and a line.

With Q the law of s, f(t) = (f'(1) - f'(-1))/2 E|t - s| + (f'(1) + f'(-1))/2 t + constant: draw u
uniformly between f'(-1) and f'(1), and let s be the largest point that has u among its slopes.
"""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.chebyshev.series import Derivative

_POINTS = 2**14  # equally likely points that stand for Q: f' is off by 2^-14 at most
_HALVINGS = 54
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Mixture:
    """Q as a list of equally likely points, with f'(-1) and f'(1) - f'(-1)."""

    low: float
    width: float
    points: Floats

    @classmethod
    def of(cls, derivative: Derivative) -> "Mixture":
        """Q of the loss with this derivative on [-1, 1]."""
        _check_derivative(derivative)
        low, high = (float(derivative(np.array([end]))[0]) for end in (-1.0, 1.0))
        share = (np.arange(_POINTS) + 0.5) / _POINTS
        return cls(low, high - low, _largest_with(derivative, low + (high - low) * share))

    def sample(self, generator: np.random.Generator, size: int | tuple[int, ...]) -> Floats:
        """Independent draws from Q."""
        return np.asarray(self.points[generator.integers(len(self.points), size=size)])


def _largest_with(derivative: Derivative, slopes: Floats) -> Floats:
    """The largest s in [-1, 1] up to which f' does not exceed each slope, by halving."""
    low, high = np.full(slopes.shape, -1.0), np.full(slopes.shape, 1.0)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2.0
        below = derivative(middle) <= slopes
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return high


def _check_derivative(derivative: Derivative) -> None:
    if not callable(derivative):
        raise ConfigurationError(
            f"loss must be the derivative of the loss, a function of an array, got {derivative!r}"
        )
    t = np.linspace(-1.0, 1.0, 2001)
    slopes = np.asarray(derivative(t), dtype=np.float64)
    if slopes.shape != t.shape or not np.isfinite(slopes).all():
        raise ConfigurationError(
            "loss must return one finite number for each number of an array in [-1, 1]"
        )
    if np.diff(slopes).min() < -_ROUNDING:
        raise ConfigurationError(
            f"loss must be the derivative of a convex function, but it falls after "
            f"{t[np.argmin(np.diff(slopes))]:.3g}"
        )
    if np.abs(slopes).max() > 1.0 + _ROUNDING:
        raise ConfigurationError(
            f"loss must be 1-Lipschitz, but its derivative reaches {np.abs(slopes).max():.3g}; "
            "divide it by that"
        )


def logistic(t: Floats) -> Floats:
    """The derivative of log(1 + e^-t)."""
    return np.asarray(-1.0 / (1.0 + np.exp(t)))
