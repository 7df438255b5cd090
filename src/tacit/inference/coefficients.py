"""From flat weights to coefficients in the units of the features, with their names."""

import numpy as np

from tacit.arrays import Floats
from tacit.models import LabelModel
from tacit.study import Study


def coefficient_names(study: Study) -> tuple[str, ...]:
    """Names in the order of the table; of K classes all but the first, each against it."""
    prefixes = [f"{group}: " if group else "" for group in study.label.groups]
    return tuple(prefix + name for prefix in prefixes for name in study.transform.names)


def coefficient_scales(study: Study) -> Floats:
    """The public standard deviation of each column, 1 for intercepts."""
    transform = study.transform
    constant = int(transform.intercept)
    root = np.linalg.pinv(transform.loadings) @ transform.mixing[constant:, constant:]
    scales = np.concatenate([np.ones(constant), np.linalg.norm(root, axis=1)])
    return np.tile(scales, len(study.label.groups))


def to_coefficients(study: Study, model: LabelModel) -> Floats:
    """The matrix from flat weights to coefficients."""
    original = study.transform.to_original
    return np.vstack([np.kron(original, contrast) for contrast in model.contrasts])
