"""The geometry for coefficients: its formula, its gradient, and that nothing near it is better."""

from typing import Any

import numpy as np
import pytest

from evidence.at_zero import variances_at_zero
from tacit import Study
from tacit.arrays import Floats
from tacit.study.components import Components, thin
from tacit.study.optimum import Optimum
from tacit.study.shaping import Measure
from tacit.study.shares import Shape, by_need, by_root
from tests.inference.helpers import LABELS, make_rows, make_study


def components(intercept: bool = True, count: int = 600) -> Components:
    """Skewed correlated rows."""
    generator = np.random.default_rng(4)
    rows = generator.exponential(size=(count, 4)) @ generator.normal(size=(4, 4))
    rows -= rows.mean(axis=0) * intercept
    spectrum, vectors = np.linalg.eigh(rows.T @ rows / count)
    unit = rows @ vectors / np.sqrt(spectrum)
    first = int(intercept)
    return Components(
        columns=("a", "b", "c", "d"),
        rows=np.column_stack([np.ones((count, first)), unit]),
        share=generator.dirichlet(np.ones(count)),
        coefficients=np.column_stack([np.zeros((4, first)), vectors / np.sqrt(spectrum)]),
        spectrum=spectrum,
        held=np.full(first, 0.1),
    )


@pytest.mark.parametrize("intercept", [True, False])
@pytest.mark.parametrize("noise", [0.3, 60.0])
def test_the_gradient_is_that_of_the_mean_log_variance(intercept: bool, noise: float) -> None:
    """Beside central differences, along axes and along a direction across them."""
    given = components(intercept)
    width = given.rows.shape[1]
    generator = np.random.default_rng(1)
    measure = Measure(given, np.vstack([np.eye(width), generator.normal(size=width)]), noise)
    amounts, importance = generator.uniform(0.05, 1.0, width + 1), np.array([0.4, 0.3, 0.2, 0.1])
    _, slope = measure.mean_log_variance(amounts, importance)
    step = 1e-5
    for place, expected in enumerate(slope):
        ends = [amounts + sign * step * np.eye(width + 1)[place] for sign in (1, -1)]
        high, low = (measure.mean_log_variance(end, importance)[0] for end in ends)
        # third derivatives are of the order of the slope over the squared amount, at least 0.0025
        assert (high - low) / (2 * step) == pytest.approx(expected, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "more"),
    [
        ("logistic", {}),
        ("logistic", {"intercept": False}),
        ("linear", {"reports_per_person": 3}),
        ("multinomial", {"epsilon": 1.0}),
        ("multinomial", {"epsilon": 8.0, "focus": ("age", "region")}),
    ],
)
def test_variances_are_those_of_the_plan_at_zero(
    name: str, more: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """In proportion, with units of public standard deviations, for each class against the first."""
    seen: list[Optimum] = []
    shape = Optimum.shape

    def watched(search: Optimum, focus: Any) -> Shape:
        seen.append(search)
        return shape(search, focus)

    monkeypatch.setattr(Optimum, "shape", watched)
    study = make_study(LABELS[name], **more)
    public = make_rows(2000, 0)
    planned = variances_at_zero(study, public)
    kept = slice(int(study.transform.intercept), None)
    columns = study.design(public)
    unit = columns.std(axis=0) if study.transform.intercept else np.sqrt((columns**2).mean(axis=0))
    ours = seen[0].variances(Shape(study.transform.shares, study.transform.tilts)) / unit**2
    for group in planned.reshape(study.label.class_count - 1, -1):
        # the matrix and the tilts are published with 6 digits
        assert np.allclose(group[kept] / ours, group[kept][0] / ours[0], rtol=1e-4)


@pytest.mark.parametrize("focus", [[], [2]])
def test_no_shares_near_the_best_are_better(focus: list[int]) -> None:
    """Moving a tenth of any share or tilt to the others gains less than rounding to 3 digits."""
    given = components()
    found = Optimum(given, 10.0, lambda _: None).shape(np.array(focus, dtype=np.intp))
    importance = np.full(4, 0.25)
    if focus:
        importance = np.where(np.arange(4) == focus[0], 0.5, 0.5 / 3)
    tilts = np.array(found.tilts).reshape(-1, 4)
    squares = (tilts**2).sum(axis=1, keepdims=True)
    directions = np.zeros((5 + len(tilts), 5))
    directions[:5], directions[5:, 1:] = np.eye(5), tilts / np.sqrt(squares)
    measure = Measure(given, directions, 10.0)
    amounts = np.concatenate([found.shares, squares[:, 0]])
    best = _at(measure, amounts, importance)
    assert sum(amounts) == pytest.approx(0.9, abs=1e-5)
    for place in range(len(amounts)):
        for factor in (0.9, 1.1):
            moved = amounts * np.where(np.arange(len(amounts)) == place, factor, 1.0)
            assert _at(measure, moved * 0.9 / moved.sum(), importance) > best
    assert best < _at(measure, np.append(by_need(given.spectrum, 0.9), tilts[:, 0] * 0), importance)


def _at(measure: Measure, amounts: Floats, importance: Floats) -> float:
    return measure.mean_log_variance(np.append(0.1, amounts), importance)[0]


def test_a_focus_is_paid_by_the_others_within_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """The weight falls until the worst of the others pays no more than it may; the note says so."""
    given = components()
    search = Optimum(given, 10.0, lambda _: None)
    plain, heavy = search.shape(np.array([], dtype=np.intp)), search.shape(np.array([0]))
    paid = np.sqrt(search.variances(heavy) / search.variances(plain))
    assert paid[0] < 0.9
    assert "weight" not in heavy.notes[0]
    bound = 1.0 + 0.8 * (paid[1:].max() - 1.0)
    monkeypatch.setattr("tacit.study.optimum.WORST_PRICE", bound)
    light = search.shape(np.array([0]))
    ratios = np.sqrt(search.variances(light) / search.variances(plain))
    assert ratios[1:].max() <= bound
    assert paid[0] < ratios[0] < 1.0
    assert "its weight is 0.38" in light.notes[0]  # between a half and a fourth
    assert f"standard error {ratios[0]:.2g} times" in light.notes[0]


def test_a_focus_on_everything_is_none() -> None:
    """All coefficients alike, with no direction of their own."""
    search = Optimum(components(), 10.0, lambda _: None)
    assert search.shape(np.arange(4)) == search.shape(np.array([], dtype=np.intp))


def test_where_nothing_converges_the_formula_serves_and_the_study_says_so(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Never silently."""
    monkeypatch.setattr("tacit.study.descent._STEPS", 1)
    study = make_study(LABELS["logistic"])
    shares = np.array(study.transform.shares)
    expected = by_need(np.array(study.transform.spectrum), 0.9)
    assert np.allclose(shares, expected, rtol=0.006)  # 3 digits
    assert any("could not be computed" in note for note in study.notes)


def test_the_geometry_is_the_same_whatever_the_rounding() -> None:
    """Errors of 1e-13 in every number change no published digit; only the fingerprint tells."""
    rows, generator = make_rows(2000, 0), np.random.default_rng(2)
    noisy = rows | {
        name: rows[name] * (1.0 + 1e-13 * generator.standard_normal(2000))
        for name in ("age", "hours")
    }
    for focus in ((), ("age", "region")):
        one, other = (
            Study.from_public(
                given, label=LABELS["logistic"], epsilon=1.0, source="s", focus=focus
            ).transform
            for given in (rows, noisy)
        )
        assert (one.shares, one.tilts, one.matrix) == (other.shares, other.tilts, other.matrix)
        assert one.spectrum == other.spectrum


def test_every_step_is_told() -> None:
    """Whoever waits can see that something moves."""
    steps: list[int] = []
    make_study(LABELS["logistic"], progress=steps.append)
    assert len(steps) > 5
    assert set(steps) == {1}


@pytest.fixture
def rare() -> Floats:
    """Twenty thousand rows of components, of which ten alone have a level."""
    generator = np.random.default_rng(3)
    columns = generator.standard_normal((20_000, 5))
    columns[:, 4] = np.arange(20_000) % 2000 == 7
    columns -= columns.mean(axis=0)
    return np.asarray(columns / columns.std(axis=0))


def test_thinned_rows_keep_a_rare_level_whole(rare: Floats) -> None:
    """With the share it had, while of common rows few stand for many."""
    equal = np.full(20_000, 1 / 20_000)
    kept, share = thin((rare**2).sum(axis=1), equal, 1000, 5)
    assert abs(len(kept) - 1000) <= 1
    has = rare[kept, 4] > 1.0
    assert has.sum() == 10
    assert np.allclose(share[has], equal[0])
    assert np.median(share[~has]) > 10 * equal[0]


def test_thinned_rows_have_the_means_of_all(rare: Floats) -> None:
    """Second moments within 7 standard errors of sampling by leverage."""
    kept, share = thin((rare**2).sum(axis=1), np.full(20_000, 1 / 20_000), 2000, 5)
    moments = (rare[kept] * share[:, None]).T @ rare[kept]
    # an entry is a mean of p x_i x_j / |x|^2 over draws by leverage, at most p/2 and p for i = j
    assert np.abs(moments - np.corrcoef(rare.T)).max() < 7 * 5 / np.sqrt(2000)
    assert share.sum() == pytest.approx(1.0, abs=7 * 5 / np.sqrt(2000))


def test_rows_that_count_for_nothing_are_left_out() -> None:
    """A row of zeros has no direction; a share of zero is nobody."""
    squares, share = np.array([1.0, 0.0, 2.0, 3.0]), np.array([0.5, 0.25, 0.25, 0.0])
    kept, left = thin(squares, share, 1000, 1)
    assert kept.tolist() == [0, 2]
    assert left.tolist() == [0.5, 0.25]


def test_shares_by_root_are_those_of_the_largest_variance() -> None:
    """In proportion to the root of the spectrum, whatever the room."""
    assert np.allclose(by_root(np.array([9.0, 4.0, 1.0]), 0.9), [0.45, 0.3, 0.15])
