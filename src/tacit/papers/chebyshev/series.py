"""Smoothed derivatives (Lemma 9) and their truncated Chebyshev series (Definition 5).

The paper says that degree d = c log(4/alpha) reaches the error alpha/4 with a constant c. It does
not: the derivative smoothed by beta has poles at distance beta from [-1, 1], the series converges
like (1 + beta)^-d, and beta must shrink with alpha, so that d grows like log(1/alpha)/alpha.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.polynomial import chebyshev, polynomial

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import check_positive, check_whole

Derivative = Callable[[Floats], Floats]

LARGEST_DEGREE = 40  # 820 copies; beyond it the monomials leave no digits either
_NODES = 4096
_GRID = np.cos(np.linspace(0.0, np.pi, 2001))  # closest at the ends, where series err most


def step(beta: float) -> Derivative:
    """h'_beta, h_beta(t) = (t + sqrt(t^2 + beta^2))/2: from 0 to 1 around t = 0."""
    return lambda t: (1.0 + t / np.hypot(t, beta)) / 2.0


def sign(beta: float) -> Derivative:
    """The derivative of sqrt(t^2 + beta^2), which is |t| smoothed."""
    return lambda t: np.asarray(t / np.hypot(t, beta))


def hinge(beta: float) -> Derivative:
    """f'_beta of Lemma 9, for f(t) = max(0, 1/2 - t)."""
    return lambda t: -step(beta)(0.5 - np.asarray(t))


@dataclass(frozen=True)
class Series:
    """P_d = c_0 + c_1 t + ... + c_d t^d, and its largest distance from what it stands for."""

    coefficients: Floats
    error: float

    @property
    def degree(self) -> int:
        """d."""
        return len(self.coefficients) - 1

    @cached_property
    def peak(self) -> float:
        """The largest |P_d| on [-1, 1]."""
        return float(np.abs(self(_GRID)).max())

    def __call__(self, t: Floats) -> Floats:
        """P_d(t)."""
        return np.asarray(polynomial.polyval(t, self.coefficients))


def of_degree(function: Derivative, degree: int) -> Series:
    """The series of a function on [-1, 1], cut off after `degree`."""
    check_whole("degree", degree, 1, LARGEST_DEGREE)
    a = _chebyshev_coefficients(function, degree)
    error = np.abs(chebyshev.chebval(_GRID, a) - function(_GRID)).max()
    c = chebyshev.cheb2poly(a)  # without trailing zeros
    return Series(np.pad(c, (0, degree + 1 - len(c))), float(error))


def of_error(function: Derivative, error: float) -> Series:
    """The shortest series that stays within `error` of a function on [-1, 1]."""
    check_positive("target_error", error)
    a, wanted = _chebyshev_coefficients(function, LARGEST_DEGREE), function(_GRID)
    for degree in range(1, LARGEST_DEGREE + 1):
        if np.abs(chebyshev.chebval(_GRID, a[: degree + 1]) - wanted).max() <= error:
            return of_degree(function, degree)
    raise ConfigurationError(
        f"no polynomial of degree {LARGEST_DEGREE} or less comes within {error:.3g} of the "
        "smoothed derivative; raise target_error or smoothing, or state the degree"
    )


def _chebyshev_coefficients(function: Derivative, degree: int) -> Floats:
    """a_k = (2 - 1[k=0])/pi integral f T_k / sqrt(1 - t^2), by Gauss-Chebyshev quadrature."""
    angle = (np.arange(_NODES) + 0.5) * (np.pi / _NODES)
    a = 2.0 / _NODES * np.cos(np.outer(np.arange(degree + 1), angle)) @ function(np.cos(angle))
    a[0] /= 2.0
    return np.asarray(a)
