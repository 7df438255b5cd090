"""The model file: a study with its solutions by name, sealed by its hash."""

from typing import TYPE_CHECKING, Any, get_origin

import msgspec
import numpy as np

from tacit import errors
from tacit.errors import ConfigurationError, StudyFileError, TacitError
from tacit.inference.chi_square import Test
from tacit.inference.coefficients import coefficient_names
from tacit.inference.intervals import Table
from tacit.inference.solution import Failure, Solution, Uncertainty
from tacit.inference.solutions import SOLUTIONS
from tacit.inference.terms import Terms
from tacit.models import Family
from tacit.models.saved import own_values, saved_model
from tacit.study import Study, document
from tacit.study.checks import check_study

if TYPE_CHECKING:
    from tacit.inference.result import Fit

_KIND = "model"
_VERSION = 3
_ADVICE = "write it again with `tacit fit`"


class _File(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`own_values` tell a family of one's own from another; they are empty for a known one."""

    version: int
    study: Study
    family: str
    own_values: list[float]
    reports: int
    public_rows: int
    effective_rows: int
    terms: Terms
    solutions: dict[str, Solution | Failure]
    tables: tuple[Table, ...]
    notes: tuple[str, ...]
    left_out: Test | None = None


def to_bytes(fit: "Fit") -> bytes:
    """Canonical JSON, sealed by its hash."""
    content = _File(
        version=_VERSION,
        study=fit.study,
        family=fit.model.name,
        own_values=own_values(fit.model),
        reports=fit.reports,
        public_rows=fit.public_rows,
        effective_rows=fit.effective_rows,
        terms=fit.terms,
        solutions=fit.every_solution(),
        tables=fit.every_table(),
        notes=fit.notes,
        left_out=fit.left_out,
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
        effective_rows=content.effective_rows,
        terms=content.terms,
        solutions=content.solutions,
        tables={(table.intervals, table.level): table for table in content.tables},
        notes=content.notes,
        left_out=content.left_out,
    )


def _written(value: Any) -> Any:
    """Arrays as lists, with "inf" and "nan" in words; the kind of a failure by its name."""
    if not isinstance(value, np.ndarray):
        return value.__name__
    if np.isfinite(value).all():
        return value.tolist()
    return [number if np.isfinite(number) else str(number) for number in value.tolist()]


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
    count = _checked_terms(content)
    for table in content.tables:
        columns = (table.estimate, table.standard_errors, table.low, table.high, table.z, table.raw)
        if any(column.shape != (count,) for column in columns):
            raise StudyFileError(f"a table of the model file has not {count} lines; {_ADVICE}")
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


def _checked_terms(content: _File) -> int:
    """How many terms there are, all different and of coefficients that the study has."""
    terms, known = content.terms, len(coefficient_names(content.study))
    places = [place for places in terms.members for place in places]
    sound = len(terms.names) == len(terms.members) > 0 and all(terms.members)
    if not sound or len(set(places)) < len(places) or not set(places) <= set(range(known)):
        raise StudyFileError(f"the terms of the model file are not those of its study; {_ADVICE}")
    return len(terms.names)
