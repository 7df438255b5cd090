"""Normal priors on the coefficients of the public components of unit variance.

Components are independent; `signal` is the variance of the predictor that they add up to, in units
of the model. All precisions are those of the weights of z, flat over (component, predictor).
"""

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.models import LabelModel
from tacit.study import Study

SAFETY = 4.0  # an evidence that errs low must not decide an interval
_INTERCEPT_VARIANCE = 100.0  # of its predictor: any rate


def precision_of(variances: Floats, mixing: Floats, width: int) -> Floats:
    """Precision of weights whose components have coefficients with these variances."""
    each = np.eye(width)
    return np.asarray(np.kron((mixing / variances) @ mixing.T, each), dtype=np.float64)


def weak_precision(study: Study, model: LabelModel, variance: float) -> Floats:
    """Every component alike, `variance` in all; next to nothing on the intercept."""
    transform = study.transform
    count = len(transform.columns)
    variances = np.full(count, variance / max(count, 1))
    if transform.intercept:
        variances = np.concatenate([[_INTERCEPT_VARIANCE], variances])
    return precision_of(variances * model.unit**2, transform.mixing, model.width)


def flat_in(precision: Floats, rows: Floats) -> Floats:
    """The same prior given `rows @ w`, with nothing said of these themselves."""
    rows = np.atleast_2d(rows)
    covariance = rows @ linalg.solve(precision, rows.T, assume_a="pos")
    return np.asarray(precision - rows.T @ linalg.solve(covariance, rows, assume_a="pos"))
