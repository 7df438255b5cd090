"""Which pure mechanism for one number in [-1, 1] serves best at which epsilon."""

from tacit.privacy.staircase import Staircase
from tacit.privacy.window import Window, piecewise, two_point

Scalar = Window | Staircase


def best_scalar(epsilon: float) -> Scalar:
    """The mechanism with the least worst-case variance at this epsilon."""
    candidates: list[Scalar] = [two_point(epsilon), piecewise(epsilon), Staircase.best(epsilon)]
    return min(candidates, key=lambda mechanism: mechanism.noise)
