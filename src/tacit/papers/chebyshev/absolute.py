"""The absolute loss of Remark 15 with scikit-learn's face."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.errors import ConfigurationError, LabelError
from tacit.papers.chebyshev import series
from tacit.papers.chebyshev.base import OneReport
from tacit.papers.chebyshev.oracle import AbsoluteOracle
from tacit.papers.chebyshev.play import Oracle
from tacit.papers.common import Calibration, Floats


class AbsoluteRegression(RegressorMixin, OneReport):
    """Remark 15: minimise |<w,x> - y| over |w| <= 1, x and y scaled to [-1, 1].

    `label_range` must hold every label; `coef_` and `intercept_` are in the units of X and y. The
    rest is as in `HingeClassifier`. The remark prints no noise: "paper" has that of Algorithm 1.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        target_error: float = 1.0,
        degree: int | None = None,
        smoothing: float | None = None,
        radius: float = 1.0,
        label_range: tuple[float, float] = (-1.0, 1.0),
        calibration: Calibration = "exact",
        printed: bool = False,
        batch_size: int = 1,
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.delta = delta
        self.target_error = target_error
        self.degree = degree
        self.smoothing = smoothing
        self.radius = radius
        self.label_range = label_range
        self.calibration = calibration
        self.printed = printed
        self.batch_size = batch_size
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> "AbsoluteRegression":
        """Send every row with its label through a simulated device, and learn from the reports."""
        X, y = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        low, high = self.label_range
        if not (np.isfinite([low, high]).all() and low < high):
            raise ConfigurationError(
                f"label_range must be (low, high) with low < high, got label_range="
                f"{self.label_range!r}"
            )
        labels = np.asarray(y, dtype=np.float64)
        if labels.min() < low or labels.max() > high:
            raise LabelError(
                f"y holds labels from {labels.min():g} to {labels.max():g}, outside label_range="
                f"{self.label_range!r}; correct the rows or state a range that holds them"
            )
        centre, half = (low + high) / 2.0, (high - low) / 2.0
        w = self._play(np.asarray(X), (labels - centre) / half)
        self.coef_, self.intercept_ = w * half / self.radius, centre
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """The middle label of rows like each."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(rows @ self.coef_ + self.intercept_)

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        beta = self._beta(0.25)
        approximation = self._approximate(series.sign(beta), 4.0)
        release = self._release("residual", features, approximation)
        return AbsoluteOracle(release, approximation, beta)
