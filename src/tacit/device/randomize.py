"""One person's record becomes one 16-byte report."""

from collections.abc import Mapping
from typing import Any

from tacit.arrays import Floats, Seeds
from tacit.device.encode import coded_vectors
from tacit.errors import ConfigurationError
from tacit.privacy.draws import uniform
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.study import Report, Study
from tacit.study.labels import weights
from tacit.study.rows import as_column


def randomize(study: Study, record: Mapping[str, Any], *, label: Any) -> Report:
    """The report of one record; the only thing that may leave the device.

    Every call is another report and costs another epsilon: keep the bytes and resend those.
    Wrong or absent names raise; a missing or wild value is replaced as the study says, and
    `preview` shows it. A missing label raises, since there is nothing to report.
    """
    study.check_record(record)
    seeds = randomize_rows(study, [record], [label])
    return Report(study.id, seeds[0].tobytes())


def randomize_rows(study: Study, rows: Any, labels: Any) -> Seeds:
    """The seeds (n, 16) of many records at once, each randomized as on a device of its own."""
    refuse_simulation(study)
    return draw_seeds(
        study, study.encode(rows), weights(study.label, as_column(labels)), SystemEntropy()
    )


def refuse_simulation(study: Study) -> None:
    """Devices run no study that was made for simulation."""
    if study.simulation:
        raise ConfigurationError(
            f"this study was made for simulation (epsilon={study.epsilon:g}); make one for devices "
            "with Study.from_public(..., simulation=False)"
        )


def draw_seeds(study: Study, z: Floats, label_weights: Floats, entropy: Entropy) -> Seeds:
    """Draw the code, then randomize; the same steps whatever the values are."""
    vectors = coded_vectors(study, z, label_weights, uniform(len(z), entropy))
    return study.mechanism.randomize(vectors, entropy)
