"""The scikit-learn faces of Algorithms 1 to 3."""

import pickle
from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from tacit.arrays import Floats
from tacit.errors import LabelError
from tacit.papers import AbsoluteRegression, ConvexClassifier, EuclideanMedian, HingeClassifier

STANDARD_ERRORS = 7.0


class Ranged(AbsoluteRegression):
    """Takes its label range from y, as no real study may."""

    def fit(self, X: Any, y: Any) -> "Ranged":
        """Fit with the extremes of y as the range."""
        stated = self.label_range
        values = np.asarray(y, dtype=float)
        if y is not None and np.isfinite(values).all():
            self.label_range = (float(values.min()) - 1, float(values.max()) + 1)
        try:
            super().fit(X, y)
        finally:
            self.label_range = stated
        return self


CHECKS = [
    (estimator, check)
    for made in (HingeClassifier(), ConvexClassifier(), Ranged(), EuclideanMedian(degree=2))
    for estimator, check in estimator_checks_generator(made)
    if check.func.__name__ != "check_array_api_input"  # needs array libraries that are not ours
]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda x: getattr(getattr(x, "func", None), "__name__", "")
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite passes."""
    check(estimator)


def people(count: int, seed: int = 0) -> tuple[Floats, Floats, Floats]:
    """Rows in a ball of radius 4, signs and a number in [0, 10] that follow the first column."""
    rng = np.random.default_rng(seed)
    X = rng.uniform(-2.0, 2.0, (count, 2))
    signs = np.where(X[:, 0] + 0.3 * rng.normal(size=count) > 0, "yes", "no")
    return X, signs, 5.0 + X[:, 0] + rng.uniform(-1.0, 1.0, count)


def below(differences: Floats) -> bool:
    """Whether the mean is negative by 7 standard errors."""
    error = differences.std() / np.sqrt(len(differences))
    return bool(differences.mean() < -STANDARD_ERRORS * error)


@pytest.mark.parametrize("copies", ["product", "separate"])
@pytest.mark.parametrize("kind", [HingeClassifier, ConvexClassifier])
def test_classifiers_learn_when_noise_is_small(kind: Any, copies: Any) -> None:
    """At an epsilon of 30, which protects nobody, the classes are told apart."""
    X, y, _ = people(20_000)
    model = kind(epsilon=30.0, copies=copies, radius=2.0, batch_size=50, random_state=0)
    model.fit(X, y)
    right = model.predict(X) == y
    assert below(0.5 - right)
    assert model.coef_.shape == (1, 2)
    assert np.linalg.norm(model.coef_) <= 1.0 / 2.0 + 1e-12
    assert list(model.classes_) == ["no", "yes"]


def test_regression_and_median_learn_when_noise_is_small() -> None:
    """In the units of the data, losses fall below those of the answer zero."""
    X, _, y = people(40_000)
    fit = AbsoluteRegression(
        30.0, degree=1, radius=3.0, label_range=(0.0, 10.0), batch_size=50, random_state=0
    ).fit(X, y)
    assert fit.intercept_ == 5.0
    assert below(np.abs(y - fit.predict(X)) - np.abs(y - 5.0))
    cloud = X / 4.0 + np.array([2.0, 0.0])
    median = EuclideanMedian(30.0, degree=1, radius=3.0, batch_size=50, random_state=0).fit(cloud)
    away = np.linalg.norm(cloud - median.location_, axis=1)
    assert below(away - np.linalg.norm(cloud, axis=1))


def test_target_error_sets_the_degree() -> None:
    """A smaller target needs a longer polynomial, unless the degree is stated."""
    X, y, _ = people(50)
    degrees = [HingeClassifier(target_error=a).fit(X, y).degree_ for a in (0.5, 0.3, 0.2)]
    assert degrees == sorted(set(degrees))
    assert HingeClassifier(target_error=0.2, degree=1).fit(X, y).degree_ == 1


def test_paper_calibration_says_what_it_gives() -> None:
    """The note has the claim and the truth, here on the wrong side of the claim."""
    X, y, _ = people(50)
    model = HingeClassifier(16.0, degree=1, copies="separate", calibration="paper").fit(X, y)
    assert model.guarantee_.epsilon > 16.0
    assert "claims epsilon = 16" in model.guarantee_.statement()


def test_guarantee_owns_up_to_classes_read_from_the_labels() -> None:
    """Stated classes need no note."""
    X, y, _ = people(50)
    assert "classes were read" in HingeClassifier().fit(X, y).guarantee_.statement()
    stated = HingeClassifier(classes=["yes", "no"]).fit(X, y)
    assert "classes were read" not in stated.guarantee_.statement()
    assert list(stated.classes_) == ["yes", "no"]


@pytest.mark.parametrize("printed", [False, True])
@pytest.mark.parametrize("kind", [HingeClassifier, ConvexClassifier, EuclideanMedian])
def test_batches_are_a_matter_of_speed(kind: Any, printed: bool) -> None:
    """Any batch size serves, also one above the number of people, and a pickle keeps the fit."""
    X, y, _ = people(30)
    for batch in (1, 7, 1000):
        model = kind(degree=2, printed=printed, batch_size=batch, random_state=0).fit(X, y)
        answer = model.location_ if kind is EuclideanMedian else model.coef_
        assert np.isfinite(answer).all()
        assert pickle.loads(pickle.dumps(model)).guarantee_ == model.guarantee_


def test_labels_beyond_what_was_stated_are_refused() -> None:
    """Third classes, unnamed classes and numbers outside the range."""
    X, y, number = people(30)
    with pytest.raises(LabelError, match="more than two"):
        HingeClassifier().fit(X, np.arange(30) % 3)
    with pytest.raises(LabelError, match="does not name"):
        HingeClassifier(classes=["no", "maybe"]).fit(X, y)
    with pytest.raises(LabelError, match="label_range"):
        AbsoluteRegression(label_range=(0.0, 1.0)).fit(X, number)
