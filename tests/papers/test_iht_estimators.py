"""The estimators of sparse regression: scikit-learn's conventions, guarantees, clipping."""

from typing import Any

import numpy as np
import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

import tacit.papers
from tacit.arrays import Floats
from tacit.errors import LabelError
from tacit.papers.iht import DPIHT, LDPIHT, LabelLasso, LabelLDPIHT, OneShotSparse, squared_loss

WIDE = 1e6  # a range that holds the labels of every check

MADE = (
    LDPIHT(noise_bound=WIDE),
    LDPIHT(noise_bound=WIDE, randomizer="duchi", printed=True),
    OneShotSparse(noise_bound=WIDE),
    OneShotSparse(noise_bound=WIDE, calibration="paper"),
    LabelLDPIHT(noise_bound=WIDE, step=0.1),
    LabelLasso(noise_bound=WIDE),
    DPIHT(loss=squared_loss(), step=0.1, iterations=5),
)
CHECKS = [
    (estimator, check)
    for made in MADE
    for estimator, check in estimator_checks_generator(made)
    if check.func.__name__ != "check_array_api_input"  # needs array libraries that are not ours
]
LINEAR = (LDPIHT, OneShotSparse, LabelLDPIHT, LabelLasso)


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda x: getattr(getattr(x, "func", None), "__name__", "")
)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite passes."""
    check(estimator)


def data() -> tuple[Floats, Floats]:
    """Signs, and labels within sqrt(2) + 0.1."""
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(3000, 6))
    return X, 0.7 * X[:, 0] - 0.5 * X[:, 4] + rng.uniform(-0.1, 0.1, 3000)


def test_papers_gives_the_estimators_by_name() -> None:
    """`from tacit.papers import LDPIHT` works without loading it before."""
    for kind in (*LINEAR, DPIHT):
        assert getattr(tacit.papers, kind.__name__) is kind
    assert "LDPIHT" in dir(tacit.papers)


@pytest.mark.parametrize("kind", LINEAR)
def test_labels_beyond_the_stated_range_are_refused(kind: type) -> None:
    """In simulation, with the range in the message."""
    X, y = data()
    y[7] = 9.0
    with pytest.raises(LabelError, match=r"got 9 \(1 of 3000 rows\)"):
        kind(sparsity=2, noise_bound=0.1).fit(X, y)


@pytest.mark.parametrize("kind", [LDPIHT, OneShotSparse])
def test_whole_records_are_protected_from_everyone(kind: type) -> None:
    """Pure epsilon, one report, the whole record, also from the collector."""
    guarantee = kind(2.0, sparsity=2, noise_bound=0.1, random_state=0).fit(*data()).guarantee_
    assert (guarantee.epsilon, guarantee.delta, guarantee.reports_per_person) == (2.0, 0.0, 1)
    assert "whole record, features and label" in guarantee.protects
    assert "collector included" in guarantee.against
    assert guarantee.simulated


@pytest.mark.parametrize("kind", [LabelLDPIHT, LabelLasso])
def test_label_privacy_says_that_features_are_public(kind: type) -> None:
    """Pure by default; with delta where the noise is Gaussian; measured where it is printed."""
    stated: dict[str, Any] = {"sparsity": 2, "noise_bound": 0.1, "random_state": 0}
    pure = kind(2.0, **stated).fit(*data()).guarantee_
    assert (pure.epsilon, pure.delta) == (2.0, 0.0)
    assert "label of every person, and nothing else: features are public" in str(pure)
    exact = kind(2.0, mechanism="gaussian", **stated).fit(*data()).guarantee_
    assert (exact.epsilon, exact.delta) == (2.0, 1e-6)
    printed = kind(2.0, calibration="paper", **stated).fit(*data()).guarantee_
    assert printed.epsilon < 2.0  # the classical formula wastes below the eps it is proved for
    assert "claims epsilon = 2" in str(printed)
    assert kind(16.0, calibration="paper", **stated).fit(*data()).guarantee_.epsilon > 16.0


def test_features_are_clipped_as_devices_do() -> None:
    """Rows beyond the box answer as their clipped selves."""
    X, y = data()
    first, second = (
        LDPIHT(4.0, sparsity=2, noise_bound=0.1, random_state=0).fit(rows, y).coef_
        for rows in (X, 3 * X)
    )
    assert np.array_equal(first, second)


def test_default_rounds_grow_with_the_logarithm_of_the_people() -> None:
    """T = log(n eps^2 / (p log p)) for Algorithm 1, log(n/p) for Algorithm 2; at least one."""
    X, y = data()
    stated: dict[str, Any] = {"sparsity": 2, "noise_bound": 0.1, "random_state": 0}
    signal = 3000 / (6 * np.log(6))
    assert LDPIHT(1.0, **stated).fit(X, y).n_iter_ == np.ceil(np.log(signal))
    assert LabelLDPIHT(1.0, **stated).fit(X, y).n_iter_ == np.ceil(np.log(500))
    assert LDPIHT(0.01, **stated).fit(X, y).n_iter_ == 1


def test_non_linear_predictions_are_in_the_units_of_the_label() -> None:
    """`predict` measures <x, theta> as the family does."""
    family = tacit.Family("tanh", np.tanh, lambda z: 1 / np.cosh(z) ** 2)
    X, y = data()
    for kind in (LDPIHT, LabelLDPIHT):
        made = kind(8.0, sparsity=2, noise_bound=0.2, family=family, random_state=0)
        fitted = made.fit(X, np.tanh(y))
        assert np.allclose(fitted.predict(X), np.tanh(X @ fitted.coef_))
