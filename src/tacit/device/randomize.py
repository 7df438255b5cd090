"""One person's record becomes one 16-byte report.

No value of a record or label decides whether a report is made, or raises or warns: `reading` sees
answers only as `tacit.answers` reads them, and floats may underflow or overflow on the way to a
unit vector, whatever the caller told numpy to do then.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from tacit.answers import column
from tacit.arrays import Floats, Seeds
from tacit.errors import ConfigurationError
from tacit.labels.base import simplex
from tacit.privacy.entropy import Entropy, SystemEntropy, uniform
from tacit.privacy.mechanism import Parameters, StudyMechanism
from tacit.study import Report, Study
from tacit.study.checks import LARGEST_EPSILON, check_stated
from tacit.study.transform import encode

shielded = np.errstate(all="ignore")


def randomize(study: Study, record: Mapping[str, Any], *, label: Any) -> Report:
    """The report of one record; the only thing that may leave the device.

    Every call is another report and costs another epsilon: keep the bytes and resend those.
    Wrong or absent names raise; a missing or wild value is replaced as the study says, and
    `preview` shows it. A missing label raises, since there is nothing to report.
    """
    seeds = draw_seeds(study, *reading(study, record, label), SystemEntropy())
    return Report(study.id, seeds[0].tobytes())


def randomize_rows(study: Study, rows: Any, labels: Any) -> Seeds:
    """The seeds (n, 16) of many records at once, each randomized as on a device of its own."""
    return draw_seeds(study, *reading_rows(study, rows, labels), SystemEntropy())


@shielded
def reading(study: Study, record: Mapping[str, Any], label: Any) -> tuple[Floats, Floats]:
    """z (1, p) of a record and the weights (1, K) of its label: all that is used of a person.

    Raises for what is the same for everybody (a study that devices refuse, wrong names) and for a
    missing label; a device calls it before it debits.
    """
    refuse_unfit(study)
    if {*record.keys()} != {feature.name for feature in study.features}:
        study.check_record(record)
    table = {feature.name: column([record[feature.name]]) for feature in study.features}
    known = column([label])
    return encode(study, table, 1), study.label.weights(known)


@shielded
def reading_rows(study: Study, rows: Any, labels: Any) -> tuple[Floats, Floats]:
    """As `reading`, of many records (n, p) and (n, K)."""
    refuse_unfit(study)
    return study.encode(rows), study.label.weights(column(labels))


def refuse_unfit(study: Study) -> None:
    """Devices run no study that was made for simulation, or altered after it was read."""
    if study.simulation or not study.epsilon <= LARGEST_EPSILON:
        raise ConfigurationError(
            f"this study was made for simulation (epsilon={study.epsilon:g}); make one for devices "
            "with Study.from_public(..., simulation=False)"
        )
    check_stated(study.epsilon, study.parameters, study.transform, study.features, study.label)
    if study.mechanism != _stated(study.parameters, study.epsilon, study.tag):
        raise ConfigurationError(
            "the study was altered after it was read; load its file again before reporting"
        )


@lru_cache(maxsize=64)
def _stated(parameters: Parameters, epsilon: float, tag: bytes) -> StudyMechanism:
    """As a study makes its own, which something else in memory could alter."""
    return parameters.mechanism(epsilon, tag)


@shielded
def draw_seeds(study: Study, z: Floats, weights: Floats, entropy: Entropy) -> Seeds:
    """Draw the corner, then randomize; the same steps whatever the values are.

    Refuses a study that was altered since it was read, as `reading` does before a device debits.
    """
    refuse_unfit(study)
    vectors = corner_vectors(study, z, weights, uniform(len(z), entropy))
    return study.mechanism.randomize(vectors, entropy)


def corner_vectors(study: Study, z: Floats, weights: Floats, luck: Floats) -> Floats:
    """z (x) g (n, d), with a corner g drawn by `weights` (n, K); the mechanism takes its direction.

    `luck` (n,), uniform in [0, 1), draws the corner; a sure label has a weight of 1 and needs none,
    but takes a number all the same. A row of length zero says nothing: any direction will do if
    its corner is drawn evenly, for then the mean is zero.
    """
    if not len(z) == len(weights) == len(luck):
        raise ConfigurationError(
            f"every row needs one label, got {len(z)} rows and {len(weights)} labels"
        )
    empty = np.asarray(np.einsum("np->n", np.abs(z)) == 0.0)
    weights = np.where(empty[:, None], 1.0 / weights.shape[1], weights)
    drawn = (luck[:, None] >= np.cumsum(weights[:, :-1], axis=1)).sum(axis=1)
    corner = simplex(weights.shape[1])[drawn]
    vectors = np.asarray(z[:, :, None] * corner[:, None, :]).reshape(len(z), -1)
    vectors[:, : corner.shape[1]] += empty[:, None] * corner
    return vectors
