"""Maximum likelihood by damped Newton steps, freely or with one combination of weights fixed."""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.labelprivate.fitting.likelihoods import Released

_ITERATIONS = 200
_PRECISION = 1e-6  # of the log likelihood: what a step may still gain
_LONGEST = 4.0  # root mean square of a step of the predictor, in units of the family
_FLOOR = 1e-9  # of the largest curvature: less is as good as none
_SLOW = 0.3  # of the gain of the step before: more, and the curvature is taken anew


@dataclass(frozen=True)
class Problem:
    """The log likelihood of flat weights (p k) of rows z (n, p) with k predictors each."""

    z: Floats
    released: Released
    width: int
    unit: float

    def predictor(self, weights: Floats) -> Floats:
        """Linear predictors (n, k)."""
        return self.z @ weights.reshape(-1, self.width)

    def log(self, weights: Floats) -> float:
        """Log likelihood of all rows."""
        with np.errstate(all="ignore"):  # far out it may be -inf or no number, and loses
            return float(self.released.log(self.predictor(weights)).sum())

    def gradient(self, weights: Floats) -> Floats:
        """Its derivative."""
        return (self.z.T @ self.released.score(self.predictor(weights))).ravel()

    def information(self, weights: Floats) -> Floats:
        """Less its second derivative, flat over (column, predictor) twice."""
        return gram(self.z, self.released.information(self.predictor(weights)))

    def inverse(self, weights: Floats) -> Floats:
        """Of the information, made positive where the likelihood is flat or bends upwards."""
        values, vectors = linalg.eigh(self.information(weights))
        sizes = np.maximum(np.abs(values), _FLOOR * max(np.abs(values).max(), 1e-300))
        return np.asarray((vectors / sizes) @ vectors.T)


def gram(z: Floats, inner: Floats) -> Floats:
    """The sum over rows of (z z') (x) inner, (n, k, k), as a flat square matrix."""
    columns, width = z.shape[1], inner.shape[1]
    found = np.empty((columns, width, columns, width))
    for a in range(width):
        for b in range(a, width):
            block = z.T @ (z * inner[:, a, b, None])
            found[:, a, :, b] = found[:, b, :, a] = block
    return found.reshape(columns * width, columns * width)


def climb(
    problem: Problem, weights: Floats, inverse: Floats | None = None, fixed: Floats | None = None
) -> Floats:
    """Weights with the greatest likelihood, `fixed` @ weights staying as it is.

    `inverse` serves as long as steps with it gain quickly.
    """
    value, before = problem.log(weights), np.inf
    for _ in range(_ITERATIONS):
        if inverse is None:
            inverse = problem.inverse(weights)
        gradient = problem.gradient(weights)
        step = along(inverse, fixed) @ gradient
        gain = float(gradient @ step) / 2
        if not gain > _PRECISION:
            return weights
        if gain > _SLOW * before:
            inverse, before = None, np.inf
            continue
        weights, value, whole = _stepped(problem, weights, value, step)
        # after a cut step the next ones need a curvature of their own
        inverse, before = (inverse, gain) if whole else (None, np.inf)
    raise ConvergenceError(
        f"the likelihood of the reports was still rising after {_ITERATIONS} steps; check a family "
        "of your own, or leave out features that hardly vary"
    )


def along(inverse: Floats, fixed: Floats | None) -> Floats:
    """The inverse among the directions that leave `fixed` as it is."""
    if fixed is None:
        return inverse
    toward = inverse @ fixed
    return inverse - np.outer(toward, toward) / (fixed @ toward)


def _stepped(
    problem: Problem, weights: Floats, value: float, step: Floats
) -> tuple[Floats, float, bool]:
    """The step, cut until the likelihood does not fall; as it was where rounding forbids it."""
    spread = float(np.sqrt((problem.predictor(step) ** 2).mean())) / problem.unit
    size = min(1.0, _LONGEST / max(spread, 1e-300))
    whole = size == 1.0
    while size > 1e-9:
        moved = weights + size * step
        found = problem.log(moved)
        if found >= value - 1e-9:
            return moved, found, whole and size == 1.0
        size /= 4.0
    return weights, value, False
