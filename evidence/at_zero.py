"""What one person's report tells where every coefficient is zero, whatever the public rows cost."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit import Study
from tacit.inference.coefficients import to_coefficients
from tacit.inference.design import Design
from tacit.inference.likelihood import noise_per_person, start_weights

Floats = NDArray[np.float64]


def variances_at_zero(study: Study, public: Any) -> Floats:
    """J^-1 V J^-T of one person, in the units of the features."""
    design, _ = Design.of_public(study, public, study.label.model())
    weights = start_weights(study, design.model)
    parts = design.variance(weights, 1, noise_per_person(study))
    spread = to_coefficients(study, design.model) @ np.linalg.inv(design.jacobian(weights))
    return np.asarray(np.diag(spread @ (parts.privacy + parts.people) @ spread.T))
