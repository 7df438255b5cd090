"""Poisson regression for counts with a stated cap."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from tacit.errors import ConfigurationError
from tacit.estimators.base import Floats, PrivateEstimator, label_column
from tacit.labels import Count
from tacit.models import poisson

_NEEDS_CAP = (
    "cap=None: state the count above which devices report the cap itself, cap=20 for instance, "
    "from what is known about the question; the fit corrects for the capping"
)


class PoissonRegressor(RegressorMixin, PrivateEstimator):
    """Locally private Poisson regression; devices report min(count, cap), and the fit knows it.

    `coef_` and `intercept_` are those that predict (empirical Bayes); `summary()` and
    `conf_int()` show profile likelihood.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        cap: int | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.cap = cap
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = (
            True  # privacy noise drowns the few hundred rows of a check
        )
        tags.target_tags.positive_only = True
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, public: ArrayLike | None = None
    ) -> "PoissonRegressor":
        """Send every row of X with its count through a simulated device, and fit the tally."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        if self.cap is None:
            raise ConfigurationError(_NEEDS_CAP)
        label, values = Count(label_column(self), self.cap), np.asarray(y, dtype=np.float64)
        label.check(values)
        self._run(np.asarray(X), label, label.weights(values), public, ())
        coef, intercept = self._coefficients()
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """The expected count of each row, before capping."""
        cap = self.cap or 1
        return poisson(cap).predicted(self._rows(X) @ self.coef_ + self.intercept_)
