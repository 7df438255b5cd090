"""Caps of a sphere: their rate, their mean height, and the height that serves epsilon best."""

import math

import numpy as np
from scipy import optimize, special

from tacit.arrays import Floats


def cap_rate(dimension: int, cap: float) -> float:
    """The share `q` of the sphere in the cap of that height."""
    if dimension == 1:
        return 0.5
    return float(special.betainc((dimension - 1) / 2, 0.5, (1.0 - cap) * (1.0 + cap))) / 2.0


def cap_height(dimension: int, rates: Floats) -> Floats:
    """The heights of the caps of these rates, at most a half."""
    if dimension == 1:
        return np.ones(len(rates))
    return np.asarray(np.sqrt(special.betainccinv(0.5, (dimension - 1) / 2, 2.0 * rates)))


def mean_length(dimension: int, epsilon: float, cap: float) -> float:
    """mu = a (e^eps - 1) / (1 + (e^eps - 1) q), `a` the mean height of the cap times its rate."""
    if dimension == 1:
        return math.tanh(epsilon / 2.0)
    half = (dimension - 1) / 2
    log_width = math.log1p(-cap) + math.log1p(cap)  # log(1 - cap^2), exact also near cap = 1
    log_a = half * log_width - math.log(2.0 * half) - special.betaln(0.5, half)
    gain = math.expm1(epsilon)
    return float(math.exp(log_a) * gain / (1.0 + gain * cap_rate(dimension, cap)))


def best_cap(dimension: int, epsilon: float) -> float:
    """The cap height that equals its mean length: d mu / d cap has the sign of mu - cap."""
    if dimension == 1:
        return math.tanh(epsilon / 2.0)

    def excess(cap: float) -> float:
        return mean_length(dimension, epsilon, cap) - cap

    return float(optimize.brentq(excess, 0.0, 1.0 - 1e-15, xtol=1e-15, rtol=1e-14))
