"""Amplification by shuffling (Feldman, McMillan, Talwar 2021).

If somebody collects the reports of n people and passes them on in random order, stripped of
everything that tells whose they are, then whoever sees only what is passed on learns less of each
person than from a report by name. It holds only if somebody really shuffles, and only against
those who do not work with the shuffler: never state it for a study that has none.
Proved there (Theorem 3.2): n eps0-local reports, shuffled, are at most as far apart as the pairs
(A + D, C - A + 1 - D) and (A + 1 - D, C - A + D), where C ~ Bin(n - 1, e^-eps0) people look like
either record, A ~ Bin(C, 1/2) of them like the first, and D ~ Bern(e^eps0 / (e^eps0 + 1)) is the
person's own report.
"""

import math
from dataclasses import replace
from typing import Literal

import numpy as np
from scipy import special

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.words import number_up

_LARGEST_EPSILON = 30.0
_SMALLEST_DELTA = 1e-12
_ROUNDING = 1e-15  # of sums and differences of probabilities: added to delta
_CUT = 9.0  # standard deviations of C that are looked at; the others are charged to delta
GROUPS = 4096  # of neighbouring values of C, each as bad as its smallest
_HALVINGS = 50
_MOST_PEOPLE = 10**9  # more hide a little more still, but sums over them take long


def shuffled(
    epsilon0: float,
    people: int,
    delta: float,
    bound: Literal["numerical", "closed"] = "numerical",
) -> float:
    """The central epsilon at `delta` of the shuffled reports of `people`, each epsilon0-local.

    Holds only if somebody really shuffles. "closed" is Theorem 3.1, for small epsilon0 only;
    "numerical" bounds the exact divergence of the pairs, for any, and is several times tighter.
    """
    if not 0 < epsilon0 <= _LARGEST_EPSILON:
        raise ConfigurationError(
            f"epsilon0 must lie between 0 and {_LARGEST_EPSILON:g}, got epsilon0={epsilon0}"
        )
    if not people >= 1:
        raise ConfigurationError(f"people must be at least 1, got people={people}")
    if not _SMALLEST_DELTA <= delta < 1:
        raise ConfigurationError(
            f"delta must be at least {_SMALLEST_DELTA:g} and below 1, got delta={delta}; "
            "1e-6 is usual"
        )
    if bound == "closed":
        return _closed(epsilon0, people, delta)
    if bound == "numerical":
        return _numerical(epsilon0, people, delta)
    raise ConfigurationError(f"bound must be 'numerical' or 'closed', got bound={bound!r}")


def with_shuffler(guarantee: Guarantee, people: int, delta: float, shuffler: str) -> Guarantee:
    """What a local guarantee becomes against those who see only what `shuffler` passes on.

    `people` is the least number whose reports are passed on together. Several reports of a
    person count as one of their total epsilon.
    """
    if not shuffler.strip():
        raise ConfigurationError(
            f"shuffler must name who shuffles the reports, got shuffler={shuffler!r}; "
            "without a shuffler only the local guarantee holds"
        )
    if guarantee.delta:
        raise ConfigurationError(
            "amplification by shuffling is proved here for pure local guarantees, "
            f"got one with delta={guarantee.delta:g}"
        )
    local = guarantee.total_epsilon
    note = (
        f"this rests on {shuffler.strip()}, who must pass on the reports of at least {people:,} "
        "honest people together, in random order, without address, time or name. Against the "
        f"shuffler, and if it fails, the guarantee is local: epsilon = {number_up(local)}."
    )
    return replace(
        guarantee,
        epsilon=shuffled(local, people, delta),
        delta=delta,
        reports_per_person=1,
        against="whoever sees only the shuffled reports and does not work with the shuffler",
        notes=(note, *guarantee.notes),
    )


def _closed(epsilon0: float, people: int, delta: float) -> float:
    largest = math.log(people / (16.0 * math.log(2.0 / delta)))
    if epsilon0 > largest:
        raise ConfigurationError(
            f"the closed form holds for epsilon0 up to {max(largest, 0.0):.3g} with "
            f"people={people} and delta={delta:g}, got epsilon0={epsilon0:g}; "
            "use bound='numerical' or more people"
        )
    factor = math.exp(epsilon0)
    spread = 8.0 * math.sqrt(factor * math.log(4.0 / delta) / people) + 8.0 * factor / people
    return min(epsilon0, math.log1p(math.tanh(epsilon0 / 2.0) * spread))


def _numerical(epsilon0: float, people: int, delta: float) -> float:
    """Bisection that returns the safe end; epsilon0 itself always holds."""
    counts, chances, cut = _alike(epsilon0, min(people, _MOST_PEOPLE))
    low, high = 0.0, epsilon0
    with np.errstate(under="ignore"):  # tails may be as small as they like
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            met = cut + chances @ divergence(middle, epsilon0, counts) + _ROUNDING <= delta
            low, high = (low, middle) if met else (middle, high)
    return high


def _alike(epsilon0: float, people: int) -> tuple[Floats, Floats, float]:
    """C in groups: the smallest of each, the chance of each, and the chance of still smaller ones.

    One more person who looks like either record can only hide more, so the smallest is the worst
    of its group.
    """
    share = math.exp(-epsilon0)
    mean = (people - 1) * share
    reach = _CUT * math.sqrt(mean) + _CUT**2
    low, high = max(0.0, math.floor(mean - reach)), min(people - 1.0, math.ceil(mean + reach))
    counts = np.unique(np.floor(np.linspace(low, high, GROUPS)))
    below = special.betaincc(np.maximum(counts, 1.0), people - np.maximum(counts, 1.0), share)
    below = np.where(counts == 0.0, 0.0, below)
    return counts, np.diff(below, append=1.0), float(below[0])


def divergence(epsilon: float, epsilon0: float, counts: Floats) -> Floats:
    """P(S) - e^eps Q(S) for each C, S the set where P > e^eps Q: first entries from `least` on."""
    own, other = special.expit(epsilon0), special.expit(-epsilon0)
    factor = math.exp(epsilon)
    gain = -own * math.expm1(epsilon - epsilon0)  # own - factor other, without its cancellation
    loss = factor * own - other
    second = np.ceil((counts + 1.0) * (gain / (gain + loss))) - 1.0
    least = counts + 1.0 - second
    return np.asarray(
        np.maximum(gain * _tail(least - 1.0, counts) - loss * _tail(least, counts), 0)
    )


def _tail(least: Floats, counts: Floats) -> Floats:
    """P(A >= least) for A ~ Bin(C, 1/2)."""
    inner = special.betainc(np.maximum(least, 1.0), np.maximum(counts - least + 1.0, 1.0), 0.5)
    return np.where(least <= 0.0, 1.0, np.where(least > counts, 0.0, inner))
