"""The number c with 1 = c mean[f'(c s_j)], s_j the predictions of least squares.

The texts run Newton's method from any c. It can run away where the left side flattens (every
logistic-like slope does), and there may be no root: with predictions so spread out that
c mean[f'(c s)] stays below 1, no multiple of w_ols satisfies the equation. So the root next to
zero is bracketed, and its absence is an error, never a silent answer. A mean that rests on fewer
than one prediction in a hundred is no mean: far out, a few s_j near zero would feign a root.
"""

from collections.abc import Callable

import numpy as np
from scipy import optimize

from tacit.arrays import Floats
from tacit.errors import ConvergenceError
from tacit.models import Family

_STEPS = np.geomspace(1e-6, 1e9, 120)  # multiples of w_ols that are looked at, on either side
_SMALLEST_SHARE = 0.01
_BLURRED = -1.0  # as at c = 0: certainly no root
_TOLERANCE = 1e-6

Excess = Callable[[float], float]


def scale(family: Family, predictions: Floats, weights: Floats | None = None) -> float:
    """The root nearest to zero; `weights` are those of an integral instead of a mean."""
    if not np.all(np.isfinite(predictions)):
        raise ConvergenceError(
            "the least squares of the reports are not finite; more people or a larger epsilon help"
        )

    def excess(c: float) -> float:
        with np.errstate(all="ignore"):
            slopes = np.nan_to_num(family.slope(c * predictions))
            first = float(np.average(slopes, weights=weights))
            second = float(np.average(slopes**2, weights=weights))
            resting = first**2 >= _SMALLEST_SHARE * second
        return c * first - 1.0 if resting else _BLURRED

    bracket = _bracket(excess)
    root = float(optimize.brentq(excess, *bracket, xtol=1e-300, rtol=1e-14)) if bracket else 0.0
    if abs(excess(root)) > _TOLERANCE:
        spread = float(np.sqrt(np.average(predictions**2, weights=weights)))
        raise ConvergenceError(
            f"no multiple c of the least-squares vector satisfies 1 = c mean[slope(c s)] for the "
            f"family {family.name!r}: its predictions s have a root mean square of {spread:.3g}, "
            f"which no such model has. Privacy noise is the usual cause: use more people, a larger "
            f"epsilon, a smaller radius or pooling='inverse-variance'; ols_ holds the vector itself"
        )
    return root


def _bracket(excess: Excess) -> tuple[float, float] | None:
    """An interval at whose near end the excess is below 0, as at zero, and at whose far end not."""
    tops, before = [], 0.0
    for step in map(float, _STEPS):
        for sign in (1.0, -1.0):
            value = excess(sign * step)
            if value >= 0.0:
                return sign * before, sign * step
            tops.append((value, sign, step))
        before = step
    _, sign, step = max(tops)
    peak = _peak(excess, sign, step)
    return (0.0, peak) if excess(peak) >= 0.0 else None


def _peak(excess: Excess, sign: float, step: float) -> float:
    """The best c around the best step: two roots may hide between two steps."""
    ratio = float(np.log(_STEPS[1] / _STEPS[0]))
    found = optimize.minimize_scalar(
        lambda log: -excess(sign * float(np.exp(log))),
        bounds=(np.log(step) - ratio, np.log(step) + ratio),
        method="bounded",
        options={"xatol": 1e-9},
    )
    return sign * float(np.exp(found.x))
