"""The model of a study's label."""

from tacit.labels import Label
from tacit.models import Family, LabelModel


def model_for(label: Label, family: str | Family | None = None) -> LabelModel:
    """The label's own model, a known family by name, or a family of one's own."""
    return label.model(family)
