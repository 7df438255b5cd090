"""(G - b)' V^-1 (G - b) + (w - start)' P (w - start): what the posterior and the profiles minimise.

V is fixed. Where a submodel is asked for, the weights of the study are `basis` times the fewer
weights of the submodel, and everything here is about these.
"""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.inference.design import Design
from tacit.inference.likelihood import Likelihood

_ITERATIONS = 50
_PRECISION = 1e-5  # of the objective, whose differences matter from about 0.1


@dataclass(frozen=True)
class Penalised:
    """The objective for a fixed inverse of V; every method takes the prior's precision P."""

    design: Design
    mean: Floats
    start: Floats
    inverse: Floats
    basis: Floats | None = None

    @classmethod
    def near(cls, likelihood: Likelihood, weights: Floats) -> "Penalised":
        """With V taken at these weights."""
        inverse = np.asarray(linalg.inv(likelihood.variance(weights).total))
        mean = likelihood.observed.mean
        return cls(likelihood.design, mean, likelihood.start, inverse, likelihood.basis)

    def thinned(self, near: Floats, rows: int) -> "Penalised":
        """The same problem on about so many public rows, with G corrected to be right at `near`."""
        small = self.design.thinned(-(-len(self.design.z) // rows))
        weights = self.full(near)
        mean = self.mean + small.moments(weights) - self.design.moments(weights)
        return replace(self, design=small, mean=mean)

    def full(self, weights: Floats) -> Floats:
        """The weights of the study."""
        return weights if self.basis is None else self.basis @ weights

    def prior(self, precision: Floats) -> Floats:
        """A prior's precision of the study's weights, for those of the submodel."""
        return precision if self.basis is None else self.basis.T @ precision @ self.basis

    def gap(self, weights: Floats) -> Floats:
        """G - b."""
        return self.design.moments(self.full(weights)) - self.mean

    def misfit(self, weights: Floats) -> float:
        """The objective without a prior."""
        gap = self.gap(weights)
        return float(gap @ self.inverse @ gap)

    def objective(self, prior: Floats, weights: Floats) -> float:
        """Twice the negative log posterior density, but for what does not depend on weights."""
        return self._value(prior, weights, self.gap(weights))

    def _value(self, prior: Floats, weights: Floats, gap: Floats) -> float:
        away = weights - self.start
        return float(gap @ self.inverse @ gap + away @ prior @ away)

    def with_gradient(self, prior: Floats, weights: Floats) -> tuple[float, Floats]:
        """The objective and its derivative, without a matrix of the size of the public rows."""
        gap, away = self.gap(weights), weights - self.start
        scaled, pulled = self.inverse @ gap, prior @ away
        pushed = self.design.jacobian_product(self.full(weights), scaled)
        if self.basis is not None:
            pushed = self.basis.T @ pushed
        return float(gap @ scaled + away @ pulled), 2.0 * (pushed + pulled)

    def jacobian(self, weights: Floats) -> Floats:
        """The derivative of G."""
        jacobian = self.design.jacobian(self.full(weights))
        return jacobian if self.basis is None else jacobian @ self.basis

    def curvature(self, prior: Floats, jacobian: Floats) -> Floats:
        """Half the objective's second derivative, without that of G."""
        return np.asarray(jacobian.T @ self.inverse @ jacobian + prior)

    def mode(self, prior: Floats, weights: Floats) -> Floats:
        """Where the objective is least, by damped Gauss–Newton from these weights."""
        gap = self.gap(weights)
        value = self._value(prior, weights, gap)
        for _ in range(_ITERATIONS):
            jacobian = self.jacobian(weights)
            gradient = jacobian.T @ (self.inverse @ gap)
            gradient += prior @ (weights - self.start)
            step = -linalg.solve(self.curvature(prior, jacobian), gradient, assume_a="pos")
            moved, gap, lower = self._descend(prior, weights, gap, value, step)
            if value - lower <= _PRECISION * (1.0 + abs(lower)):
                return moved
            weights, value = moved, lower
        return weights

    def _descend(
        self, prior: Floats, weights: Floats, gap: Floats, value: float, step: Floats
    ) -> tuple[Floats, Floats, float]:
        """The first of 1, 1/2, 1/4, ... steps that lowers the objective, with the gap there."""
        size = 1.0
        while size > 1e-6:
            moved = weights + size * step
            found = self.gap(moved)
            lower = self._value(prior, moved, found)
            if lower < value:
                return moved, found, lower
            size /= 2.0
        return weights, gap, value

    def evidence(self, prior: Floats, weights: Floats) -> float:
        """Log evidence by Laplace's approximation, up to a constant shared by all priors."""
        curvature = self.curvature(prior, self.jacobian(weights))
        _, log_determinant = np.linalg.slogdet(curvature)
        _, log_precision = np.linalg.slogdet(prior)
        return float(
            -0.5 * self.objective(prior, weights) + 0.5 * log_precision - 0.5 * log_determinant
        )
