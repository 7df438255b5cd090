"""What the estimators share: rows in, predictions out."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.errors import ConfigurationError
from tacit.papers.common import Floats, check_calibration
from tacit.papers.iht.problem import Problem

ROUND_NOTE = "groups are disjoint: a person answers in one round only, with one report"


class SparseRegressor(RegressorMixin, BaseEstimator):
    """A regressor without intercept whose `problem_` says how labels are measured."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True  # privacy noise, and features beyond 1 are clipped
        return tags

    def predict(self, X: ArrayLike) -> Floats:
        """The mean label of each row."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return self.problem_.family.predicted(np.asarray(rows) @ self.coef_)

    def _records(self, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
        """Rows and labels as numbers; the problem they pose is kept, its label range checked."""
        rows, labels = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        settings = {
            name: getattr(self, name)
            for name in ("keep", "radius", "noise_bound", "family")
            if hasattr(self, name)
        }
        self.problem_ = Problem.of(rows.shape[1], self.sparsity, **settings)
        labels = np.asarray(labels, dtype=np.float64)
        self.problem_.check_labels(labels)
        return np.asarray(rows), labels


def chosen_mechanism(name: str | None, calibration: str, pure: tuple[str, ...]) -> str:
    """The first of the eps-private mechanisms unless said otherwise; printed noise is Gaussian."""
    check_calibration(calibration)
    chosen = name or ("gaussian" if calibration == "paper" else pure[0])
    if chosen not in (*pure, "gaussian"):
        raise ConfigurationError(
            f"mechanism must be one of {(*pure, 'gaussian')} or None, got mechanism={name!r}"
        )
    if calibration == "paper" and chosen != "gaussian":
        raise ConfigurationError(
            f"calibration='paper' is Gaussian noise, got mechanism={name!r}; leave mechanism "
            "out, or use calibration='exact'"
        )
    return chosen
