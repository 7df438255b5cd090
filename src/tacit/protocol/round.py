"""A round: what the server publishes, what a device reports, and what the server does then.

A protocol is its first round: `after` gives the next one, or the result. Who takes part in
several rounds of a protocol, and what that costs, is said where the protocol is.
"""

from typing import Any, ClassVar, Protocol, runtime_checkable

from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.privacy.mechanism import Mechanism

Records = tuple[NDArray[Any], ...]  # columns with one entry for each person


@runtime_checkable
class Round(Protocol):
    """A public value that both halves read: all they need beside a record, or the reports.

    `summed`: the server needs the sum of the reports only, so a collector keeps exact integers.
    `draws`: how many uniform numbers a device takes to encode its record.
    """

    summed: ClassVar[bool]
    draws: ClassVar[int] = 0

    @property
    def mechanism(self) -> Mechanism:
        """What randomizes an encoded record; a `SummedMechanism` if `summed`.

        Its guarantee is that of this round by itself.
        """
        ...

    @property
    def reports(self) -> int:
        """How many reports each of them sends."""
        return 1

    def asked(self, people: int) -> slice:
        """Which of the people answer this round: all of them, unless the protocol says others."""
        return slice(people)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """Device: inputs (n, ...) of the mechanism, whatever the records hold.

        `luck` (n, draws) is uniform in [0, 1), and draws a sign or a label's corner.
        """
        ...

    def after(self, reported: Any, people: int) -> Any:
        """Server: the next round, or the result, from what so many people sent.

        `reported` is the total of their reports if `summed`; otherwise it is an iterator of blocks
        of what each report says.
        """
        ...
