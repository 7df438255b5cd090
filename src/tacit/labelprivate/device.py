"""One person's label becomes one integer; the only module that sees an answer.

No value of a label decides whether a report is made, or raises or warns; a missing one raises,
since there is nothing to report. Randomness is the system's.
"""

import hashlib
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tacit.answers import column
from tacit.arrays import Integers
from tacit.errors import ConfigurationError
from tacit.labelprivate.report import LabelReport
from tacit.privacy.entropy import Entropy, SystemEntropy
from tacit.privacy.label import LabelMechanism, LabelParameters, check_for_label

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

_shielded = np.errstate(all="ignore")


def randomize_label(study: "LabelStudy", label: Any) -> LabelReport:
    """The report of one label; the only thing that may leave the device.

    Every call is another report and costs another epsilon: keep it and resend it.
    """
    return LabelReport(study.id, int(draw_reports(study, [label], SystemEntropy())[0]))


def randomize_labels(study: "LabelStudy", labels: Any) -> Integers:
    """The numbers (n,) of many labels at once, each randomized as on a device of its own."""
    return draw_reports(study, labels, SystemEntropy())


@_shielded
def draw_reports(study: "LabelStudy", labels: Any, entropy: Entropy) -> Integers:
    """Read the labels, then randomize; the same steps whatever the values are."""
    mechanism = unaltered_mechanism(study)
    weights = study.label.weights(column(labels))
    return mechanism.randomize(study.inputs(weights), entropy)


def unaltered_mechanism(study: "LabelStudy") -> LabelMechanism:
    """Made anew from what the study states; refuses one that was altered after it was read."""
    if hashlib.sha256(msgspec.json.encode(study)).hexdigest() != study.id:
        raise ConfigurationError(
            "the study was altered after it was read; load its file again before reporting"
        )
    return _stated(study.parameters, len(study.label.classes), study.epsilon)


@lru_cache(maxsize=64)
def _stated(parameters: LabelParameters, classes: int, epsilon: float) -> LabelMechanism:
    check_for_label(parameters, classes, epsilon)
    return parameters.mechanism(epsilon)
