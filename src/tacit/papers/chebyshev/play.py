"""Both halves on data at hand: every row plays one device, the server sees reports alone."""

from collections.abc import Iterator
from typing import Protocol

import numpy as np

from tacit.papers.chebyshev.release import Release
from tacit.papers.chebyshev.sigm import stochastic_inexact_gradient
from tacit.papers.common import Floats

_NUMBERS_AT_ONCE = 2**21


class Oracle(Protocol):
    """What the server makes of reports (`oracle`)."""

    @property
    def smoothness(self) -> float: ...  # noqa: D102
    @property
    def noise(self) -> float: ...  # noqa: D102
    def gradient(self, w: Floats, values: Floats) -> Floats: ...  # noqa: D102


def minimise(oracle: Oracle, dimension: int, blocks: Iterator[Floats], batch: int) -> Floats:
    """The server: one step for each block of reports, on the unit ball."""
    return stochastic_inexact_gradient(
        oracle.gradient,
        blocks,
        dimension,
        smoothness=oracle.smoothness,
        noise=oracle.noise / np.sqrt(batch),
    )


def one_pass(
    release: Release, X: Floats, y: Floats, batch: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """Each report once, in random order, `batch` of them at a time."""
    order = generator.permutation(len(X))
    chunk = batch * max(1, _NUMBERS_AT_ONCE // (batch * release.mechanism.dimension))
    for start in range(0, len(X), chunk):
        people = order[start : start + chunk]
        values = release.simulate(X[people], y[people], generator)
        for place in range(0, len(people), batch):
            yield values[place : place + batch]


def with_replacement(
    release: Release, X: Floats, y: Floats, batch: int, generator: np.random.Generator
) -> Iterator[Floats]:
    """As printed: reports drawn with replacement, as many draws as there are people.

    Erratum 10 (E). A report drawn a second time meets an iterate that was made from its own noise,
    and the products of its copies are no longer unbiased. `one_pass` draws each once.
    """
    values = release.simulate(X, y, generator)
    for start in range(0, len(X), batch):
        yield values[generator.integers(len(X), size=min(batch, len(X) - start))]
