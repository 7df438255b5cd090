"""The scikit-learn faces: conventions, results, and errors that teach."""

import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score
from sklearn.utils.estimator_checks import estimator_checks_generator

from tacit import LinearRegression, LogisticRegression, PoissonRegressor, Study
from tacit.errors import ConfigurationError, LabelError, PublicRowsError

STANDARD_ERRORS = 7.0


class PublicLogistic(LogisticRegression):
    """Supplies its own rows as public ones, as no real study may."""

    def fit(self, X: Any, y: Any, public: Any = None) -> "PublicLogistic":
        """Fit with X as the public rows."""
        super().fit(X, y, public=X if public is None else public)
        return self


class PublicLinear(LinearRegression):
    """Supplies public rows and a label range."""

    def fit(self, X: Any, y: Any, public: Any = None) -> "PublicLinear":
        """Fit with X as the public rows and the extremes of y as the range."""
        stated = self.label_range
        values = np.asarray(y, dtype=float)
        self.label_range = (float(values.min()) - 1, float(values.max()) + 1)
        try:
            super().fit(X, y, public=X if public is None else public)
        finally:
            self.label_range = stated
        return self


class PublicPoisson(PoissonRegressor):
    """Supplies public rows and a cap."""

    def __init__(
        self,
        epsilon: float = 1.0,
        *,
        cap: int = 20,
        fit_intercept: bool = True,
        random_state: Any = None,
    ) -> None:
        super().__init__(epsilon, cap=cap, fit_intercept=fit_intercept, random_state=random_state)

    def fit(self, X: Any, y: Any, public: Any = None) -> "PublicPoisson":
        """Fit with X as the public rows."""
        super().fit(X, y, public=X if public is None else public)
        return self


WHOLE = (PublicLogistic(), PublicLogistic(epsilon=20.0), PublicLinear(), PublicPoisson())
LABEL = (
    LogisticRegression(20.0, private="label"),
    LinearRegression(label_range=(-1000, 1000), private="label"),
)
CHECKS = [
    (estimator, check)
    for made in (*WHOLE, *LABEL)
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


def people(count: int, seed: int) -> tuple[np.ndarray, np.random.Generator]:
    """Two features in different units, correlated."""
    rng = np.random.default_rng(seed)
    first = rng.normal(40.0, 10.0, count)
    return np.column_stack([first, 0.02 * first + rng.normal(0.0, 1.0, count)]), rng


def test_logistic_recovers_the_coefficients_in_the_units_of_x() -> None:
    """`summary` and `conf_int` show maximum likelihood, intercept first, near the truth."""
    X, rng = people(60_000, 1)
    y = rng.random(len(X)) < 1 / (1 + np.exp(-(-2.0 + 0.05 * X[:, 0] - 0.7 * X[:, 1])))
    model = LogisticRegression(epsilon=6.0, random_state=0).fit(X, y, public=people(20_000, 2)[0])
    found, errors = model.fit_.coef, model.fit_.standard_errors
    assert np.abs((found - [-2.0, 0.05, -0.7]) / errors).max() < STANDARD_ERRORS
    assert model.conf_int(0.95).shape == (3, 2)
    assert "privacy" in str(model.summary())
    assert model.coef_.shape == (1, 2)
    assert model.predict(X[:5]).dtype == bool
    assert model.score(X, y) > 0.6


def test_multinomial_logits_and_probabilities_agree() -> None:
    """K classes have K rows of coefficients, and probabilities that sum to one."""
    X, rng = people(40_000, 1)
    y = np.array(["low", "mid", "high"])[
        np.digitize(X[:, 1] + rng.normal(0, 1, len(X)), [0.3, 1.3])
    ]
    model = LogisticRegression(epsilon=8.0, random_state=0).fit(X, y, public=people(5000, 2)[0])
    assert model.coef_.shape == (3, 2)
    chances = model.predict_proba(X[:50])
    assert np.allclose(chances.sum(axis=1), 1.0)
    scores = model.decision_function(X[:50])
    assert np.array_equal(chances.argmax(axis=1), scores.argmax(axis=1))
    assert np.array_equal(model.predict(X[:50]), model.classes_[scores.argmax(axis=1)])
    assert np.allclose(chances, model.fit_.predict_proba({"x0": X[:50, 0], "x1": X[:50, 1]}))


def test_linear_and_poisson_recover_the_truth() -> None:
    """Within 7 standard errors, in the units of X and y; capping is corrected for."""
    X, rng = people(60_000, 3)
    public = people(20_000, 4)[0]
    y = np.clip(10 + 0.3 * X[:, 0] + 2.0 * X[:, 1] + rng.normal(0, 1, len(X)), -20, 60)
    linear = LinearRegression(8.0, label_range=(-20, 60), random_state=0).fit(X, y, public=public)
    truth = np.array([10.0, 0.3, 2.0])
    assert np.abs((linear.fit_.coef - truth) / linear.fit_.standard_errors).max() < STANDARD_ERRORS
    counts = rng.poisson(np.exp(-0.5 + 0.02 * X[:, 0]))
    poisson = PoissonRegressor(8.0, cap=3, random_state=0).fit(X, counts, public=public)
    truth = np.array([-0.5, 0.02, 0.0])
    errors = poisson.fit_.standard_errors
    assert np.abs((poisson.fit_.coef - truth) / errors).max() < STANDARD_ERRORS
    assert np.isfinite(poisson.predict(X[:5])).all()
    assert np.isscalar(linear.intercept_)


def test_same_random_state_same_answer() -> None:
    """Seeds decide everything; other seeds give other noise."""
    X, rng = people(3000, 1)
    y = rng.integers(0, 2, len(X))
    made = [
        LogisticRegression(2.0, random_state=seed).fit(X, y, public=X[:1000]).coef_
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(made[0], made[1])
    assert not np.array_equal(made[0], made[2])


def test_clone_and_pickle() -> None:
    """A clone keeps the parameters, a pickle the fit."""
    X, rng = people(3000, 1)
    model = LogisticRegression(2.0, classes=[0, 1], random_state=1)
    assert clone(model).get_params() == model.get_params()
    model.fit(X, rng.integers(0, 2, len(X)), public=X[:1000])
    again = pickle.loads(pickle.dumps(model))
    assert np.array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.guarantee_ == model.guarantee_


def test_feature_names_are_kept_and_checked() -> None:
    """Data frames name the coefficients; other columns are refused."""
    X, rng = people(5000, 1)
    frame = pd.DataFrame(X, columns=["age", "hours"])
    y = rng.integers(0, 2, len(X))
    model = LogisticRegression(4.0, random_state=0).fit(frame, y, public=frame[:2000])
    assert list(model.feature_names_in_) == ["age", "hours"]
    assert model.fit_.names == ("intercept", "age", "hours")
    with pytest.raises(ValueError, match="feature names"):
        model.predict(frame.rename(columns={"age": "Age"}))


def test_the_guarantee_says_what_happened() -> None:
    """A simulation is called one, and classes read from y are owned up to."""
    X, rng = people(3000, 1)
    y = rng.integers(0, 2, len(X))
    read = LogisticRegression(1.0, random_state=0).fit(X, y, public=X[:500]).guarantee_
    stated = LogisticRegression(1.0, classes=[0, 1], random_state=0).fit(X, y, public=X[:500])
    assert read.epsilon == 1.0
    assert "simulation" in read.statement()
    assert "classes were read from y" in read.statement()
    assert "classes were read from y" not in stated.guarantee_.statement()


def test_stated_classes_may_be_absent_from_y_in_any_order() -> None:
    """`classes` decides their order; a class nobody has is no reason to fail."""
    X, rng = people(3000, 1)
    y = rng.choice(["b", "a"], len(X))
    model = LogisticRegression(8.0, classes=["c", "b", "a"], random_state=0)
    model.fit(X, y, public=X[:500])
    assert list(model.classes_) == ["c", "b", "a"]
    assert model.predict_proba(X[:3]).shape == (3, 3)


def test_a_dropped_column_has_coefficient_zero() -> None:
    """Constant and collinear columns keep their place in `coef_`."""
    X, rng = people(3000, 1)
    X = np.column_stack([np.ones(len(X)), X, X[:, 0] * 2])
    model = LogisticRegression(4.0, random_state=0)
    model.fit(X, rng.integers(0, 2, len(X)), public=X[:500])
    assert model.coef_[0, 0] == model.coef_[0, 3] == 0.0
    assert "x3 (collinear with earlier columns)" in str(model.summary())


def test_works_in_cross_validation() -> None:
    """`public` is passed as a fit parameter."""
    X, rng = people(6000, 1)
    y = (X[:, 0] + rng.normal(0, 5, len(X)) > 40).astype(int)
    scores = cross_val_score(
        LogisticRegression(8.0, random_state=0), X, y, cv=3, params={"public": people(2000, 2)[0]}
    )
    assert scores.min() > 0.7


def test_a_purpose_and_a_focus_shape_the_report() -> None:
    """They reach the study, with the rows as its people, and the focus is measured better."""
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(8000, 8)), rng.integers(0, 2, 8000)
    options: list[dict[str, Any]] = [
        {},
        {"purpose": "coefficients"},
        {"purpose": "coefficients", "focus": "x1"},
    ]
    fits = [
        LogisticRegression(2.0, random_state=0, **option).fit(X, y, public=X[:2000]).fit_
        for option in options
    ]
    assert isinstance(fits[0].study, Study)
    assert (fits[0].study.purpose, fits[0].study.people) == ("predictions", 8000)
    assert fits[2].standard_errors[2] < 0.75 * fits[1].standard_errors[2]
    assert fits[2].standard_errors[3] > fits[1].standard_errors[3]


@pytest.mark.parametrize(
    ("model", "error", "words"),
    [
        (LogisticRegression(), ConfigurationError, "public"),
        (LogisticRegression(purpose="tables"), ConfigurationError, "purpose='tables'"),
        (LogisticRegression(focus="x0"), ConfigurationError, "purpose='coefficients'"),
        (
            LogisticRegression(purpose="coefficients", focus="age"),
            ConfigurationError,
            "focus names 'age'",
        ),
        (LogisticRegression(private="rows"), ConfigurationError, "private='rows'"),
        (LogisticRegression(0.0), ConfigurationError, "epsilon=0.0"),
        (LogisticRegression(float("nan")), ConfigurationError, "epsilon=nan"),
        (LogisticRegression(20.5), ConfigurationError, "epsilon=20.5"),
        (LogisticRegression(classes=[0, 2]), LabelError, r"\[1\]"),
        (LogisticRegression(classes=[0, 0, 1]), ConfigurationError, "classes"),
        (LinearRegression(), ConfigurationError, "label_range"),
        (LinearRegression(label_range=(0.2, 1)), LabelError, "0.2 to 1"),
        (LinearRegression(label_range=(1, 0)), ConfigurationError, "low < high"),
        (PoissonRegressor(), ConfigurationError, "cap"),
        (PoissonRegressor(cap=0), ConfigurationError, "cap"),
    ],
)
def test_errors_teach(model: Any, error: type[Exception], words: str) -> None:
    """The parameter, its value and what to do."""
    X, rng = people(300, 1)
    y = rng.integers(0, 2, len(X))
    with pytest.raises(error, match=words):
        model.fit(X, y, public=None if words == "public" else X)


def test_too_few_public_rows_are_refused() -> None:
    """More columns than public rows cannot be planned for."""
    X, rng = people(300, 1)
    with pytest.raises(PublicRowsError, match="public rows"):
        LogisticRegression().fit(X, rng.integers(0, 2, 300), public=X[:2])
