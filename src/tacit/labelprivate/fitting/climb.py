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
_SHORTEST = 1e-9  # part of a step
_FLOOR = 1e-9  # of the largest curvature: less is as good as none
_SLOW = 0.3  # of the gain of the step before: more, and the curvature is taken anew


@dataclass(frozen=True)
class LabelProblem:
    """The log likelihood of flat weights (p k) of rows z (n, p) with k predictors each."""

    z: Floats
    released: Released
    width: int
    unit: float

    def predictor(self, weights: Floats) -> Floats:
        """Linear predictors (n, k)."""
        return self.z @ weights.reshape(-1, self.width)

    def look(self, weights: Floats) -> tuple[float, Floats]:
        """Log likelihood of all rows, and its derivative."""
        with np.errstate(all="ignore"):  # far out it may be -inf or no number, and loses
            log, score = self.released.look(self.predictor(weights))
            return float(log.sum()), (self.z.T @ score).ravel()

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
    problem: LabelProblem,
    weights: Floats,
    inverse: Floats | None = None,
    fixed: Floats | None = None,
) -> tuple[Floats, float]:
    """Weights with the greatest likelihood, and that; `fixed` @ weights stays as it is.

    `inverse` serves as long as steps with it gain quickly.
    """
    (value, gradient), before = problem.look(weights), np.inf
    for _ in range(_ITERATIONS):
        if inverse is None:
            inverse = problem.inverse(weights)
        step = along(inverse, fixed) @ gradient
        gain = float(gradient @ step) / 2
        if not gain > _PRECISION:
            return weights, value
        if gain > _SLOW * before:
            inverse, before = None, np.inf
            continue
        size = _allowed(problem, step)
        moved, found = weights + size * step, problem.look(weights + size * step)
        while not found[0] >= value - _PRECISION / 100 and size > _SHORTEST:
            size /= 4.0
            moved, found = weights + size * step, problem.look(weights + size * step)
        if size <= _SHORTEST:  # rounding forbids more
            return weights, value
        # after a cut step the next one needs a curvature of its own
        weights, (value, gradient) = moved, found
        inverse, before = (inverse, gain) if size == 1.0 else (None, np.inf)
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


def _allowed(problem: LabelProblem, step: Floats) -> float:
    """How much of a step may be taken at once."""
    spread = float(np.sqrt((problem.predictor(step) ** 2).mean())) / problem.unit
    return min(1.0, _LONGEST / max(spread, 1e-300))
