"""Server side: least squares from moments, pooled with public rows; any number of losses."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.models import Family
from tacit.papers.stein.device import Moments
from tacit.papers.stein.scaling import scale

Pooling = Literal["printed", "inverse-variance"] | None

_NODES = np.linspace(-12.0, 12.0, 4801)
_NODE_WEIGHTS = np.exp(-(_NODES**2) / 2.0)


@dataclass(frozen=True)
class Collected:
    """What a collection leaves behind: least squares, and predictions that set the scale.

    `predictions` are those of public rows (Algorithms 1 to 4) or the noisy ones of the second
    round (5), or nodes of an integral with `weights`. Nothing in it depends on the loss.
    """

    gram: Floats
    cross: Floats
    ols: Floats
    predictions: Floats
    weights: Floats | None = None

    def solve(self, family: Family) -> tuple[float, Floats]:
        """c and the coefficients c w_ols of this loss or link."""
        # erratum 5: with two rounds the predictions carry noise, which Phi'' does not average
        # out: the root is that of blurred predictions, however many people there are
        c = scale(family, self.predictions, self.weights)
        return c, c * self.ols


def least_squares(gram: Floats, cross: Floats) -> Floats:
    """gram^-1 cross, as printed: the noisy matrix need not be positive definite."""
    try:
        return np.asarray(np.linalg.solve(gram, cross))
    except np.linalg.LinAlgError as error:
        raise ConvergenceError(
            "the collected covariance is singular; collect more people or drop constant features"
        ) from error


def pooled(
    pooling: Pooling, gram: Floats, people: int, public: Floats, *, moments: Moments, noise: float
) -> Floats:
    """The mean of x x' from reports and public rows together; `noise` is a report's variance."""
    if pooling is None:
        return gram
    rows = len(public)
    if pooling == "printed":  # by the number of rows, although only one side is noisy
        return np.asarray((people * gram + public.T @ public) / (people + rows))
    clipped, _ = moments.clip(public, np.zeros(rows))
    known = clipped.T @ clipped / rows
    spread = np.maximum((clipped**2).T @ clipped**2 / rows - known**2, 0.0)  # Var(x_i x_j)
    # an entry that never varies is known, up to the smallest float
    precision = rows / np.maximum(spread, 1e-12 * max(float(spread.max()), 1e-300))
    privacy = np.full(gram.shape, noise / moments.off_diagonal**2)
    np.fill_diagonal(privacy, noise)
    weight = people / (spread + privacy)
    return np.asarray((weight * gram + precision * known) / (weight + precision))


def integral_of_gaussian(variance: float) -> tuple[Floats, Floats]:
    """Nodes and weights of an integral over predictions that are N(0, variance).

    For x ~ N(0, Sigma) the predictions <x, w_ols> are N(0, w_ols' E[xy]), so 1 = c E[Phi''(c s N)]
    is a one-dimensional integral: nothing is left for public rows to tell.
    """
    if not variance > 0:
        raise ConvergenceError(
            f"the predictions of least squares have variance {variance:.3g}: privacy noise has "
            f"swamped the covariance; use more people, a larger epsilon or a smaller radius"
        )
    return math.sqrt(variance) * _NODES, _NODE_WEIGHTS


def printed_radius(largest: float, features: int, people: int, factor: float) -> float:
    """sqrt(factor p ||Sigma|| log n): 20 in Algorithms 1 and 3 (journal text), 10 in 5.

    The preprint has sqrt(5 p ||Sigma|| log(n/zeta)): factor 5 with n/zeta for `people`.
    """
    return math.sqrt(factor * features * max(largest, 1e-300) * math.log(max(people, 2)))


def lemma_radius(spectrum: Floats, people: int) -> float:
    """Lemma 6 itself, which the printed radius bounds: all n rows are shorter but with chance 1/n.

    `spectrum` holds the eigenvalues of the features' covariance.
    """
    t = 2.0 * math.log(max(people, 2))
    spread = 2.0 * math.sqrt(t * float((spectrum**2).sum()))
    return math.sqrt(float(spectrum.sum()) + spread + 2.0 * t * float(spectrum.max()))
