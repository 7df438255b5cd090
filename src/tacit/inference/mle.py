"""Maximum likelihood: the weights with G(w) = b, by damped Newton on a convex function.

The function is mean[(F(<z,w>) - c <z,w>)/|z|] - <b, w> with gradient G(w) - b. Only its gradient
is used, so one's own family needs no integral. Where the function falls for ever along a ray
there is no finite maximum, and that ray says which coefficients run away.
"""

import numpy as np
from numpy.typing import NDArray
from scipy import linalg

from tacit.errors import ConvergenceError, TacitError
from tacit.inference.likelihood import Design

Floats = NDArray[np.float64]

_ITERATIONS = 200
_PRECISION = 1e-11  # of the gradient: far below the sampling error of any tally
_STEP = 10.0  # longest step of the predictor's root mean square, in units of the model
_FLOOR = 1e-11  # of the largest curvature: what is left where every label is all but certain
_FAR = 1e6  # as good as infinity for a predictor, in units of the model


class NoMaximum(TacitError):  # noqa: N818
    """Internal: the likelihood rises for ever along `direction`."""

    def __init__(self, direction: Floats) -> None:
        super().__init__("no finite maximum")
        self.direction = direction


def maximise(design: Design, mean: Floats, start: Floats) -> Floats:
    """Weights whose expected tally is the observed one; raises NoMaximum where none exist."""
    weights, floor = start, _FLOOR * design.steepest()
    for _ in range(_ITERATIONS):
        gradient = design.moments(weights) - mean
        jacobian = design.jacobian(weights)
        if np.abs(gradient).max() <= _PRECISION * (1.0 + np.abs(mean).max()):
            _refuse_flat(jacobian, floor, weights - start)
            return weights
        step = _newton_step(design, weights, gradient, jacobian + floor)
        for ray in (step, weights - start):
            _refuse_endless(design, weights, mean, ray)
        weights = weights + _damped(design, weights, mean, step) * step
    raise ConvergenceError(
        f"maximum likelihood did not converge in {_ITERATIONS} iterations; for a family of your "
        "own check that its mean does not decrease and that slope is its derivative"
    )


def _newton_step(design: Design, weights: Floats, gradient: Floats, curvature: Floats) -> Floats:
    step = linalg.solve(curvature, -gradient, assume_a="sym")
    longest = _STEP * (design.model.unit + _root_mean_square(design.predictor(weights)))
    return np.asarray(step * min(1.0, longest / _root_mean_square(design.predictor(step))))


def _refuse_flat(jacobian: Floats, floor: Floats, ray: Floats) -> None:
    """A maximum where the likelihood no longer reacts is none: every interval would be endless."""
    if linalg.eigvalsh(jacobian, floor)[0] < 1.0:
        raise NoMaximum(ray / np.linalg.norm(ray))


def _damped(design: Design, weights: Floats, mean: Floats, step: Floats) -> float:
    """The largest of 1, 1/2, 1/4, ... at which the function does not yet rise steeply."""
    fall = -(design.moments(weights) - mean) @ step
    size = 1.0
    while size > 1e-12 and (design.moments(weights + size * step) - mean) @ step > 0.5 * fall:
        size /= 2.0
    return size


def _refuse_endless(design: Design, weights: Floats, mean: Floats, ray: Floats) -> None:
    """A convex function still falling at the far end of a ray falls for ever."""
    length = _root_mean_square(design.predictor(ray))
    if length < design.model.unit:
        return
    far = weights + ray * (_FAR * design.model.unit / length)
    if (design.moments(far) - mean) @ ray < 0:
        raise NoMaximum(ray / np.linalg.norm(ray))


def _root_mean_square(predictor: Floats) -> float:
    return float(np.sqrt(np.mean(predictor**2)))
