"""Weighted sums of coefficients, such as the difference of two levels."""

from collections.abc import Mapping

import msgspec
import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.inference.intervals import p_values, profiled
from tacit.inference.likelihood import Likelihood
from tacit.inference.names import single
from tacit.inference.profile import Surface


class Contrast(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One line of a table: what is summed, its estimate and its profile interval."""

    about: str
    level: float
    estimate: float
    standard_error: float
    low: float
    high: float
    z: float

    @property
    def p(self) -> float:
        """Two-sided p value of "the sum is zero"."""
        return float(p_values(np.array([self.z]))[0])

    def __str__(self) -> str:
        return (
            f"{self.about}: {self.estimate:.5g}, {100 * self.level:g}% interval [{self.low:.4g}, "
            f"{self.high:.4g}], std. error {self.standard_error:.4g}, z = {self.z:.2f}, "
            f"p = {self.p:.2g}"
        )

    __repr__ = __str__


def contrast_of(
    surface: Surface, likelihood: Likelihood, weights: Mapping[str, float], level: float
) -> Contrast:
    """The profile of a sum of coefficients, each times its weight."""
    sums = _sums(likelihood, weights)
    if not np.any(sums @ likelihood.terms.matrix(len(sums))):
        raise ConfigurationError(
            f"a contrast needs a coefficient that the fit has and that does not cancel, got "
            f"{dict(weights)!r}"
        )
    found = profiled(surface, likelihood, sums, level)
    return Contrast(in_words(weights), level, *found)


def in_words(weights: Mapping[str, float]) -> str:
    """As one would write the sum."""
    parts = []
    for name, weight in weights.items():
        sign = "-" if weight < 0 else "+"
        times = "" if abs(weight) == 1 else f"{abs(weight):g} "
        parts.append(f"{sign} {times}{name}")
    told = " ".join(parts)
    return told[2:] if told.startswith("+ ") else told


def _sums(likelihood: Likelihood, weights: Mapping[str, float]) -> Floats:
    """The weight of each of the study's coefficients."""
    sums = np.zeros(len(likelihood.rows))
    for name, weight in weights.items():
        place = single(likelihood.study, name, "contrast")
        if not np.isfinite(weight):
            raise ConfigurationError(f"contrast: the weight of {name!r} is {weight}, not a number")
        if place is not None:
            sums[place] += weight
    return sums
