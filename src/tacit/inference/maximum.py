"""The solution "maximum": maximum likelihood, which may not exist."""

import numpy as np
from scipy import linalg

from tacit.arrays import Floats
from tacit.errors import NoFiniteMaximumError
from tacit.inference.coefficients import coefficient_names, coefficient_scales, to_coefficients
from tacit.inference.likelihood import Likelihood
from tacit.inference.maximise import Endless, maximise
from tacit.inference.penalised import Penalised
from tacit.inference.solution import Solution, Uncertainty
from tacit.inference.weak import weak_mode

_NAMED = 3  # columns of a runaway direction that an error names


def maximum(likelihood: Likelihood) -> Solution:
    """Solve, and propagate the tally's covariance; raises where no finite maximum exists.

    A submodel has more equations than unknowns: its maximum is where the misfit is least.
    """
    weights = _submodel(likelihood) if likelihood.basis is not None else _square(likelihood)
    problem = Penalised.near(likelihood, weights)
    # how the weights follow the tally
    root = linalg.cholesky(problem.inverse)
    gain = likelihood.term_rows @ linalg.pinv(root @ problem.jacobian(weights)) @ root
    # the tally's covariance by cause, in the units of the features
    by_cause = np.array([gain @ part @ gain.T for part in likelihood.variance(weights).parts])
    variance_by_cause = np.array([np.diag(part) for part in by_cause])
    uncertainty = Uncertainty(by_cause.sum(axis=0), variance_by_cause)
    coef = likelihood.coefficients(weights)
    return Solution("maximum", likelihood.full(weights), coef, uncertainty)


def _square(likelihood: Likelihood) -> Floats:
    found = maximise(likelihood.design, likelihood.observed.mean, likelihood.start)
    if isinstance(found, Endless):
        raise NoFiniteMaximumError(_explain(likelihood, found.direction))
    return found


def _submodel(likelihood: Likelihood) -> Floats:
    weights = weak_mode(likelihood, flat=True).weights
    limits = [likelihood.limit(row) for row in likelihood.terms.contrasts(len(likelihood.rows))]
    beyond = np.abs(likelihood.coefficients(weights)) > limits
    if beyond.any():
        names = [name for name, so in zip(likelihood.terms.names, beyond, strict=True) if so]
        raise NoFiniteMaximumError(
            f"no finite maximum of the submodel: {', '.join(names[:_NAMED])} run beyond every "
            "bound. The profile intervals exist all the same"
        )
    return weights


def _explain(likelihood: Likelihood, direction: Floats) -> str:
    """Names the coefficients that run away, by how much each moves the predictor."""
    study, design = likelihood.study, likelihood.design
    names = coefficient_names(study)
    moved = to_coefficients(study, design.model) @ direction * coefficient_scales(study)
    first = np.argsort(-np.abs(moved), kind="stable")[:_NAMED]
    told = ", ".join(f"{names[i]} ({'+' if moved[i] > 0 else '-'})" for i in first)
    return (
        f"no finite maximum of the likelihood: {likelihood.observed.people:,.0f} people at epsilon="
        f"{study.epsilon:g} push these coefficients beyond every bound: {told}. The noise exceeds "
        "the signal there, or the label is (almost) decided by them. What helps: more people (see "
        "`tacit plan`), a larger epsilon in a new study, or fewer features. Predictions from these "
        "reports work"
    )
