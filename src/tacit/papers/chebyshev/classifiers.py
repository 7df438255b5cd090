"""Algorithms 1 and 2 with scikit-learn's face: losses f(y<w,x>), two classes."""

from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from tacit.errors import ConfigurationError, LabelError
from tacit.papers.chebyshev import series
from tacit.papers.chebyshev.base import OneReport
from tacit.papers.chebyshev.mixture import Mixture, logistic
from tacit.papers.chebyshev.oracle import ConvexOracle, HingeOracle
from tacit.papers.chebyshev.play import Oracle
from tacit.papers.chebyshev.series import Derivative
from tacit.papers.common import Calibration, Floats

_READ_FROM_Y = (
    "the classes were read from y, that is, from private records; name them with classes= as a "
    "real study must"
)


class _Classifier(ClassifierMixin, OneReport):
    """Two classes, as labels -1 and +1."""

    classes: ArrayLike | None
    copies: Literal["product", "separate"]

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = True
        tags.classifier_tags.multi_class = False
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> "_Classifier":
        """Send every row with its label through a simulated device, and learn from the reports."""
        X, y = validate_data(self, X, y, dtype=np.float64)
        check_classification_targets(y)
        self.classes_ = self._two_classes(np.asarray(y))
        if self.copies not in ("product", "separate"):
            raise ConfigurationError(
                f"copies must be 'product' or 'separate', got copies={self.copies!r}"
            )
        labels = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        notes = (_READ_FROM_Y,) if self.classes is None else ()
        w = self._play(np.asarray(X), labels, notes)
        self.coef_, self.intercept_ = w[None, :] / self.radius, np.zeros(1)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """<coef, x>: above 0 for the second class."""
        check_is_fitted(self)
        rows = validate_data(self, X, reset=False, dtype=np.float64)
        return np.asarray(rows @ self.coef_[0])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """The class of each row."""
        positive = self.decision_function(X) > 0
        return np.asarray(self.classes_[positive.astype(int)])

    def _two_classes(self, y: NDArray[Any]) -> NDArray[Any]:
        seen = np.unique(y)
        stated = seen if self.classes is None else np.asarray(self.classes)
        if self.classes is not None and (stated.ndim != 1 or len(np.unique(stated)) != 2):
            raise ConfigurationError(
                f"classes must name two different classes, got classes={self.classes!r}"
            )
        if len(stated) > 2:
            raise LabelError(
                "Only binary classification is supported: y holds more than two classes, "
                f"{stated.tolist()}"
            )
        if len(stated) < 2:
            raise LabelError(f"y holds one class only, {stated.tolist()}; name both with classes=")
        outside = np.setdiff1d(seen, stated)
        if len(outside):
            raise LabelError(
                f"y holds {outside.tolist()}, which classes={stated.tolist()} does not name"
            )
        return stated


class HingeClassifier(_Classifier):
    """Algorithm 1: minimise max(0, 1/2 - y<w,x>) over |w| <= 1.

    Rows longer than `radius` are scaled down to it, on the device; `coef_` is w / radius.
    `target_error` sets `smoothing` (beta) and `degree` (d) where they are None.
    `copies="separate"` sends x and y apart, as printed; "product" sends y x, with less noise.
    `calibration="paper"` has the printed noise; `printed=True` the printed server (errata 6 to
    8 and 10). `batch_size` people make one step: 1 in the paper, more is faster.
    """

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        target_error: float = 0.5,
        degree: int | None = None,
        smoothing: float | None = None,
        radius: float = 1.0,
        classes: ArrayLike | None = None,
        copies: Literal["product", "separate"] = "product",
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
        self.classes = classes
        self.copies = copies
        self.calibration = calibration
        self.printed = printed
        self.batch_size = batch_size
        self.random_state = random_state

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        beta = self._beta(1.0)
        approximation = self._approximate(series.hinge(beta), 4.0)
        return HingeOracle(self._release(self.copies, features, approximation), approximation, beta)


class ConvexClassifier(_Classifier):
    """Algorithm 2: minimise f(y<w,x>) over |w| <= 1 for any convex 1-Lipschitz f.

    `loss` is the derivative of f on [-1, 1], a function of arrays that does not fall and stays
    between -1 and 1; by default that of the logistic loss. The rest is as in `HingeClassifier`.
    """

    def __init__(
        self,
        loss: Derivative = logistic,
        epsilon: float = 1.0,
        *,
        delta: float = 1e-6,
        target_error: float = 0.5,
        degree: int | None = None,
        smoothing: float | None = None,
        radius: float = 1.0,
        classes: ArrayLike | None = None,
        copies: Literal["product", "separate"] = "product",
        calibration: Calibration = "exact",
        printed: bool = False,
        batch_size: int = 1,
        random_state: Any = None,
    ) -> None:
        self.loss = loss
        self.epsilon = epsilon
        self.delta = delta
        self.target_error = target_error
        self.degree = degree
        self.smoothing = smoothing
        self.radius = radius
        self.classes = classes
        self.copies = copies
        self.calibration = calibration
        self.printed = printed
        self.batch_size = batch_size
        self.random_state = random_state

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        mixture = Mixture.of(self.loss)
        width = max(mixture.width, 1e-12)  # a straight loss needs neither smoothing nor powers
        beta = self._beta(1.0 / (2.0 * width))
        approximation = self._approximate(series.step(beta), 4.0 * width)
        release = self._release(self.copies, features, approximation)
        return ConvexOracle(release, approximation, beta, mixture, generator, self.printed)
