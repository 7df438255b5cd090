"""What reports of label studies say: the likelihood, its maximum, its profile, and its file."""

import math
from pathlib import Path

import numpy as np
import pytest
from scipy import optimize, special

from tacit import Bounded, Family, Feature, LabelStudy
from tacit.arrays import Floats
from tacit.errors import (
    ConfigurationError,
    NoFiniteMaximumError,
    StudyFileError,
    TooFewReportsError,
)
from tacit.labelprivate.fitting import LabelFit
from tacit.labelprivate.fitting.likelihoods import Released
from tacit.labelprivate.fitting.solve import released
from tacit.labelprivate.simulation import simulate_reports
from tacit.labels import Label
from tests.labelprivate.helpers import (
    LABELS,
    MANY,
    PAIN,
    PLAN,
    SICK,
    TRUTH,
    VISITS,
    answers,
    people,
    study_of,
)

STANDARD_ERRORS = 7.0
over_labels = pytest.mark.parametrize("label", LABELS, ids=lambda label: label.in_words())
GUMBEL = Family(
    "gumbel",
    mean=lambda eta: np.exp(-np.exp(-eta)),
    slope=lambda eta: np.exp(-eta - np.exp(-eta)),
)


def fitted(label: Label, epsilon: float = 2.0, count: int = 20_000, seed: int = 5) -> LabelFit:
    """A fit of people with the truth of the helpers."""
    study, rows = study_of(label, epsilon), people(count, seed)
    labels = answers(label, rows, seed + 1)
    return study.fit(rows, simulate_reports(study, labels, random_state=seed + 2))


@over_labels
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 6.0])
def test_the_truth_comes_back(label: Label, epsilon: float) -> None:
    """Every coefficient within seven standard errors, whichever mechanism the epsilon brings."""
    fit = fitted(label, epsilon)
    step = 0.5 if label in (PLAN, MANY) else 1.0
    groups = max(len(label.classes) - 1, 1)
    truth = np.concatenate([np.array(list(TRUTH.values())) * step * (k + 1) for k in range(groups)])
    assert fit.names[:1] in (("intercept",), (f"{label.groups[0]}: intercept",))
    off = np.abs(fit.coef - truth) / fit.standard_errors
    assert off.max() < STANDARD_ERRORS, str(fit.summary())
    assert fit.standard_errors.max() < 0.9  # an interval that says something


def reported(
    label: Label, epsilon: float, count: int = 40
) -> tuple[LabelStudy, np.ndarray, Floats]:
    """Reports of some people, with predictors of no particular kind."""
    study, rows = study_of(label, epsilon), people(count)
    numbers = simulate_reports(study, answers(label, rows), random_state=3)
    width = label.model().width
    return study, numbers, np.random.default_rng(1).normal(0.0, 0.8, (count, width))


def log_of(law: Released, predictor: Floats) -> Floats:
    """Log likelihood."""
    return law.look(predictor)[0]


def score_of(law: Released, predictor: Floats) -> Floats:
    """What is claimed to be its derivative."""
    return law.look(predictor)[1]


@over_labels
@pytest.mark.parametrize("epsilon", [1.0, 3.0, 6.0])
def test_scores_are_slopes_of_the_likelihood(label: Label, epsilon: float) -> None:
    """By central differences, person by person; observed information is that of the score."""
    study, numbers, predictor = reported(label, epsilon)
    law = released(study, label.model(), numbers)
    small = 1e-5
    for a in range(predictor.shape[1]):
        moved = small * np.eye(predictor.shape[1])[a]
        slope = (log_of(law, predictor + moved) - log_of(law, predictor - moved)) / (2 * small)
        np.testing.assert_allclose(score_of(law, predictor)[:, a], slope, rtol=1e-5, atol=1e-7)
        bend = score_of(law, predictor - moved) - score_of(law, predictor + moved)
        bend /= 2 * small
        if label not in (SICK, PAIN):  # theirs is the expected one
            found = law.information(predictor)[:, :, a]
            np.testing.assert_allclose(found, bend, rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("label", [SICK, PAIN], ids=["yes or no", "number"])
def test_expected_information_is_the_mean_square_of_scores(label: Label) -> None:
    """Of yes or no over both reports; of numbers the squared slope in units of their error."""
    study, numbers, predictor = reported(label, 1.0)
    model = label.model()
    if label is SICK:
        kept = math.e / (1 + math.e)
        chance = special.expit(predictor[:, 0])
        of_yes = 1 - kept + (2 * kept - 1) * chance
        total = np.zeros(len(numbers))
        for report, share in ((0, 1 - of_yes), (1, of_yes)):
            law = released(study, model, np.full_like(numbers, report))
            total += share * score_of(law, predictor)[:, 0] ** 2
        expected = released(study, model, numbers).information(predictor)[:, 0, 0]
        np.testing.assert_allclose(expected, total, rtol=1e-8)
    else:
        values = 4.0 * study.mechanism.value(numbers)
        expected = released(study, model, numbers).information(predictor)[:, 0, 0]
        np.testing.assert_allclose(expected, 1 / values.var())


@pytest.mark.parametrize("label", [VISITS, PLAN, MANY, SICK], ids=lambda x: x.in_words())
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
def test_the_likelihood_is_the_chance_of_the_report(label: Label, epsilon: float) -> None:
    """Up to a constant for each report: the mean over labels of the mechanism's own chances."""
    study, numbers, predictor = reported(label, epsilon)
    model = label.model()
    if label is VISITS:
        rate = np.exp(predictor)
        counts = np.arange(7)
        shares = np.exp(counts * predictor - rate - special.gammaln(counts + 1))
        shares[:, -1] = 1 - shares[:, :-1].sum(axis=1)
        inputs = counts / 3 - 1
    else:
        shares, inputs = model.predicted(predictor), np.eye(label.class_count)
    law = released(study, model, numbers)
    chances = (study.mechanism.chances(numbers, inputs) * shares).sum(axis=1)
    other = predictor[::-1].copy()
    moved = (study.mechanism.chances(numbers, inputs) * shares[::-1]).sum(axis=1)
    np.testing.assert_allclose(
        log_of(law, predictor) - log_of(law, other), np.log(chances / moved), rtol=1e-8, atol=1e-10
    )


def test_the_maximum_and_its_profile_are_those_of_a_slow_search() -> None:
    """Likelihood written down anew, maximised by another method, profile by bisection."""
    study, rows = study_of(SICK), people(1500)
    numbers = simulate_reports(study, answers(SICK, rows), random_state=3)
    fit = study.fit(rows, numbers)
    design = np.column_stack([np.ones(1500), rows["age"], rows["smoker"]])
    kept = math.e / (1 + math.e)

    def loss(coef: Floats) -> float:
        chance = 1 - kept + (2 * kept - 1) * special.expit(design @ coef)
        return -float(np.log(np.where(numbers == 1, chance, 1 - chance)).sum())

    best = optimize.minimize(loss, np.zeros(3), method="BFGS", options={"gtol": 1e-6})
    near = 0.05 * fit.standard_errors.max()  # the weak prior moves it by less
    np.testing.assert_allclose(fit.coef, best.x, atol=near)

    def excess(age: float) -> float:
        start = best.x[[0, 2]]
        rest = optimize.minimize(lambda w: loss(np.array([w[0], age, w[1]])), start, method="BFGS")
        return 2 * (float(rest.fun) - float(best.fun)) - float(special.chdtri(1, 0.05))

    low = optimize.brentq(excess, best.x[1] - 2, best.x[1], xtol=1e-5)
    high = optimize.brentq(excess, best.x[1], best.x[1] + 2, xtol=1e-5)
    np.testing.assert_allclose(fit.conf_int()[1], [low, high], atol=near)
    wald = fit.coef[1] + 1.96 * fit.standard_errors[1] * np.array([-1, 1])
    assert np.abs(wald - [low, high]).max() > 2 * near  # the test can tell the two apart


@pytest.mark.parametrize("label", [SICK, VISITS, PLAN, MANY], ids=lambda label: label.in_words())
def test_a_table_comes_without_a_maximum(label: Label) -> None:
    """A level nobody of which says yes: its interval is one-sided, the others stay as they are."""
    rows = people(3_000) | {"rare": np.arange(3_000) < 60}
    features = [Feature("age", "numeric"), Feature("rare", "binary")]
    study = LabelStudy(features, label=label, epsilon=6.0)
    labels = answers(label, rows).astype(object)
    first = label.classes[0] if label.classes else 0
    labels[:60] = first
    numbers = simulate_reports(study, labels, random_state=3)
    fit = study.fit(rows, numbers)
    last = fit.names.index(fit.names[-1])
    low, high = fit.conf_int()[last]
    assert low == -math.inf
    assert high < 0
    assert np.isfinite(fit.conf_int()[1]).all()
    if not math.isinf(fit.estimates[last]):  # a stray report may keep it finite
        return
    with pytest.raises(NoFiniteMaximumError, match="rare"):
        _ = fit.coef
    row = fit.summary().rows()[last]
    assert (row["coef"], row["se"]) == (None, None)
    assert "none" in str(fit.summary())
    loaded = LabelFit.from_bytes(fit.to_bytes())
    assert str(loaded.summary()) == str(fit.summary())


@over_labels
@pytest.mark.parametrize(("epsilon", "count"), [(0.1, 60), (0.5, 40), (1.0, 200)])
def test_a_table_comes_of_hardly_any_reports(label: Label, epsilon: float, count: int) -> None:
    """Where noise drowns everything each line has an interval, with its estimate inside."""
    rows = people(count) | {"rare": np.arange(count) < 3}
    features = [Feature("age", "numeric"), Feature("smoker", "binary"), Feature("rare", "binary")]
    study = LabelStudy(features, label=label, epsilon=epsilon)
    fit = study.fit(rows, simulate_reports(study, answers(label, rows), random_state=1))
    low, high = fit.conf_int().T
    assert (low <= fit.estimates).all()
    assert (fit.estimates <= high).all()
    assert len(str(fit.summary()).splitlines()) > len(fit.names)


@over_labels
def test_a_fit_survives_its_file(label: Label, tmp_path: Path) -> None:
    """Table and predictions; another level needs rows and reports again."""
    fit, rows = fitted(label, count=2_000), people(5)
    fit.save(tmp_path / "model.json", level=0.9)
    loaded = LabelFit.load(tmp_path / "model.json")
    assert str(loaded.summary(0.9)) == str(fit.summary(0.9))
    np.testing.assert_array_equal(loaded.predict(rows), fit.predict(rows))
    np.testing.assert_array_equal(loaded.decision_function(rows), fit.decision_function(rows))
    if label.classes:
        np.testing.assert_allclose(loaded.predict_proba(rows).sum(axis=1), 1.0)
    else:
        with pytest.raises(ConfigurationError, match="has no classes"):
            loaded.predict_proba(rows)
    if label is not PAIN:
        with pytest.raises(ConfigurationError, match="fit the rows and reports again"):
            loaded.conf_int(0.5)
    data = fit.to_bytes().replace(b'"people":2000', b'"people":2001')
    with pytest.raises(StudyFileError, match="altered"):
        LabelFit.from_bytes(data)


def test_predictions_are_those_of_the_coefficients() -> None:
    """In the units of the features, whatever was centred on the way."""
    fit, rows = fitted(SICK), people(50, 9)
    predictor = np.column_stack([np.ones(50), rows["age"], rows["smoker"]]) @ fit.coef
    found = fit.decision_function(rows)
    np.testing.assert_allclose(found, predictor, atol=0.05)  # where people suffice all agree
    np.testing.assert_allclose(fit.predict_proba(rows)[:, 1], special.expit(found))
    assert fit.predict(rows).tolist() == np.where(found > 0, "yes", "no").tolist()


def test_who_did_not_report_is_left_out() -> None:
    """As if the row were not there; the summary says how many."""
    study, rows = study_of(SICK), people(800)
    numbers = simulate_reports(study, answers(SICK, rows), random_state=3)
    holes = [int(n) if i % 3 else None for i, n in enumerate(numbers)]
    some = {name: values[np.arange(800) % 3 > 0] for name, values in rows.items()}
    fit, alone = study.fit(rows, holes), study.fit(some, numbers[np.arange(800) % 3 > 0])
    np.testing.assert_allclose(fit.coef, alone.coef)
    assert "267 rows without a report are left out." in fit.notes
    assert fit.people == 533
    with pytest.raises(TooFewReportsError, match="no row has a report"):
        study.fit(rows, [None] * 800)
    with pytest.raises(ConfigurationError, match="800 rows and 2 reports"):
        study.fit(rows, [0, 1])


def test_columns_that_say_nothing_are_left_out() -> None:
    """Constant in the rows given, or a combination of earlier ones; the others have their table."""
    names = ("age", "twice", "same", "smoker")
    study = LabelStudy([Feature(n, "numeric") for n in names], label=SICK, epsilon=2.0)
    rows = people(2_000)
    labels = answers(SICK, rows)
    rows |= {"twice": 2 * rows["age"] + 1, "same": np.full(2_000, 3.0)}
    numbers = simulate_reports(study, labels, random_state=3)
    fit = study.fit(rows, numbers)
    assert fit.names == ("intercept", "age", "smoker")
    told = "Left out: twice (collinear with earlier columns), same (constant in these rows)."
    assert told in fit.notes
    np.testing.assert_allclose(
        fit.coef, study_of(SICK, 2.0).fit(people(2_000), numbers).coef, atol=1e-5
    )


def test_a_model_through_the_origin_is_one() -> None:
    """Nothing is centred, and no coefficient stands for a constant."""
    study = LabelStudy([Feature("x", "numeric")], label=SICK, epsilon=3.0, intercept=False)
    generator = np.random.default_rng(1)
    x = 1.0 + generator.standard_normal(20_000)
    labels = np.where(generator.random(20_000) < special.expit(0.5 * x), "yes", "no")
    fit = study.fit({"x": x}, simulate_reports(study, labels, random_state=2))
    assert fit.names == ("x",)
    assert abs(fit.coef[0] - 0.5) < STANDARD_ERRORS * fit.standard_errors[0]


@pytest.mark.parametrize("label", [SICK, Bounded("share", 0.0, 1.0)], ids=["yes or no", "number"])
def test_a_family_of_ones_own(label: Label, tmp_path: Path) -> None:
    """Its likelihood for yes or no, its mean for numbers; the file wants the object again."""
    rows, generator = people(60_000), np.random.default_rng(2)
    mean = GUMBEL.mean(0.3 + 0.5 * rows["age"])
    happened = generator.random(60_000) < mean
    labels = np.where(happened, "yes", "no") if label is SICK else happened.astype(float)
    study = LabelStudy([Feature("age", "numeric")], label=label, epsilon=2.0)
    fit = study.fit(rows, simulate_reports(study, labels, random_state=3), family=GUMBEL)
    assert np.abs((fit.coef - [0.3, 0.5]) / fit.standard_errors).max() < STANDARD_ERRORS
    fit.save(tmp_path / "model.json")
    with pytest.raises(ConfigurationError, match="author's own"):
        LabelFit.load(tmp_path / "model.json")
    loaded = LabelFit.load(tmp_path / "model.json", family=GUMBEL)
    np.testing.assert_array_equal(loaded.conf_int(), fit.conf_int())


def test_robust_errors_follow_the_spread() -> None:
    """A number whose spread grows with the feature: the sandwich sees it."""
    generator = np.random.default_rng(3)
    study = LabelStudy([Feature("x", "numeric")], label=Bounded("y", -40.0, 40.0), epsilon=12.0)
    found = []
    for run in range(300):
        x = generator.standard_normal(400)
        y = x + generator.standard_normal(400) * (0.2 + x**2)
        numbers = simulate_reports(study, y.clip(-40, 40), random_state=run)
        fit = study.fit({"x": x}, numbers)
        found.append([fit.coef[1], fit.standard_errors[1]])
    coef, stated = np.array(found).T
    limit = STANDARD_ERRORS / math.sqrt(2 * len(coef))  # one variance for all would be 0.54 off
    assert abs(np.sqrt((stated**2).mean()) / coef.std() - 1) < limit


def test_poisson_reports_have_a_limit() -> None:
    """A cap too large to sum over is refused with what to do instead."""
    study = LabelStudy([Feature("x", "numeric")], label=VISITS.__class__("v", 5000), epsilon=1.0)
    with pytest.raises(ConfigurationError, match="cap=5000"):
        study.fit({"x": [1.0, 2.0]}, [0, 1])


def test_a_study_without_features_has_an_intercept() -> None:
    """Its fit is the share, freed of the mechanism."""
    study = LabelStudy([], label=SICK, epsilon=1.0)
    numbers = np.repeat([0, 1], [550, 450])
    fit = study.fit([{}] * 1000, numbers)
    kept = math.e / (1 + math.e)
    share = (0.45 - (1 - kept)) / (2 * kept - 1)
    assert fit.coef[0] == pytest.approx(special.logit(share), abs=1e-3)
