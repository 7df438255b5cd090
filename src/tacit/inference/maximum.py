"""The solution "maximum": maximum likelihood, whose table of coefficients has honest intervals."""

import numpy as np

from tacit.arrays import Floats
from tacit.errors import NoFiniteMaximumError
from tacit.inference.coefficients import coefficient_names, covariance_by_cause, to_coefficients
from tacit.inference.design import Design
from tacit.inference.likelihood import Likelihood
from tacit.inference.maximise import Endless, maximise
from tacit.inference.solution import Solution, Uncertainty
from tacit.study import Study

_NAMED = 3  # columns of a runaway direction that an error names


def maximum(likelihood: Likelihood) -> Solution:
    """Solve, and propagate the tally's covariance; raises where no finite maximum exists."""
    design, observed = likelihood.design, likelihood.observed
    weights = maximise(design, observed.mean, likelihood.start)
    if isinstance(weights, Endless):
        raise NoFiniteMaximumError(_explain(likelihood, weights.direction))
    to_coef = to_coefficients(likelihood.study, design.model)
    parts = design.variance(weights, observed.people, observed.noise)
    by_cause = covariance_by_cause(design, weights, parts, to_coef)
    variance_by_cause = np.array([np.diag(part) for part in by_cause])
    uncertainty = Uncertainty(by_cause.sum(axis=0), variance_by_cause)
    return Solution("maximum", weights, to_coef @ weights, uncertainty)


def _explain(likelihood: Likelihood, direction: Floats) -> str:
    """Names the coefficients that run away, by how much each moves the predictor."""
    study, design = likelihood.study, likelihood.design
    names = coefficient_names(study)
    moved = to_coefficients(study, design.model) @ direction * _column_spread(study, design)
    first = np.argsort(-np.abs(moved), kind="stable")[:_NAMED]
    told = ", ".join(f"{names[i]} ({'+' if moved[i] > 0 else '-'})" for i in first)
    return (
        f"no finite maximum of the likelihood: {likelihood.observed.people:,.0f} people at epsilon="
        f"{study.epsilon:g} push these coefficients beyond every bound: {told}. The noise exceeds "
        "the signal there, or the label is (almost) decided by them. What helps: more people (see "
        "`tacit plan`), a larger epsilon in a new study, or fewer features. Predictions from these "
        "reports work"
    )


def _column_spread(study: Study, design: Design) -> Floats:
    """Standard deviation of each column over the public rows, 1 for the intercept."""
    transform = study.transform
    kept = design.z[:, 1:] if transform.intercept else design.z
    loadings = np.linalg.pinv(np.asarray(transform.matrix))
    columns = np.sqrt(design.share @ (kept @ loadings.T) ** 2)
    spread = np.concatenate([[1.0], columns]) if transform.intercept else columns
    return np.tile(spread, design.model.width)
