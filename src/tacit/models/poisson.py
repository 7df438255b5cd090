"""Counts with a log-linear rate, reported as min(count, cap)."""

from functools import partial

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.models.family import Family

_LARGEST_LOG_RATE = 50.0  # beyond any count, and safe to exponentiate


def poisson(cap: int) -> Family:
    """The Poisson family of counts that devices clip at `cap`."""
    mean, slope = partial(_capped_mean, cap=cap), partial(_capped_slope, cap=cap)
    return Family("poisson", mean, slope, predict=_rate, information=_rate)


def counted(low: float, high: float) -> Family:
    """The Poisson family of a label from 0 to a whole number, its cap."""
    if low != 0.0 or high != int(high):
        raise ConfigurationError(
            f"the poisson family needs a label from 0 to a whole number, got {low:g} to {high:g}"
        )
    return poisson(int(high))


def _rate(predictor: Floats) -> Floats:
    return np.exp(np.minimum(predictor, _LARGEST_LOG_RATE))


def _capped_mean(predictor: Floats, cap: int) -> Floats:
    """E min(Y, c) = r P(Y <= c - 2) + c P(Y >= c) for a rate r."""
    rate = _rate(predictor)
    below = rate * special.pdtr(cap - 2, rate) if cap >= 2 else 0.0
    return np.asarray(below + cap * special.pdtrc(cap - 1, rate))


def _capped_slope(predictor: Floats, cap: int) -> Floats:
    """The derivative in the rate is P(Y <= c - 1)."""
    rate = _rate(predictor)
    return np.asarray(rate * special.pdtr(cap - 1, rate))
