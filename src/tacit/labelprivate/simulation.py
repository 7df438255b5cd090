"""Labels randomized with a seed, for trying out: nothing is protected here."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.answers import column
from tacit.arrays import Integers
from tacit.labelprivate.device import draw_reports
from tacit.privacy.entropy import SeededEntropy

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy


def simulate_reports(
    study: "LabelStudy", labels: Any, *, random_state: int | np.random.Generator | None = None
) -> Integers:
    """The numbers (n,) of many labels; a label outside its stated values raises here."""
    known = column(labels)
    study.label.check(known)
    return draw_reports(study, known, SeededEntropy(np.random.default_rng(random_state)))
