"""Two tallies compared."""

import numpy as np
import pytest
from scipy import stats

import tacit
from tacit.errors import ConfigurationError
from tacit.inference import Fit
from tests.inference.helpers import LABELS, make_rows, make_study
from tests.inference.test_submodel import fit_of


def fit_to(seed: int, *, public: int = 2000, people: int = 4000, epsilon: float = 8.0) -> Fit:
    """People who all follow one rule, seen through the public rows of seed 0."""
    study = make_study(LABELS["logistic"], epsilon=epsilon, public=public)
    rng = np.random.default_rng(seed)
    rows = make_rows(people, seed)
    chance = 1 / (1 + np.exp(1.0 - 0.02 * rows["age"] - 0.5 * rows["smoker"]))
    labels = (rng.random(people) < chance).astype(int)
    tally = tacit.simulate(study, rows, labels, random_state=seed)
    return tacit.fit(study, tally, public=make_rows(public, 0))


def test_differences_are_those_of_the_tables() -> None:
    """With z, p and an interval; the other way round they change their sign."""
    one, other = fit_to(1), fit_to(2)
    found, back = tacit.compare(one, other), tacit.compare(other, one)
    for place, (row, turned) in enumerate(zip(found.rows(), back.rows(), strict=True)):
        assert row["name"] == one.names[place]
        assert row["estimate"] == pytest.approx(one.coef[place] - other.coef[place])
        assert row["z"] == pytest.approx(row["estimate"] / row["se"])
        assert row["high"] - row["low"] == pytest.approx(2 * stats.norm.ppf(0.975) * row["se"])
        assert turned["estimate"] == pytest.approx(-row["estimate"])
        assert turned["se"] == pytest.approx(row["se"])
    assert back.joint.statistic == pytest.approx(found.joint.statistic)
    assert str(found.joint) in " ".join(str(found).split())


def test_shared_public_rows_cancel() -> None:
    """With few public rows and many people, two tallies agree better than each with the truth."""
    one, other = (fit_to(seed, public=300, people=200_000) for seed in (1, 2))
    found = tacit.compare(one, other)
    assert "share their public rows" in str(found)
    together = one.standard_errors**2 + other.standard_errors**2
    assert all(
        row["se"] ** 2 < 0.3 * total for row, total in zip(found.rows(), together, strict=True)
    )
    assert found.joint.p > 1e-6


def test_public_rows_are_known_through_another_transform() -> None:
    """A study of fewer features around the same rows shares them; other rows are others."""
    one, rows = fit_to(1), make_rows(2000, 0)
    fewer = {name: rows[name] for name in ("age", "smoker")}
    study = tacit.Study.from_public(
        fewer, label=LABELS["logistic"], epsilon=8.0, source="simulated"
    )
    tally = tacit.simulate(study, fewer, np.arange(2000) % 2, random_state=0)
    other = tacit.fit(study, tally, public=fewer)
    found = tacit.compare(one, other)
    assert [row["name"] for row in found.rows()] == ["intercept", "age", "smoker"]
    assert "share their public rows" in str(found)
    turned = {name: values[::-1] for name, values in fewer.items()}
    with pytest.warns(tacit.TacitWarning):
        again = tacit.fit(study, tally, public=turned)
    assert "rows of their own" in str(tacit.compare(one, again)).replace("\n", " ")


def test_rows_of_their_own_add_up() -> None:
    """Each coefficient's variance is the sum of the two fits' own."""
    one, rows = fit_to(1), make_rows(1500, 9)
    study = tacit.Study.from_public(rows, label=LABELS["logistic"], epsilon=8.0, source="other")
    other = tacit.fit(
        study, tacit.simulate(study, rows, np.arange(1500) % 2, random_state=0), public=rows
    )
    found = tacit.compare(one, other)
    total = one.standard_errors**2 + other.standard_errors**2
    assert [row["se"] ** 2 for row in found.rows()] == pytest.approx(total.tolist(), rel=1e-3)


def test_what_differs_is_found() -> None:
    """A population whose rule is another one."""
    one = fit_to(1, people=20_000)
    rows = make_rows(20_000, 5)
    smokers = np.random.default_rng(5).random(20_000) < 0.3 + 0.5 * rows["smoker"]
    tally = tacit.simulate(one.study, rows, smokers.astype(int), random_state=1)
    found = tacit.compare(one, tacit.fit(one.study, tally, public=make_rows(2000, 0)))
    assert found.joint.p < 1e-6
    by_name = {row["name"]: row for row in found.rows()}
    assert by_name["smoker"]["z"] < -5


def test_what_cannot_be_compared_is_refused() -> None:
    """One tally twice, models that measure different things, no name in common."""
    one = fit_to(1)
    with pytest.raises(ConfigurationError, match="the same tally"):
        tacit.compare(one, one.submodel(drop=["age"]))
    with pytest.raises(ConfigurationError, match="logistic and of a linear model"):
        tacit.compare(one, fit_of("linear"))
    with pytest.raises(ConfigurationError, match="read from a file"):
        tacit.compare(one, Fit.from_bytes(one.to_bytes()))
    rows = {"height": np.random.default_rng(0).normal(size=500)}
    study = tacit.Study.from_public(
        rows, label=LABELS["logistic"], epsilon=8.0, source="x", intercept=False
    )
    tally = tacit.simulate(study, rows, np.arange(500) % 2, random_state=0)
    with pytest.raises(ConfigurationError, match="no coefficient of one name"):
        tacit.compare(one, tacit.fit(study, tally, public=rows))
