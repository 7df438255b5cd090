"""The four estimators with scikit-learn's face: every row plays one device."""

from abc import abstractmethod
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.papers.chebyshev import series
from tacit.papers.chebyshev.device import Copies, Kind
from tacit.papers.chebyshev.mixture import Mixture, logistic
from tacit.papers.chebyshev.round import CopiesRound
from tacit.papers.chebyshev.series import Derivative, Series
from tacit.papers.chebyshev.server import (
    ConvexOracle,
    MarginOracle,
    MedianOracle,
    Oracle,
    sphere_constant,
)
from tacit.papers.common import (
    Allowance,
    Calibration,
    check_choice,
    check_labels,
    check_positive,
    check_range,
    check_whole,
)
from tacit.papers.faces import NoisyRegressor, further_rows, generator_of, rows_and_labels
from tacit.protocol import simulate

_READ_FROM_Y = (
    "the classes were read from y, that is, from private records; name them with classes= as a "
    "real study must"
)


@dataclass(eq=False, repr=False)
class _OneReport(BaseEstimator):
    """What the four share: degree and smoothing from the target error, reports, the descent."""

    epsilon: float = 1.0
    _: KW_ONLY
    delta: float = 1e-6
    target_error: float = 1.0
    degree: int | None = None
    smoothing: float | None = None
    radius: float = 1.0
    calibration: Calibration = "exact"
    printed: bool = False
    batch_size: int = 1
    random_state: Any = None

    @property
    def _allowance(self) -> Allowance:
        return Allowance(self.epsilon, self.delta, self.calibration)

    @abstractmethod
    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        """The server's gradients."""

    def _play(self, X: Floats, y: Floats, notes: tuple[str, ...] = ()) -> Floats:
        """Send every row through a device, descend on the reports: w for rows / radius."""
        generator = generator_of(self.random_state)
        batch = min(check_whole("batch_size", self.batch_size, 1), len(X))
        rows = X / check_positive("radius", self.radius)
        self.oracle_ = self._oracle(X.shape[1], generator)
        # Erratum 10: printed, reports are drawn with replacement; here people come in random order
        order = slice(None) if self.printed else generator.permutation(len(X))
        self.round_ = CopiesRound(self.oracle_, batch, generator if self.printed else None)
        self.guarantee_ = self._allowance.achieved(
            self.round_.mechanism.curve, simulated=True, notes=notes
        )
        return np.asarray(simulate(self.round_, (rows[order], y[order]), generator))

    def _beta(self, share: float) -> float:
        """The smoothing that costs half of the target error."""
        if self.smoothing is not None:
            return check_positive("smoothing", self.smoothing)
        return check_positive("target_error", self.target_error) * share

    def _approximate(self, derivative: Derivative, scale: float) -> Series:
        """P_d of the stated degree, or of the least whose error is target_error / scale."""
        if self.degree is not None:
            return series.of_degree(derivative, self.degree)
        return series.of_error(
            derivative, check_positive("target_error", self.target_error) / scale
        )

    def _copies(self, kind: Kind, features: int, approximation: Series) -> Copies:
        """The device's part, with the degree it needs."""
        self.degree_ = approximation.degree
        return Copies.of(kind, features, approximation.degree, self._allowance)


@dataclass(eq=False, repr=False, kw_only=True)
class _Classifier(ClassifierMixin, _OneReport):
    """Two classes, as labels -1 and +1."""

    target_error: float = 0.5
    classes: ArrayLike | None = None
    copies: Literal["product", "separate"] = "product"

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
        check_choice("copies", self.copies, ("product", "separate"))
        labels = np.where(np.asarray(y) == self.classes_[1], 1.0, -1.0)
        notes = (_READ_FROM_Y,) if self.classes is None else ()
        w = self._play(np.asarray(X), labels, notes)
        self.coef_, self.intercept_ = w[None, :] / self.radius, np.zeros(1)
        return self

    def decision_function(self, X: ArrayLike) -> Floats:
        """<coef, x>: above 0 for the second class."""
        return np.asarray(further_rows(self, X) @ self.coef_[0])

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

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        beta = self._beta(1.0)
        approximation = self._approximate(series.hinge(beta), 4.0)
        return MarginOracle(self._copies(self.copies, features, approximation), approximation, beta)


@dataclass(eq=False, repr=False, kw_only=True)
class ConvexClassifier(_Classifier):
    """Algorithm 2: minimise f(y<w,x>) over |w| <= 1 for any convex 1-Lipschitz f.

    `loss` is the derivative of f on [-1, 1], a function of arrays that does not fall and stays
    between -1 and 1; by default that of the logistic loss. The rest is as in `HingeClassifier`.
    """

    loss: Derivative = logistic

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        mixture = Mixture.of(self.loss)
        width = max(mixture.width, 1e-12)  # a straight loss needs neither smoothing nor powers
        beta = self._beta(1.0 / (2.0 * width))
        approximation = self._approximate(series.step(beta), 4.0 * width)
        sent = self._copies(self.copies, features, approximation)
        return ConvexOracle(sent, approximation, beta, mixture, generator, self.printed)


@dataclass(eq=False, repr=False, kw_only=True)
class AbsoluteRegression(NoisyRegressor, _OneReport):
    """Remark 15: minimise |<w,x> - y| over |w| <= 1, x and y scaled to [-1, 1].

    `label_range` must hold every label; `coef_` and `intercept_` are in the units of X and y. The
    rest is as in `HingeClassifier`. The remark prints no noise: "paper" has that of Algorithm 1.
    """

    label_range: tuple[float, float] = (-1.0, 1.0)

    def fit(self, X: ArrayLike, y: ArrayLike) -> "AbsoluteRegression":
        """Send every row with its label through a simulated device, and learn from the reports."""
        rows, labels = rows_and_labels(self, X, y)
        low, high = check_range("label_range", self.label_range)
        advice = f"correct the rows or label_range={self.label_range!r}"
        check_labels(labels, low, high, advice)
        centre, half = (low + high) / 2.0, (high - low) / 2.0
        w = self._play(rows, (labels - centre) / half)
        self.coef_, self.intercept_ = w * half / self.radius, centre
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """The middle label of rows like each."""
        return np.asarray(further_rows(self, X) @ self.coef_ + self.intercept_)

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        beta = self._beta(0.25)
        approximation = self._approximate(series.sign(beta), 4.0)
        sent = self._copies("residual", features, approximation)
        return MarginOracle(sent, approximation, beta)


class EuclideanMedian(_OneReport):
    """Algorithm 3: `location_`, the point with the least mean distance to the rows.

    Rows and answer lie in the ball of `radius` around 0, longer rows are scaled down to it.
    `target_error` is that of |w - x|/2 in units of `radius`. The rest is as in `HingeClassifier`.
    """

    def fit(self, X: ArrayLike, y: Any = None) -> "EuclideanMedian":
        """Send every row through a simulated device, and learn from the reports."""
        X = np.asarray(validate_data(self, X, dtype=np.float64))
        self.location_ = self._play(X, np.zeros(len(X))) * self.radius
        return self

    def _oracle(self, features: int, generator: np.random.Generator) -> Oracle:
        if self.printed and features == 1:
            raise ConfigurationError(
                "printed=True: the printed constant of Lemma 16 is infinite for one column; "
                "use printed=False"
            )
        constant = sphere_constant(features)
        beta = self._beta(1.0 / (2.0 * constant))
        approximation = self._approximate(series.step(beta), 2.0 * constant)
        sent = self._copies("point", features, approximation)
        return MedianOracle(sent, approximation, beta, generator, self.printed)
