"""Poisson regression for counts with a stated cap."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin

from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.estimators.base import PrivateEstimator, label_column
from tacit.estimators.rows import read_people
from tacit.labels import Count

_NEEDS_CAP = (
    "cap=None: state the count above which devices report the cap itself, cap=20 for instance, "
    "from what is known about the question; the fit corrects for the capping"
)


class PoissonRegressor(RegressorMixin, PrivateEstimator):
    """Locally private Poisson regression; devices report min(count, cap), and the fit knows it.

    `coef_` (of the columns `feature_names_out_`) and `intercept_` are those that predict;
    `summary()` and `conf_int()` show profile intervals.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        cap: int | None = None,
        fit_intercept: bool = True,
        purpose: str = "predictions",
        focus: str | Sequence[str] = (),
        private: str = "record",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.cap = cap
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
        tags.target_tags.positive_only = True
        return tags

    def fit(self, X: Any, y: ArrayLike, public: Any = None) -> "PoissonRegressor":
        """Send every row of X with its count through a simulated device, and fit the tally."""
        people, y = read_people(self, X, y, numeric=True)
        if self.cap is None:
            raise ConfigurationError(_NEEDS_CAP)
        label = Count(label_column(people), self.cap)
        label.check(y)
        self._run(people, label, label.weights(y), public, ())
        coef, intercept = self._coefficients()
        self.coef_, self.intercept_ = coef[0], float(intercept[0])
        return self

    def predict(self, X: Any) -> Floats:
        """The expected count of each row, before capping."""
        rows = self._rows(X)
        return np.asarray(self.fit_.predict(rows))
