"""An attempt to refute the (epsilon, delta) claimed for Gaussian noise by drawing reports.

Two inputs as far apart as the sensitivity allows; T is the report's place between them, in units
of the noise claimed. Under the claim no test of one against the other is better than that of two
normal laws mu apart, so for the event T > mu/2 PhiInv(true rate) - PhiInv(false rate) <= mu.
Comparing log(true / false) with epsilon could not see a fifth too little noise in 1e7 draws; this
sees a tenth in 1e6, for epsilon from 0.5 on.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.privacy.audit.outcome import (
    Audit,
    Check,
    Source,
    allowed_error,
    deviation,
    rate_bounds,
)
from tacit.privacy.curve import GaussianCurve, calibrate
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up

if TYPE_CHECKING:
    from tacit.privacy.gaussian import GaussianMechanism

_NUMBERS = 2**20  # held at once: reports times dimensions
_FOURTH_MOMENT = 3.0  # of a standard normal number, so that its square has variance 2


@dataclass(frozen=True)
class _Places:
    """Sums over the reports of one input, along the line between the two, in units of the noise."""

    above: int
    total: float
    squares: float


def audit_gaussian(
    mechanism: "GaussianMechanism",
    claimed: Guarantee,
    source: Source,
    pair: tuple[Floats, Floats] | None = None,
) -> Audit:
    """Try to refute that a report of `mechanism` has the guarantee that is claimed.

    `pair` are two inputs whose distance is the sensitivity; without it 0 and a point that far
    along no particular direction.
    """
    first, second = _default_pair(mechanism) if pair is None else pair
    _check_pair(mechanism, first, second)
    epsilon, delta, draws = claimed.epsilon, claimed.delta, source.draws
    allowed = GaussianCurve(1.0 / calibrate(epsilon, delta))
    places = [_collect(mechanism, vector, (first, second), source) for vector in (first, second)]
    alarms, hits = (place.above for place in places)
    seen, trade_off = _trade_off(hits, alarms, draws, allowed)
    checks = (
        _scale(mechanism, epsilon, delta),
        trade_off,
        *(_unbiased(place, draws) for place in places),
        *(_variance(place, draws) for place in places),
    )
    return Audit(epsilon, seen.epsilon(delta), draws, checks)


def _default_pair(mechanism: "GaussianMechanism") -> tuple[Floats, Floats]:
    direction = np.random.default_rng(0).standard_normal(mechanism.dimension)
    return np.zeros(mechanism.dimension), direction * (
        mechanism.sensitivity / np.linalg.norm(direction)
    )


def _check_pair(mechanism: "GaussianMechanism", first: Floats, second: Floats) -> None:
    shapes = (np.shape(first), np.shape(second))
    if shapes != ((mechanism.dimension,),) * 2:
        raise ConfigurationError(
            f"pair must be two vectors of {mechanism.dimension} numbers, got shapes {shapes}"
        )
    distance = float(np.linalg.norm(np.subtract(first, second)))
    if not np.isclose(distance, mechanism.sensitivity, rtol=1e-4):
        raise ConfigurationError(
            f"pair must be as far apart as the sensitivity {mechanism.sensitivity:g}, "
            f"got a distance of {distance:g}"
        )


def _collect(
    mechanism: "GaussianMechanism", vector: Floats, pair: tuple[Floats, Floats], source: Source
) -> _Places:
    apart = np.subtract(pair[1], pair[0])
    distance = np.linalg.norm(apart)
    axis = apart / distance
    place = (vector - pair[0]) @ axis / mechanism.sigma
    middle = distance / mechanism.sigma / 2
    above, total, squares = 0, 0.0, 0.0
    for count in source.batches(max(1, _NUMBERS // mechanism.dimension)):
        inputs = np.broadcast_to(vector, (count, len(vector)))
        reports = mechanism.randomize(inputs, source.entropy)
        noise = (mechanism.value(reports) - vector) @ axis / mechanism.sigma
        above += int(np.count_nonzero(place + noise > middle))
        total += float(noise.sum())
        squares += float(noise @ noise)
    return _Places(above, total, squares)


def _trade_off(
    hits: int, alarms: int, draws: int, allowed: GaussianCurve
) -> tuple[GaussianCurve, Check]:
    """The event `nearer to the second input` under the second and under the first."""
    true_low, false_high = rate_bounds(hits, alarms, draws)
    apart = float(special.ndtri(true_low) - special.ndtri(false_high))
    seen = GaussianCurve(max(0.0, apart) if np.isfinite(apart) else 0.0)
    return seen, Check(
        "trade-off",
        f"true mu at least {seen.mu:.4g}",
        f"at most {number_up(allowed.mu)}",
        seen.mu <= allowed.mu,
    )


def _scale(mechanism: "GaussianMechanism", claimed: float, delta: float) -> Check:
    """The noise scale itself on the exact curve: no sampling error, so it sees any deviation."""
    real = mechanism.delta(claimed)
    return Check(
        "noise scale", f"delta = {number_up(real)}", f"at most {number_up(delta)}", real <= delta
    )


def _unbiased(place: _Places, draws: int) -> Check:
    """The mean report is the input, along the line, in units of the noise."""
    allowed = allowed_error(1.0, 0.0, draws)
    return deviation("unbiased", abs(place.total / draws), "the input", allowed)


def _variance(place: _Places, draws: int) -> Check:
    """The noise has the variance stated: more is waste, less is a leak."""
    allowed = allowed_error(_FOURTH_MOMENT - 1.0, 2.0, draws)
    return deviation("variance", abs(place.squares / draws - 1.0), "1", allowed)
