"""How quantities made of the weights follow the tally and the public rows, to first order.

At the mode H w moves with J'V^-1 (b - G), and G with each public row. A quantity that is itself
a mean over the public rows moves with them twice; both are added before they are squared.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.inference.prior import flat_in
from tacit.inference.profile import Surface
from tacit.inference.public_means import contributions

_NEXT_TO_FLAT = 1e-6  # of the prior stays, so that there is a covariance whatever was asked


@dataclass(frozen=True)
class Influence:
    """At the mode of a surface, where G has this Jacobian, under a prior of this precision."""

    surface: Surface
    jacobian: Floats
    prior: Floats

    @classmethod
    def of(cls, surface: Surface) -> "Influence":
        """Under the weak prior, with which the mode was found."""
        return cls(surface, surface.problem.jacobian(surface.mode), surface.prior)

    def flat_in(self, rows: Floats) -> "Influence":
        """With the prior as good as flat in `rows @ weights`."""
        flat = flat_in(self.surface.prior, rows)
        return replace(self, prior=flat + _NEXT_TO_FLAT * self.surface.prior)

    @cached_property
    def covariance(self) -> Floats:
        """Of the weights: H^-1."""
        return np.asarray(linalg.inv(self.surface.problem.curvature(self.prior, self.jacobian)))

    @cached_property
    def weights(self) -> Floats:
        """One Newton step from the surface's mode to the mode under this prior."""
        surface = self.surface
        pull = (surface.prior - self.prior) @ (surface.mode - surface.problem.start)
        return np.asarray(surface.mode + self.covariance @ pull)

    def pushed(self, rows: Floats) -> Floats:
        """What each public row adds to the error of `rows @ weights` through G, (m, t)."""
        problem = self.surface.problem
        design = problem.design
        gain = rows @ self.covariance @ self.jacobian.T @ problem.inverse
        mean = design.model.mean(design.predictor(problem.full(self.surface.mode)))
        width = mean.shape[1]
        values = np.zeros((len(mean), len(rows)))
        for a in range(width):
            values += design.u @ gain[:, a::width].T * mean[:, a, None]
        return -contributions(design, values)

    def told(self, rows: Floats) -> Floats:
        """How much of the prior's variance of `rows @ weights` the tally took away, 0 to 1."""
        before = linalg.inv(self.prior)
        left, first = (np.einsum("ij,jk,ik->i", rows, c, rows) for c in (self.covariance, before))
        return np.asarray(1.0 - left / first)

    def without_public(self, rows: Floats) -> Floats:
        """Covariance of `rows @ weights`, but for the public rows' part."""
        pushed = self.pushed(rows)
        return np.asarray(rows @ self.covariance @ rows.T - pushed.T @ pushed)

    def of_means(self, rows: Floats, own: Floats) -> Floats:
        """Covariance of means over public rows of `own` (m, t), with these derivatives."""
        moved = contributions(self.surface.problem.design, own) + self.pushed(rows)
        return np.asarray(self.without_public(rows) + moved.T @ moved)
