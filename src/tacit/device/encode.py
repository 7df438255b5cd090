"""From encoded rows and label weights to the vectors whose directions are randomized."""

import numpy as np
from numpy.typing import NDArray

from tacit.errors import ConfigurationError
from tacit.study import Study
from tacit.study.labels import codes

Floats = NDArray[np.float64]


def coded_vectors(study: Study, z: Floats, weights: Floats, uniform: Floats) -> Floats:
    """z (x) g (n, d), with a code g drawn by `weights` (n, K); the sphere takes its direction.

    `uniform` (n,) in [0, 1) draws the code; a sure label has a weight of 1 and needs no luck,
    but takes a number all the same. A row of length zero says nothing: any direction will do if
    its code is drawn evenly, for then the mean is zero.
    """
    if not len(z) == len(weights) == len(uniform):
        raise ConfigurationError(
            f"every row needs one label, got {len(z)} rows and {len(weights)} labels"
        )
    empty = np.asarray(np.max(np.abs(z), axis=1) == 0.0)
    weights = np.where(empty[:, None], 1.0 / weights.shape[1], weights)
    drawn = (uniform[:, None] >= np.cumsum(weights, axis=1)[:, :-1]).sum(axis=1)
    code = codes(study.label)[drawn]
    vectors = np.asarray(z[:, :, None] * code[:, None, :]).reshape(len(z), -1)
    vectors[:, : code.shape[1]] += empty[:, None] * code
    return vectors
