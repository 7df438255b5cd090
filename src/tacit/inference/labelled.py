"""The model of a study's label."""

from tacit.models import Family, LabelModel, scalar_model, softmax_model
from tacit.study.labels import Binary, Categorical, Count, Label, codes, limits


def model_for(label: Label, family: str | Family | None = None) -> LabelModel:
    """The label's own model, a known family by name, or a family of one's own."""
    if isinstance(label, Categorical):
        return softmax_model(family, codes(label))
    default = {Binary: "logistic", Count: "poisson"}.get(type(label), "linear")
    return scalar_model(family, default, *limits(label), binary=isinstance(label, Binary))
