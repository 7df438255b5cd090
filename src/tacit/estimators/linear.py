"""Linear regression with a stated label range."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.estimators.base import PrivateEstimator, label_column
from tacit.estimators.rows import read_people
from tacit.labels import Bounded

_NEEDS_RANGE = (
    "label_range=None: state the smallest and largest label, label_range=(low, high), from what is "
    "known about the question. A range read from private labels would disclose its extremes"
)


class LinearRegression(RegressorMixin, PrivateEstimator):
    """Locally private linear regression. `label_range=(low, high)` must hold every label.

    `coef_` (of the columns `feature_names_out_`) and `intercept_` are those that predict;
    `summary()` and `conf_int()` show profile intervals.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        label_range: tuple[float, float] | None = None,
        fit_intercept: bool = True,
        purpose: str = "predictions",
        focus: str | Sequence[str] = (),
        private: str = "record",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.label_range = label_range
        self.fit_intercept = fit_intercept
        self.purpose = purpose
        self.focus = focus
        self.private = private
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = (
            True  # privacy noise drowns the few hundred rows of a check
        )
        return tags

    def fit(self, X: Any, y: ArrayLike, public: Any = None) -> "LinearRegression":
        """Send every row of X with its label through a simulated device, and fit the tally."""
        people, y = read_people(self, X, y, numeric=True)
        if self.label_range is None:
            raise ConfigurationError(_NEEDS_RANGE)
        low, high = self.label_range
        label = Bounded(label_column(people), low, high)
        label.check(y)
        self._run(people, label, label.weights(y), public, ())
        coef, intercept = self._coefficients()
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: Any) -> Floats:
        """The mean label of each row."""
        rows = self._rows(X)
        return np.asarray(self.fit_.predict(rows))
