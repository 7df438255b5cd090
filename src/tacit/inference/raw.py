"""What raw rows, the people's own, would have told: Fisher information under the fitted model.

It follows from the public rows: n mean[z z' (x) I(z'w)], with I that of one label given its
predictors. For labels whose law the model does not state (numbers in a range) there is none.
"""

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood


def raw_errors(likelihood: Likelihood, weights: Floats, rows: Floats) -> Floats:
    """Standard errors of `rows @ weights` by maximum likelihood on the rows; NaN if not known."""
    design, basis = likelihood.design, likelihood.basis
    information = design.information(likelihood.full(weights))
    if information is None:
        return np.full(len(rows), np.nan)
    if basis is not None:
        information = basis.T @ information @ basis
    inverse = linalg.pinvh(information * likelihood.observed.people)
    return np.asarray(np.sqrt(np.einsum("ij,jk,ik->i", rows, inverse, rows)))
