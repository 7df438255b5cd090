"""Tests, contrasts and ratios from one tally."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tacit
from tacit.errors import ConfigurationError
from tacit.inference import Fit
from tests.inference.helpers import LABELS, make_rows, make_study
from tests.inference.test_submodel import fit_of


@pytest.mark.parametrize("name", tuple(LABELS))
def test_the_test_of_one_coefficient_is_its_squared_z(name: str) -> None:
    """One objective, one prior: the line of the table and the test say the same."""
    fit = fit_of(name)
    table = fit.table()
    at = len(fit.names) - 1
    found = fit.test(fit.names[at])
    assert found.degrees == 1
    assert found.statistic == pytest.approx(table.z[at] ** 2, rel=0.01, abs=1e-3)
    assert found.p == pytest.approx(table.p[at], rel=0.05, abs=1e-3)


def test_in_a_linear_model_the_test_is_walds() -> None:
    """The chi-square of the maximum with its covariance, but for what the weak prior adds."""
    fit = fit_of("linear")
    found = fit.test("age", "region")
    places = [fit.names.index(one) for one in ("age", "region: south", "region: west")]
    solution = fit.solution("maximum")
    inverse = np.linalg.inv(solution.covariance[np.ix_(places, places)])
    wald = solution.coef[places] @ inverse @ solution.coef[places]
    assert found.statistic == pytest.approx(wald, rel=0.01)
    assert found.p == pytest.approx(stats.chi2.sf(found.statistic, 3))


def test_a_test_says_what_it_is() -> None:
    """It prints itself, and is a value."""
    found = fit_of("logistic").test("region")
    assert str(found).startswith("region = 0: chi-square ")
    assert "with 2 degrees of freedom, p = " in str(found)
    assert found == fit_of("logistic").test("region")
    assert str(fit_of("logistic").test("age")).count("1 degree of freedom") == 1


def test_a_contrast_of_one_is_its_line_in_the_table() -> None:
    """With the same ends; twice the coefficient has twice the ends."""
    fit = fit_of("logistic")
    table, at = fit.table(0.9), fit.names.index("smoker")
    for times in (1.0, -2.0):
        found = fit.contrast({"smoker": times}, 0.9)
        ends = sorted([times * table.low[at], times * table.high[at]])
        assert found.estimate == pytest.approx(times * table.estimate[at], rel=1e-2)
        assert [found.low, found.high] == pytest.approx(ends, rel=1e-2)
        assert abs(found.z) == pytest.approx(abs(table.z[at]), rel=1e-2)
    assert str(found).startswith("- 2 smoker: ")


def test_the_baseline_counts_as_nothing() -> None:
    """A level against the baseline is its coefficient; against another, their difference."""
    fit = fit_of("linear")
    south, west = (fit.coef[fit.names.index(f"region: {name}")] for name in ("south", "west"))
    assert fit.contrast({"south": 1, "north": -1}).estimate == pytest.approx(south, rel=1e-2)
    rate = fit.coef[0] + 40 * fit.coef[1]
    assert fit.contrast({"intercept": 1, "age": 40}).estimate == pytest.approx(rate, rel=2e-2)
    found = fit.contrast({"south": 1, "region: west": -1})
    assert found.about == "south - region: west"
    assert found.estimate == pytest.approx(south - west, rel=2e-2)


def test_a_contrast_of_a_submodel_knows_its_merged_levels() -> None:
    """Each level has the coefficient that stands for it."""
    smaller = fit_of("linear").submodel(merge={"region": [["south", "west"]]}, drop=["age"])
    merged = smaller.coef[smaller.names.index("region: south or west")]
    assert smaller.contrast({"west": 1}).estimate == pytest.approx(merged, rel=1e-2)
    for nothing in ({"south": 1, "west": -1}, {"age": 1}, {"north": 1}, {}):
        with pytest.raises(ConfigurationError, match="does not cancel"):
            smaller.contrast(nothing)


def test_names_that_mean_several_things_are_refused() -> None:
    """The message says which there are."""
    rows = {**make_rows(2000, 0), "work": make_rows(2000, 7)["region"]}
    study = tacit.Study.from_public(rows, label=LABELS["logistic"], epsilon=8.0, source="made up")
    tally = tacit.simulate(study, rows, np.arange(2000) % 2, random_state=0)
    fit = tacit.fit(study, tally, public=rows)
    for ask in (lambda: fit.contrast({"south": 1}), lambda: fit.test("south")):
        with pytest.raises(ConfigurationError, match="'region: south', 'work: south'; say which"):
            ask()
    with pytest.raises(ConfigurationError, match="'b vs a: age', 'c vs a: age', 'd vs a: age'"):
        fit_of("multinomial").contrast({"age": 1})


def test_what_the_study_left_out_is_told() -> None:
    """With its reason, not as an unknown name."""
    rows = make_rows(500, 0) | {"same": np.ones(500)}
    study = tacit.Study.from_public(rows, label=LABELS["logistic"], epsilon=8.0, source="made up")
    tally = tacit.simulate(study, rows, np.arange(500) % 2, random_state=0)
    with pytest.raises(ConfigurationError, match="the study left out 'same'"):
        tacit.fit(study, tally, public=rows).test("same")


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda fit: fit.test(), "needs names"),
        (lambda fit: fit.test("north"), "baseline"),
        (lambda fit: fit.test("Age"), "perhaps 'age'"),
        (lambda fit: fit.submodel(drop=["age"]).test("hours", "age"), "that the fit has"),
        (lambda fit: fit.contrast({"age": np.nan}), "not a number"),
        (lambda fit: fit.contrast({"age": 1}, level=95), "level=95"),
        (lambda fit: fit.effects(level=1.0), "level=1.0"),
        (lambda fit: fit.mean_prediction(level=0.0), "level=0.0"),
        (lambda fit: fit.mean_prediction({name: [] for name in make_rows(1, 0)}), "one row"),
    ],
)
def test_senseless_questions_are_refused(ask: Callable[[Fit], Any], told: str) -> None:
    """With what to do."""
    with pytest.raises(ConfigurationError, match=told):
        ask(fit_of("logistic"))


@pytest.mark.parametrize(
    ("name", "ratio"),
    [("logistic", "odds ratio"), ("multinomial", "odds ratio"), ("poisson", "rate ratio")],
)
def test_ratios_are_exponentials_of_the_table(name: str, ratio: str) -> None:
    """Of every line but intercepts, under the name that the model gives them."""
    fit = fit_of(name)
    found, table = fit.odds_ratios(), fit.table()
    lines = {row["name"]: row for row in found.rows()}
    assert not [one for one in lines if one.endswith("intercept")]
    assert len(lines) == len(fit.names) - len(fit.study.label.groups)
    for place, one in enumerate(fit.names):
        if one in lines:
            assert lines[one]["ratio"] == pytest.approx(np.exp(table.estimate[place]))
            assert lines[one]["low"] == pytest.approx(np.exp(table.low[place]))
            assert lines[one]["high"] == pytest.approx(np.exp(table.high[place]))
            assert lines[one]["p"] == table.p[place]
    assert ratio in str(found)


def test_endless_ends_have_ratios() -> None:
    """Nothing and infinity are ratios too."""
    study = make_study(LABELS["logistic"], epsilon=0.1)
    rows = make_rows(200, 3)
    tally = tacit.simulate(study, rows, np.arange(200) % 2, random_state=0)
    fit = tacit.fit(study, tally, public=make_rows(2000, 0))
    assert np.isinf(fit.table().low).any()
    lines = fit.odds_ratios().rows()
    assert {row["low"] for row in lines} == {0.0}
    assert {row["high"] for row in lines} == {np.inf}


def test_other_models_have_no_ratios() -> None:
    """The message says what there is instead, also for a family of one's own of that name."""
    with pytest.raises(ConfigurationError, match=r"not in 'linear'; fit.effects\(\)"):
        fit_of("linear").odds_ratios()
    rows = make_rows(2000, 0)
    study = make_study(LABELS["logistic"])
    tally = tacit.simulate(study, rows, np.arange(2000) % 2, random_state=0)
    own = tacit.Family("logistic", mean=stats.norm.cdf, slope=stats.norm.pdf)
    with pytest.raises(ConfigurationError, match="not in 'logistic'"):
        tacit.fit(study, tally, public=rows, family=own).odds_ratios()
