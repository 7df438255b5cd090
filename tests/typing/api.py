"""The public names as a type checker of a user sees them; nothing here is run.

mypy reads this file in `make types`: a name that loses its type, or changes it, is an error.
"""

from pathlib import Path
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import tacit

Floats = NDArray[np.float64]


def plan_and_make_a_study(rows: dict[str, list[float]]) -> tacit.Study:
    """Rows are any mapping; a study is a value with an id."""
    study = tacit.Study.from_public(
        rows,
        label=tacit.Binary("churned", positive="yes"),
        epsilon=1.0,
        source="a panel",
        features=["age", tacit.Feature("region", "categorical")],
    )
    assert_type(study, tacit.Study)
    assert_type(study.id, str)
    assert_type(study.guarantee, tacit.Guarantee)
    assert_type(tacit.Study.load("study.json"), tacit.Study)
    study.save(Path("study.json"))
    planned = tacit.plan(study, public=rows, people=1000)
    assert_type(planned, tacit.Plan)
    assert_type(planned.standard_errors(), Floats)
    return study


def answer(study: tacit.Study) -> tacit.Report:
    """A device turns a record into a report, with or without a ledger."""
    device = tacit.Device(study, ledger="tacit.ledger", lifetime=4.0)
    assert_type(device.report({"age": 41}, label="yes"), tacit.Report)
    assert_type(device.send(), tacit.Delivery)
    assert_type(tacit.preview(study, {"age": 41}, label="yes"), tacit.Preview)
    report = tacit.randomize(study, {"age": 41, "region": None}, label="yes")
    assert_type(bytes(report), bytes)
    return report


def learn(study: tacit.Study, report: tacit.Report, rows: Any) -> tacit.Fit:
    """Tallies add up; a fit holds numbers."""
    tacit.write_reports("reports.tacit", study, [report])
    kept = tacit.read_reports("reports.tacit", study)
    tally = tacit.Tally.of(study).add(report).add(kept.seeds)
    assert_type(tally + tacit.simulate(study, rows, ["yes"], random_state=0), tacit.Tally)
    fit = tacit.fit(study, tally, public=rows)
    assert_type(fit, tacit.Fit)
    assert_type(fit.coef, Floats)
    assert_type(fit.conf_int(0.95), Floats)
    assert_type(fit.summary(), tacit.Summary)
    assert_type(tacit.Fit.load("model.json"), tacit.Fit)
    return fit


def ask(fit: tacit.Fit, other: tacit.Fit, rows: dict[str, list[float]]) -> None:
    """Answers are values or tables; a submodel is a fit."""
    smaller = fit.submodel(
        drop=["age"], merge={"region": [["south", "west"]]}, tie=(("height", "weight"),)
    )
    assert_type(smaller, tacit.Fit)
    assert_type(smaller.left_out, tacit.Test | None)
    assert_type(fit.test("region", "age").p, float)
    assert_type(fit.contrast({"south": 1, "north": -1.5}), tacit.Contrast)
    for table in (fit.odds_ratios(), fit.effects(), fit.mean_prediction(rows)):
        assert_type(table, tacit.Tabular)
    found = tacit.compare(smaller, other)
    assert_type(found, tacit.Comparison)
    assert_type(found.joint, tacit.Test)


def ask_for_the_answer_alone(rows: dict[str, list[float]]) -> None:
    """A label study randomizes labels, and fits their reports beside rows that are known."""
    study = tacit.LabelStudy(
        [tacit.Feature("age", "numeric")], label=tacit.Binary("sick", positive="yes"), epsilon=1.0
    )
    assert_type(study, tacit.LabelStudy)
    assert_type(tacit.LabelStudy.from_rows(rows, label=study.label, epsilon=1.0), tacit.LabelStudy)
    report = study.randomize("yes")
    assert_type(report, tacit.LabelReport)
    assert_type(report.number, int)
    fit = study.fit(rows, [report])
    assert_type(fit.coef, Floats)
    assert_type(fit.conf_int(), Floats)
    assert_type(study.plan(rows, people=100).standard_errors(), Floats)
    assert_type(study.audit().passed, bool)


def estimate(X: Floats, y: Floats) -> Floats:
    """The estimators keep their own type through `fit`, as scikit-learn's do."""
    model = tacit.LogisticRegression(epsilon=1.0).fit(X, y, public=X)
    assert_type(model, tacit.LogisticRegression)
    assert_type(model.predict_proba(X), Floats)
    assert_type(
        tacit.LinearRegression(label_range=(0.0, 1.0)).fit(X, y, public=X).predict(X), Floats
    )
    return tacit.PoissonRegressor(cap=20).fit(X, y, public=X).predict(X)


def labels() -> list[tacit.Binary | tacit.Categorical | tacit.Count | tacit.Bounded]:
    """Every kind of label."""
    return [
        tacit.Binary("churned", positive="yes", negative="no"),
        tacit.Categorical("plan", ("free", "paid")),
        tacit.Count("visits", cap=20),
        tacit.Bounded("income", 0, 100),
    ]


def refuse() -> None:
    """Everything raised on purpose is a TacitError."""
    try:
        tacit.Study.load("altered.json")
    except tacit.TacitError as error:
        assert_type(error, tacit.TacitError)
