"""What public rows say of a tally: its mean G(w) and its covariance V(w) at any weights w.

With u = z / |z| over the m public rows and g the corner a person sends, G(w) = mean[u (x) E(g | z)]
needs no labels, J is its derivative, and
V = (1/n) [noise I + mean(u u' (x) E g g') - G G'] + Cov[u (x) E(g | z)] / m,
the parts of which are due to privacy, to the people sampled, and to the public rows sampled.
Vectors over (component j, coordinate a of the corner) are flat with index j k + a.
"""

from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.models import LabelModel


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
    """The encoded public rows `z` (m, p) with the label model that reads them."""

    z: Floats
    u: Floats
    model: LabelModel

    @classmethod
    def of(cls, z: Floats, model: LabelModel) -> "Design":
        """Directions of the rows; a row of length zero has none and contributes nothing."""
        length = np.linalg.norm(z, axis=1, keepdims=True)
        return cls(z, np.divide(z, length, out=np.zeros_like(z), where=length > 0), model)

    def thinned(self, every: int) -> "Design":
        """Every so many rows only."""
        return Design(self.z[::every], self.u[::every], self.model)

    @property
    def size(self) -> int:
        """Number of weights, p (K - 1)."""
        return int(self.z.shape[1]) * self.model.width

    def average(self, values: Floats) -> Floats:
        """Mean over the public rows of what each of them has."""
        return np.asarray(values.mean(axis=0))

    def predictor(self, weights: Floats) -> Floats:
        """Linear predictors (m, k)."""
        return self.z @ weights.reshape(self.z.shape[1], self.model.width)

    def moments(self, weights: Floats) -> Floats:
        """G(w)."""
        return self._mean_outer(self.model.mean(self.predictor(weights)))

    def jacobian(self, weights: Floats) -> Floats:
        """J(w), symmetric and positive semidefinite for a mean that does not decrease."""
        return _weighted_gram(self.u, self.z, self.model.slope(self.predictor(weights)))

    def jacobian_product(self, weights: Floats, vector: Floats) -> Floats:
        """J(w) times a vector, without making J."""
        slope = self.model.slope(self.predictor(weights))
        return self._mean_outer(np.einsum("iab,ib->ia", slope, self.predictor(vector)))

    def information(self, weights: Floats) -> Floats | None:
        """Fisher information of one person's raw row, if the model states the law of labels."""
        each = self.model.information(self.predictor(weights))
        return None if each is None else _weighted_gram(self.z, self.z, each)

    def steepest(self) -> Floats:
        """The Jacobian of a model with slope 1 in its own unit: an upper scale for J."""
        slope = np.eye(self.model.width) / self.model.unit
        return _weighted_gram(self.u, self.z, np.broadcast_to(slope, (len(self.z), *slope.shape)))

    def variance(self, weights: Floats, people: float, noise: float) -> VarianceParts:
        """V(w) by cause, for `people` with this noise variance per coordinate."""
        predictor = self.predictor(weights)
        mean = self.model.mean(predictor)
        moments = self._mean_outer(mean)
        outer = np.outer(moments, moments)
        corners = _weighted_gram(self.u, self.u, self.model.second(predictor))
        expected = _weighted_gram(self.u, self.u, mean[:, :, None] * mean[:, None, :])
        return VarianceParts(
            privacy=noise / people * np.eye(self.size),
            people=(corners - outer) / people,
            public=(expected - outer) / len(self.z),
        )

    def _mean_outer(self, values: Floats) -> Floats:
        """mean[u (x) values], flat."""
        return (self.u.T @ values).ravel() / len(self.z)


def _weighted_gram(left: Floats, right: Floats, weights: Floats) -> Floats:
    """mean over rows of (left right') (x) weights, as a flat square matrix."""
    width = weights.shape[1]
    rows, columns = left.shape[1], right.shape[1]
    gram = np.empty((rows, width, columns, width))
    for a in range(width):
        for b in range(width):
            gram[:, a, :, b] = left.T @ (right * weights[:, a, b, None])
    return gram.reshape(rows * width, columns * width) / len(left)
