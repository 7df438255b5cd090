"""From coded rows and label weights to the unit vectors that are randomized."""

import numpy as np
from numpy.typing import NDArray

from tacit.study import Study
from tacit.study.labels import codes

Floats = NDArray[np.float64]


def unit_vectors(study: Study, z: Floats, weights: Floats, uniform: Floats) -> Floats:
    """v = u (x) g (n, d): the direction of z, and a code drawn by `weights` (n, K).

    `uniform` (n,) in [0, 1) draws the code; a sure label has a weight of 1 and needs no luck,
    but takes a number all the same. A row of length zero says nothing: any direction will do if
    its code is drawn evenly, for then the mean of v is zero.
    """
    length = np.linalg.norm(z, axis=1)
    empty = length == 0.0
    direction = np.where(empty[:, None], np.eye(1, z.shape[1]), z)
    direction = direction / np.where(empty, 1.0, length)[:, None]
    weights = np.where(empty[:, None], 1.0 / weights.shape[1], weights)
    drawn = (uniform[:, None] >= np.cumsum(weights, axis=1)[:, :-1]).sum(axis=1)
    code = codes(study.label)[drawn]
    return np.asarray(direction[:, :, None] * code[:, None, :]).reshape(len(z), -1)
