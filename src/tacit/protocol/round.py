"""A round: what the server publishes, what a device answers, and what the server does then.

A protocol is its first round: `after` gives the next one, or the answer. Who takes part in
several rounds of a protocol, and what that costs, is said where the protocol is.
"""

from typing import Any, ClassVar, Protocol, runtime_checkable

from numpy.typing import NDArray

from tacit.arrays import Floats
from tacit.privacy.mechanism import Mechanism

Records = tuple[NDArray[Any], ...]  # columns with one entry for each person


@runtime_checkable
class Round(Protocol):
    """A public value that both halves read: all they need beside a record, or the answers.

    `summed`: the server needs the mean of the answers only, so a collector keeps exact integer
    sums. `draws`: how many uniform numbers a device needs to encode its record.
    """

    summed: ClassVar[bool]
    draws: ClassVar[int] = 0

    @property
    def mechanism(self) -> Mechanism:
        """What randomizes an encoded record; its guarantee holds for this round by itself."""
        ...

    def asked(self, people: int) -> slice:
        """Which of the people answer this round: all of them, unless the protocol says others."""
        return slice(people)

    def encode(self, records: Records, luck: Floats) -> Floats:
        """Device: legal inputs (n, ...) of the mechanism, whatever the records hold.

        `luck` (n, draws) is uniform in [0, 1), and draws a sign or a label's corner.
        """
        ...

    def after(self, answers: Any, people: int) -> Any:
        """Server: the next round, or the answer, from what so many people sent.

        `answers` is the mean of what their reports stand for if `summed`, else an iterator of
        blocks of it, one entry for each person.
        """
        ...
