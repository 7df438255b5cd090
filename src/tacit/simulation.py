"""The whole protocol in one process, for trying out: every row plays one device.

Reports are drawn from their law directly (`StudyMechanism.points`), which is exact at every
epsilon up to 20 and faster than trying seeds. One process sees every row, so nothing is
protected here.
"""

from typing import Any

import numpy as np

from tacit.answers import column
from tacit.arrays import Floats
from tacit.device.randomize import corner_vectors
from tacit.errors import ConfigurationError
from tacit.privacy.expand import quantise
from tacit.study import Study, Tally
from tacit.study.checks import require_names
from tacit.study.rows import columns, length
from tacit.study.transform import encode

_CHUNK = 4096  # rows whose vectors stay in the cache


def simulate(study: Study, rows: Any, labels: Any, *, random_state: int | None = None) -> Tally:
    """The tally of a study in which every row is a person with their own device."""
    known = column(labels)
    study.label.check(known)
    generator = np.random.default_rng(random_state)
    return simulate_rows(study, rows, study.label.weights(known), generator)


def simulate_rows(
    study: Study, rows: Any, label_weights: Floats, generator: np.random.Generator
) -> Tally:
    """The tally of raw rows with label weights (n, K), a chunk at a time."""
    table = columns(rows)
    require_names(study.feature_names, table)
    if length(table) != len(label_weights):
        raise ConfigurationError(
            f"every row needs one label, got {length(table)} rows and {len(label_weights)} labels"
        )
    tally = Tally.of(study)
    for start in range(0, len(label_weights), _CHUNK):
        part = slice(start, start + _CHUNK)
        known = {name: values[part] for name, values in table.items()}
        z = encode(study, known, len(label_weights[part]))
        tally += simulate_tally(study, z, label_weights[part], generator)
    return tally


def simulate_tally(
    study: Study, z: Floats, label_weights: Floats, generator: np.random.Generator
) -> Tally:
    """The tally of encoded rows (n, p), which all fit into memory."""
    sums = np.zeros(study.dimension, dtype=np.int64)
    for start in range(0, len(z), _CHUNK):
        part = slice(start, start + _CHUNK)
        for _ in range(study.reports_per_person):
            uniform = generator.random(len(z[part]))
            vectors = corner_vectors(study, z[part], label_weights[part], uniform)
            sums += quantise(study.mechanism.points(vectors, generator).sum(axis=0))
    return Tally.from_sums(study, len(z) * study.reports_per_person, sums)
