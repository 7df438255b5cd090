"""The losses and links that the two texts name, as `Family` values: mean and slope.

A loss Phi of a GLM enters by Phi' (the mean) and Phi'' (the slope), a link by f and f'. One's own
is `Family(name, mean, slope)`; here, unlike in a study, the mean may also fall.
"""

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models import Family, logistic

_LARGEST_EXPONENT = 500.0  # e^500 is finite, and so is its square root's square


def _exp(z: Floats) -> Floats:
    return np.exp(np.minimum(z, _LARGEST_EXPONENT))


def _boosting_mean(z: Floats) -> Floats:
    return 0.5 + z / (4.0 * np.sqrt(1.0 + z * z / 4.0))


def _boosting_slope(z: Floats) -> Floats:
    return np.asarray(0.25 / (1.0 + z * z / 4.0) ** 1.5)


def _third_cube(z: Floats) -> Floats:
    return z**3 / 3.0


def _square(z: Floats) -> Floats:
    return z**2


def _cube(z: Floats) -> Floats:
    return z**3


def _cube_slope(z: Floats) -> Floats:
    return 3.0 * z**2


def _falling(z: Floats) -> Floats:
    return np.logaddexp(0.0, -z)


def _falling_slope(z: Floats) -> Floats:
    return np.asarray(-special.expit(-z))


_LOGISTIC = logistic()

# Phi(z) = log(1 + e^z); e^z (called Poisson in the preprint, exponential in the journal text);
# z/2 + sqrt(1 + z^2/4)
LOSSES = {
    "logistic": _LOGISTIC,
    "poisson": Family("poisson", _exp, _exp),
    "exponential": Family("exponential", _exp, _exp),
    "boosting": Family("boosting", _boosting_mean, _boosting_slope),
}
# f(z) = 1/(1 + e^-z); z^3/3 (preprint); z^3 (journal text); log(1 + e^-z)
LINKS = {
    "sigmoid": Family("sigmoid", _LOGISTIC.mean, _LOGISTIC.slope),
    "cubic/3": Family("cubic/3", _third_cube, _square),
    "cubic": Family("cubic", _cube, _cube_slope),
    "logistic": Family("logistic", _falling, _falling_slope),
}


def named(name: str, parameter: str, families: dict[str, Family]) -> Family:
    """The family of this name."""
    if name not in families:
        options = ", ".join(map(repr, families))
        raise ConfigurationError(
            f"{parameter} must be one of {options}, or a Family of your own, "
            f"got {parameter}={name!r}"
        )
    return families[name]
