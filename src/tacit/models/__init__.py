"""How the mean of a label follows from the linear predictor, and what that says of reports."""

from tacit.models.choice import KNOWN, scalar_model, softmax_model
from tacit.models.family import Family
from tacit.models.linear import linear
from tacit.models.logistic import logistic
from tacit.models.model import LabelModel
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
