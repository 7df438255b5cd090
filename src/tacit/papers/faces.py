"""What the estimators with scikit-learn's face share: rows in, randomness, what to expect."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.arrays import Floats


class NoisyRegressor(RegressorMixin, BaseEstimator):
    """Of which no good score is to be expected: privacy noise, and features cut to their range."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        return tags


def rows_and_labels(estimator: BaseEstimator, X: ArrayLike, y: ArrayLike) -> tuple[Floats, Floats]:
    """What an estimator is fitted to, as numbers."""
    rows, labels = validate_data(estimator, X, y, dtype=np.float64, y_numeric=True)
    return np.asarray(rows), np.asarray(labels, dtype=np.float64)


def further_rows(estimator: BaseEstimator, X: ArrayLike) -> Floats:
    """What a fitted estimator predicts from: rows with the columns it was fitted to."""
    check_is_fitted(estimator, "coef_")
    return np.asarray(validate_data(estimator, X, reset=False, dtype=np.float64))


def generator_of(random_state: Any) -> np.random.Generator:
    """A generator from what scikit-learn takes as `random_state`."""
    return np.random.default_rng(check_random_state(random_state).randint(0, 2**31, size=4))
