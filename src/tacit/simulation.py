"""A study in one process, for trying out: every row plays one device.

Reports are drawn from their law directly, which is exact at every epsilon up to 20 and faster than
trying seeds. One process sees every row, so nothing is protected here.
"""

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.device.randomize import corner_vectors
from tacit.protocol.simulate import SUMMED_ROWS, simulated
from tacit.protocol.study import StudyRound, records_of
from tacit.study import Study, Tally
from tacit.study.transform import encode


def simulate(study: Study, rows: Any, labels: Any, *, random_state: int | None = None) -> Tally:
    """The tally of a study in which every row is a person with their own device."""
    records = records_of(study, rows, labels)
    study.label.check(records[-1])
    total = simulated(StudyRound(study), records, np.random.default_rng(random_state))
    return Tally.from_sums(study, len(records[-1]) * study.reports_per_person, total)


def simulate_tally(
    study: Study, z: Floats, label_weights: Floats, generator: np.random.Generator
) -> Tally:
    """The tally of rows encoded already (n, p), with the weights (n, K) of their labels."""
    return _tally_of(study, lambda part: z[part], label_weights, generator)


def simulate_rows(
    study: Study, rows: Any, label_weights: Floats, generator: np.random.Generator
) -> Tally:
    """As `simulate_tally`, of rows not encoded yet, of which z is never all in memory."""
    table, _ = study.read(rows)

    def encoded(part: slice) -> Floats:
        few = {name: values[part] for name, values in table.items()}
        return encode(study, few, len(label_weights[part]))

    return _tally_of(study, encoded, label_weights, generator)


def _tally_of(
    study: Study,
    encoded: Callable[[slice], Floats],
    label_weights: Floats,
    generator: np.random.Generator,
) -> Tally:
    people, each = len(label_weights), study.reports_per_person

    def inputs() -> Iterator[Floats]:
        for start in range(0, people, SUMMED_ROWS):
            part = slice(start, start + SUMMED_ROWS)
            z, weights = encoded(part), label_weights[part]
            for _ in range(each):
                yield corner_vectors(study, z, weights, generator.random(len(z)))

    total = study.mechanism.sample_total(inputs(), generator)
    return Tally.from_sums(study, people * each, total)
