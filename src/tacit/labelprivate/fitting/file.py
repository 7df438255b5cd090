"""The model file of a label study: the study with what was found, sealed by its hash."""

from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, StudyFileError
from tacit.labelprivate.study import LabelStudy
from tacit.models import Family, LabelModel
from tacit.models.saved import own_values, saved_model
from tacit.study import document

if TYPE_CHECKING:
    from tacit.labelprivate.fitting.result import LabelFit

LABEL_MODEL = "label_model"
_VERSION = 1


class _ModelFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`own_values` tell a family of one's own from another; infinite numbers are texts."""

    version: int
    study: LabelStudy
    family: str
    own_values: list[float]
    people: int
    columns: tuple[str, ...]
    weights: Floats
    estimates: Floats
    standard_errors: Floats
    signal: float
    level: float
    interval: Floats
    notes: tuple[str, ...]


def to_bytes(fit: "LabelFit", level: float) -> bytes:
    """Canonical JSON, sealed by its hash."""
    content = _ModelFile(
        version=_VERSION,
        study=fit.study,
        family=fit.model.name,
        own_values=own_values(fit.model),
        people=fit.people,
        columns=fit.columns,
        weights=fit.weights,
        estimates=fit.estimates,
        standard_errors=fit.standard_errors,
        signal=fit.signal,
        level=level,
        interval=fit.conf_int(level),
        notes=fit.notes,
    )
    return document.wrap(LABEL_MODEL, msgspec.json.encode(content, enc_hook=_written))


def from_bytes(made: type["LabelFit"], data: bytes, family: Family | None) -> "LabelFit":
    """Decode and check a model file; `family` is the object it was fitted with, if one's own."""
    body = document.unwrap(LABEL_MODEL, data)
    try:
        content = document.decode(
            LABEL_MODEL, body, _ModelFile, _VERSION, dec_hook=_read, enc_hook=_written
        )
    except ConfigurationError as error:
        raise StudyFileError(f"the study in the model file contradicts itself: {error}") from error
    make = content.study.label.model
    model = saved_model(make, content.family, content.own_values, family)
    _check_shapes(content, model)
    return made(
        study=content.study,
        model=model,
        columns=content.columns,
        weights=content.weights,
        estimates=content.estimates,
        standard_errors=content.standard_errors,
        signal=content.signal,
        people=content.people,
        notes=content.notes,
        stored={content.level: content.interval},
    )


def _written(value: Any) -> Any:
    """Arrays as lists of numbers, infinite ones as texts."""
    if np.isfinite(value).all():
        return value.tolist()
    return [_written(part) if np.ndim(part) else _number(part) for part in value]


def _number(value: float) -> float | str:
    return float(value) if np.isfinite(value) else str(float(value))


def _read(_: Any, value: Any) -> Floats:
    return np.array(value, dtype=np.float64)


def _check_shapes(content: _ModelFile, model: LabelModel) -> None:
    columns = len(content.columns)
    count = columns * len(model.contrasts)
    shapes = {
        "weights": (columns, model.width),
        "estimates": (count,),
        "standard_errors": (count,),
        "interval": (count, 2),
    }
    for name, shape in shapes.items():
        if getattr(content, name).shape != shape:
            raise StudyFileError(
                f"the model file's {name} is not of shape {shape}; write it again with `tacit fit`"
            )
