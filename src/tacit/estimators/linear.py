"""Linear regression with a stated label range."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import validate_data

from tacit.errors import ConfigurationError
from tacit.estimators.base import Floats, PrivateEstimator, label_column
from tacit.labels import Bounded

_NEEDS_RANGE = (
    "label_range=None: state the smallest and largest label, label_range=(low, high), from what is "
    "known about the question. A range read from private labels would disclose its extremes"
)


class LinearRegression(RegressorMixin, PrivateEstimator):
    """Locally private linear regression. `label_range=(low, high)` must hold every label.

    `coef_` and `intercept_` are those that predict (empirical Bayes); `summary()` and
    `conf_int()` show profile likelihood.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_range: tuple[float, float] | None = None,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_range = label_range
        self.fit_intercept = fit_intercept
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = (
            True  # privacy noise drowns the few hundred rows of a check
        )
        return tags

    def fit(
        self, X: ArrayLike, y: ArrayLike, public: ArrayLike | None = None
    ) -> "LinearRegression":
        """Send every row of X with its label through a simulated device, and fit the tally."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        if self.label_range is None:
            raise ConfigurationError(_NEEDS_RANGE)
        low, high = self.label_range
        label, values = Bounded(label_column(self), low, high), np.asarray(y, dtype=np.float64)
        label.check(values)
        self._run(np.asarray(X), label, label.weights(values), public, ())
        coef, intercept = self._coefficients()
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """The mean label of each row."""
        return np.asarray(self._rows(X) @ self.coef_ + self.intercept_)
