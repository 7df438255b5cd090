"""What each public row counts: the same everywhere, and as if its row stood there so many times."""

from typing import Any

import numpy as np
import pytest

from tacit.errors import ConfigurationError, PublicRowsError
from tacit.study import Feature, Study
from tacit.study.public import PublicRows, rows_in_words, worth
from tests.study.conftest import CHURNED, Rows

LEVELS = ("south", "north", "east")
MARGINS = {"region": {"north": 0.4, "south": 0.4, "other": 0.2}, "age": 41.5, "smoker": 0.25}


def _study(rows: Any, **stated: Any) -> Study:
    return Study.from_public(rows, label=CHURNED, epsilon=1.0, source="panel", **stated)


@pytest.fixture(scope="module")
def weighted(public: Rows) -> Rows:
    """The public rows, each of which stands for 1 to 3."""
    return public | {"w": np.random.default_rng(4).integers(1, 4, 400)}


def _repeated(rows: Rows) -> Rows:
    return {name: np.repeat(values, rows["w"]) for name, values in rows.items() if name != "w"}


@pytest.mark.parametrize("stated", [{}, {"margins": MARGINS}], ids=("weights", "and margins"))
def test_a_weight_is_so_many_rows(weighted: Rows, stated: dict[str, Any]) -> None:
    """Fills, spreads, levels, centre and matrix are those of repeated rows."""
    asked = {"features": ["age", "smoker", Feature("region", levels=LEVELS), "income"]} | stated
    one, many = _study(weighted, weights="w", **asked), _study(_repeated(weighted), **asked)
    for ours, theirs in zip(one.features, many.features, strict=True):
        assert (ours.levels, ours.indicator) == (theirs.levels, theirs.indicator)
        assert ours.fill == pytest.approx(theirs.fill, rel=1e-8)
        assert ours.spread == pytest.approx(theirs.spread, rel=1e-8)
    np.testing.assert_allclose(one.transform.center, many.transform.center, rtol=1e-8)
    np.testing.assert_allclose(one.transform.loadings, many.transform.loadings, atol=1e-7)
    np.testing.assert_allclose(one.transform.spectrum, many.transform.spectrum, rtol=1e-8)
    assert (one.public_rows, many.public_rows) == (400, weighted["w"].sum())


def test_the_scale_of_the_weights_does_not_matter(weighted: Rows) -> None:
    """Weights that sum to a population give the transform of weights that sum to 1."""
    large = weighted | {"w": weighted["w"] * 1e9}
    small = weighted | {"w": weighted["w"] * 1e-9}
    assert _study(large, weights="w").transform == _study(small, weights="w").transform


def test_weights_move_the_fill_and_the_baseline() -> None:
    """They follow what rows count, not how many there are."""
    rows = {
        "age": np.repeat([20.0, 60.0], 100) + np.tile([-1.0, 1.0], 100),
        "smoker": np.repeat([True, False], 100),
        "region": np.repeat(["north", "south"], [100, 100]),
        "w": np.repeat([1.0, 3.0], 100),
    }
    rows["age"][:20], rows["region"][:1] = np.nan, "south"
    plain, found = (
        _study(rows, weights=w, features=["age", "smoker", "region"]) for w in (None, "w")
    )
    assert found.features[0].fill == pytest.approx((80 * 20 + 300 * 60) / 380)
    assert plain.features[0].fill == pytest.approx((80 * 20 + 100 * 60) / 180)
    assert (found.features[1].fill, found.features[2].levels[0]) == (0.0, "south")
    heavy = rows | {"w": np.repeat([3.0, 1.0], 100)}
    other = _study(heavy, weights="w", features=["smoker", "region"])
    assert (other.features[0].fill, other.features[1].levels[0]) == (1.0, "north")


def test_limits_count_rows_and_not_weights(public: Rows) -> None:
    """A level of 8 rows stays too rare, however much they count."""
    heavy = public | {"w": np.where(public["region"] == "moor", 50.0, 1.0)}
    study = _study(heavy, weights="w")
    assert study.features[2].merged == ("moor",)


def test_rows_of_weight_zero_change_nothing(weighted: Rows) -> None:
    """Whatever they hold: levels, texts in place of numbers, infinity. The study is the same."""
    study = _study(weighted, weights="w", margins=MARGINS)
    wild = {"age": np.inf, "smoker": "perhaps", "region": "moon", "income": 1e300, "w": 0.0}
    more = {
        name: np.insert(values.astype(object), 100, np.array([wild[name]] * 30, object))
        for name, values in weighted.items()
    }
    stated = [Feature("age", "numeric"), Feature("smoker", "binary"), "region",
              Feature("income", "numeric")]  # fmt: skip
    again = _study(more, weights="w", margins=MARGINS, features=stated)
    assert again.id == study.id
    z, rows, fingerprint = study.encode_public(more)
    assert (len(z), len(rows.shares), fingerprint) == (400, 400, study.fingerprint)
    assert rows.places[[99, 100]].tolist() == [99, 130]


@pytest.mark.parametrize("stated", [{"weights": "w"}, {"margins": MARGINS}])
def test_margins_are_met(weighted: Rows, stated: dict[str, Any]) -> None:
    """By the shares of the rows, and by the centre and the fill that the study publishes."""
    study = _study(weighted, **(stated | {"margins": MARGINS}))
    z, rows, _ = study.encode_public(weighted)
    assert abs(rows.shares.sum() - 1.0) < 1e-12
    assert abs(rows.shares @ weighted["age"] - 41.5) < 1e-9
    assert abs(rows.shares @ weighted["smoker"] - 0.25) < 1e-9
    assert abs(rows.shares[weighted["region"] == "south"].sum() - 0.4) < 1e-9
    assert dict(zip(study.transform.columns, study.transform.center, strict=True))["age"] == 41.5
    assert study.features[0].fill == 41.5
    np.testing.assert_allclose(rows.shares @ z[:, 1:], 0.0, atol=1e-8)


def test_other_rows_are_calibrated_to_the_same_margins(weighted: Rows) -> None:
    """A fit with other public rows meets what the study states."""
    study = _study(weighted, weights="w", margins=MARGINS)
    others = {name: values[:300] for name, values in weighted.items()}
    _, rows, fingerprint = study.encode_public(others)
    assert abs(rows.shares @ others["age"] - 41.5) < 1e-9
    assert fingerprint != study.fingerprint


def test_a_margin_may_be_of_a_column_that_nobody_is_asked_for(weighted: Rows) -> None:
    """The rows have to have it at every fit, too."""
    study = _study(weighted, features=["age", "income"], margins={"smoker": 0.4})
    assert abs(study.encode_public(weighted)[1].shares @ weighted["smoker"] - 0.4) < 1e-9
    without = {name: values for name, values in weighted.items() if name != "smoker"}
    with pytest.raises(ConfigurationError, match="margins name a column 'smoker' that"):
        study.encode_public(without)


def test_a_study_tells_what_its_rows_count(weighted: Rows) -> None:
    """The column, the margins, a sentence; the same whatever the order they were stated in."""
    study = _study(weighted, weights="w", margins=MARGINS)
    told = f"worth {study.effective_rows:,} equal"
    assert (study.weights, [*study.margins]) == ("w", ["age", "region", "smoker"])
    first = "Public rows weighted by w and calibrated to margins of age, region, smoker"
    assert study.notes[0] == f"{first}; {told} rows."
    assert f"400 public rows {told} ones" in str(study)
    assert study.effective_rows == worth(study.encode_public(weighted)[1].shares) < 400
    assert _study(weighted, weights="w", margins=dict(reversed(MARGINS.items()))) == study
    assert Study.from_bytes(study.to_bytes()) == study


def test_rows_that_count_alike_are_not_spoken_of(public: Rows, study: Study) -> None:
    """No sentence, no second number."""
    assert (study.weights, study.margins, study.effective_rows) == (None, {}, 400)
    assert "worth" not in study.describe()
    np.testing.assert_array_equal(study.encode_public(public)[1].shares, 1 / 400)


def test_the_fingerprint_covers_weights_and_margins(weighted: Rows) -> None:
    """Other weights on the same rows are other public rows."""
    study = _study(weighted, weights="w", margins=MARGINS)
    assert study.encode_public(weighted)[2] == study.fingerprint
    changed = weighted | {"w": np.where(np.arange(400) == 7, 9, weighted["w"])}
    assert study.encode_public(changed)[2] != study.fingerprint
    moved = _study(weighted, weights="w", margins=MARGINS | {"age": 41.6})
    assert moved.fingerprint != study.fingerprint


@pytest.mark.parametrize(
    ("value", "said"),
    [(-1.0, r"got -1.0 in column 'w' \(row 7; 1 of 400 rows\)"), (np.nan, "got nan.*row 7"),
     (np.inf, "got inf.*row 7"), ("many", "got 'many'.*row 7")],
)  # fmt: skip
def test_a_wrong_weight_is_refused(weighted: Rows, value: Any, said: str) -> None:
    """By column and row."""
    wrong = weighted["w"].astype(object)
    wrong[7] = value
    with pytest.raises(PublicRowsError, match=said):
        _study(weighted | {"w": wrong}, weights="w")


def test_weights_that_leave_too_little_are_refused(weighted: Rows) -> None:
    """No row, a handful of rows, or fewer than columns: with the number they are worth."""
    with pytest.raises(PublicRowsError, match="the weights 'w' leave no public row"):
        _study(weighted | {"w": np.zeros(400)}, weights="w")
    one = np.where(np.arange(400) == 5, 1e4, 1.0)
    with pytest.raises(PublicRowsError, match=r"400 public rows that are worth 1 equal.*96%"):
        _study(weighted | {"w": one}, weights="w")
    dozen = np.where(np.arange(400) < 12, 1e6, 1.0)
    rows = {f"x{j}": np.random.default_rng(j).normal(size=400) for j in range(15)} | {"w": dozen}
    with pytest.raises(PublicRowsError, match="400 public rows worth 12 equal ones and 15 columns"):
        _study(rows, weights="w")


def test_a_margin_far_from_the_rows_is_refused(weighted: Rows) -> None:
    """When hardly a row is left that counts."""
    largest = float(np.nanmax(weighted["age"]))
    with pytest.raises(PublicRowsError, match=r"the margins of 'age' leave 400 .* worth"):
        _study(weighted, margins={"age": largest - 0.5})


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ({"weights": "W"}, r"weights name a column 'W' .*\(perhaps 'w' for 'W'\).*every fit"),
        ({"weights": ""}, "weights must name a column of the public rows, got weights=''"),
        ({"weights": 3}, "got weights=3"),
        ({"weights": "churned"}, "must not name the label 'churned'"),
        ({"weights": "w", "features": ["age", "w"]}, "weights' column 'w' cannot be a feature"),
        ({"weights": "w", "margins": {"w": 2.0}}, "must not name the weights' column 'w'"),
        ({"margins": {"churned": 0.3}}, "must not name the label 'churned'"),
        ({"margins": {"regoin": {"a": 1.0}}}, "perhaps 'region' for 'regoin'"),
    ],
)
def test_wrong_names_are_refused(weighted: Rows, stated: dict[str, Any], said: str) -> None:
    """With the right one, where it is near."""
    with pytest.raises(ConfigurationError, match=said):
        _study(weighted | {"churned": np.ones(400)}, **stated)


def test_public_rows_without_their_weights_are_refused(weighted: Rows, public: Rows) -> None:
    """At a plan or a fit, where they would silently count alike."""
    with pytest.raises(ConfigurationError, match=r"weights name a column 'w'.*every fit need"):
        _study(weighted, weights="w").encode_public(public)


def test_rows_are_told_with_what_they_are_worth() -> None:
    """Only where that differs."""
    assert rows_in_words(8_000, 8_000) == "8,000 public rows"
    assert rows_in_words(8_000, 6_120) == "8,000 public rows worth 6,120 equal ones"
    assert PublicRows.of({}, 1_000_003).worth == 1_000_003
