"""What raw rows would have given, beside their Fisher information worked out another way."""

import numpy as np
import pytest
from scipy import special

from tacit import Bounded, Family, fit
from tacit.arrays import Floats
from tests.inference.helpers import LABELS, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)


def _columns(names: tuple[str, ...]) -> Floats:
    """The design in the units of the features, from the names of the coefficients."""
    columns = []
    for name in names:
        feature, _, level = name.partition(": ")
        if name == "intercept":
            columns.append(np.ones(2000))
        elif level:
            columns.append((PUBLIC[feature] == level).astype(float))
        else:
            columns.append(PUBLIC[feature].astype(float))
    return np.column_stack(columns)


@pytest.mark.parametrize("name", ["logistic", "poisson"])
def test_they_are_those_of_a_fit_to_the_rows(name: str) -> None:
    """n mean[x x' I(x'b)] in the units of the features, at the coefficients of the maximum."""
    world = make_world(name, people=30_000, epsilon=8.0, seed=3)
    found = fit(world.study, world.tally, public=PUBLIC)
    table, X = found.table(intervals="wald"), _columns(found.names)
    mean = {"logistic": special.expit, "poisson": np.exp}[name](X @ table.estimate)
    weights = mean * (1.0 - mean) if name == "logistic" else mean
    information = 30_000 * (X.T * weights) @ X / len(X)
    assert np.allclose(table.raw, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)
    assert (table.raw < table.standard_errors).all()


def test_those_of_classes_hold_all_classes_together() -> None:
    """The information of a softmax about the logits against the first class."""
    world = make_world("multinomial", people=30_000, epsilon=8.0, seed=3)
    found = fit(world.study, world.tally, public=PUBLIC)
    names = tuple(name.removeprefix("b vs a: ") for name in found.names if name.startswith("b"))
    table, X = found.table(intervals="wald"), _columns(names)
    logits = X @ table.estimate.reshape(3, -1).T
    chance = special.softmax(np.column_stack([np.zeros(len(X)), logits]), axis=1)[:, 1:]
    each = chance[:, :, None] * np.eye(3) - chance[:, :, None] * chance[:, None, :]
    count = X.shape[1]
    information = np.einsum("iab,ij,ik->ajbk", each, X, X).reshape(3 * count, 3 * count) * 15.0
    assert np.allclose(table.raw, np.sqrt(np.diag(np.linalg.inv(information))), rtol=1e-6)


def test_a_mean_alone_says_nothing_of_raw_rows() -> None:
    """How labels in a range scatter is not part of the model, so nothing is stated."""
    world = make_world("linear", people=5_000, epsilon=4.0, seed=3)
    found = fit(world.study, world.tally, public=PUBLIC)
    assert np.isnan(found.table().raw).all()
    assert "raw rows" not in str(found.summary())
    identity = Family("own", lambda t: t, np.ones_like, unit=20.0, origin=10.0)
    assert isinstance(make_study(LABELS["linear"]).label, Bounded)
    own = fit(world.study, world.tally, public=PUBLIC, family=identity)
    assert np.isnan(own.table().raw).all()
