"""Server side: pool the covariances, least squares, and any number of losses."""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from tacit.errors import ConvergenceError
from tacit.models import Family
from tacit.papers.stein.moments import Floats
from tacit.papers.stein.protocol import Protocol
from tacit.papers.stein.scaling import scale

Pooling = Literal["printed", "inverse-variance"] | None


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


def read(
    protocol: Protocol,
    mean: Floats,
    people: int,
    public: Floats | None,
    pooling: Pooling = "inverse-variance",
) -> Collected:
    """From the mean of the reports to least squares; with two rounds predictions come later."""
    gram, cross = protocol.moments.decode(mean)
    if public is None:
        return Collected(gram, cross, least_squares(gram, cross), np.empty(0))
    gram = pooled(pooling, gram, people, public, protocol)
    ols = least_squares(gram, cross)
    return Collected(gram, cross, ols, public @ ols)


def least_squares(gram: Floats, cross: Floats) -> Floats:
    """gram^-1 cross, as printed: the noisy matrix need not be positive definite."""
    try:
        return np.asarray(np.linalg.solve(gram, cross))
    except np.linalg.LinAlgError as error:
        raise ConvergenceError(
            "the collected covariance is singular; collect more people or drop constant features"
        ) from error


def pooled(
    pooling: Pooling, gram: Floats, people: int, public: Floats, protocol: Protocol
) -> Floats:
    """The mean of x x' from reports and public rows together."""
    if pooling is None:
        return gram
    rows = len(public)
    if pooling == "printed":  # by the number of rows, although only one side is noisy
        return np.asarray((people * gram + public.T @ public) / (people + rows))
    clipped, _ = protocol.moments.clip(public, np.zeros(rows))
    known = clipped.T @ clipped / rows
    spread = np.maximum((clipped**2).T @ clipped**2 / rows - known**2, 0.0)  # Var(x_i x_j)
    weight = people / (spread + _noise_variance(protocol))
    return np.asarray(
        (weight * gram + _precision(spread, rows) * known) / (weight + _precision(spread, rows))
    )


def _precision(spread: Floats, rows: int) -> Floats:
    """Of the public mean; an entry that never varies is known, up to the smallest float."""
    return rows / np.maximum(spread, 1e-12 * max(float(spread.max()), 1e-300))


def _noise_variance(protocol: Protocol) -> Floats:
    """Privacy variance of each entry of one report's x x'."""
    single = protocol.mechanism.sigma**2
    variance = np.full((protocol.moments.features,) * 2, single / protocol.moments.off_diagonal**2)
    np.fill_diagonal(variance, single)
    return variance
