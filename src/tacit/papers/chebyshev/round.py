"""Algorithms 1 to 3 and Remark 15: one round of copies, and a descent on them.

Everyone reports once. The server takes one step for each `batch` of reports, in the order in which
they come, so people must come in random order.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tacit.arrays import Floats
from tacit.papers.chebyshev.server import Oracle
from tacit.papers.chebyshev.sigm import stochastic_inexact_gradient
from tacit.privacy.gaussian import GaussianMechanism
from tacit.protocol import Records, Round


@dataclass(frozen=True, eq=False)
class CopiesRound(Round):
    """Noisy copies of everyone; `oracle` makes gradients of them.

    `redraw` is the printed server, which draws reports with replacement.
    """

    oracle: Oracle
    batch: int
    redraw: np.random.Generator | None = None

    summed = False

    @property
    def mechanism(self) -> GaussianMechanism:
        """The joint noise on a person's copies."""
        return self.oracle.sent.mechanism

    def encode(self, records: Records, luck: Floats) -> Floats:
        """A person's copies, side by side."""
        return self.oracle.sent.encode(*records)

    def after(self, reported: Iterator[Floats], people: int) -> Floats:
        """w: one step for each batch, on the unit ball."""
        batches = in_batches(reported, self.batch)
        if self.redraw is not None:
            batches = drawn_again(np.concatenate(list(reported)), self.batch, self.redraw)
        return stochastic_inexact_gradient(
            self.oracle.gradient,
            batches,
            self.oracle.sent.features,
            smoothness=self.oracle.smoothness,
            noise=self.oracle.noise / np.sqrt(self.batch),
        )


def in_batches(blocks: Iterator[Floats], size: int) -> Iterator[Floats]:
    """The same reports, each once, cut anew into batches; only the last one may be smaller."""
    rest = next(blocks)
    for block in blocks:
        whole = len(rest) - len(rest) % size
        yield from np.split(rest[:whole], range(size, whole, size)) if whole else ()
        rest = np.concatenate([rest[whole:], block])
    yield from np.split(rest, range(size, len(rest), size))


def drawn_again(values: Floats, batch: int, generator: np.random.Generator) -> Iterator[Floats]:
    """As printed: reports drawn with replacement, as many draws as there are people.

    Erratum 10 (E). A report drawn a second time meets an iterate that was made from its own noise,
    and the products of its copies are no longer unbiased. `in_batches` draws each once.
    """
    for start in range(0, len(values), batch):
        size = min(batch, len(values) - start)
        yield values[generator.integers(len(values), size=size)]
