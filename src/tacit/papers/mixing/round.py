"""DGM, RMGM and BGM as rounds: parties in place of people, each asked in a round of its own.

A party's record is the matrix of its columns. Its release is one answer, whatever the order of
the parties: none depends on another's.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.papers.mixing.agreement import Agreement
from tacit.papers.mixing.device import encode
from tacit.privacy.entropy import Entropy
from tacit.privacy.gaussian import GaussianMechanism
from tacit.protocol import Records, Round, reports


@dataclass(frozen=True, eq=False)
class PartyRound(Round):
    """What one party is asked; `released` holds what those before it published."""

    agreement: Agreement
    party: int = 0
    released: tuple[Floats, ...] = ()

    summed = False

    def __post_init__(self) -> None:
        last = len(self.agreement.ranges) - 1
        if not 0 <= self.party <= last:
            raise ConfigurationError(f"party must be from 0 to {last}, got party={self.party}")

    @property
    def mechanism(self) -> GaussianMechanism:
        """The noise on everything that depends on one person, in the party's units."""
        return self.agreement.mechanism(self.party)

    def asked(self, people: int) -> slice:
        """This party."""
        return slice(self.party, self.party + 1)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """The columns of each party, mixed if agreed so: (1, rows, d_j)."""
        (held,) = records
        return np.stack([encode(self.agreement, self.party, columns) for columns in held])

    def after(self, reported: Iterator[Floats], people: int) -> "PartyRound | Floats":
        """The next party, or D^pub (rows, d + 1) in the units of the data."""
        (published,) = np.concatenate(list(reported))
        released = (*self.released, published * self.agreement.units(self.party))
        if len(released) == len(self.agreement.ranges):
            return np.hstack(released)
        return replace(self, party=self.party + 1, released=released)


def held_by(parties: Sequence[ArrayLike]) -> Records:
    """The columns of each party, as the records of the protocol."""
    held = np.empty(len(parties), dtype=object)
    for party, columns in enumerate(parties):
        held[party] = columns
    return (held,)


def release(
    agreement: Agreement, party: int, columns: ArrayLike, entropy: Entropy | None = None
) -> Integers:
    """What a party publishes: integers (rows, d_j), in steps of its noise grid.

    Every call costs the budget again: publish the result once and keep it.
    """
    made = reports(PartyRound(agreement, party), held_by([columns]), entropy)
    return np.asarray(made[0])
