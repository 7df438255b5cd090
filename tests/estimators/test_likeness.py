"""Whether X and the public rows are at all alike: the mistake is found, and nothing else."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import StandardScaler

from tacit import LogisticRegression
from tacit.errors import UnlikeRowsWarning
from tacit.estimators.likeness import difference
from tests.estimators.test_frames import PUBLIC, X, Y

COLUMNS = {
    "normal": lambda rng, n: rng.normal(40.0, 10.0, n),
    "heavy tail": lambda rng, n: rng.pareto(0.5, n),
    "mostly zero": lambda rng, n: rng.lognormal(5, 2, n) * (rng.random(n) < 0.05),
    "two heaps": lambda rng, n: rng.normal(0, 1, n) + 1e3 * (rng.random(n) < 0.5),
    "rare": lambda rng, n: (rng.random(n) < 0.005) * 1.0,
    "even": lambda rng, n: rng.integers(0, 2, n) * 1.0,
}


@pytest.mark.parametrize("name", COLUMNS)
def test_samples_of_one_law_are_alike_whatever_the_law(name: str) -> None:
    """Few rows or many, heavy tails, heaps and rare values: no false alarm."""
    rng = np.random.default_rng(0)
    for ours, theirs in ((10, 10), (30, 2000), (300, 60), (2000, 2000)):
        for _ in range(50):
            found = difference(COLUMNS[name](rng, ours), COLUMNS[name](rng, theirs))
            assert found == 0.0, (ours, theirs)


@pytest.mark.parametrize("name", COLUMNS)
def test_a_scaled_column_is_unlike_the_raw_one(name: str) -> None:
    """Standardised by its own mean and deviation, every one of these laws is told apart."""
    rng = np.random.default_rng(0)
    raw, other = COLUMNS[name](rng, 2000), COLUMNS[name](rng, 2000)
    assert difference((raw - raw.mean()) / raw.std(), other) > 0.0
    assert difference(other, (raw - raw.mean()) / raw.std()) > 0.0


@pytest.mark.parametrize(
    ("shift", "scale", "told"),
    [(0.5, 1.0, False), (0.9, 1.0, False), (1.5, 1.0, True), (0.0, 2.0, False), (0.0, 3.5, True)],
)
def test_other_people_are_no_mistake_until_they_are_far_away(
    shift: float, scale: float, told: bool
) -> None:
    """Below a public standard deviation, or twice it, a difference may be that of the people."""
    rng = np.random.default_rng(0)
    found = difference(rng.normal(shift, scale, 2000), rng.normal(0.0, 1.0, 2000))
    assert (found > 0.0) == told


def test_a_scaler_fitted_on_one_of_them_is_warned_about_once() -> None:
    """The message names the columns, the worst first; `guarantee_` owns up to the comparison."""
    rows = np.random.default_rng(0).normal((40.0, 3.0, 0.0), (10.0, 1.0, 1.0), (5000, 3))
    scaled = StandardScaler().fit_transform(rows[:4000])
    model = LogisticRegression(4.0, classes=["no", "yes"], random_state=0)
    with pytest.warns(UnlikeRowsWarning) as caught:
        model.fit(scaled, Y[:4000], public=rows[4000:])
    assert len(caught) == 1
    message = str(caught[0].message)
    assert "in x0 (half of it from -0.6" in message
    assert message.index("x0") < message.index("x1")
    assert "x2" not in message
    assert "as no real study can" in model.guarantee_.statement()


def test_honest_frames_are_not_warned_about() -> None:
    """Text, categories and missing values included; nothing is said in `guarantee_` then."""
    model = LogisticRegression(4.0, classes=["no", "yes"], random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.fit(X[:3000], Y[:3000], public=PUBLIC[:1000])
    assert model.guarantee_.notes == ()


def test_many_columns_are_counted_and_three_are_named() -> None:
    """A warning stays short; text and levels have neither location nor scale."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.normal(100.0, 1.0, (1000, 5)), columns=list("abcde"))
    frame["region"] = np.where(frame["a"] > 100.0, "north", "south")
    moved = frame.assign(**{name: frame[name] - 100.0 for name in "abcde"}, region="north")
    with pytest.warns(UnlikeRowsWarning, match=r"and 2 more columns") as caught:
        LogisticRegression(4.0, random_state=0).fit(moved, Y[:1000], public=frame)
    assert "region" not in str(caught[0].message)
