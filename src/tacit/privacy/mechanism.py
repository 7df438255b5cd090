"""One vocabulary for every mechanism, and the kinds that a study file may name."""

from collections.abc import Iterable
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.privacy.audit import Audit, OnProgress
from tacit.privacy.entropy import Entropy
from tacit.privacy.guarantee import Guarantee
from tacit.privacy.sphere import SphereParameters


class Mechanism(Protocol):
    """Randomizes many people's values, one row each. No value is refused, or takes longer."""

    @property
    def guarantee(self) -> Guarantee:
        """What one report promises."""
        ...

    @property
    def noise(self) -> float:
        """Variance of each coordinate of a report's value, at the input that has most."""
        ...

    def encode(self, values: Floats) -> NDArray[Any]:
        """The legal inputs that any floats whatever stand for; legal ones stay as they are."""
        ...

    def randomize(self, values: Floats, entropy: Entropy) -> NDArray[Any]:
        """Reports of values, encoded first: what may leave the devices."""
        ...

    def value(self, reports: NDArray[Any]) -> Floats:
        """What reports say, unbiased for the inputs."""
        ...

    def sample(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Values of reports, drawn from their law directly. Simulation only."""
        ...

    def audit(
        self,
        *,
        claimed: Guarantee | None = None,
        draws: int = 1_000_000,
        entropy: Entropy | None = None,
        progress: OnProgress | None = None,
    ) -> Audit:
        """Try to refute the guarantee (or another one that is claimed) with real reports."""
        ...


class SummedMechanism(Mechanism, Protocol):
    """A mechanism whose reports add up exactly, so that a mean needs no single report."""

    def total(self, reports: NDArray[Any]) -> Integers:
        """The sum of reports in integers: totals add up, in any order and partition."""
        ...

    def sample_total(self, values: Iterable[Floats], generator: np.random.Generator) -> Integers:
        """The total of the reports of so many blocks of inputs. Simulation only."""
        ...

    def mean(self, total: Integers, count: int) -> Floats:
        """What so many reports with this total say on average, unbiased."""
        ...


class StudyMechanism(SummedMechanism, Protocol):
    """A mechanism whose report is a 16-byte seed that expands to a unit vector.

    That is the wire format of studies: a tally adds up the expanded vectors, whatever the kind.
    """

    @property
    def dimension(self) -> int:
        """Of inputs and of expanded vectors."""
        ...

    @property
    def epsilon(self) -> float:
        """Of one report."""
        ...

    @property
    def mean_length(self) -> float:
        """The mean of an expanded vector along its input; divided by it, it is unbiased."""
        ...

    def points(self, values: Floats, generator: np.random.Generator) -> Floats:
        """Expanded vectors (n, dimension) of reports, drawn from their law. Simulation only."""
        ...

    def at(self, epsilon: float) -> "StudyMechanism":
        """The mechanism of this kind and dimension for another epsilon."""
        ...


Parameters = SphereParameters  # every kind that a study file may name: X | Y | ...
"""What a study states of its mechanism, so that devices in any language need not derive it.

A kind has `best(dimension, epsilon)`, `check(dimension, epsilon)` and `mechanism(epsilon, tag)`.
"""

best = SphereParameters.best
