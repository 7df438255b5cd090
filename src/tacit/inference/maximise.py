"""Maximum likelihood: the weights with G(w) = b, by damped Newton on a convex function.

The function is mean[(F(<z,w>) - c <z,w>)/|z|] - <b, w> with gradient G(w) - b. Only its gradient
is used, so one's own family needs no integral. Where the function falls for ever along a ray
there is no finite maximum, and that ray says which coefficients run away.
"""

from dataclasses import dataclass

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.inference.design import Design

_ITERATIONS = 200
_PRECISION = 1e-11  # of the gradient: far below the sampling error of any tally
_STEP = 10.0  # longest step of the predictor's root mean square, in units of the model
_FLOOR = 1e-11  # of the largest curvature: what is left where every label is all but certain
_FAR = 1e6  # as good as infinity for a predictor, in units of the model


@dataclass(frozen=True)
class Endless:
    """There is no finite maximum: the likelihood rises for ever along `direction`."""

    direction: Floats

    @classmethod
    def along(cls, ray: Floats) -> "Endless":
        """Of length 1, or 0 where it did not move."""
        return cls(ray / (np.linalg.norm(ray) or 1.0))


def maximise(design: Design, mean: Floats, start: Floats) -> Floats | Endless:
    """Weights whose expected tally is the observed one, if there are any."""
    weights, floor = start, _FLOOR * design.steepest()
    for _ in range(_ITERATIONS):
        gradient = design.moments(weights) - mean
        jacobian = design.jacobian(weights)
        if np.abs(gradient).max() <= _PRECISION * (1.0 + np.abs(mean).max()):
            return Endless.along(weights - start) if _is_flat(jacobian, floor) else weights
        step = _newton_step(design, weights, gradient, jacobian + floor)
        for ray in (step, weights - start):
            if _falls_for_ever(design, weights, mean, ray):
                return Endless.along(ray)
        weights = weights + _damped(design, weights, mean, step) * step
    raise ConvergenceError(
        f"maximum likelihood did not converge in {_ITERATIONS} iterations; for a family of your "
        "own check that its mean does not decrease and that slope is its derivative"
    )


def _newton_step(design: Design, weights: Floats, gradient: Floats, curvature: Floats) -> Floats:
    step = linalg.solve(curvature, -gradient, assume_a="sym")
    longest = _STEP * (design.model.unit + design.root_mean_square(weights))
    return np.asarray(step * min(1.0, longest / design.root_mean_square(step)))


def _is_flat(jacobian: Floats, floor: Floats) -> bool:
    """A maximum where the likelihood no longer reacts is none: every interval would be endless."""
    return bool(linalg.eigvalsh(jacobian, floor)[0] < 1.0)


def _damped(design: Design, weights: Floats, mean: Floats, step: Floats) -> float:
    """The largest of 1, 1/2, 1/4, ... at which the function does not yet rise steeply."""
    fall = -(design.moments(weights) - mean) @ step
    size = 1.0
    while size > 1e-12 and (design.moments(weights + size * step) - mean) @ step > 0.5 * fall:
        size /= 2.0
    return size


def _falls_for_ever(design: Design, weights: Floats, mean: Floats, ray: Floats) -> bool:
    """A convex function still falling at the far end of a ray falls for ever."""
    length = design.root_mean_square(ray)
    if length < design.model.unit:
        return False
    far = weights + ray * (_FAR * design.model.unit / length)
    return bool((design.moments(far) - mean) @ ray < 0)
