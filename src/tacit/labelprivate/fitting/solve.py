"""From known rows and their reports to a `LabelFit`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from tacit.answers import column
from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError, TooFewReportsError
from tacit.labelprivate.fitting.climb import LabelProblem, climb, gram
from tacit.labelprivate.fitting.design import LabelDesign
from tacit.labelprivate.fitting.likelihoods import Classes, Counts, Numbers, Released, YesNo
from tacit.labelprivate.fitting.prior import SAFETY, best_signal, prior_precision
from tacit.labelprivate.fitting.profile import Profile
from tacit.labelprivate.fitting.result import LabelFit
from tacit.labelprivate.known import KnownColumns, read_known
from tacit.labelprivate.report import numbers_of
from tacit.labels import Count
from tacit.models import Family, LabelModel, SoftmaxModel

if TYPE_CHECKING:
    from tacit.labelprivate.study import LabelStudy

MOST_COUNTS = 1000  # a likelihood is a sum over all counts, for every person


def fit_labels(
    study: "LabelStudy", rows: Any, reports: Any, family: str | Family | None
) -> LabelFit:
    """What the reports say given the rows; rows without a report are left out."""
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
    problem = label_problem(study, model, design, numbers[given])
    to_coef = coefficients_of(model, design)
    weights, signal = problem.centre, 0.0
    profiles: tuple[Profile, ...] = ()
    if not isinstance(problem.released, Numbers):
        signal = best_signal(problem, model.contrasts, study.intercept)
        priors = [
            prior_precision(problem, model.contrasts, study.intercept, one)
            for one in (signal, SAFETY * signal)
        ]
        profiles, weights = _profiles(problem, to_coef, *priors)
        estimates = np.array([profile.estimate for profile in profiles])
        errors = np.array([profile.standard_error for profile in profiles])
    else:
        weights, _ = climb(problem, weights)
        estimates = to_coef @ weights
        spread = covariance(problem, weights)
        errors = np.sqrt(np.einsum("cp,pq,cq->c", to_coef, spread, to_coef))
    return LabelFit(
        study=study,
        model=model,
        columns=design.names,
        weights=design.original @ weights.reshape(-1, model.width),
        estimates=estimates,
        standard_errors=errors,
        signal=signal,
        people=int(given.sum()),
        notes=_notes(known, design, int((~given).sum())),
        profiles=profiles,
    )


def label_problem(
    study: "LabelStudy", model: LabelModel, design: LabelDesign, numbers: Integers
) -> LabelProblem:
    """The likelihood of the reports, without a prior; it is centred at the model's origin."""
    centre = np.zeros((design.z.shape[1], model.width))
    if study.intercept:
        centre[0] = model.origin
    none = np.zeros((centre.size, centre.size))
    return LabelProblem(design.z, released(study, model, numbers), model.unit, centre.ravel(), none)


def coefficients_of(model: LabelModel, design: LabelDesign) -> Floats:
    """The matrix from flat weights to coefficients."""
    return np.vstack([np.kron(design.original, contrast) for contrast in model.contrasts])


def _profiles(
    problem: LabelProblem, to_coef: Floats, best: Floats, weak: Floats
) -> tuple[tuple[Profile, ...], Floats]:
    """Of every coefficient, under the weaker prior; and the weights under the best."""
    predicting, _ = climb(replace(problem, precision=best), problem.centre)
    under = replace(problem, precision=weak)
    weights, _ = climb(under, predicting)
    inverse = under.inverse(weights)
    return tuple(Profile.of(under, row, weights, inverse) for row in to_coef), predicting


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


def covariance(problem: LabelProblem, weights: Floats) -> Floats:
    """Of the weights: the inverse information, or a sandwich where only the mean is assumed."""
    inverse = problem.inverse(weights)
    if not isinstance(problem.released, Numbers):
        return inverse
    _, score = problem.released.look(problem.predictor(weights))
    squares = gram(problem.z, score[:, :, None] * score[:, None, :])
    return np.asarray(inverse @ squares @ inverse)


def _notes(known: KnownColumns, design: LabelDesign, silent: int) -> tuple[str, ...]:
    left_out = (f"{silent:,} rows without a report are left out.",) if silent else ()
    dropped = ", ".join(f"{name} ({why})" for name, why in design.dropped.items())
    return (*known.notes, *left_out, *((f"Left out: {dropped}.",) if dropped else ()))
