"""The model file: a study with its solutions by name, sealed by its hash."""

from typing import TYPE_CHECKING, Any, get_origin

import msgspec
import numpy as np

from tacit import errors
from tacit.errors import ConfigurationError, StudyFileError, TacitError
from tacit.inference.coefficients import coefficient_names
from tacit.inference.solution import Failure, Solution, Uncertainty
from tacit.inference.solutions import SOLUTIONS
from tacit.models import Family
from tacit.models.saved import own_values, saved_model
from tacit.study import Study, document
from tacit.study.checks import check_study

if TYPE_CHECKING:
    from tacit.inference.result import Fit

_KIND = "model"
_VERSION = 2
_ADVICE = "write it again with `tacit fit`"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`own_values` tell a family of one's own from another; they are empty for a known one."""

    version: int
    study: Study
    family: str
    own_values: list[float]
    reports: int
    public_rows: int
    solutions: dict[str, Solution | Failure]
    notes: tuple[str, ...]


def to_bytes(fit: "Fit") -> bytes:
    """Canonical JSON, sealed by its hash."""
    content = _File(
        version=_VERSION,
        study=fit.study,
        family=fit.model.name,
        own_values=own_values(fit.model),
        reports=fit.reports,
        public_rows=fit.public_rows,
        solutions=dict(fit.solutions),
        notes=fit.notes,
    )
    return document.wrap(_KIND, msgspec.json.encode(content, enc_hook=_written))


def from_bytes(made: type["Fit"], data: bytes, family: Family | None) -> "Fit":
    """Decode and check a model file; `family` is the object it was fitted with, if one's own."""
    content = document.decode(
        _KIND, document.unwrap(_KIND, data), _File, _VERSION, dec_hook=_read, enc_hook=_written
    )
    try:
        check_study(content.study)
    except ConfigurationError as error:
        raise StudyFileError(f"the study in the model file contradicts itself: {error}") from error
    _check_solutions(content)
    return made(
        study=content.study,
        model=saved_model(content.study.label.model, content.family, content.own_values, family),
        reports=content.reports,
        public_rows=content.public_rows,
        solutions=content.solutions,
        notes=content.notes,
    )


def _written(value: Any) -> Any:
    """Arrays as lists, the kind of a failure by its name."""
    return value.tolist() if isinstance(value, np.ndarray) else value.__name__


def _read(kind: Any, value: Any) -> Any:
    if get_origin(kind) is not type:
        return np.array(value, dtype=np.float64)
    named = getattr(errors, str(value), None)
    if not (isinstance(named, type) and issubclass(named, TacitError)):
        raise ValueError(f"unknown failure {value!r}")
    return named


def _check_solutions(content: _File) -> None:
    """The solutions that a fit has, in the shapes of the study."""
    absent = SOLUTIONS.keys() - content.solutions.keys()
    if absent:
        raise StudyFileError(f"the model file lacks the solutions {sorted(absent)}; {_ADVICE}")
    count = len(coefficient_names(content.study))
    for found in content.solutions.values():
        if isinstance(found, Failure):
            continue
        shapes: dict[str, tuple[int, ...]] = {
            "weights": (content.study.dimension,),
            "coef": (count,),
        }
        if isinstance(found.uncertainty, Uncertainty):
            shapes |= {"covariance": (count, count), "variance_by_cause": (3, count)}
        for name, shape in shapes.items():
            if getattr(found, name).shape != shape:
                raise StudyFileError(f"the model file's {name} is not of shape {shape}; {_ADVICE}")
