"""A protocol over many people at once: reports are drawn from their law, not made by devices.

One process sees every record, so nothing is protected here. This is exact at any epsilon, and
faster than trying seeds.
"""

from collections.abc import Iterator
from typing import Any, cast

import numpy as np

from tacit.arrays import Floats
from tacit.privacy.mechanism import SummedMechanism
from tacit.protocol.round import Records, Round
from tacit.protocol.run import asked_of, part_of

SUMMED_ROWS = 8192  # encoded at once: their vectors stay in the cache
_NUMBERS = 2**21  # of other reports in one block


def simulate(first: Round, records: Records, generator: np.random.Generator) -> Any:
    """The result of the protocol that begins with `first`."""
    stage: Any = first
    while isinstance(stage, Round):
        asked = asked_of(stage, records)
        stage = stage.after(simulated(stage, asked, generator), len(asked[0]))
    return stage


def simulated(stage: Round, asked: Records, generator: np.random.Generator) -> Any:
    """What `after` takes: the total of everybody's reports, or blocks of values made as needed."""
    if stage.summed:
        mechanism = cast("SummedMechanism", stage.mechanism)
        return mechanism.sample_total(encoded(stage, asked, generator, SUMMED_ROWS), generator)
    rows = max(1, _NUMBERS // getattr(stage.mechanism, "dimension", 1))
    blocks = encoded(stage, asked, generator, rows)
    return (stage.mechanism.sample(inputs, generator) for inputs in blocks)


def encoded(
    stage: Round, asked: Records, generator: np.random.Generator, rows: int
) -> Iterator[Floats]:
    """The mechanism's inputs, so many people at a time."""
    for start in range(0, len(asked[0]), rows):
        part = part_of(asked, slice(start, start + rows))
        for _ in range(stage.reports):
            with np.errstate(all="ignore"):
                inputs = stage.encode(part, generator.random((len(part[0]), stage.draws)))
            yield inputs
