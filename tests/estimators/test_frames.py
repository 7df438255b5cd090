"""Estimators on data frames: text, categories, booleans and missing values, as in a study."""

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from numpy.typing import NDArray

from tacit import LinearRegression, LogisticRegression, PoissonRegressor, Study

STANDARD_ERRORS = 7.0
TRUTH = {
    "intercept": -1.0,
    "age": 0.04,
    "region: east": 0.0,
    "region: south": 0.9,
    "smoker": -0.6,
    "hours": 0.05,
    "hours missing": 2.0,
}


def people(count: int, seed: int) -> pd.DataFrame:
    """A number, a category, a boolean, and a number that a tenth leaves out."""
    rng = np.random.default_rng(seed)
    region = rng.choice(["north", "south", "east"], count, p=[0.5, 0.3, 0.2])
    hours = pd.array(rng.integers(10, 50, count), dtype="Int64")
    hours[rng.random(count) < 0.1] = pd.NA
    return pd.DataFrame(
        {
            "age": rng.normal(0.0, 12.0, count),
            "region": pd.Categorical(region),
            "smoker": rng.random(count) < 0.3,
            "hours": hours,
        }
    )


def predictor(frame: pd.DataFrame) -> NDArray[np.float64]:
    """The log-odds under TRUTH, where whoever leaves the hours out has 2 more than 30 of them."""
    hours = frame["hours"].to_numpy(dtype=float, na_value=30.0 + 2.0 / 0.05)
    return np.asarray(
        -1.0
        + 0.04 * frame["age"].to_numpy()
        + 0.9 * (frame["region"] == "south").to_numpy()
        - 0.6 * frame["smoker"].to_numpy()
        + 0.05 * hours
    )


X, PUBLIC = people(60_000, 1), people(20_000, 2)
CHANCE = 1.0 / (1.0 + np.exp(-(predictor(X) - 1.5)))
Y = np.where(np.random.default_rng(3).random(len(X)) < CHANCE, "yes", "no")


@pytest.fixture(scope="module")
def model() -> LogisticRegression:
    """A fit of the frame, with much epsilon."""
    return LogisticRegression(8.0, classes=["no", "yes"], random_state=0).fit(X, Y, public=PUBLIC)


def test_the_coefficients_of_a_frame_are_those_of_its_design(model: LogisticRegression) -> None:
    """Levels and missing values have their own; the truth is within 7 standard errors."""
    assert model.fit_.names == tuple(TRUTH)
    assert list(model.feature_names_out_) == list(TRUTH)[1:]
    assert model.coef_.shape == (1, len(TRUTH) - 1)
    truth = np.array(list(TRUTH.values()))
    truth[0] -= 1.5
    fill = next(f.fill for f in model.study_.features if f.name == "hours")
    truth[-1] += 0.05 * (30.0 - fill)
    found, errors = model.fit_.coef, model.fit_.standard_errors
    assert np.abs((found - truth) / errors).max() < STANDARD_ERRORS


def test_a_frame_is_predicted_as_its_design_says(model: LogisticRegression) -> None:
    """`coef_` on the design columns gives the log-odds; missing and unknown answers have some."""
    some, study = X[:200], model.study_
    assert isinstance(study, Study)
    columns = dict(zip(study.transform.columns, study.design(some).T, strict=True))
    design = np.column_stack([columns[name] for name in model.feature_names_out_])
    scores = design @ model.coef_[0] + model.intercept_[0]
    assert np.allclose(model.decision_function(some), scores)
    assert np.allclose(model.predict_proba(some)[:, 1], 1.0 / (1.0 + np.exp(-scores)))
    assert np.array_equal(model.predict(some), np.where(scores > 0, "yes", "no"))
    assert model.score(X, Y) > 0.65
    strange = some.astype({"region": object}).assign(region="moon", hours=None)
    assert np.isfinite(model.decision_function(strange)).all()


def test_an_arrow_table_is_a_frame(model: LogisticRegression) -> None:
    """The same people in another table, and the same numbers."""
    table, public = (pa.Table.from_pandas(frame) for frame in (X, PUBLIC))
    again = LogisticRegression(8.0, classes=["no", "yes"], random_state=0)
    again.fit(table, pa.array(Y), public=public)
    assert np.array_equal(again.coef_, model.coef_)
    assert list(again.feature_names_in_) == ["age", "region", "smoker", "hours"]
    assert np.array_equal(again.predict(table.slice(0, 50)), model.predict(X[:50]))


def test_numbers_and_counts_take_frames_too() -> None:
    """The other two estimators read their labels as numbers beside any frame."""
    amount = np.clip(30.0 + predictor(X), 0.0, 60.0)
    linear = LinearRegression(8.0, label_range=(0, 60), random_state=0)
    linear.fit(X, pd.Series(amount), public=PUBLIC)
    assert linear.coef_.shape == (len(TRUTH) - 1,)
    assert linear.score(X, amount) > 0.5
    counts = np.random.default_rng(1).poisson(np.exp(0.5 * (X["region"] == "south")))
    poisson = PoissonRegressor(8.0, cap=6, random_state=0).fit(X, counts, public=PUBLIC)
    assert poisson.predict(X[X["region"] == "south"]).mean() > 1.2


def test_a_frame_of_numbers_gives_what_its_array_gives() -> None:
    """Names do not matter, also those that are numbers, nor does the frame of new rows."""
    frame, public = X[["age", "smoker"]].astype(float), PUBLIC[["age", "smoker"]].astype(float)
    made = [
        LogisticRegression(4.0, random_state=0).fit(rows, Y, public=others)
        for rows, others in (
            (frame.to_numpy(), public.to_numpy()),
            (frame, public),
            (frame.set_axis([7, 8], axis=1), public.set_axis([7, 8], axis=1)),
        )
    ]
    arrays, named, numbered = made
    assert np.array_equal(arrays.coef_, named.coef_)
    assert np.array_equal(arrays.coef_, numbered.coef_)
    assert list(arrays.feature_names_out_) == ["x0", "x1"]
    assert np.array_equal(arrays.predict(frame.to_numpy()), named.predict(frame))
    assert np.array_equal(arrays.predict(frame.to_numpy()), numbered.predict(frame.to_numpy()))
    with pytest.warns(UserWarning, match="fitted without feature names"):
        assert np.array_equal(arrays.predict(frame), named.predict(frame))


def test_what_the_study_drops_keeps_its_place_with_coefficient_zero() -> None:
    """A constant text column of the public rows carries nothing."""
    some, public = X[:2000].assign(country="here"), PUBLIC[:500].assign(country="here")
    model = LogisticRegression(4.0, random_state=0).fit(some, Y[:2000], public=public)
    assert list(model.feature_names_out_)[-1] == "country"
    assert model.coef_[0, -1] == 0.0
    assert model.predict(some[:3]).shape == (3,)


@pytest.mark.parametrize(
    ("rows", "labels", "public", "words"),
    [
        (X, Y[:-1], PUBLIC, "inconsistent numbers of samples"),
        (X, Y, PUBLIC.drop(columns="age"), "feature names should match"),
        (X, [*Y[:-1], None], PUBLIC, "y is missing in"),
        (X, None, PUBLIC, "requires y"),
    ],
)
def test_frames_that_do_not_fit_together_are_refused(
    rows: Any, labels: Any, public: Any, words: str
) -> None:
    """Rows without labels, labels without rows, and public rows with other columns."""
    with pytest.raises(ValueError, match=words):
        LogisticRegression(4.0, random_state=0).fit(rows, labels, public=public)
