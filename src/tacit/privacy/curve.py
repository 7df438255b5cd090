"""The exact privacy curve of the Gaussian mechanism (Balle, Wang 2018).

Noise of standard deviation s on a value of sensitivity D has mu = D / s, and is exactly
(eps, delta)-private with delta(eps) = Phi(mu/2 - eps/mu) - e^eps Phi(-mu/2 - eps/mu).
Releases of mu_1, ..., mu_k together have mu = sqrt(mu_1^2 + ... + mu_k^2), also when each is
chosen after seeing the ones before (Dong, Roth, Su 2022).
"""

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from scipy import optimize, special

from tacit.errors import ConfigurationError

_STEP = 1e-14
_TOLERANCE = {"xtol": 1e-15, "rtol": _STEP}


@dataclass(frozen=True)
class GaussianCurve:
    """All the (eps, delta) that Gaussian noise with this mu satisfies, no more and no fewer."""

    mu: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mu) and self.mu >= 0):
            raise ConfigurationError(f"mu must be finite and not negative, got mu={self.mu}")

    def delta(self, epsilon: float) -> float:
        """The smallest delta at this epsilon."""
        return math.exp(self.log_delta(epsilon))

    def log_delta(self, epsilon: float) -> float:
        """Its logarithm, right to 1e-8 for mu from 1e-4 to 100 and delta above 1e-300."""
        if epsilon < 0 or math.isnan(epsilon):
            raise ConfigurationError(f"epsilon must not be negative, got epsilon={epsilon}")
        if self.mu == 0:
            return -math.inf
        near = float(special.log_ndtr(self.mu / 2 - epsilon / self.mu))
        far = float(special.log_ndtr(-self.mu / 2 - epsilon / self.mu))
        ratio = epsilon + far - near  # below 0, up to rounding
        return near + math.log(-math.expm1(ratio)) if ratio < 0 else -math.inf

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon at this delta."""
        _check_delta(delta)
        goal = math.log(delta)
        if self.log_delta(0.0) <= goal:
            return 0.0
        largest = self.mu * (self.mu / 2 + math.sqrt(-2.0 * goal))
        if math.isinf(largest):
            return math.inf
        found = optimize.brentq(lambda e: self.log_delta(e) - goal, 0.0, largest, **_TOLERANCE)
        return _up(float(found), lambda epsilon: self.log_delta(epsilon) <= goal)

    def power(self, false_alarm: float) -> float:
        """The best chance to tell two records apart at this rate of false alarms."""
        return float(special.ndtr(special.ndtri(false_alarm) + self.mu))


def compose(curves: Iterable[GaussianCurve]) -> GaussianCurve:
    """The curve of several releases about the same person."""
    return GaussianCurve(math.hypot(*(curve.mu for curve in curves)))


def calibrate(epsilon: float, delta: float) -> float:
    """The smallest noise, in units of the sensitivity, that is (epsilon, delta)-private."""
    _check_epsilon(epsilon)
    _check_delta(delta)
    goal = math.log(delta)
    smallest = goal  # log mu: at mu = delta the curve lies below delta everywhere
    largest = math.log(2.0 * math.sqrt(2.0 * epsilon) + 80.0)  # where 1 - delta underflows

    def excess(log_mu: float) -> float:
        return max(GaussianCurve(math.exp(log_mu)).log_delta(epsilon), -1e300) - goal

    scale = math.exp(-optimize.brentq(excess, smallest, largest, **_TOLERANCE))
    return _up(scale, lambda s: GaussianCurve(1.0 / s).log_delta(epsilon) <= goal)


def classical_scale(epsilon: float, delta: float) -> float:
    """sqrt(2 ln(1.25/delta))/eps, as papers print it; proved for eps <= 1 only."""
    _check_epsilon(epsilon)
    _check_delta(delta)
    return math.sqrt(2.0 * math.log(1.25 / delta)) / epsilon


def _up(found: float, enough: Callable[[float], bool]) -> float:
    """A root is right up to rounding: go up in growing steps until it is on the safe side."""
    step = _STEP * max(found, _STEP)
    while not enough(found):
        found += step
        step *= 2.0
    return found


def _check_epsilon(epsilon: float) -> None:
    if not (math.isfinite(epsilon) and epsilon > 0):
        raise ConfigurationError(f"epsilon must be positive and finite, got epsilon={epsilon}")


def _check_delta(delta: float) -> None:
    if not 0 < delta < 1:
        raise ConfigurationError(
            f"delta must lie strictly between 0 and 1, got delta={delta}; 1e-6 is usual"
        )
