"""From known rows and their reports to a `LabelFit`."""

from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.answers import column
from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError, TooFewReportsError
from tacit.labelprivate.fitting.climb import LabelProblem, climb, gram
from tacit.labelprivate.fitting.design import LabelDesign
from tacit.labelprivate.fitting.likelihoods import Classes, Counts, Numbers, Released, YesNo
from tacit.labelprivate.fitting.profile import Profiles
from tacit.labelprivate.fitting.result import LabelFit
from tacit.labelprivate.known import KnownColumns, read_known
from tacit.labelprivate.report import numbers_of
from tacit.labels import Count
from tacit.models import Family, LabelModel, SoftmaxModel

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

MOST_COUNTS = 1000  # a likelihood is a sum over all counts, for every person
_SUSPECT = 3.0  # standard errors of predictors, in units of the family, that may be endless


def fit_labels(
    study: "LabelStudy", rows: Any, reports: Any, family: str | Family | None
) -> LabelFit:
    """Maximum likelihood of the reports given the rows; rows without a report are left out."""
    model = study.label.model(family)
    known = read_known(study, rows)
    numbers, given = numbers_of(study, reports)
    if len(given) != len(known.values):
        raise ConfigurationError(
            f"every row needs one report or None, got {len(known.values)} rows and {len(given)} "
            "reports"
        )
    if not given.any():
        raise TooFewReportsError("no row has a report: collect some before fitting anything")
    design = LabelDesign.of(
        KnownColumns(known.names, known.values[given], known.notes), study.intercept
    )
    problem = LabelProblem(
        design.z, released(study, model, numbers[given]), model.width, model.unit
    )
    weights, top = climb(problem, start_weights(study, model, design))
    to_coef = np.vstack([np.kron(design.original, contrast) for contrast in model.contrasts])
    profiles = Profiles(problem, weights, top, to_coef)
    robust = isinstance(problem.released, Numbers)
    return LabelFit(
        study=study,
        model=model,
        columns=design.names,
        weights=design.original @ weights.reshape(-1, model.width),
        estimates=_endless(profiles, to_coef @ weights),
        covariance=to_coef @ covariance(problem, weights, profiles.inverse) @ to_coef.T,
        people=int(given.sum()),
        notes=_notes(known, design, int((~given).sum())),
        profiles=None if robust else profiles,
    )


def released(study: "LabelStudy", model: LabelModel, numbers: Integers) -> Released:
    """What reports say, by the law of the mechanism and the model of the label."""
    mechanism, label = study.mechanism, study.label
    if isinstance(model, SoftmaxModel):
        return Classes(mechanism.chances(numbers, np.eye(label.class_count)), model)
    if label.classes:
        law = mechanism.chances(np.arange(2), np.eye(2))
        return YesNo(numbers, law / law.sum(axis=0), model.family)
    if isinstance(label, Count) and model.name == "poisson" and not model.own:
        return _counts(study, label.cap, numbers)
    middle, half = (model.low + model.high) / 2, (model.high - model.low) / 2
    values = middle + half * mechanism.value(numbers)
    return Numbers(values, model.family, float(np.std(values)) or half)


def _counts(study: "LabelStudy", cap: int, numbers: Integers) -> Counts:
    if cap > MOST_COUNTS:
        raise ConfigurationError(
            f"a Poisson model of released counts needs a cap of at most {MOST_COUNTS}, got "
            f"cap={cap}; restate the label as tacit.Bounded, or pass a family of your own"
        )
    distinct, which = np.unique(numbers, return_inverse=True)
    inputs = study.inputs(study.label.weights(column(np.arange(cap + 1))))
    return Counts(study.mechanism.chances(distinct, inputs), which)


def start_weights(study: "LabelStudy", model: LabelModel, design: LabelDesign) -> Floats:
    """Weights whose predictor is the model's origin (zero where there is no intercept)."""
    weights = np.zeros((design.z.shape[1], model.width))
    if study.intercept:
        weights[0] = model.origin
    return weights.ravel()


def covariance(problem: LabelProblem, weights: Floats, inverse: Floats) -> Floats:
    """Of the weights: the inverse information, or a sandwich where only the mean is assumed."""
    if not isinstance(problem.released, Numbers):
        return inverse
    _, score = problem.released.look(problem.predictor(weights))
    squares = gram(problem.z, score[:, :, None] * score[:, None, :])
    return np.asarray(inverse @ squares @ inverse)


def _endless(profiles: Profiles, coef: Floats) -> Floats:
    """Coefficients, infinite where the likelihood rises for ever with them."""
    size = np.linalg.norm(profiles.directions, axis=1)
    sizes = profiles.standard_errors / np.where(size > 0, size, 1.0) / profiles.problem.unit
    if isinstance(profiles.problem.released, Numbers):
        return coef
    away = [profiles.runs_away(j) if sizes[j] > _SUSPECT else 0.0 for j in range(len(coef))]
    return np.asarray(coef + np.array(away))


def _notes(known: KnownColumns, design: LabelDesign, silent: int) -> tuple[str, ...]:
    left_out = (f"{silent:,} rows without a report are left out.",) if silent else ()
    dropped = ", ".join(f"{name} ({why})" for name, why in design.dropped.items())
    return (*known.notes, *left_out, *((f"Left out: {dropped}.",) if dropped else ()))
