"""The table of coefficients: maximum likelihood, always, in the units of the features."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tacit.errors import NoFiniteMaximumError
from tacit.inference.likelihood import Design, Observed
from tacit.inference.mle import NoMaximum, maximise
from tacit.study import Study

Floats = NDArray[np.float64]

_NAMED = 3  # columns of a runaway direction that an error names


@dataclass(frozen=True)
class Table:
    """Coefficients with their covariance, and their variances by cause (rows: see CAUSES)."""

    coef: Floats
    covariance: Floats
    variance_by_cause: Floats

    @property
    def standard_errors(self) -> Floats:
        """Square roots of the variances."""
        return np.sqrt(np.diag(self.covariance))

    @property
    def shares(self) -> Floats:
        """Share of each coefficient's variance by cause, (3, coefficients)."""
        return np.asarray(self.variance_by_cause / self.variance_by_cause.sum(axis=0))


CAUSES = ("privacy", "people", "public rows")


def coefficient_names(study: Study) -> tuple[str, ...]:
    """Names in the order of the table; of K classes all but the first, each against it."""
    names = study.transform.names
    return tuple(
        f"{group}: {name}" if group else name for group in study.label.groups for name in names
    )


def to_coefficients(study: Study, design: Design) -> Floats:
    """The matrix from flat weights to coefficients in the units of the features."""
    original = study.transform.to_original
    return np.vstack([np.kron(original, contrast) for contrast in design.model.contrasts])


def make_table(study: Study, design: Design, observed: Observed, start: Floats) -> Table:
    """Solve, and propagate the tally's covariance; raises where no finite maximum exists."""
    try:
        weights = maximise(design, observed.mean, start)
    except NoMaximum as endless:
        raise NoFiniteMaximumError(
            _explain(study, design, endless.direction, observed.people)
        ) from None
    to_coef = to_coefficients(study, design)
    by_cause = covariance_by_cause(design, observed, weights, to_coef)
    return Table(
        to_coef @ weights,
        by_cause.sum(axis=0),
        np.array([np.diag(part) for part in by_cause]),
    )


def covariance_by_cause(
    design: Design, observed: Observed, weights: Floats, to_coef: Floats
) -> Floats:
    """J^-1 V J^-T in the units of the features, (3, c, c)."""
    parts = design.variance(weights, observed.people, observed.noise)
    spread = to_coef @ np.linalg.inv(design.jacobian(weights))
    return np.array([spread @ p @ spread.T for p in (parts.privacy, parts.people, parts.public)])


def _explain(study: Study, design: Design, direction: Floats, people: float) -> str:
    """Names the coefficients that run away, by how much each moves the predictor."""
    names = coefficient_names(study)
    moved = to_coefficients(study, design) @ direction * _column_spread(study, design)
    first = np.argsort(-np.abs(moved), kind="stable")[:_NAMED]
    told = ", ".join(f"{names[i]} ({'+' if moved[i] > 0 else '-'})" for i in first)
    return (
        f"no finite maximum of the likelihood: {people:,.0f} people at epsilon={study.epsilon:g} "
        f"push these coefficients beyond every bound: {told}. The noise exceeds the signal there, "
        "or the label is (almost) decided by them. What helps: more people (see `tacit plan`), a "
        "larger epsilon in a new study, or fewer features. Predictions from these reports work"
    )


def _column_spread(study: Study, design: Design) -> Floats:
    """Standard deviation of each column over the public rows, 1 for the intercept."""
    transform = study.transform
    kept = design.z[:, 1:] if transform.intercept else design.z
    loadings = np.linalg.pinv(np.asarray(transform.matrix))
    columns = np.sqrt(np.mean((kept @ loadings.T) ** 2, axis=0))
    spread = np.concatenate([[1.0], columns]) if transform.intercept else columns
    return np.tile(spread, design.model.width)
