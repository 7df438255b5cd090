"""Calibration: the shares of rows nearest to those given that meet margins (entropy balancing).

Nearest in relative entropy: each share is the given one times exp(gaps' t). That is raking where
the margins are shares of levels.
"""

from collections.abc import Mapping

import numpy as np

from tacit.arrays import Floats
from tacit.errors import PublicRowsError

_ITERATIONS = 100
_MET = 1e-12  # of a gap, in standard deviations: where Newton stops
_NEARLY = 1e-10  # what rounding may leave of many gaps
_SHORTEST = 1e-9  # of a step


def calibrated(given: Floats, gaps: Mapping[str, Floats]) -> Floats:
    """Shares whose mean of every gap is 0; `gaps` (m, k) by margin, each of which can be met."""
    if not gaps:
        return given
    found = _tilted(given, [*gaps.values()])
    if found is not None:
        return found
    names = list(gaps)
    met = 1  # margins from the first on that can be met together
    while _tilted(given, [gaps[name] for name in names[: met + 1]]) is not None:
        met += 1
    raise PublicRowsError(
        f"the margin of {names[met]!r} cannot be met together with "
        f"{', '.join(map(repr, names[:met]))}: no weights of these public rows have all of them; "
        "correct a margin, or leave one out"
    )


def _tilted(given: Floats, gaps: list[Floats]) -> Floats | None:
    """By damped Newton on the dual log sum(given exp(gaps' t)); None if it has no minimum."""
    together = np.concatenate(gaps, axis=1)
    spread = np.sqrt(given @ together**2)
    together = together / np.where(spread > 0.0, spread, 1.0)
    tilt, shares = np.zeros(len(spread)), given
    for _ in range(_ITERATIONS):
        slope = shares @ together
        if np.abs(slope).max(initial=0.0) <= _MET:
            break
        # Margins may repeat each other, so the curvature need not be invertible.
        curvature = (together * shares[:, None]).T @ together - np.outer(slope, slope)
        step = np.linalg.lstsq(curvature, -slope, rcond=None)[0]
        # Halve the step until the dual no longer rises steeply at its end.
        size = 1.0
        ahead = _shares(given, together, tilt + step)
        while size > _SHORTEST and (ahead @ together) @ step > 0.5 * abs(slope @ step):
            size /= 2.0
            ahead = _shares(given, together, tilt + size * step)
        tilt, shares = tilt + size * step, ahead
    return shares if np.abs(shares @ together).max(initial=0.0) <= _NEARLY else None


def _shares(given: Floats, gaps: Floats, tilt: Floats) -> Floats:
    exponent = gaps @ tilt
    tilted = given * np.exp(exponent - exponent.max())
    return np.asarray(tilted / tilted.sum())
