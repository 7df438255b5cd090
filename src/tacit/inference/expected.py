"""The variances of a table to come, if the truth were known, for any people and any epsilon.

With V = A/n + B (A what one person adds, B the public rows) and a prior of covariance T on the
weights, the table's covariance is S = (J V^-1 J + T^-1)^-1, and a coefficient a'w of which the
prior says nothing has the variance 1 / (1/a'S a - 1/a'T a). In the basis where B + J T J is the
identity and A = diag(spread) another n costs but a sum: with h(a) the coordinates of J T a,
a'T b - a'S b = sum_i h_i(a) h_i(b) / (1 + spread_i / n).
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.inference.design import Design, VarianceParts

_MOST_ROWS = 5000
_FLOOR = 1e-14  # of the largest direction, below which nothing is told from nothing


@dataclass(frozen=True)
class Rows:
    """Public rows of which each stands for so many equal ones."""

    design: Design
    each_stands_for: float

    @classmethod
    def few(cls, design: Design, mixing: Floats) -> "Rows":
        """A few thousand that hold as much of every rare level as all of them.

        What is rare lies far out: every so many rows in the order of their distance are taken.
        """
        every = -(-len(design.z) // _MOST_ROWS)
        distance = np.linalg.norm(np.linalg.solve(mixing, design.z.T), axis=0)
        few = design.only(np.argsort(distance, kind="stable")[::every])
        return cls(few, float((few.share @ few.share) / (design.share @ design.share)))


@dataclass(frozen=True)
class Expected:
    """What a tally would tell of the coefficients: `told` (d, c) has the h of each.

    `unknown` (c, c) is their T. `noisy` (d, d) is the shape of privacy noise in the basis of
    `spread`, which was made for reports of this `noise`.
    """

    spread: Floats
    told: Floats
    unknown: Floats
    noisy: Floats
    noise: float

    @classmethod
    def of(
        cls,
        jacobian: Floats,
        one: VarianceParts,
        *,
        noise: float,
        prior: Floats,
        to_coef: Floats,
    ) -> "Expected":
        """From J, the parts of V for one person and the prior's precision."""
        covariance = linalg.solve(prior, np.hstack([to_coef.T, jacobian]), assume_a="pos")
        spread_of_prior, reach = np.hsplit(covariance, [len(to_coef)])
        known = one.public + jacobian @ reach
        known += _FLOOR * np.trace(known) * np.eye(len(known))
        root = linalg.cholesky(known, lower=True)
        inverse = linalg.solve_triangular(root, np.eye(len(root)), lower=True)
        spread, turn = linalg.eigh(inverse @ (one.privacy + one.people) @ inverse.T)
        turned = turn.T @ inverse
        return cls(
            spread=spread,
            told=turned @ (jacobian @ spread_of_prior),
            unknown=to_coef @ spread_of_prior,
            noisy=turned @ turned.T,
            noise=noise,
        )

    @classmethod
    def at(
        cls,
        rows: Rows,
        weights: Floats,
        *,
        noise: float,
        prior: Floats,
        to_coef: Floats,
    ) -> "Expected":
        """Of public rows, where the truth is `weights`."""
        jacobian = rows.design.jacobian(weights)
        one = rows.design.variance(weights, people=1, noise=noise)
        public = one.public / rows.each_stands_for
        parts = VarianceParts(one.privacy, one.people, public)
        return cls.of(jacobian, parts, noise=noise, prior=prior, to_coef=to_coef)

    def with_noise(self, noise: float) -> "Expected":
        """The same truth with another noise of the reports."""
        if noise == self.noise:
            return self
        person = np.diag(self.spread) + (noise - self.noise) * self.noisy
        spread, turn = linalg.eigh(person)
        return Expected(
            spread=np.maximum(spread, 0.0),
            told=turn.T @ self.told,
            unknown=self.unknown,
            noisy=turn.T @ self.noisy @ turn,
            noise=noise,
        )

    def variances(self, people: Floats) -> Floats:
        """Of every coefficient for each number of people, (counts, c)."""
        known = (1.0 / (1.0 + self.spread / people[:, None])) @ self.told**2
        return _flat(np.diag(self.unknown), known)

    def variances_each(self, people: Floats) -> Floats:
        """Of every coefficient for a number of people of its own, (c,)."""
        known = (self.told**2 / (1.0 + self.spread[:, None] / people)).sum(axis=0)
        return _flat(np.diag(self.unknown), known)

    def variances_tied(self, people: float, one: Sequence[int], other: Sequence[int]) -> Floats:
        """Of coefficients `one`, each held equal to its partner of `other`."""
        places = [*one, *other]
        told = self.told[:, places]
        known = told.T @ (told / (1.0 + self.spread / people)[:, None])
        unknown = self.unknown[np.ix_(places, places)]
        before, after = _tied(unknown), _tied(unknown - known)
        return _flat(before, before - after)


def _flat(unknown: Floats, known: Floats) -> Floats:
    """The variance where the prior says nothing, of its variance and of what the tally takes off.

    Infinite where the tally says nothing either.
    """
    left = np.maximum(unknown - known, 0.0)
    nothing = np.full(np.shape(known), np.inf)
    return np.asarray(np.divide(unknown * left, known, out=nothing, where=known > 0))


def _tied(covariance: Floats) -> Floats:
    """Variances of the first half, given that the second half equals it."""
    half = len(covariance) // 2
    apart = np.hstack([np.eye(half), -np.eye(half)])
    cross = covariance @ apart.T
    tied = covariance - cross @ np.linalg.pinv(apart @ cross) @ cross.T
    return np.asarray(np.diag(tied)[:half])
