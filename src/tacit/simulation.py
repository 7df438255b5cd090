"""A study in one process, for trying out: every row plays one device.

Reports are drawn from their law directly, which is exact at every epsilon up to 20 and faster than
trying seeds. One process sees every row, so nothing is protected here.
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from tacit.arrays import Floats
from tacit.device.randomize import corner_vectors
from tacit.protocol.simulate import SUMMED_ROWS, simulated
from tacit.protocol.study import StudyRound, records_of
from tacit.study import Study, Tally


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

    def inputs() -> Iterator[Floats]:
        for start in range(0, len(z), SUMMED_ROWS):
            part = slice(start, start + SUMMED_ROWS)
            for _ in range(study.reports_per_person):
                luck = generator.random(len(z[part]))
                yield corner_vectors(study, z[part], label_weights[part], luck)

    total = study.mechanism.sample_total(inputs(), generator)
    return Tally.from_sums(study, len(z) * study.reports_per_person, total)
