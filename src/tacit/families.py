"""Label models: how the mean of a label follows from the linear predictor.

A `Family` is three small functions. One's own is made in one line:
`Family("probit", mean=scipy.stats.norm.cdf, slope=scipy.stats.norm.pdf)`. The mean must not
decrease and must stay within the range of the study's label.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy import special

Floats = NDArray[np.float64]
Curve = Callable[[Floats], Floats]

_LARGEST_LOG_RATE = 50.0  # e^50 people-events: beyond any count, and safe to exponentiate


@dataclass(frozen=True)
class Family:
    """Mean and slope of the (clipped) label given the linear predictor.

    `predict` is the mean that predictions show, where it differs from `mean`: the rate itself,
    not its clipped mean, for counts.
    """

    name: str
    mean: Curve
    slope: Curve
    predict: Curve | None = None

    def predicted(self, predictor: Floats) -> Floats:
        """The mean that predictions show."""
        return (self.predict or self.mean)(predictor)


def logistic() -> Family:
    """Probability of the positive class, log-odds linear."""
    return Family("logistic", special.expit, _logistic_slope)


def linear() -> Family:
    """The mean is the linear predictor."""
    return Family("linear", _identity, np.ones_like)


def poisson(cap: int) -> Family:
    """Counts with a log-linear rate, reported as min(count, cap)."""
    mean, slope = partial(_capped_mean, cap=cap), partial(_capped_slope, cap=cap)
    return Family("poisson", mean, slope, predict=_rate)


def _logistic_slope(predictor: Floats) -> Floats:
    probability = special.expit(predictor)
    return np.asarray(probability * (1.0 - probability))


def _identity(predictor: Floats) -> Floats:
    return predictor


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
