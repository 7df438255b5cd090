"""The table of a likelihood: estimates, intervals of a kind, and what raw rows would have given.

"profile" intervals come from the profile under a weak prior on all else, "flat" ones from the same
without a prior, "wald" ones from the curvature at the maximum, which may not exist.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple, get_args

import msgspec
import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.likelihood import Likelihood
from tacit.inference.maximum import maximum
from tacit.inference.profile import Surface
from tacit.inference.raw import raw_errors
from tacit.inference.weak import weak_mode

Intervals = Literal["profile", "flat", "wald"]
Advance = Callable[[int], None]


class Entry(NamedTuple):
    """One line of a table."""

    estimate: float
    standard_error: float
    low: float
    high: float
    z: float


class Table(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One entry per coefficient. An end that the reports do not determine is infinite.

    `z` is the signed root of what an estimate gains on zero; `raw` are the standard errors that the
    people's rows would have given, not a number where the model does not say. `signal`: the total
    variance of the predictor that the reports chose for the weak prior, None where there is none.
    """

    intervals: Intervals
    level: float
    estimate: Floats
    standard_errors: Floats
    low: Floats
    high: Floats
    z: Floats
    raw: Floats
    signal: float | None

    @property
    def p(self) -> Floats:
        """Two-sided p values of "this coefficient is zero"."""
        return p_values(self.z)


def p_values(z: Floats) -> Floats:
    """Two-sided."""
    return np.asarray(2.0 * special.ndtr(-np.abs(z)))


def checked(intervals: str, level: float) -> Intervals:
    """Refuse a level or a kind of interval that there is not."""
    if not 0 < level < 1:
        raise ConfigurationError(f"level must lie between 0 and 1, got level={level}")
    for kind in get_args(Intervals):
        if intervals == kind:
            return kind  # type: ignore[no-any-return]
    raise ConfigurationError(
        f"intervals must be one of {', '.join(map(repr, get_args(Intervals)))}, got "
        f"intervals={intervals!r}"
    )


def make_table(
    likelihood: Likelihood, intervals: Intervals, level: float, advance: Advance | None = None
) -> Table:
    """The table of all terms; `advance` is told of each that is done."""
    if intervals == "wald":
        return _wald(likelihood, level)
    found = weak_mode(likelihood, flat=intervals == "flat")
    surface = Surface.around(found)
    entries = []
    for contrast in likelihood.terms.contrasts(len(likelihood.rows)):
        entries.append(profiled(surface, likelihood, contrast, level))
        if advance is not None:
            advance(1)
    raw = raw_errors(likelihood, found.weights, likelihood.term_rows)
    estimate, errors, low, high, z = np.array(entries).reshape(-1, 5).T
    return Table(intervals, level, estimate, errors, low, high, z, raw, found.signal)


def profiled(surface: Surface, likelihood: Likelihood, contrast: Floats, level: float) -> Entry:
    """The profile interval of a sum of the study's coefficients, each times its entry."""
    line = surface.along(contrast @ likelihood.rows, likelihood.limit(contrast))
    least, quantile = line.least(), float(special.chdtri(1, 1.0 - level))
    low, high = (line.end(least, side, quantile) for side in (-1, 1))
    return Entry(line.estimate(least), line.standard_error, low, high, line.gain(least, 0.0))


def _wald(likelihood: Likelihood, level: float) -> Table:
    found = maximum(likelihood)
    errors = found.standard_errors
    low, high = found.conf_int(level).T
    weights = likelihood.reduced(found.weights)
    raw = raw_errors(likelihood, weights, likelihood.term_rows)
    return Table("wald", level, found.coef, errors, low, high, found.coef / errors, raw, None)
