"""Logistic regression, binary and multinomial."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.estimators.base import PrivateEstimator, label_column
from tacit.estimators.rows import read_people
from tacit.labels import Binary, Categorical

_READ_FROM_Y = (
    "the classes were read from y, that is, from private records; name them with classes= as a "
    "real study must"
)


class LogisticRegression(ClassifierMixin, PrivateEstimator):
    """Locally private logistic regression; several classes are multinomial.

    `coef_` (of the columns `feature_names_out_`) and `intercept_` are those that predict;
    `summary()` and `conf_int()` show profile intervals. `classes` names the classes, so that none
    is read from `y`. `fit_` is the tacit `Fit`, `guarantee_` what was promised.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        classes: ArrayLike | None = None,
        fit_intercept: bool = True,
        purpose: str = "predictions",
        focus: str | Sequence[str] = (),
        private: str = "record",
        random_state: Any = None,
    ) -> None:
        self.epsilon = epsilon
        self.classes = classes
        self.fit_intercept = fit_intercept
        self.purpose = purpose
        self.focus = focus
        self.private = private
        self.random_state = random_state

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = (
            True  # privacy noise drowns the few hundred rows of a check
        )
        return tags

    def fit(self, X: Any, y: ArrayLike, public: Any = None) -> "LogisticRegression":
        """Send every row of X with its label through a simulated device, and fit the tally."""
        people, y = read_people(self, X, y, numeric=False)
        check_classification_targets(y)
        self.classes_ = self._stated_classes(y)
        weights = (y[:, None] == self.classes_).astype(np.float64)
        names = [str(name) for name in self.classes_]
        column = label_column(people)
        label = (
            Binary(column, positive=names[1], negative=names[0])
            if len(names) == 2
            else Categorical(column, tuple(names))
        )
        notes = (_READ_FROM_Y,) if self.classes is None else ()
        model = self._run(people, label, weights, public, notes)
        coef, intercept = self._coefficients()
        self.coef_, self.intercept_ = model.scores @ coef, model.scores @ intercept
        return self

    def decision_function(self, X: Any) -> Floats:
        """Log-odds (n,) of the second class, or logits (n, K)."""
        rows = self._rows(X)
        return self.fit_.decision_function(rows)

    def predict_proba(self, X: Any) -> Floats:
        """Class probabilities (n, K) in the order of `classes_`."""
        rows = self._rows(X)
        return self.fit_.predict_proba(rows)

    def predict(self, X: Any) -> NDArray[Any]:
        """The likeliest class of each row."""
        likeliest = self.predict_proba(X).argmax(axis=1)
        return np.asarray(self.classes_[likeliest])

    def _stated_classes(self, y: NDArray[Any]) -> NDArray[Any]:
        seen = np.unique(y)
        if self.classes is None:
            if len(seen) < 2:
                raise LabelError(
                    f"y holds one class only, {seen.tolist()}; name all classes with classes="
                )
            return seen
        stated = np.asarray(self.classes)
        if stated.ndim != 1 or len(np.unique(stated)) < max(2, len(stated)):
            raise ConfigurationError(
                f"classes must name at least two different classes, got classes={self.classes!r}"
            )
        outside = np.setdiff1d(seen, stated)
        if len(outside):
            raise LabelError(
                f"y holds {outside.tolist()}, which classes={stated.tolist()} does not name; "
                "correct the rows or name every class"
            )
        return stated
