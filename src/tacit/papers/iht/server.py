"""The server on private labels, and what the one-shot mean becomes: no privacy is spent here.

The private labels are unbiased, and the gradient of the squared error is linear in them:
everything after the reports is ordinary regression on noisier labels.
"""

import math

import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.papers.iht.problem import Problem

LARGEST_ROUNDS = 10_000
_TOLERANCE = 1e-12


def descend(problem: Problem, X: Floats, y: Floats, step: float, rounds: int) -> Floats:
    """Lines 4 to 8. Labels of any size: their noise is not clipped."""
    theta = np.zeros(problem.dimension)
    for _ in range(rounds):
        # Erratum 11 (E): descent is theta + eta mean((y - <x, theta>) x); the text has lost the
        # sign in front of eta, and the minus that it lost elsewhere would ascend.
        gradient = X.T @ problem.residuals(theta, X, y) / len(X)
        theta = problem.project(theta - step * gradient)
    return theta


def lasso(gram: Floats, moment: Floats, penalty: float) -> Floats:
    """The minimiser of theta' gram theta / 2 - moment' theta + penalty ||theta||_1.

    Coordinate descent; it ends when a sweep no longer moves theta. Where columns are all but equal
    that can take for ever, but the signs settle, and given these theta solves linear equations.
    """
    theta = np.zeros(len(moment))
    for _ in range(LARGEST_ROUNDS):
        largest = 0.0
        for j in np.flatnonzero(np.diag(gram) > 0):
            partial = moment[j] - gram[j] @ theta + gram[j, j] * theta[j]
            shrunk = math.copysign(max(abs(partial) - penalty, 0.0), partial) / gram[j, j]
            largest = max(largest, abs(shrunk - theta[j]))
            theta[j] = shrunk
        if largest <= _TOLERANCE * (1.0 + float(np.abs(theta).max())):
            return theta
    chosen, sign = np.flatnonzero(theta), np.sign(theta)
    square = gram[np.ix_(chosen, chosen)]
    theta[chosen] = np.linalg.lstsq(square, (moment - penalty * sign)[chosen], rcond=None)[0]
    if (np.sign(theta) == sign).all() and np.abs(moment - gram @ theta).max() <= penalty * 1.000001:
        return theta
    raise ConvergenceError(
        f"the Lasso did not settle in {LARGEST_ROUNDS} sweeps at penalty={penalty:g}; "
        "state a larger penalty"
    )
