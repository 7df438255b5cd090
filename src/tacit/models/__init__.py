"""How the mean of a label follows from linear predictors, and what that says of reports.

A device sends `u (x) g`, with `g` one of K corners of a regular simplex (-1 and +1 for K = 2). The
likelihood needs three moments of `g` given the predictors (m, k), k = K - 1: its mean (m, k), the
slope of the mean and its second moment (m, k, k). A `LabelModel` has these, and says what
predictions show, which scores decide, and which contrasts of the predictors a table shows.
"""

from tacit.models.choice import KNOWN, LabelModel, scalar_model, softmax_model
from tacit.models.family import Family
from tacit.models.linear import linear
from tacit.models.logistic import logistic
from tacit.models.poisson import poisson
from tacit.models.scalar import ScalarModel
from tacit.models.softmax import SoftmaxModel

__all__ = [
    "KNOWN",
    "Family",
    "LabelModel",
    "ScalarModel",
    "SoftmaxModel",
    "linear",
    "logistic",
    "poisson",
    "scalar_model",
    "softmax_model",
]
