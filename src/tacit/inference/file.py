"""The model file: a study with its solutions by name, sealed by its hash."""

from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from tacit import errors
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, StudyFileError, TacitError
from tacit.inference.coefficients import to_coefficients
from tacit.inference.labelled import model_for
from tacit.inference.solution import Failure, Solution, Uncertainty
from tacit.inference.solutions import SOLUTIONS
from tacit.models import Family, LabelModel
from tacit.study import Study, document
from tacit.study.checks import check_study

if TYPE_CHECKING:
    from tacit.inference.result import Fit

_KIND = "model"
_VERSION = 2
_ADVICE = "write it again with `tacit fit`"


class _Failure(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="failure"):
    kind: str
    message: str


class _Uncertainty(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="covariance"):
    covariance: list[list[float]]
    variance_by_cause: list[list[float]]


class _Solution(msgspec.Struct, frozen=True, forbid_unknown_fields=True, tag="solution"):
    weights: list[float]
    uncertainty: _Uncertainty | _Failure
    chosen: dict[str, float]
    notes: tuple[str, ...]


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`own_means` tell a family of one's own from another; they are empty for a known one."""

    version: int
    study: Study
    family: str
    own_means: list[float]
    reports: int
    public_rows: int
    solutions: dict[str, _Solution | _Failure]
    notes: tuple[str, ...]


def to_bytes(fit: "Fit") -> bytes:
    """Canonical JSON, sealed by its hash."""
    content = _File(
        version=_VERSION,
        study=fit.study,
        family=fit.model.name,
        own_means=_means(fit.model) if fit.model.own else [],
        reports=fit.reports,
        public_rows=fit.public_rows,
        solutions={name: _solution_out(found) for name, found in fit.solutions.items()},
        notes=fit.notes,
    )
    return document.wrap(_KIND, msgspec.json.encode(content))


def from_bytes(made: type["Fit"], data: bytes, family: Family | None) -> "Fit":
    """Decode and check a model file; `family` is the object it was fitted with, if one's own."""
    content = document.decode(_KIND, document.unwrap(_KIND, data), _File, _VERSION)
    try:
        check_study(content.study)
    except ConfigurationError as error:
        raise StudyFileError(f"the study in the model file contradicts itself: {error}") from error
    absent = SOLUTIONS.keys() - content.solutions.keys()
    if absent:
        raise StudyFileError(f"the model file lacks the solutions {sorted(absent)}; {_ADVICE}")
    model = _model(content, family)
    to_coef = to_coefficients(content.study, model)
    return made(
        study=content.study,
        model=model,
        reports=content.reports,
        public_rows=content.public_rows,
        solutions={
            name: _solution_in(name, found, to_coef) for name, found in content.solutions.items()
        },
        notes=content.notes,
    )


def _model(content: _File, family: Family | None) -> LabelModel:
    """A known family by its name; one's own from the object alone, which must be the same."""
    if not content.own_means:
        if family is not None:
            raise ConfigurationError(
                f"the model was fitted with the known family {content.family!r}, got family="
                f"{family.name!r}; leave family out, or fit the tally again with it"
            )
        return model_for(content.study.label, content.family)
    if family is None:
        raise ConfigurationError(
            f"the model was fitted with a family of its author's own, {content.family!r}, which no "
            "file can hold; load it in Python with tacit.Fit.load(path, family=...)"
        )
    model = model_for(content.study.label, family)
    if family.name != content.family or not np.allclose(_means(model), content.own_means, 1e-9):
        raise ConfigurationError(
            f"family={family.name!r} is not the {content.family!r} that the model was fitted "
            "with; pass the same functions, unit and origin"
        )
    return model


def _means(model: LabelModel) -> list[float]:
    around = model.origin + model.unit * np.linspace(-2.0, 2.0, 5)
    return [float(mean) for mean in model.mean(around[:, None])[:, 0]]


def _solution_out(found: Solution | Failure) -> _Solution | _Failure:
    if isinstance(found, Failure):
        return _failure_out(found)
    sure = found.uncertainty
    return _Solution(
        weights=found.weights.tolist(),
        uncertainty=_failure_out(sure)
        if isinstance(sure, Failure)
        else _Uncertainty(sure.covariance.tolist(), sure.variance_by_cause.tolist()),
        chosen=dict(found.chosen),
        notes=found.notes,
    )


def _failure_out(failure: Failure) -> _Failure:
    return _Failure(failure.kind.__name__, failure.message)


def _solution_in(name: str, found: _Solution | _Failure, to_coef: Floats) -> Solution | Failure:
    if isinstance(found, _Failure):
        return _failure_in(found)
    count, size = to_coef.shape
    weights = _array(found.weights, (size,))
    sure = found.uncertainty
    uncertainty = (
        _failure_in(sure)
        if isinstance(sure, _Failure)
        else Uncertainty(
            _array(sure.covariance, (count, count)), _array(sure.variance_by_cause, (3, count))
        )
    )
    return Solution(name, weights, to_coef @ weights, uncertainty, found.chosen, found.notes)


def _failure_in(failure: _Failure) -> Failure:
    kind = getattr(errors, failure.kind, None)
    if not (isinstance(kind, type) and issubclass(kind, TacitError)):
        raise StudyFileError(f"the model file names an unknown failure {failure.kind!r}; {_ADVICE}")
    return Failure(kind, failure.message)


def _array(numbers: list[float] | list[list[float]], shape: tuple[int, ...]) -> Floats:
    with suppress(ValueError):  # rows of unequal lengths
        found = np.array(numbers, dtype=np.float64)
        if found.shape == shape:
            return found
    raise StudyFileError(f"the model file's arrays do not have its study's shapes; {_ADVICE}")
