"""Joint tests of linear hypotheses: is A w = c, for several rows of A at once?

With O the objective under a prior that is flat in A w and weak on all else, the statistic is
min O where A w = c, less min O anywhere: how much worse the tally is explained. V is the same in
both. It is compared with chi-square of as many degrees of freedom as A has rows.
"""

from dataclasses import replace

import msgspec
import numpy as np
from scipy import linalg, optimize, special

from tacit.arrays import Floats
from tacit.inference.prior import flat_in
from tacit.inference.profile import Surface

_OPTIONS = {"ftol": 1e-6, "maxcor": 20, "maxiter": 500}


class Test(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A chi-square statistic with its degrees of freedom, its p value and what it is about."""

    statistic: float
    degrees: int
    p: float
    about: str

    def __str__(self) -> str:
        plural = "" if self.degrees == 1 else "s"
        return (
            f"{self.about}: chi-square {self.statistic:.4g} with {self.degrees} degree{plural} of "
            f"freedom, p = {self.p:.2g}"
        )

    __repr__ = __str__


def chi_square(statistic: float, degrees: int, about: str) -> Test:
    """With the p value of the statistic."""
    return Test(statistic, degrees, float(special.chdtrc(degrees, statistic)), about)


def joint_test(surface: Surface, rows: Floats, about: str) -> Test:
    """Of "all of `rows @ weights` are zero"; the rows are linearly independent."""
    flat = replace(surface, prior=flat_in(surface.prior, rows))
    # the hypothesis in the coordinates of the surface: directions' x = offset
    directions, triangle = np.linalg.qr(linalg.solve_triangular(surface.root, rows.T, lower=True))
    offset = linalg.solve_triangular(triangle, -rows @ surface.mode, trans="T")
    nearest = directions @ offset

    def within(y: Floats) -> tuple[float, Floats]:
        across = y - directions @ (directions.T @ y)
        value, gradient = flat.at(nearest + across)
        return value, gradient - directions @ (directions.T @ gradient)

    restricted = _least(within, np.zeros_like(nearest))
    free = _least(flat.at, np.zeros_like(nearest))
    return chi_square(max(restricted - free, 0.0), len(rows), about)


def _least(objective: object, start: Floats) -> float:
    found = optimize.minimize(objective, start, jac=True, method="L-BFGS-B", options=_OPTIONS)
    return float(found.fun)
