"""Fewer coefficients from the same tally, and the test of what went."""

from collections.abc import Callable
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import tacit
from tacit.errors import ConfigurationError
from tacit.inference import Fit
from tests.inference.helpers import LABELS, make_rows, make_world


@cache
def fit_of(name: str) -> Fit:
    """Many people at a large epsilon, so that little is in doubt."""
    world = make_world(name, people=20_000, epsilon=8.0, seed=5)
    return tacit.fit(world.study, world.tally, public=make_rows(2000, 0))


def test_what_is_dropped_merged_and_tied_leaves_fewer_terms() -> None:
    """Names say what a coefficient stands for; the degrees of freedom are what went."""
    fit = fit_of("logistic")
    assert fit.names == ("intercept", "age", "hours", "smoker", "region: south", "region: west")
    smaller = fit.submodel(
        drop=["smoker"], merge={"region": [["west", "south"]]}, tie=[["age", "hours"]]
    )
    assert smaller.names == ("intercept", "age = hours", "region: south or west")
    assert smaller.left_out is not None
    assert smaller.left_out.degrees == 3
    assert smaller.left_out.about == "smoker; region: west or south as one; age = hours"
    assert fit.left_out is None


def test_merging_with_the_baseline_is_dropping() -> None:
    """A level that counts as the baseline has no coefficient; the test is the same."""
    fit = fit_of("logistic")
    merged = fit.submodel(merge={"region": [["north", "west"]]})
    dropped = fit.submodel(drop=["region: west"])
    assert merged.names == dropped.names
    assert "region: west" not in merged.names
    assert merged.left_out is not None
    assert dropped.left_out is not None
    assert merged.left_out.statistic == pytest.approx(dropped.left_out.statistic, rel=1e-3)


def test_a_feature_goes_in_every_class() -> None:
    """Names of columns mean all classes, a full name only its own."""
    fit = fit_of("multinomial")
    everywhere = fit.submodel(drop=["age"], tie=[["south", "west"]])
    assert len(everywhere.names) == len(fit.names) - 6
    assert "b vs a: region: south or west" in everywhere.names
    once = fit.submodel(drop=["b vs a: age"], tie=[["c vs a: hours", "d vs a: hours"]])
    assert set(fit.names) - set(once.names) == {
        "b vs a: age",
        "c vs a: hours",
        "d vs a: hours",
    }
    assert "c vs a: hours = d vs a: hours" in once.names


@pytest.mark.parametrize("name", tuple(LABELS))
def test_dropping_a_feature_is_the_joint_test_of_it(name: str) -> None:
    """The smaller model is worse by what the test of all its coefficients says."""
    fit = fit_of(name)
    smaller = fit.submodel(drop=["region"])
    assert smaller.left_out is not None
    joint = fit.test("region")
    assert smaller.left_out.statistic == pytest.approx(joint.statistic, rel=1e-3, abs=1e-4)
    assert smaller.left_out.degrees == joint.degrees == 2 * len(fit.study.label.groups)


def test_what_is_merged_is_tested_to_be_equal() -> None:
    """The test of merged levels is the squared z of their difference."""
    fit = fit_of("logistic")
    merged = fit.submodel(merge={"region": [["south", "west"]]})
    assert merged.left_out is not None
    z = fit.contrast({"south": 1, "west": -1}).z
    assert merged.left_out.statistic == pytest.approx(z**2, rel=0.01, abs=1e-3)
    assert merged.left_out.statistic != pytest.approx(fit.test("west").statistic, rel=0.1)


def test_a_submodel_of_a_submodel_is_one_of_the_whole() -> None:
    """Its test is of everything that went, and its table that of one step."""
    fit = fit_of("logistic")
    steps = fit.submodel(drop=["smoker"]).submodel(merge={"region": [["south", "west"]]})
    once = fit.submodel(drop=["smoker"], merge={"region": [["south", "west"]]})
    assert steps.left_out == once.left_out
    assert steps.terms == once.terms
    assert np.allclose(steps.coef, once.coef)


def test_equal_to_one_that_was_dropped_is_dropped() -> None:
    """Zero is an equal like any other."""
    fit = fit_of("logistic")
    steps = fit.submodel(drop=["west"]).submodel(merge={"region": [["south", "west"]]})
    assert steps.names == fit.submodel(drop=["region"]).names


def test_true_restrictions_sharpen_the_rest() -> None:
    """People follow x = y; the tied coefficient is that of both, with less error."""
    generator = np.random.default_rng(4)

    def draw(count: int) -> dict[str, np.ndarray]:
        common = generator.normal(size=count)
        return {k: common + 0.5 * generator.normal(size=count) for k in ("x", "y")}

    public, people = draw(4000), draw(30_000)
    chance = 1 / (1 + np.exp(-0.5 * people["x"] - 0.5 * people["y"]))
    labels = (generator.random(30_000) < chance).astype(int)
    study = tacit.Study.from_public(
        public, label=tacit.Binary("l", positive=1, negative=0), epsilon=2.0, source="made up"
    )
    fit = tacit.fit(study, tacit.simulate(study, people, labels, random_state=3), public=public)
    tied = fit.submodel(tie=[["x", "y"]])
    at = tied.names.index("x = y")
    assert abs(tied.coef[at] - 0.5) < 7 * tied.standard_errors[at]
    assert tied.standard_errors[at] < fit.standard_errors[1:].min()


def test_the_summary_tells_that_it_is_a_submodel(tmp_path: Path) -> None:
    """With the test of what went; a file keeps both, and cannot answer more."""
    smaller = fit_of("logistic").submodel(drop=["smoker"])
    assert str(smaller.left_out) in " ".join(str(smaller.summary()).split())
    smaller.save(tmp_path / "model.json")
    again = Fit.load(tmp_path / "model.json")
    assert again.left_out == smaller.left_out
    assert str(again.summary()) == str(smaller.summary())
    with pytest.raises(ConfigurationError, match="read from a file"):
        again.submodel(drop=["age"])


@pytest.mark.parametrize(
    ("ask", "told"),
    [
        (lambda fit: fit.submodel(), "needs something to drop"),
        (lambda fit: fit.submodel(drop=["intercept"]), "intercept can be neither"),
        (lambda fit: fit.submodel(tie=[["intercept", "age"]]), "intercept can be neither"),
        (lambda fit: fit.submodel(drop=["smokr"]), "perhaps 'smoker'"),
        (lambda fit: fit.submodel(drop="smoker"), r"\['smoker'\]"),
        (lambda fit: fit.submodel(drop=["region: north"]), "baseline"),
        (lambda fit: fit.submodel(drop=["age"], tie=[["age", "hours"]]), "'age and hours' twice"),
        (lambda fit: fit.submodel(drop=["age", "age"]), "'age' twice"),
        (lambda fit: fit.submodel(tie=[["age", "age"]]), "'age and age' twice"),
        (lambda fit: fit.submodel(tie=["age"]), "at least two names"),
        (lambda fit: fit.submodel(tie=[["age"]]), "at least two names"),
        (lambda fit: fit.submodel(merge={"age": [["a", "b"]]}), "no feature with levels"),
        (lambda fit: fit.submodel(merge={"region": [["south", "sout"]]}), "'north', 'south'"),
        (lambda fit: fit.submodel(merge={"region": ["south", "west"]}), "at least two names"),
        (lambda fit: fit.submodel(drop=["age"]).submodel(drop=["age"]), "that is in the fit"),
    ],
)
def test_impossible_wishes_are_refused(ask: Callable[[Fit], Fit], told: str) -> None:
    """With the name, and what to do."""
    with pytest.raises(ConfigurationError, match=told):
        ask(fit_of("logistic"))


def test_a_group_mixes_no_columns_and_coefficients() -> None:
    """Of several classes, a column has several coefficients."""
    with pytest.raises(ConfigurationError, match="only the one or the other"):
        fit_of("multinomial").submodel(tie=[["age", "b vs a: hours"]])


def test_something_must_be_left() -> None:
    """A model without an intercept cannot lose every coefficient."""
    rows = {"x": np.random.default_rng(0).normal(size=500)}
    study = tacit.Study.from_public(
        rows, label=LABELS["logistic"], epsilon=8.0, source="made up", intercept=False
    )
    tally = tacit.simulate(study, rows, (rows["x"] > 0).astype(int), random_state=1)
    with pytest.raises(ConfigurationError, match="nothing is left"):
        tacit.fit(study, tally, public=rows).submodel(drop=["x"])
