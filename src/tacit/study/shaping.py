"""How well a geometry measures each coefficient, before anything is collected, with the gradient.

With e the public components of unit variance (the constant first, if there is an intercept) and
z = M e, only the metric S = M'M matters. At coefficients of zero their covariance is, up to a
constant,

    K^-1 (noise S^-1 + U) K^-1,    K = mean(e e'/l),    U = mean(e e'/l^2),    l = |z|.

S is a sum of squares along directions, S = sum_i a_i d_i d_i': an axis for every component, then
whatever a focus adds. The amounts `a` are what can be chosen.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tacit.arrays import Floats
from tacit.study.components import Components


@dataclass(frozen=True)
class Measure:
    """What the components tell of any amounts along these directions (d, p).

    `noise` is the variance of a coordinate of one person's report in units of that of a corner,
    which is 1/(K - 1) for K classes.
    """

    components: Components
    directions: Floats
    noise: float

    @cached_property
    def squares(self) -> Floats:
        """Squared length of every row along every direction, (m, d)."""
        return np.asarray((self.components.rows @ self.directions.T) ** 2)

    def variances(self, amounts: Floats) -> Floats:
        """Variance of every coefficient for one person, up to a constant."""
        return _measured(self, amounts).variances

    def mean_log_variance(self, amounts: Floats, importance: Floats) -> tuple[float, Floats]:
        """Mean log variance, each by its importance, and the gradient by the amounts."""
        found = _measured(self, amounts)
        # Q = A diag(w/v) A' in factors
        factor = found.reach * np.sqrt(importance / found.variances)
        public, share = self.components.rows, self.components.share
        rows = public @ factor
        # - mean(e e' (e'Qe)/l^4) + mean(e e' (e'Re)/l^3), R = Q N K^-1
        turned = public @ (found.back @ (found.spread @ factor))
        pull = _row_products(rows, turned) / found.length**3
        push = _row_products(rows, rows) / found.length**4
        # - noise S^-1 Q S^-1
        through = self.directions @ (found.inverse @ factor)
        slope = (share * (pull - push)) @ self.squares
        slope -= self.noise * _row_products(through, through)
        return float(importance @ np.log(found.variances)), slope


@dataclass(frozen=True)
class _Measured:
    length: Floats  # l of every row
    inverse: Floats  # S^-1
    spread: Floats  # N = noise S^-1 + U
    back: Floats  # K^-1
    reach: Floats  # A = K^-1 L'
    variances: Floats


def _measured(given: Measure, amounts: Floats) -> _Measured:
    rows, share = given.components.rows, given.components.share
    length = np.sqrt(given.squares @ amounts)
    inverse = _inverse((given.directions.T * amounts) @ given.directions)
    spread = given.noise * inverse + _gram(rows, share / length**2)
    back = _inverse(_gram(rows, share / length))
    reach = back @ given.components.coefficients.T
    variances = np.einsum("pc,pc->c", reach, spread @ reach)
    return _Measured(length, inverse, spread, back, reach, variances)


def _gram(rows: Floats, weights: Floats) -> Floats:
    scaled = rows * np.sqrt(weights)[:, None]
    return np.asarray(scaled.T @ scaled)


def _inverse(matrix: Floats) -> Floats:
    return np.asarray(np.linalg.inv(matrix), dtype=np.float64)


def _row_products(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("rc,rc->r", left, right))
