"""From a tally to a `Fit`: coefficients, intervals, predictions, refusals."""

import warnings
from typing import Any

import numpy as np
import pytest
from scipy import stats

import tacit
from tacit import Binary, Bounded, Family, Study, Tally, fit, simulate
from tacit.arrays import Floats
from tacit.errors import (
    ConfigurationError,
    NoFiniteMaximumError,
    PublicRowsError,
    PublicRowsWarning,
    ReportError,
    TooFewReportsError,
)
from tacit.inference import result
from tacit.inference.coefficients import to_coefficients
from tacit.study import transform
from tests.inference.helpers import LABELS, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)
STANDARD_ERRORS = 7.0


@pytest.mark.parametrize(
    ("name", "made"),
    [
        *((name, {}) for name in LABELS),
        ("logistic", {"focus": ("age", "smoker")}),
        ("multinomial", {"focus": "region"}),
    ],
    ids=str,
)
def test_coefficients_are_within_their_standard_errors_of_the_truth(
    name: str, made: dict[str, Any]
) -> None:
    """Every family and purpose, in the units of the features: none is 7 standard errors off."""
    world = make_world(name, people=60_000, epsilon=8.0, seed=11, **made)
    found = fit(world.study, world.tally, public=PUBLIC)
    truth = to_coefficients(world.study, found.model) @ world.weights
    assert np.abs((found.coef - truth) / found.standard_errors).max() < STANDARD_ERRORS
    assert len(found.names) == len(found.coef) == world.study.dimension


def test_table_has_intercept_first_and_its_intervals_in_rows() -> None:
    """`conf_int` has one row per coefficient, around the estimate, wider for a higher level."""
    world = make_world("logistic", people=20_000, epsilon=4.0, seed=1)
    found = fit(world.study, world.tally, public=PUBLIC)
    assert found.names[0] == "intercept"
    narrow, wide = found.conf_int(0.5), found.conf_int(0.99)
    assert narrow.shape == (len(found.coef), 2)
    assert (narrow[:, 0] < found.coef).all()
    assert (found.coef < narrow[:, 1]).all()
    assert (wide[:, 0] < narrow[:, 0]).all()
    assert (narrow[:, 1] < wide[:, 1]).all()
    maximum = found.solution("maximum")
    reach = stats.norm.ppf(0.995) * maximum.standard_errors
    wald = found.conf_int(0.99, intervals="wald")
    assert np.allclose(wald, np.column_stack([maximum.coef - reach, maximum.coef + reach]))
    with pytest.raises(ConfigurationError, match="level"):
        found.conf_int(95)
    with pytest.raises(ConfigurationError, match=r"intervals must be one of 'profile', 'flat', 'w"):
        found.conf_int(intervals="exact")


def test_shares_of_the_variance_add_up() -> None:
    """Privacy, people and public rows are all of the variance."""
    world = make_world("logistic", people=20_000, epsilon=1.0, seed=1)
    found = fit(world.study, world.tally, public=PUBLIC)
    table = found.solution("maximum")
    assert np.allclose(table.shares.sum(axis=0), 1.0)
    assert np.allclose(table.variance_by_cause.sum(axis=0), table.standard_errors**2)


def test_summary_prints_the_assumption_under_the_table() -> None:
    """The table carries names, intervals, what raw rows give, the source and the assumption."""
    world = make_world("multinomial", people=30_000, epsilon=8.0, seed=2)
    text = str(fit(world.study, world.tally, public=PUBLIC).summary(0.9))
    for part in ("b vs a: age", "90% interval", "raw rows", "simulated", "stand for the people"):
        assert part in text


def test_other_public_rows_are_allowed_with_a_warning_and_a_note() -> None:
    """Rows of the schema with another fingerprint serve, and the table says so."""
    world = make_world("logistic", people=20_000, epsilon=4.0, seed=1)
    with pytest.warns(PublicRowsWarning, match="not the 2,000"):
        found = fit(world.study, world.tally, public=make_rows(3000, 5))
    assert found.public_rows == 3000
    assert "not the 2,000" in str(found.summary())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        fit(world.study, world.tally, public=PUBLIC)


def test_no_finite_maximum_names_the_direction_and_predictions_work() -> None:
    """Asking for the maximum raises with names and advice; table and predictions are there."""
    study = make_study(LABELS["logistic"], epsilon=0.5, minimum_batch=1)
    rows = make_rows(150, 1)
    found = fit(study, simulate(study, rows, np.arange(150) % 2, random_state=3), public=PUBLIC)
    for ask in (lambda: found.solution("maximum"), lambda: found.summary(intervals="wald")):
        with pytest.raises(NoFiniteMaximumError, match="more people") as caught:
            ask()
        assert any(name in str(caught.value) for name in found.names)
    assert np.isfinite(found.predict_proba(rows)).all()


def test_refuses_too_few_and_foreign_reports() -> None:
    """An empty tally, one below the minimum batch and one of another study are refused."""
    study = make_study(LABELS["logistic"])
    other = make_study(LABELS["logistic"], epsilon=3.0)
    with pytest.raises(TooFewReportsError, match="minimum batch"):
        fit(study, Tally.of(study), public=PUBLIC)
    small = simulate(study, make_rows(99, 1), np.arange(99) % 2, random_state=0)
    with pytest.raises(TooFewReportsError, match="99 reports"):
        fit(study, small, public=PUBLIC)
    foreign = simulate(other, make_rows(500, 1), np.arange(500) % 2, random_state=0)
    with pytest.raises(ReportError, match="belong"):
        fit(study, foreign, public=PUBLIC)


def test_refuses_unusable_public_rows() -> None:
    """Infinite values and absent columns in public rows are errors that name the column."""
    world = make_world("logistic", people=2000, epsilon=4.0, seed=1)
    broken = make_rows(2000, 0)
    broken["age"][3] = np.inf
    with pytest.raises(PublicRowsError, match="age"):
        fit(world.study, world.tally, public=broken)
    del broken["age"]
    with pytest.raises(ConfigurationError, match="age"):
        fit(world.study, world.tally, public=broken)


def test_one_collection_serves_other_links() -> None:
    """The same tally is read with a probit mean; its slopes are about 0.6 of the logit's."""
    world = make_world("logistic", people=60_000, epsilon=8.0, seed=11)
    probit = Family("probit", mean=stats.norm.cdf, slope=stats.norm.pdf)
    logit = fit(world.study, world.tally, public=PUBLIC)
    other = fit(world.study, world.tally, public=PUBLIC, family=probit)
    age = logit.names.index("age")
    assert other.coef[age] / logit.coef[age] == pytest.approx(0.6, abs=0.06)


def test_the_linear_family_has_no_privilege_of_name() -> None:
    """The same functions under another name, with unit and origin stated, give the same bits."""
    label = Bounded("y", 0.0, 100_000.0)
    study = make_study(label)
    rows = make_rows(5_000, 1)
    tally = simulate(study, rows, 40_000.0 + 400.0 * rows["age"] / 2, random_state=1)
    same = Family("identity", lambda t: t, np.ones_like, unit=50_000.0, origin=50_000.0)
    by_default = fit(study, tally, public=PUBLIC)
    for family in ("linear", same):
        found = fit(study, tally, public=PUBLIC, family=family)
        assert np.array_equal(found.predict(rows), by_default.predict(rows))
        assert np.array_equal(found.coef, by_default.coef)
    with pytest.raises(ConfigurationError, match="unit=50000, origin=50000"):
        fit(study, tally, public=PUBLIC, family=Family("identity", lambda t: t, np.ones_like))


def test_solutions_have_names() -> None:
    """Wald intervals are of the maximum, predictions of the posterior; there are no others."""
    found = fit(*_study_and_tally("multinomial"), public=PUBLIC)
    maximum, predictive = found.solution("maximum"), found.solution("posterior")
    assert np.array_equal(found.table(intervals="wald").estimate, maximum.coef)
    assert predictive.chosen == dict(zip(("signal", "power"), found.prior, strict=True))
    assert np.allclose(  # class against class in the one, by predictor in the other
        predictive.coef.reshape(3, -1).T, found.predictive_coef @ found.model.contrasts.T
    )
    with pytest.raises(ConfigurationError, match=r"no solution 'best'; a fit has maximum, post"):
        found.solution("best")
    with pytest.raises(ConfigurationError, match=r"shrunken.*'maximum'"):
        predictive.conf_int()


def test_nothing_is_computed_before_it_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """A table of many coefficients takes long, and so does choosing a prior."""
    found = fit(*_study_and_tally("poisson"), public=PUBLIC)
    assert not found.solutions
    assert not found.tables
    found.predict(PUBLIC)
    assert set(found.solutions) == {"posterior"}
    found.conf_int()
    assert set(found.tables) == {("profile", 0.95)}
    monkeypatch.setattr(result, "make_table", None)
    found.summary()


def test_a_mean_with_another_slope_is_refused() -> None:
    """Every search would go astray on it."""
    study, tally = _study_and_tally("logistic")
    wrong = Family("wrong", mean=stats.norm.cdf, slope=lambda t: 2.0 * stats.norm.pdf(t))
    with pytest.raises(ConfigurationError, match="slope of family 'wrong' is not the derivative"):
        fit(study, tally, public=PUBLIC, family=wrong)


def test_public_rows_are_encoded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row of them, for the moments and for the comparison with the study's own."""
    study, tally = _study_and_tally("linear")
    coded: list[int] = []
    design = transform.design

    def counted(features: Any, rows: Any, count: int) -> Floats:
        coded.append(count)
        return design(features, rows, count)

    monkeypatch.setattr(transform, "design", counted)
    fit(study, tally, public=PUBLIC)
    assert sum(coded) == 2000


def test_predictions_by_label_type() -> None:
    """Classes for labels that have them, means for numbers, logits and probabilities in order."""
    rows = make_rows(7, 9)
    several = fit(*_study_and_tally("multinomial"), public=PUBLIC)
    assert several.predict_proba(rows).shape == (7, 4)
    assert several.decision_function(rows).shape == (7, 4)
    assert set(several.predict(rows)) <= {"a", "b", "c", "d"}
    binary = fit(*_study_and_tally("logistic"), public=PUBLIC)
    assert binary.classes == ("0", "1")
    assert np.allclose(
        binary.predict_proba(rows)[:, 1], 1 / (1 + np.exp(-binary.decision_function(rows)))
    )
    number = fit(*_study_and_tally("linear"), public=PUBLIC)
    assert np.allclose(number.predict(rows), number.decision_function(rows))
    with pytest.raises(ConfigurationError, match="no classes"):
        number.predict_proba(rows)


def test_predicts_one_record_with_missing_values() -> None:
    """A record with a missing answer is predicted as the study replaces it."""
    found = fit(*_study_and_tally("logistic"), public=PUBLIC)
    record = {"age": None, "hours": 2.0, "smoker": True, "region": "unheard of"}
    assert found.predict_proba([record]).shape == (1, 2)


def test_without_intercept_there_is_none() -> None:
    """The table has the features alone, and the truth through the origin is found."""
    rng = np.random.default_rng(0)
    rows = {"a": rng.normal(1.0, 1.0, 4000), "b": rng.exponential(1.0, 4000)}
    people = {"a": rng.normal(1.0, 1.0, 60_000), "b": rng.exponential(1.0, 60_000)}
    study = Study.from_public(
        rows, label=Binary("y", 1, 0), epsilon=8.0, source="simulated", intercept=False
    )
    chance = 1 / (1 + np.exp(-(0.8 * people["a"] - 0.5 * people["b"])))
    labels = (rng.random(60_000) < chance).astype(int)
    found = fit(study, simulate(study, people, labels, random_state=1), public=rows)
    assert found.names == ("a", "b")
    assert np.abs((found.coef - [0.8, -0.5]) / found.standard_errors).max() < STANDARD_ERRORS


def test_several_reports_of_a_person_average_the_noise_but_are_not_more_people() -> None:
    """Twice as many reports halve the privacy part; the part due to people stays."""
    once = make_study(LABELS["logistic"], epsilon=2.0)
    twice = make_study(LABELS["logistic"], epsilon=2.0, reports_per_person=2)
    rows, labels = make_rows(20_000, 1), np.arange(20_000) % 2
    one, two = (
        fit(study, simulate(study, rows, labels, random_state=0), public=PUBLIC)
        for study in (once, twice)
    )
    assert two.reports == 2 * one.reports
    assert two.people == one.people == 20_000
    causes = [found.solution("maximum").variance_by_cause for found in (one, two)]
    ratio = causes[1] / causes[0]
    assert np.allclose(ratio[0], 0.5, rtol=0.2)
    assert np.allclose(ratio[1], 1.0, rtol=0.2)
    assert two.guarantee.total_epsilon == 4.0


def test_guarantee_is_the_studys() -> None:
    """A fit repeats what people were promised."""
    world = make_world("logistic", people=2000, epsilon=2.0, seed=1)
    assert fit(world.study, world.tally, public=PUBLIC).guarantee == tacit.Guarantee(2.0)


def _study_and_tally(name: str) -> tuple[Study, Tally]:
    world = make_world(name, people=5000, epsilon=8.0, seed=4)
    return world.study, world.tally
