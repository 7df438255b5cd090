"""Maximum likelihood by damped Newton steps, freely or with one combination of weights fixed."""

from dataclasses import dataclass, replace

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.labelprivate.fitting.likelihoods import Released

_ITERATIONS = 1000  # where reports say little the way out of a saddle is long
_PRECISION = 1e-6  # of the log likelihood: what a step may still gain
_LONGEST = 8.0  # root mean square of a step of the predictor, in units of the family
_SHORTEST = 1e-9  # part of a step
_CREEPING = 1e-3  # of the log likelihood: a last step that gains less has arrived
_ENOUGH = 0.01  # of the gain that a step promises
_FLOOR = 1e-12  # of the largest curvature: less is as good as none
_SLOW = 0.3  # of the gain of the step before: more, and the curvature is taken anew


@dataclass(frozen=True)
class LabelProblem:
    """The log likelihood of flat weights (p k) of rows z (n, p) with k predictors each.

    `precision` is that of a normal prior around `centre`; zeros are none.
    """

    z: Floats
    released: Released
    unit: float
    centre: Floats
    precision: Floats

    @property
    def width(self) -> int:
        """k."""
        return len(self.centre) // int(self.z.shape[1])

    def thinned(self, every: int) -> "LabelProblem":
        """Every so many rows only."""
        return replace(self, z=self.z[::every], released=self.released.thinned(every))

    def predictor(self, weights: Floats) -> Floats:
        """Linear predictors (n, k)."""
        return self.z @ weights.reshape(-1, self.width)

    def look(self, weights: Floats) -> tuple[float, Floats]:
        """Log likelihood of all rows with the log prior, and the derivative."""
        with np.errstate(all="ignore"):  # far out it may be -inf or no number, and loses
            log, score = self.released.look(self.predictor(weights))
            pull = self.precision @ (weights - self.centre)
            value = float(log.sum() - (weights - self.centre) @ pull / 2)
            return value, (self.z.T @ score).ravel() - pull

    def information(self, weights: Floats) -> Floats:
        """Less its second derivative, flat over (column, predictor) twice."""
        of_rows = gram(self.z, self.released.information(self.predictor(weights)))
        return np.asarray(of_rows + self.precision)

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
    (value, gradient), before, gained = problem.look(weights), np.inf, 0.0
    for _ in range(_ITERATIONS):
        fresh = inverse is None
        if inverse is None:
            inverse = problem.inverse(weights)
        step = along(inverse, fixed) @ gradient
        gain = float(gradient @ step) / 2
        if not gain > _PRECISION:
            return weights, value
        if gain > _SLOW * before:
            inverse, before = None, np.inf
            continue
        # a step that gains what it must, cut until it does
        size = _allowed(problem, step)
        moved, found = weights + size * step, problem.look(weights + size * step)
        while not found[0] >= value + _ENOUGH * size * gain and size > _SHORTEST:
            size /= 4.0
            moved, found = weights + size * step, problem.look(weights + size * step)
        gained = found[0] - value
        if size > _SHORTEST:
            weights, (value, gradient) = moved, found
        # on a plateau the curvature promises for ever what no step brings
        if fresh and (size <= _SHORTEST or gained <= _PRECISION / 10):
            return weights, value
        # after a cut step the next one needs a curvature of its own
        inverse, before = (inverse, gain) if size == 1.0 else (None, np.inf)
    if gained <= _CREEPING:
        return weights, value
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
