"""What can be checked of a picture without eyes: its words, its marks, its bytes."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure

from tacit import Binary, Categorical, Feature, Fit, Plan, Study, fit, plan, plots, simulate
from tacit.errors import ConfigurationError
from tacit.study.purpose import in_words

PEOPLE = 20_000


def _rows(count: int, seed: int) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    return {
        "age": generator.normal(45.0, 15.0, count),
        "cost in $ (of $ 10)": generator.exponential(4e4, count),
        "smoker": generator.random(count) < 0.3,
        "region": generator.choice(["north", "south", "west"], count, p=[0.5, 0.3, 0.2]),
    }


PUBLIC, ROWS = _rows(1000, 1), _rows(PEOPLE, 2)
BINARY = Binary("left", positive="yes")


def _study(label: Binary | Categorical, epsilon: float = 4.0, **how: Any) -> Study:
    return Study.from_public(PUBLIC, label=label, epsilon=epsilon, source="a test", **how)


def _fit(study: Study, labels: Any) -> Fit:
    return fit(study, simulate(study, ROWS, labels, random_state=3), public=PUBLIC)


@pytest.fixture(scope="module")
def binary() -> Fit:
    """A fit with every kind of column."""
    age = Feature("age", unit="years")
    study = _study(BINARY, features=[age, *list(PUBLIC)[1:]], title="Who left?")
    chance = np.where(ROWS["smoker"], 0.6, 0.4)
    return _fit(study, np.where(np.random.default_rng(4).random(PEOPLE) < chance, "yes", "no"))


@pytest.fixture(scope="module")
def planned() -> Plan:
    """A plan for ten thousand people."""
    return plan(_study(BINARY), public=PUBLIC, people=10_000)


def _words(figure: Figure) -> list[str]:
    axes = figure.axes[0]
    return [text.get_text() for text in (*axes.texts, *figure.texts) if text.get_text()]


def _marks(axes: Any) -> list[Any]:
    return [line for line in axes.lines if line.get_marker() in tuple("osD^vP")]


def test_forest_says_whose_coefficients_these_are(binary: Fit) -> None:
    """Title, people, epsilon, public rows and the assumption are on the picture."""
    words = " ".join(_words(plots.forest_figure(binary)))
    assert "Who left?" in words
    assert "logistic model · 20,000 people · epsilon 4 · 1,000 public rows" in words
    assert "nothing collected can check it" in words
    assert "Not drawn: intercept" in words


def test_forest_draws_numbers_per_deviation_and_levels_as_they_are(binary: Fit) -> None:
    """The mark of a number stands at its coefficient times the public spread."""
    figure = plots.forest_figure(binary)
    at = [float(mark.get_xdata()[0]) for mark in _marks(figure.axes[0])]
    spread = {feature.name: feature.spread for feature in binary.study.features}
    slopes = zip(binary.names[1:], binary.coef[1:], strict=True)
    assert at == pytest.approx([value * (spread.get(name, 0.0) or 1.0) for name, value in slopes])
    assert f"age (per {spread['age']:.3g} years)" in _words(figure)
    assert "region: south (vs north)" in _words(figure)


def test_forest_writes_the_figures_of_the_table(binary: Fit) -> None:
    """At the right stand estimate, interval and what raw rows give in the units of the features."""
    words = _words(plots.forest_figure(binary, level=0.8))
    for row in binary.summary(0.8).rows()[1:]:
        assert f"{row['coef']:.3g}" in words
        assert f"[{row['low']:.3g}, {row['high']:.3g}]" in words
        assert f"{row['raw_se']:.2g}" in words


def test_forest_marks_are_hollow_where_zero_lies_inside(binary: Fit) -> None:
    """What is clear and what is not can be told without colour."""
    marks = _marks(plots.forest_figure(binary).axes[0])
    hollow = [mark.get_markerfacecolor() == "white" for mark in marks]
    assert hollow == [low <= 0 <= high for low, high in binary.conf_int()[1:]]


def test_forest_of_several_classes_has_a_block_for_each() -> None:
    """Classes differ by heading, colour and mark."""
    label = Categorical("kind", ("a", "b", "c"))
    several = _fit(_study(label, 8.0), np.array(["a", "b", "c"])[np.arange(PEOPLE) % 3])
    figure = plots.forest_figure(several)
    marks = _marks(figure.axes[0])
    assert {"b vs a", "c vs a"} <= {*_words(figure)}
    assert len({(mark.get_color(), mark.get_marker()) for mark in marks}) == 2
    heights = [float(mark.get_ydata()[0]) for mark in marks]
    assert heights == sorted(heights)


def test_forest_shows_for_which_coefficients_the_study_was_made() -> None:
    """In a sentence, and by the weight of their names."""
    study = _study(BINARY, focus=("smoker",))
    figure = plots.forest_figure(_fit(study, np.where(ROWS["smoker"], "yes", "no")))
    bold = [each.get_text() for each in figure.axes[0].texts if each.get_fontweight() == "bold"]
    assert "smoker" in bold
    assert not [text for text in bold if text.startswith("age")]
    assert f"{in_words(study)} Bold: in focus." in " ".join(_words(figure))


def test_forest_without_slopes_draws_the_intercept() -> None:
    """There is nothing else to show."""
    public = {"same": np.ones(500)}
    study = Study.from_public(public, label=BINARY, epsilon=4.0, source="a test")
    tally = simulate(study, {"same": np.ones(2000)}, np.repeat(["yes", "no"], 1000), random_state=1)
    assert "intercept" in _words(plots.forest_figure(fit(study, tally, public=public)))


def test_forest_of_many_coefficients_keeps_the_clearest(
    binary: Fit, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A page has an end: the rest is in the table, and the picture says so."""
    monkeypatch.setattr("tacit.plots.forest_plot.MOST_ROWS", 2)
    figure = plots.forest_figure(binary)
    clearest = np.argsort(-np.abs(binary.coef / binary.standard_errors)[1:])[:2]
    figures = [f"{binary.coef[1 + place]:.3g}" for place in sorted(clearest)]
    assert len(_marks(figure.axes[0])) == 2
    assert [text for text in _words(figure) if text in figures] == figures
    assert "3 coefficients nearer to zero than these are in the table only." in _words(figure)


def test_forest_has_arrows_where_intervals_have_no_end() -> None:
    """An interval that the reports do not bound is drawn to the edge, and says so."""
    study = _study(BINARY, 0.1)
    few = {name: values[:200] for name, values in ROWS.items()}
    tally = simulate(study, few, np.repeat(["yes", "no"], 100), random_state=1)
    found = fit(study, tally, public=PUBLIC)
    axes = plots.forest_figure(found).axes[0]
    arrows = [line for line in axes.lines if line.get_marker() in ("<", ">")]
    assert len(arrows) >= np.isinf(found.conf_int()[1:]).sum() > 0
    assert all(np.isfinite(np.asarray(line.get_xdata(), dtype=float)).all() for line in axes.lines)


def test_files_are_png_and_svg_and_repeat_themselves(binary: Fit, tmp_path: Path) -> None:
    """The same fit gives the same bytes, whatever the order."""
    first, second = tmp_path / "a.svg", tmp_path / "b.svg"
    plots.forest(binary, first, tmp_path / "a.png")
    plots.forest(binary, second)
    assert first.read_bytes() == second.read_bytes()
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match=r"must end in \.png or \.svg"):
        plots.forest(binary, tmp_path / "a.pdf")


def test_plan_curve_passes_through_the_plan(planned: Plan) -> None:
    """Every panel marks the people planned and their standard error."""
    figure = plots.plan_figure(planned)
    for place, axes in enumerate(figure.axes, start=1):
        mark = next(line for line in axes.lines if line.get_marker() == "o")
        expected = [[planned.people, planned.standard_errors()[place]]]
        assert np.allclose(mark.get_xydata(), expected)


def test_plan_curve_shows_the_range_and_says_what_is_supposed(planned: Plan) -> None:
    """A band from 10% to 90% around the study's own curve; the plan's notes stand below."""
    figure = plots.plan_figure(planned, coefficient="age")
    (band,) = figure.axes[0].collections
    heights = np.asarray(band.get_paths()[0].vertices)[:, 1]
    reach = np.geomspace(planned.people / 30, planned.people * 30, 61)
    low, _, high = planned.quantiles(reach)[:, :, planned.names.index("age")]
    assert [heights.min(), heights.max()] == pytest.approx([low.min(), high.max()])
    (below,) = [text.get_text() for part in figure.subfigs for text in part.texts]
    assert below.replace("\n", " ") == " ".join(planned.notes())


def test_plan_curve_of_a_guess_has_no_range() -> None:
    """There is one truth only."""
    made = plan(_study(BINARY), public=PUBLIC, people=10_000, guess={"age": 0.01})
    assert not plots.plan_figure(made, coefficient="age").axes[0].collections


def test_plan_curve_shows_other_epsilons_that_can_be_told_apart(
    planned: Plan, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The study's epsilon is solid; those too near to it are left out."""
    monkeypatch.setattr("tacit.plots.curve.EPSILONS", (1.0, 3.9, 8.0))
    figure = plots.plan_figure(planned, coefficient="age")
    shown = {
        str(line.get_label()): line for line in figure.axes[0].lines if line.get_linestyle() != ":"
    }
    assert [name for name in shown if name.startswith("epsilon")] == [
        "epsilon 1",
        "epsilon 4 (this study)",
        "epsilon 8",
    ]
    assert shown["epsilon 4 (this study)"].get_linestyle() == "-"


def test_plan_curve_of_a_coefficient_that_is_not_there(planned: Plan) -> None:
    """The error lists those that are."""
    with pytest.raises(ConfigurationError, match="coefficient='height' is not in the plan"):
        plots.plan_figure(planned, coefficient="height")


def test_plan_curve_of_many_coefficients_says_how_many_it_shows() -> None:
    """Six panels at most."""
    public = {f"q{j}": np.random.default_rng(j).normal(size=200) for j in range(9)}
    study = Study.from_public(public, label=BINARY, epsilon=1.0, source="a test")
    figure = plots.plan_figure(plan(study, public=public, target_se=0.5))
    assert len(figure.axes) == 6
    assert "(the first 6 of 9 coefficients)" in figure.get_suptitle()
