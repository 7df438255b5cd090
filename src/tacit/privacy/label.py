"""What the file of a label study states of its mechanism: one kind for classes, two for numbers.

What carries the guarantee (thresholds and coins, in hexadecimal) is derived again from the rest
when a file is read, exactly, in Python and in JavaScript; sizes only decide how much is learned.
"""

from typing import Protocol

import msgspec

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.mechanism import Mechanism
from tacit.privacy.scalar import best_scalar
from tacit.privacy.staircase import Staircase
from tacit.privacy.subset import Subset
from tacit.privacy.window import Window


class LabelMechanism(Mechanism, Protocol):
    """Randomizes weights over classes, or numbers in [-1, 1], into one integer each."""

    @property
    def reports(self) -> range:
        """Every report there is."""
        ...

    def chances(self, reports: Integers, inputs: Floats) -> Floats:
        """How likely (n, k) each of k inputs makes each report, but for a factor of the report."""
        ...


class SubsetParameters(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="subset"
):
    """Of `Subset`; K-ary response is that of size 1."""

    classes: int
    size: int
    threshold: str

    def mechanism(self, epsilon: float) -> Subset:
        """The mechanism, whose threshold is derived again."""
        return Subset.of(epsilon, self.classes, self.size)

    def in_words(self) -> str:
        """What is sent."""
        if self.classes == 2:
            return "randomised response: one answer, more often the true one than the other"
        if self.size == 1:
            return "K-ary response: one class, more often the true one than any other"
        return f"subset selection: {self.size} classes, more often with the true one than without"


class WindowParameters(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="window"
):
    """Of `Window`, with two cells or many."""

    cells: int
    width: int
    threshold: str

    def mechanism(self, epsilon: float) -> Window:
        """The mechanism, whose threshold is derived again."""
        return Window.of(epsilon, self.cells, self.width)

    def in_words(self) -> str:
        """What is sent."""
        if self.cells == 2:
            return "two points: one bit, more often 1 the larger the number"
        return "piecewise: a number of a wide range, more often one near the true one"


class StaircaseParameters(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag_field="kind", tag="staircase"
):
    """Of `Staircase`."""

    cells: int
    split: int
    coin: str
    threshold: str

    def mechanism(self, epsilon: float) -> Staircase:
        """The mechanism, whose coin and threshold are derived again."""
        return Staircase.of(epsilon, self.split, self.cells)

    def in_words(self) -> str:
        """What is sent."""
        return "staircase: the number with noise that falls in steps"


LabelParameters = SubsetParameters | WindowParameters | StaircaseParameters


def best_for_label(classes: int, epsilon: float) -> LabelParameters:
    """The parameters that learn most about so many classes; about a number where there are none."""
    return stated(Subset.best(epsilon, classes) if classes else best_scalar(epsilon))


def stated(mechanism: Subset | Window | Staircase) -> LabelParameters:
    """What a file says of a mechanism."""
    if isinstance(mechanism, Subset):
        return SubsetParameters(mechanism.classes, mechanism.size, f"{mechanism.threshold:016x}")
    threshold = f"{mechanism.threshold:016x}"
    if isinstance(mechanism, Window):
        return WindowParameters(mechanism.cells, mechanism.width, threshold)
    return StaircaseParameters(
        mechanism.cells, mechanism.split, f"{mechanism.coin:016x}", threshold
    )


def check_for_label(parameters: LabelParameters, classes: int, epsilon: float) -> None:
    """Refuse a mechanism for another label, or one whose thresholds are not those of epsilon."""
    meant = parameters.classes if isinstance(parameters, SubsetParameters) else 0
    if meant != classes or stated(parameters.mechanism(epsilon)) != parameters:
        what = f"{classes} classes" if classes else "a number"
        raise ConfigurationError(
            f"the mechanism is not one for {what} at epsilon {epsilon:g}: {parameters}"
        )
