"""The devices: a clipped gradient of Algorithm 1, a product for Theorem 1, a label for section 5.

Erratum 12 (P): no clipping is stated, yet every noise rests on a bound. Features are clipped to
[-1, 1] and labels to +-B, B = sqrt(s*) + C, as the model has them; what is no number is 0.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.papers.common import clipped, feature_rows
from tacit.papers.iht.problem import Problem
from tacit.privacy.sphere import normalised
from tacit.protocol import Records


def gradient_directions(
    problem: Problem, theta: Floats, bound: float, records: Records
) -> tuple[Floats, Floats]:
    """Unit vectors u and shares t in [-1, 1]: the gradient x f'(z)(f(z) - y) is t sqrt(p) bound u.

    `bound` is the largest residual; a row of zeros has t = 0.
    """
    rows, labels = cleaned(problem, *records)
    residual = np.clip(problem.residuals(theta, rows, labels), -bound, bound)
    length = np.sqrt(np.einsum("np,np->n", rows, rows) / problem.dimension)
    return normalised(rows), residual / bound * np.minimum(length, 1.0)


def products(problem: Problem, records: Records) -> Floats:
    """x y of each record (n, p)."""
    rows, labels = cleaned(problem, *records)
    return rows * labels[:, None]


def cleaned(problem: Problem, X: NDArray[Any], y: NDArray[Any]) -> tuple[Floats, Floats]:
    """Records that the model could have made, as far as their ranges go."""
    rows = feature_rows(X, problem.dimension)
    inside = np.clip(np.where(np.isnan(rows), 0.0, rows), -1.0, 1.0)
    return inside, clipped(y, problem.label_bound)
