"""A whole protocol on one page: set-up, every device, the wire, the collectors, what comes next.

Every role acts in turn in one process, one person at a time: to read, to try, and to test the
parts against one another. `simulate` does the same for many people at once.
"""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy.entropy import Entropy, SystemEntropy, uniform
from tacit.privacy.mechanism import SummedMechanism
from tacit.protocol.round import Records, Round
from tacit.study.checks import LARGEST_EPSILON, at_least_one

Reports = NDArray[Any]


def run(
    first: Round, records: Records, *, collectors: int = 3, entropy: Entropy | None = None
) -> Any:
    """The result of the protocol that begins with `first`, every record on its own device."""
    collectors, stage = at_least_one("collectors", collectors), cast("Any", first)
    while isinstance(stage, Round):
        # The server publishes the round. It says whom it asks; the others do nothing.
        asked = asked_of(stage, records)

        # Every device encodes and randomizes its one record. This is all that sees it.
        answered = [
            reports(stage, part_of(asked, slice(person, person + 1)), entropy)
            for person in range(len(asked[0]))
            for _ in range(stage.reports)
        ]

        # The wire carries the same number of bytes from everyone.
        wire = [report.tobytes() for report in answered]

        # Any number of collectors, each with some of the reports, in any order. What they know
        # is public: the round, and with it the form of a report.
        form = answered[0]
        received = [as_sent(wire[share::collectors], form) for share in range(collectors)]

        # The server puts together what they hold: integer sums, or the reports themselves.
        reported = total_of(stage, received) if stage.summed else values_of(stage, received)

        # What comes next is another round, or the result.
        stage = stage.after(reported, len(asked[0]))
    return stage


def reports(stage: Round, records: Records, entropy: Entropy | None = None) -> Reports:
    """A report of each of these people, made as on a device of its own: all that may leave it.

    Nothing here depends on a value: each takes as many random bytes, and warns of nothing.
    """
    mechanism, source = stage.mechanism, entropy or SystemEntropy()
    if mechanism.guarantee.epsilon > LARGEST_EPSILON:
        raise ConfigurationError(
            f"devices accept epsilon up to {LARGEST_EPSILON:g}, got "
            f"epsilon={mechanism.guarantee.epsilon:g}; larger ones can be simulated"
        )
    people = len(records[0])
    luck = uniform(people * stage.draws, source).reshape(people, stage.draws)
    with np.errstate(all="ignore"):  # a caller who turned these into errors must not see a value
        inputs = stage.encode(records, luck)
    return mechanism.randomize(inputs, source)


def asked_of(stage: Round, records: Records) -> Records:
    """The records of those who answer this round; one that asks nobody could not go on."""
    lengths = [len(column) for column in records]
    if len(set(lengths)) != 1:
        raise ConfigurationError(
            f"records must be columns with one entry for each person, got {lengths} entries"
        )
    asked = part_of(records, stage.asked(lengths[0]))
    if not len(asked[0]):
        raise ConfigurationError(
            f"a round of {type(stage).__name__} asks none of {lengths[0]} people; give more records"
        )
    return asked


def part_of(records: Records, people: slice) -> Records:
    """The records of some people."""
    return tuple(column[people] for column in records)


def as_sent(wire: list[bytes], form: Reports) -> Reports:
    """Reports (n, ...) from their bytes; every one has the form of `form`."""
    return np.frombuffer(b"".join(wire), form.dtype).reshape(len(wire), *form.shape[1:])


def total_of(stage: Round, received: list[Reports]) -> Integers:
    """Every collector adds up its share: the same for any order and partition."""
    mechanism = cast("SummedMechanism", stage.mechanism)
    return np.asarray(np.sum([mechanism.total(part) for part in received], axis=0))


def values_of(stage: Round, received: list[Reports]) -> Iterator[Floats]:
    """What every report stands for, a collector's at a time."""
    return (stage.mechanism.value(part) for part in received)
