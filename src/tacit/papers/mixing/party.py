"""The party's half: its columns become one release, in integers."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from tacit.errors import ConfigurationError
from tacit.papers.common import Floats
from tacit.papers.mixing.agreement import Agreement
from tacit.privacy.entropy import Entropy, SystemEntropy


@dataclass(frozen=True)
class Release:
    """What a party publishes: integers (rows, d_j), in steps of its noise grid."""

    party: int
    counts: NDArray[np.int64]


def release(agreement: Agreement, party: int, columns: ArrayLike) -> Release:
    """(D^dgm)^j or (D^rmgm)^j: the party's columns, mixed if agreed so, plus Gaussian noise.

    Every call costs the budget again: publish the result once and keep it.
    """
    return draw_release(agreement, party, columns, SystemEntropy())


def draw_release(agreement: Agreement, party: int, columns: ArrayLike, entropy: Entropy) -> Release:
    """The same from a stated source of randomness."""
    vectors = encode(agreement, party, columns)
    return Release(party, agreement.mechanism(party).randomize(vectors, entropy))


def encode(agreement: Agreement, party: int, columns: ArrayLike) -> Floats:
    """What the noise is added to, in the party's units: D^j, or B D^j / sqrt(k)."""
    return _mixed(agreement, clipped(agreement, party, columns))


def clipped(agreement: Agreement, party: int, columns: ArrayLike) -> Floats:
    """D^j in the party's units: values beyond the stated range at its ends, absent ones midway.

    The paper assumes the range and clips nothing, but the noise rests on it.
    """
    if not 0 <= party < len(agreement.ranges):
        raise ConfigurationError(
            f"party must be from 0 to {len(agreement.ranges) - 1}, got party={party}"
        )
    low, high = np.array(agreement.ranges[party]).T
    rows = np.asarray(columns, dtype=np.float64)
    if rows.shape != (agreement.people, len(low)):
        raise ConfigurationError(
            f"party {party} agreed on {agreement.people} people and {len(low)} columns, "
            f"got columns of shape {rows.shape}"
        )
    middle = low + (high - low) / 2.0
    inside = np.clip(np.where(np.isnan(rows), middle, rows), low, high)
    return np.asarray(inside / agreement.units(party))


def _mixed(agreement: Agreement, columns: Floats) -> Floats:
    return columns if agreement.mixing is None else agreement.mixing.mix(columns)


def simulate(agreement: Agreement, columns: ArrayLike, generator: np.random.Generator) -> Floats:
    """D^pub of all parties with continuous noise; B is expanded once. Simulation only."""
    D = np.split(np.asarray(columns, dtype=np.float64), np.cumsum(agreement.sizes)[:-1], axis=1)
    mixed = _mixed(agreement, np.hstack([clipped(agreement, j, D_j) for j, D_j in enumerate(D)]))
    released = [
        agreement.mechanism(j).sample(part, generator) * agreement.units(j)
        for j, part in enumerate(np.split(mixed, np.cumsum(agreement.sizes)[:-1], axis=1))
    ]
    return np.hstack(released)
