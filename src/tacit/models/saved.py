"""A model in a file: a known family by its name; one's own by values that tell it from another."""

from collections.abc import Callable, Sequence

import numpy as np

from tacit.errors import ConfigurationError, StudyFileError
from tacit.models.choice import LabelModel
from tacit.models.family import Family


def own_values(model: LabelModel) -> list[float]:
    """All that decides on predictions, seen at a few places; nothing of a known family."""
    return _values(model) if model.own else []


def saved_model(
    make: Callable[[str | Family | None], LabelModel],
    name: str,
    values: Sequence[float],
    family: Family | None,
) -> LabelModel:
    """What `make` makes of the name, or of the object alone, which must be the same as before."""
    if not values:
        if family is not None:
            raise ConfigurationError(
                f"the model was fitted with the known family {name!r}, got family="
                f"{family.name!r}; leave family out, or fit again with it"
            )
        try:
            return make(name)
        except ConfigurationError as error:
            raise StudyFileError(f"the model file's family is not known here: {error}") from error
    if family is None:
        raise ConfigurationError(
            f"the model was fitted with a family of its author's own, {name!r}, which no "
            "file can hold; load it in Python with Fit.load(path, family=...)"
        )
    model = make(family)
    if family.name != name or not _alike(_values(model), values):
        raise ConfigurationError(
            f"family={family.name!r} is not the {name!r} that the model was fitted "
            "with; pass the same functions, unit and origin"
        )
    return model


def _values(model: LabelModel) -> list[float]:
    """The mean, and what is shown of it."""
    around = (model.origin + model.unit * np.linspace(-2.0, 2.0, 5))[:, None]
    shown = model.predicted(around).reshape(len(around), -1)[:, -1]
    return [float(value) for value in (*model.mean(around)[:, 0], *shown)]


def _alike(found: Sequence[float], stated: Sequence[float]) -> bool:
    return len(found) == len(stated) and np.allclose(found, stated, rtol=1e-9, atol=1e-12)
