"""Estimators whose features are known: the label alone is randomized, and no public rows exist."""

from typing import Any

import numpy as np
import pytest

from tacit import LinearRegression, LogisticRegression, PoissonRegressor
from tacit.errors import ConfigurationError
from tests.estimators.test_frames import TRUTH, X, Y, predictor

STANDARD_ERRORS = 7.0


def test_the_truth_is_found_in_a_frame_without_public_rows() -> None:
    """Levels and missing values as in a study; the reports are kept beside the fit."""
    model = LogisticRegression(2.0, classes=["no", "yes"], private="label", random_state=0)
    model.fit(X, Y)
    assert model.fit_.names == tuple(TRUTH)
    assert list(model.feature_names_out_) == list(TRUTH)[1:]
    fill = next(f.fill for f in model.study_.features if f.name == "hours")
    truth = np.array(list(TRUTH.values()))
    truth[0] -= 1.5
    truth[-1] += 0.05 * (30.0 - fill)
    found, errors = model.fit_.coef, model.fit_.standard_errors
    assert np.abs((found - truth) / errors).max() < STANDARD_ERRORS
    predicting = np.concatenate([model.intercept_, model.coef_[0]])
    assert np.abs((predicting - found) / errors).max() < 0.5  # shrunken, but hardly
    assert model.conf_int().shape == (len(TRUTH), 2)
    assert "label private" in str(model.summary())
    assert len(model.reports_) == len(X)
    assert model.score(X, Y) > 0.65


def test_it_needs_far_fewer_people_than_the_whole_record() -> None:
    """The same rows and epsilon: every standard error is less than half."""
    rows = np.random.default_rng(0).normal(size=(20_000, 5))
    yes = np.random.default_rng(1).random(20_000) < 1.0 / (1.0 + np.exp(-rows[:, 0]))
    whole = LogisticRegression(1.0, random_state=0).fit(rows, yes, public=rows[:5000])
    alone = LogisticRegression(1.0, private="label", random_state=0).fit(rows, yes)
    assert (alone.fit_.standard_errors < whole.fit_.standard_errors / 2).all()


def test_classes_numbers_and_counts_find_the_truth_too() -> None:
    """Several classes, a number in a range, and a count that is capped."""
    rng = np.random.default_rng(5)
    rows = rng.normal(size=(40_000, 2))
    signal = 0.5 * rows[:, 0] - 0.3 * rows[:, 1]
    kinds = np.array(["low", "mid", "high"])[
        np.digitize(signal + rng.logistic(size=40_000), [-1, 1])
    ]
    several = LogisticRegression(4.0, private="label", random_state=0).fit(rows, kinds)
    assert several.coef_.shape == (3, 2)
    assert np.allclose(several.predict_proba(rows[:9]).sum(axis=1), 1.0)
    assert several.score(rows, kinds) > 0.42
    numbers, counts = np.clip(signal + rng.normal(size=40_000), -5, 5), rng.poisson(np.exp(signal))
    linear = LinearRegression(4.0, label_range=(-5, 5), private="label", random_state=0)
    poisson = PoissonRegressor(4.0, cap=6, private="label", random_state=0)
    for fit in (linear.fit(rows, numbers).fit_, poisson.fit(rows, counts).fit_):
        error = (fit.coef - [0.0, 0.5, -0.3]) / fit.standard_errors
        assert np.abs(error).max() < STANDARD_ERRORS


def test_seeds_decide_and_dropped_columns_keep_their_place() -> None:
    """The same random state gives the same reports; a constant column has coefficient zero."""
    rows = np.column_stack([np.ones(2000), predictor(X[:2000])])
    models = [
        LogisticRegression(4.0, private="label", random_state=seed).fit(rows, Y[:2000])
        for seed in (1, 1, 2)
    ]
    assert np.array_equal(models[0].reports_, models[1].reports_)
    assert not np.array_equal(models[0].reports_, models[2].reports_)
    assert models[0].coef_[0, 0] == 0.0
    flat = LogisticRegression(4.0, private="label", fit_intercept=False, random_state=1)
    assert flat.fit(rows, Y[:2000]).intercept_[0] == 0.0


def test_the_guarantee_says_what_is_protected() -> None:
    """The label given the features; a simulation; classes read from y are owned up to."""
    model = LogisticRegression(1.0, private="label", random_state=0).fit(X[:500], Y[:500])
    told = model.guarantee_.statement()
    assert model.guarantee_.epsilon == 1.0
    assert "the label of every person, given that the features are known" in told
    assert "this was a simulation" in told
    assert "classes were read from y" in told


@pytest.mark.parametrize(
    ("options", "public", "words"),
    [
        ({}, X, "Leave public out"),
        ({"purpose": "coefficients"}, None, "purpose='coefficients'"),
        ({"focus": ("age",)}, None, "focus="),
        ({"private": "labels"}, None, "private='labels'"),
        ({"epsilon": 0.0}, None, "epsilon=0.0"),
    ],
)
def test_errors_teach(options: dict[str, Any], public: Any, words: str) -> None:
    """The parameter, its value and what to do."""
    model = LogisticRegression(**{"private": "label", **options})
    with pytest.raises(ConfigurationError, match=words):
        model.fit(X, Y, public=public)
