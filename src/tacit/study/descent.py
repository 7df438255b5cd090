"""The amounts along directions that measure coefficients best, by descent along the gradient."""

from collections.abc import Callable

import numpy as np

from tacit.arrays import Floats
from tacit.study.shaping import Measure

Advance = Callable[[int], object]

_FLAT = 1e-5  # gradient by the logarithms of the amounts: what is published changes no more
_MEMORY = 30
_STEPS = 300


def descend(
    measure: Measure, held: Floats, start: Floats, importance: Floats, advance: Advance
) -> Floats | None:
    """Amounts with the sum of `start`, beside those held; None where nothing converges.

    The mean of the log variances is least there, each coefficient with its importance.
    """
    from scipy import optimize

    room = start.sum()

    def value(logs: Floats) -> tuple[float, Floats]:
        advance(1)
        amounts = _amounts(logs, room)
        mean, slope = measure.mean_log_variance(np.append(held, amounts), importance)
        slope = slope[len(held) :]
        return mean, amounts * (slope - amounts @ slope / room)

    try:
        with np.errstate(all="raise", under="ignore"):
            found = optimize.minimize(
                value,
                np.log(start),
                jac=True,
                method="L-BFGS-B",
                options={"maxiter": _STEPS, "maxcor": _MEMORY, "gtol": _FLAT, "ftol": 0.0},
            )
    except (np.linalg.LinAlgError, FloatingPointError):
        return None
    return _amounts(found.x, room) if np.abs(found.jac).max() <= _FLAT else None


def _amounts(logs: Floats, room: float) -> Floats:
    """Positive, with this sum, whatever the logarithms."""
    parts = np.exp(logs - logs.max())
    return np.asarray(room * parts / parts.sum())
