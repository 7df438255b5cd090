"""An attempt to refute a pure guarantee of a mechanism whose reports are integers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.privacy.audit.outcome import (
    Audit,
    Check,
    Source,
    allowed_error,
    deviation,
    log_ratio,
)
from tacit.privacy.entropy import Entropy
from tacit.privacy.guarantee import Guarantee

Event = Callable[[Integers], NDArray[np.bool_]]


class _Numbers(Protocol):
    """What is asked of the mechanism."""

    @property
    def noise(self) -> float: ...

    def randomize(self, values: Floats, entropy: Entropy) -> Integers: ...

    def value(self, reports: Integers) -> Floats: ...


@dataclass(frozen=True)
class _NumberSums:
    """Sums over the reports of one input."""

    hits: int
    errors: Floats
    farthest: float


def audit_numbers(
    mechanism: _Numbers,
    claimed: Guarantee,
    source: Source,
    pair: tuple[Floats, Floats],
    event: Event,
) -> Audit:
    """Two inputs, and the event that the first favours most over the second."""
    first, second = (_collect(mechanism, value, source, event) for value in pair)
    seen, trade_off = log_ratio(first.hits, second.hits, source.draws, claimed.epsilon)
    checks = (
        trade_off,
        *(_unbiased(mechanism.noise, sample, source.draws) for sample in (first, second)),
    )
    return Audit(claimed.epsilon, seen, source.draws, checks)


def _collect(mechanism: _Numbers, value: Floats, source: Source, event: Event) -> _NumberSums:
    hits, farthest = 0, 0.0
    errors = np.zeros(len(value))
    for count in source.batches():
        reports = mechanism.randomize(np.tile(value, (count, 1)), source.entropy)
        apart = mechanism.value(reports).reshape(count, -1) - value
        hits += int(np.count_nonzero(event(reports)))
        errors += apart.sum(axis=0)
        farthest = max(farthest, float(np.abs(apart).max()))
    return _NumberSums(hits, errors, farthest)


def _unbiased(noise: float, sample: _NumberSums, draws: int) -> Check:
    """The mean report is the input, in every coordinate."""
    worst = float(np.abs(sample.errors).max() / draws)
    allowed = allowed_error(noise, sample.farthest / 3, draws)
    return deviation("unbiased", worst, "the input", allowed)
