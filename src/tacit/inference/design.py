"""What public rows say of a tally: its mean G(w) and its covariance V(w) at any weights w.

With u = z / |z| over the m public rows and g the corner a person sends, G(w) = mean[u (x) E(g | z)]
needs no labels, J is its derivative, and
V = (1/n) [noise I + mean(u u' (x) E g g') - G G'] + sum share^2 e e',   e = u (x) E(g | z) - G,
the parts of which are due to privacy, to the people sampled, and to the public rows sampled.
Every mean over public rows weighs them by their shares, which sum to 1: 1/m where all are equal.
What margins explain of a row is no luck of sampling: it is taken out of e, by weighted regression.
Vectors over (component j, coordinate a of the corner) are flat with index j k + a.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tacit.arrays import Floats, Integers
from tacit.models import LabelModel
from tacit.study import Study


@dataclass(frozen=True)
class VarianceParts:
    """Covariance of the tally by cause."""

    privacy: Floats
    people: Floats
    public: Floats

    @property
    def parts(self) -> tuple[Floats, Floats, Floats]:
        """In the order of the causes."""
        return self.privacy, self.people, self.public

    @property
    def total(self) -> Floats:
        """All causes together."""
        return self.privacy + self.people + self.public


@dataclass(frozen=True)
class Design:
    """The encoded public rows `z` (m, p) with the label model that reads them.

    `share` (m,) is what each row counts, `gaps` (m, k) its distances from what is known of all.
    """

    z: Floats
    u: Floats
    share: Floats
    gaps: Floats
    model: LabelModel

    @classmethod
    def of(
        cls, z: Floats, model: LabelModel, share: Floats | None = None, gaps: Floats | None = None
    ) -> "Design":
        """Of rows that count alike, with no margins, unless given.

        A row of length zero has no direction and contributes nothing.
        """
        length = np.linalg.norm(z, axis=1, keepdims=True)
        u = np.divide(z, length, out=np.zeros_like(z), where=length > 0)
        share = np.full(len(z), 1.0 / len(z)) if share is None else share
        return cls(z, u, share, np.empty((len(z), 0)) if gaps is None else gaps, model)

    @classmethod
    def of_public(cls, study: Study, rows: Any, model: LabelModel) -> tuple["Design", str]:
        """Of a study's public rows, or others like them, with their fingerprint."""
        z, public, fingerprint = study.encode_public(rows)
        return cls.of(z, model, public.shares, public.gaps), fingerprint

    def thinned(self, every: int) -> "Design":
        """Every so many rows only."""
        return self.only(np.arange(0, len(self.z), every))

    def only(self, places: Integers) -> "Design":
        """The rows at these places; what they count adds up to 1 again."""
        share = self.share[places]
        z, u, gaps = self.z[places], self.u[places], self.gaps[places]
        return Design(z, u, share / share.sum(), gaps, self.model)

    @property
    def size(self) -> int:
        """Number of weights, p (K - 1)."""
        return int(self.z.shape[1]) * self.model.width

    def average(self, values: Floats) -> Floats:
        """Mean over the public rows of what each of them has."""
        return np.asarray(self.share @ values)

    def predictor(self, weights: Floats) -> Floats:
        """Linear predictors (m, k)."""
        return self.z @ weights.reshape(self.z.shape[1], self.model.width)

    def moments(self, weights: Floats) -> Floats:
        """G(w)."""
        return self._mean_outer(self.model.mean(self.predictor(weights)))

    def jacobian(self, weights: Floats) -> Floats:
        """J(w), symmetric and positive semidefinite for a mean that does not decrease."""
        slope = self.model.slope(self.predictor(weights))
        return _weighted_gram(self.u, self.z, slope, self.share)

    def jacobian_product(self, weights: Floats, vector: Floats) -> Floats:
        """J(w) times a vector, without making J."""
        slope = self.model.slope(self.predictor(weights))
        return self._mean_outer(np.einsum("iab,ib->ia", slope, self.predictor(vector)))

    def information(self, weights: Floats) -> Floats | None:
        """Fisher information of one person's raw row, if the model states the law of labels."""
        each = self.model.information(self.predictor(weights))
        return None if each is None else _weighted_gram(self.z, self.z, each, self.share)

    def steepest(self) -> Floats:
        """The Jacobian of a model with slope 1 in its own unit: an upper scale for J."""
        slope = np.eye(self.model.width) / self.model.unit
        everywhere = np.broadcast_to(slope, (len(self.z), *slope.shape))
        return _weighted_gram(self.u, self.z, everywhere, self.share)

    def variance(self, weights: Floats, people: float, noise: float) -> VarianceParts:
        """V(w) by cause, for `people` with this noise variance per coordinate."""
        predictor = self.predictor(weights)
        mean = self.model.mean(predictor)
        moments = self._mean_outer(mean)
        corners = _weighted_gram(self.u, self.u, self.model.second(predictor), self.share)
        return VarianceParts(
            privacy=noise / people * np.eye(self.size),
            people=(corners - np.outer(moments, moments)) / people,
            public=self._sampled(mean),
        )

    def root_mean_square(self, weights: Floats) -> float:
        """How large linear predictors are."""
        squares = (self.predictor(weights) ** 2).mean(axis=1)
        return float(np.sqrt(self.share @ squares))

    def _mean_outer(self, values: Floats) -> Floats:
        """mean[u (x) values], flat."""
        return np.asarray((self.u.T @ (values * self.share[:, None])).ravel())

    def _sampled(self, mean: Floats) -> Floats:
        """Covariance of G by the rows sampled: sum of share^2 e e', expanded."""
        square = self.share**2
        known = np.column_stack([np.ones(len(self.z)), self.gaps])
        # Regress the rows' moments on what is known; on a constant alone that gives G.
        spread = (known * self.share[:, None]).T @ known
        slopes = np.linalg.lstsq(spread, self._times(known, mean, self.share), rcond=None)[0]
        # Expand the residuals' squares, so that no matrix of all rows' moments is ever made.
        rows = _weighted_gram(self.u, self.u, mean[:, :, None] * mean[:, None, :], square)
        cross = slopes.T @ self._times(known, mean, square)
        within = slopes.T @ ((known * square[:, None]).T @ known) @ slopes
        return np.asarray(rows - cross - cross.T + within)

    def _times(self, columns: Floats, mean: Floats, share: Floats) -> Floats:
        """Sum over rows of share columns' (u (x) mean), (k, p K - p)."""
        parts = [(columns * (share * one)[:, None]).T @ self.u for one in mean.T]
        return np.stack(parts, axis=-1).reshape(columns.shape[1], self.size)


def _weighted_gram(left: Floats, right: Floats, weights: Floats, share: Floats) -> Floats:
    """Sum over rows of share (left right') (x) weights, as a flat square matrix."""
    width = weights.shape[1]
    rows, columns = left.shape[1], right.shape[1]
    gram = np.empty((rows, width, columns, width))
    for a in range(width):
        for b in range(width):
            gram[:, a, :, b] = left.T @ (right * (weights[:, a, b] * share)[:, None])
    return gram.reshape(rows * width, columns * width)
