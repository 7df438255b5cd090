"""Public rows that do not count alike: as if each stood there so many times."""

from typing import Any

import numpy as np
import pytest

from tacit import Study, Tally, fit, plan, simulate
from tacit.inference.design import Design
from tests.inference.helpers import LABELS, draw_labels, make_rows
from tests.inference.test_design import NAMES, some_weights

MARGINS = {"age": 47.0, "region": {"north": 0.4, "south": 0.4, "west": 0.2}}


def _rows(count: int = 600) -> dict[str, Any]:
    return make_rows(count, 0) | {"w": np.random.default_rng(8).integers(1, 4, count)}


def _study(name: str, rows: dict[str, Any], **stated: Any) -> Study:
    return Study.from_public(rows, label=LABELS[name], epsilon=4.0, source="simulated", **stated)


def _weighted(name: str, **stated: Any) -> Design:
    rows = _rows()
    study = _study(name, rows, weights="w", **stated)
    return Design.of_public(study, rows, study.label.model())[0]


def _repeated(design: Design, times: Any) -> Design:
    return Design.of(np.repeat(design.z, times, axis=0), design.model)


@pytest.mark.parametrize("name", NAMES)
def test_a_weight_is_so_many_rows(name: str) -> None:
    """G, J, the upper scale of J, the size of predictors and the part of V due to people."""
    one, times = _weighted(name), _rows()["w"]
    many, weights = _repeated(one, times), some_weights(one)
    people, others = (each.variance(weights, 500, 0.7).people for each in (one, many))
    np.testing.assert_allclose(one.moments(weights), many.moments(weights), rtol=1e-10, atol=1e-13)
    for found, expected in (
        (one.jacobian(weights), many.jacobian(weights)),
        (one.steepest(), many.steepest()),
        (one.root_mean_square(weights), many.root_mean_square(weights)),
        (people, others),
    ):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("margins", [None, MARGINS], ids=("weights", "margins"))
def test_the_part_due_to_public_rows_is_that_of_unequal_shares(
    name: str, margins: dict[str, Any] | None
) -> None:
    """Squared shares times squared residuals of the rows, row by row."""
    design = _weighted(name, margins=margins)
    weights = some_weights(design)
    mean = design.model.mean(design.predictor(weights))
    each = np.einsum("mj,mk->mjk", design.u, mean).reshape(len(mean), -1)
    known = np.column_stack([np.ones(len(each)), design.gaps])
    root = np.sqrt(design.share)[:, None]
    left = each - known @ np.linalg.lstsq(root * known, root * each, rcond=None)[0]
    expected = (design.share[:, None] * left).T @ (design.share[:, None] * left)
    found = design.variance(weights, 500, 0.7).public
    assert design.gaps.shape[1] == (0 if margins is None else 3)
    np.testing.assert_allclose(found, expected, rtol=0, atol=1e-11 * np.abs(expected).max())


def test_a_thinned_design_still_counts_to_one() -> None:
    """And keeps what each row counts beside the others."""
    design = _weighted("logistic", margins=MARGINS)
    small = design.thinned(3)
    assert small.share.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(small.share / small.share[0], (design.share / design.share[0])[::3])
    assert len(small.gaps) == len(small.z) == len(small.u) == 200


def test_a_fit_and_a_plan_count_the_rows_as_the_study_does() -> None:
    """Coefficients are those of rows repeated; both numbers of public rows are told."""
    rows = _rows()
    study = _study("logistic", rows, weights="w")
    tally, repeated = _tally(study), {k: np.repeat(v, rows["w"]) for k, v in rows.items()}
    found = fit(study, tally, public=rows)
    planned = plan(study, public=rows, people=1000)
    worth = round(rows["w"].sum() ** 2 / (rows["w"] ** 2).sum())
    assert (found.public_rows, found.effective_rows) == (600, worth)
    assert (planned.public_rows, planned.effective_rows) == (600, worth)
    assert f"600 public rows worth {worth} equal ones" in str(found.summary())
    assert f"600 public rows worth {worth} equal ones" in str(planned)
    with pytest.warns(UserWarning, match="not the 600"):
        expected = fit(study, tally, public=repeated | {"w": np.ones(rows["w"].sum())})
    coef, same = (each.solution("maximum").coef for each in (found, expected))
    np.testing.assert_allclose(coef, same, rtol=1e-6, atol=1e-9)


def _tally(study: Study) -> Tally:
    generator = np.random.default_rng(9)
    people = make_rows(20_000, 3)
    slopes = np.where(np.arange(study.dimension) == 1, 1.5, 0.5)[:, None]
    labels = draw_labels(
        study.label.model(), study.encode(people) @ slopes, LABELS["logistic"], generator
    )
    return simulate(study, people, labels, random_state=2)


def test_other_public_rows_are_calibrated_too() -> None:
    """Margins pull rows from elsewhere to the people the study is about."""
    study = _study("logistic", make_rows(600, 0), margins=MARGINS)
    others = make_rows(500, 5)
    design, _ = Design.of_public(study, others, study.label.model())
    assert abs(design.share @ others["age"] - 47.0) < 1e-9
    assert abs(design.share[others["region"] == "west"].sum() - 0.2) < 1e-9
