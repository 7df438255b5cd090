"""Effects and mean predictions, and how they follow the tally and the public rows."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import special

import tacit
from tacit.inference.design import Design
from tacit.inference.influence import Influence
from tacit.inference.penalised import Penalised
from tacit.inference.predicted import Predicted
from tests.inference.helpers import LABELS, make_rows, make_study
from tests.inference.test_submodel import fit_of


def test_the_effects_of_a_linear_model_are_its_coefficients() -> None:
    """At the mode under the weak prior; their errors are those of the coefficients there."""
    fit = fit_of("linear")
    found = fit.effects().rows()
    coef = fit.asking("a test").coefficients(fit.surface.mode)[1:]
    assert tuple(row["name"] for row in found) == fit.names[1:]
    assert [row["estimate"] for row in found] == pytest.approx(coef.tolist())
    influence = Influence.of(fit.surface)
    rows = fit.asking("a test").term_rows[1:]
    errors = np.sqrt(np.diag(rows @ influence.covariance @ rows.T))
    assert [row["se"] for row in found] == pytest.approx(errors.tolist())


@pytest.mark.parametrize("name", ["logistic", "multinomial"])
def test_effects_are_differences_of_mean_predictions(name: str) -> None:
    """Rows are changed as an analyst would, and encoded again."""
    fit, rows = fit_of(name), make_rows(2000, 0)
    likelihood = fit.asking("a test")
    model = likelihood.design.model

    def mean(**changed: object) -> np.ndarray:
        z = fit.study.encode({**rows, **changed})
        weights = fit.surface.mode.reshape(z.shape[1], model.width)
        predicted = model.predicted(z @ weights).mean(axis=0)
        return np.asarray(predicted[1:] if len(predicted) == 2 else predicted)

    everywhere = np.full(2000, "north")
    expected = {
        "region: west": mean(region=np.full(2000, "west")) - mean(region=everywhere),
        "smoker": mean(smoker=np.ones(2000)) - mean(smoker=np.zeros(2000)),
        "age": (mean(age=rows["age"] + 0.5) - mean(age=rows["age"] - 0.5)),
    }
    found = {row["name"]: row["estimate"] for row in fit.effects().rows()}
    classes = [""] if name == "logistic" else [f"P(y = {level}): " for level in "abcd"]
    for column, values in expected.items():
        for prefix, value in zip(classes, values, strict=True):
            assert found[prefix + column] == pytest.approx(value, rel=1e-3, abs=1e-6)


@pytest.mark.parametrize("drop", [(), ("smoker",)])
def test_gradients_are_differences_of_means(drop: tuple[str, ...]) -> None:
    """In every weight, class by class, for rows that count differently."""
    fit = fit_of("multinomial")
    fit = fit.submodel(drop=drop) if drop else fit
    likelihood, mode = fit.asking("a test"), fit.surface.mode
    z = likelihood.design.z[:50]
    share = np.linspace(0.0, 0.04, 50)
    found = Predicted.of(likelihood, mode, z).gradient(likelihood, share)
    for place in range(0, len(mode), 5):
        step = np.zeros_like(mode)
        step[place] = 1e-4
        above, below = (Predicted.of(likelihood, mode + s, z).values for s in (step, -step))
        assert np.allclose(found[:, place], share @ (above - below) / 2e-4, atol=1e-7)


def test_effects_of_several_classes_cancel() -> None:
    """What one class gains others lose."""
    found = fit_of("multinomial").effects().rows()
    total = sum(row["estimate"] for row in found if row["name"].endswith("smoker"))
    assert total == pytest.approx(0.0, abs=1e-12)


def test_merged_levels_have_one_effect() -> None:
    """What is left out has none, and the baseline stays the baseline."""
    fit = fit_of("linear").submodel(drop=["age"], merge={"region": [["south", "west"]]})
    found = {row["name"]: row["estimate"] for row in fit.effects().rows()}
    assert set(found) == {"hours", "smoker", "region: south or west"}
    coef = dict(zip(fit.names, fit.asking("a test").coefficients(fit.surface.mode), strict=True))
    assert found["region: south or west"] == pytest.approx(coef["region: south or west"])


def test_the_mean_prediction_is_the_mean_of_predictions() -> None:
    """Over the public rows, or over rows given, which have no error of their own."""
    fit, rows = fit_of("logistic"), make_rows(2000, 0)
    (everybody,), (same,) = fit.mean_prediction().rows(), fit.mean_prediction(rows).rows()
    expected = special.expit(fit.study.encode(rows) @ fit.surface.mode).mean()
    assert everybody["name"] == "P(y = 1)"
    assert everybody["estimate"] == pytest.approx(expected)
    assert same["estimate"] == pytest.approx(expected)
    assert "2,000 rows given" in str(fit.mean_prediction(rows)).replace("\n", " ")
    assert everybody["se"] != pytest.approx(same["se"], rel=1e-3)


def test_counts_and_classes_have_means_by_name() -> None:
    """The mean count before capping; every class's share, which add up to 1."""
    (count,) = fit_of("poisson").mean_prediction().rows()
    assert count["name"] == "mean y"
    fit = fit_of("poisson")
    rates = np.exp(fit.study.encode(make_rows(2000, 0)) @ fit.surface.mode)
    assert count["estimate"] == pytest.approx(rates.mean())
    classes = fit_of("multinomial").mean_prediction().rows()
    assert [row["name"] for row in classes] == [f"P(y = {level})" for level in "abcd"]
    assert sum(row["estimate"] for row in classes) == pytest.approx(1.0)


@pytest.mark.parametrize("name", tuple(LABELS))
def test_influence_is_what_leaving_out_a_row_does(name: str) -> None:
    """The problem is solved again without a public row; the weights move as told.

    But for the second derivative of G, which the curvature leaves out.
    """
    surface = fit_of(name).surface
    told = Influence.of(surface).pushed(np.eye(len(surface.mode)))
    moved = []
    left_out = (0, 17, 1999)
    for row in left_out:
        design = surface.problem.design
        z = np.delete(design.z, row, axis=0)
        problem = replace(surface.problem, design=Design.of(z, design.model))
        moved.append(_solved(problem, surface.prior, surface.mode))
    whole = _solved(surface.problem, surface.prior, surface.mode)
    count = len(told)
    expected = np.array([(whole - without) * (count - 1) / count for without in moved])
    assert np.allclose(told[list(left_out)], expected, atol=0.05 * np.abs(expected).max())


def _solved(problem: Penalised, prior: np.ndarray, weights: np.ndarray) -> np.ndarray:
    for _ in range(20):
        jacobian = problem.jacobian(weights)
        gradient = problem.with_gradient(prior, weights)[1] / 2.0
        weights = weights - np.linalg.solve(problem.curvature(prior, jacobian), gradient)
    return weights


def test_what_the_public_rows_add_is_the_likelihoods_part() -> None:
    """Squared and summed, the rows' pushes are the public part of the tally's covariance."""
    fit = fit_of("multinomial")
    likelihood, influence = fit.asking("a test"), Influence.of(fit.surface)
    rows = likelihood.term_rows
    pushed = influence.pushed(rows)
    gain = rows @ influence.covariance @ influence.jacobian.T @ fit.surface.problem.inverse
    public = gain @ likelihood.variance(fit.surface.mode).public @ gain.T
    assert np.allclose(pushed.T @ pushed, public, atol=1e-9 * np.abs(public).max())


def test_a_prior_flat_in_rows_moves_the_weights_to_its_own_mode() -> None:
    """In a linear model one step is the whole way."""
    fit = fit_of("linear")
    rows = fit.asking("a test").term_rows[2:4]
    flat = Influence.of(fit.surface).flat_in(rows)
    problem, mode = fit.surface.problem, flat.weights
    _, gradient = problem.with_gradient(flat.prior, mode)
    size = np.abs(problem.with_gradient(flat.prior, fit.surface.mode)[1]).max()
    assert size > 0
    assert np.allclose(gradient, 0.0, atol=1e-6 * size)


def test_effects_are_called_rough_where_the_reports_say_little() -> None:
    """With few people the prior decides; with many nothing is said."""
    study = make_study(LABELS["logistic"], epsilon=0.5)
    rows = make_rows(300, 3)
    tally = tacit.simulate(study, rows, np.arange(300) % 2, random_state=0)
    few = tacit.fit(study, tally, public=make_rows(2000, 0))
    assert "The reports say little of age, hours" in str(few.effects()).replace("\n", " ")
    assert "say little" not in str(fit_of("logistic").effects())


def test_own_families_have_effects() -> None:
    """Slopes of what is predicted need not be stated."""
    rows = make_rows(2000, 0)
    study = tacit.Study.from_public(
        rows, label=LABELS["logistic"], epsilon=8.0, source="made up", simulation=True
    )
    tally = tacit.simulate(study, rows, (rows["age"] > 45).astype(int), random_state=0)
    own = tacit.Family(
        "mine", mean=special.expit, slope=lambda t: special.expit(t) / (1 + np.exp(t))
    )
    found, same = (
        tacit.fit(study, tally, public=rows, family=family).effects() for family in (own, None)
    )
    for one, other in zip(found.rows(), same.rows(), strict=True):
        assert one["estimate"] == pytest.approx(other["estimate"], rel=1e-6)
        assert one["se"] == pytest.approx(other["se"], rel=1e-6)
