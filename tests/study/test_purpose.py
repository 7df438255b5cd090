"""What a study is for: words, checks, and the shares of predictions."""

from typing import Any

import numpy as np
import pytest

from tacit import Feature, Study, plan
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.study.purpose import in_words
from tacit.study.shares import by_root, by_water, noise_of_predictions, published
from tests.inference.helpers import LABELS, make_rows, make_study


def study(**more: Any) -> Study:
    """Of a number, another, a flag and a category, with a column of missing ages."""
    rows = make_rows(2000, 0)
    rows["age"][::50] = np.nan
    return Study.from_public(rows, label=LABELS["logistic"], epsilon=1.0, source="s", **more)


def test_a_study_is_for_coefficients_unless_it_says_otherwise() -> None:
    """Alike, for nobody knows how many people."""
    made = study()
    assert (made.purpose, made.focus, made.people) == ("coefficients", (), None)
    assert in_words(made) == "Made to measure every coefficient alike."


def test_purpose_focus_and_people_are_told() -> None:
    """In the description, with the price of the focus."""
    made = study(focus=["region", "age"], people=np.int64(20_000))
    assert (made.focus, made.people) == (("region", "age"), 20_000)
    said = (
        "Made to measure above all 'region', 'age', then the other coefficients, from the reports "
        "of 20,000 people."
    )
    assert said == in_words(made)
    assert said in made.describe()
    assert made.notes[-1].startswith("focus: planned standard error")
    assert made.notes[-1] in made.describe()
    assert Study.from_bytes(made.to_bytes()) == made
    predicting = study(purpose="predictions", people=500)
    assert in_words(predicting) == "Made to predict y from the reports of 500 people."


def test_a_focus_names_features_or_coefficients() -> None:
    """A feature with all its levels, but not the column that says where it is missing."""
    by_feature = study(focus="region")
    by_level = study(focus=("region: south", "region: west"))
    assert by_feature.transform == by_level.transform
    assert len(by_feature.transform.tilts) == 2
    assert len(study(focus="age").transform.tilts) == 1
    assert study(focus="age missing").transform.tilts != study(focus="age").transform.tilts
    assert study(focus=("age", "age")) == study(focus=("age",))


def test_a_focus_lowers_the_planned_error_of_what_it_names() -> None:
    """And of nothing else as much."""
    rows = make_rows(2000, 0)
    made = [make_study(LABELS["logistic"], focus=focus) for focus in ((), "hours")]
    plain, focused = (plan(one, public=rows, people=1000).standard_errors() for one in made)
    names = ("intercept", *made[0].transform.columns)
    ratios = dict(zip(names, focused / plain, strict=True))
    assert ratios["hours"] < 0.9
    assert min(ratios, key=lambda name: ratios[name]) == "hours"
    assert max(ratios.values()) < 2.0
    assert f"standard error {ratios['hours']:.2g} times" in made[1].notes[-1]


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"purpose": "coefs"}, "purpose='coefs'"),
        ({"purpose": None}, "purpose=None"),
        ({"purpose": "predictions"}, "needs people="),
        ({"purpose": "predictions", "people": 10, "focus": "age"}, "leave focus out"),
        ({"focus": "Aeg"}, r"'Aeg'.*perhaps 'age' for 'Aeg'"),
        ({"focus": ("age", "region: north")}, "'region: north'"),
        ({"focus": "intercept"}, "'intercept'"),
        ({"focus": "flat", "features": ["age", "flat"]}, "'flat'.*dropped"),
        ({"people": 0}, "people=0"),
        ({"people": 1.5}, "people=1.5"),
    ],
    ids=str,
)
def test_what_goes_wrong_is_named(wrong: dict[str, Any], said: str) -> None:
    """With what to do."""
    rows = make_rows(2000, 0) | {"flat": np.ones(2000)}
    with pytest.raises(ConfigurationError, match=said):
        Study.from_public(rows, label=LABELS["logistic"], epsilon=1.0, source="s", **wrong)


def test_a_feature_called_like_another_ones_level_is_meant_by_itself() -> None:
    """A name that is a feature is that feature, whatever columns are called."""
    rows = make_rows(2000, 0)
    wide = {"x: a": rows["age"], "x": rows["region"]}
    made = Study.from_public(
        wide,
        label=LABELS["logistic"],
        epsilon=1.0,
        source="s",
        features=[Feature("x: a"), "x"],
        focus="x: a",
    )
    assert len(made.transform.tilts) == 1


SPECTRUM = np.array([2.0, 1.0, 0.4, 0.1, 0.02])


@pytest.mark.parametrize("noise", [1e-4, 0.02, 1.0])
def test_water_leaves_the_least_posterior_variance(noise: float) -> None:
    """Of nine tenths poured, none could be moved to another component with a gain."""
    shares = by_water(SPECTRUM, 0.9, noise)
    poured = (shares - 0.1 * by_root(SPECTRUM, 0.9)) / 0.9
    assert poured.sum() == pytest.approx(0.9)
    assert poured.min() >= -1e-12
    best = _posterior(poured, noise)
    for source in np.flatnonzero(poured > 1e-3):
        for target in set(range(5)) - {source}:
            moved = poured + 1e-3 * (np.eye(5)[target] - np.eye(5)[source])
            assert _posterior(moved, noise) > best


def _posterior(shares: Floats, noise: float) -> float:
    """Sum of posterior variances; the prior spreads one unit by the root of the spectrum."""
    prior = np.sqrt(SPECTRUM) / np.sqrt(SPECTRUM).sum()
    return float((1.0 / (1.0 / prior + np.clip(shares, 0.0, None) / noise)).sum())


def test_few_people_are_asked_about_what_varies_most() -> None:
    """And many about everything alike, but for the tenth by root."""
    few, many = (
        make_study(LABELS["logistic"], epsilon=0.5, purpose="predictions", people=people).transform
        for people in (1, 10**9)
    )
    rooted = 0.1 * by_root(np.array(few.spectrum), 0.9)
    assert np.allclose(few.shares[1:], rooted[1:], rtol=0.006)
    assert np.allclose(many.shares, 0.9 * 0.9 / 5 + rooted, rtol=0.006)


def test_people_count_by_the_slope_of_their_label() -> None:
    """A yes-or-no label has the slope 1/2, of which 0.6 is left: noise over 0.15 n."""
    assert noise_of_predictions(6.0, 0.5, 1000) == pytest.approx(6.0 / 150)


def test_published_shares_have_three_digits_and_their_sum() -> None:
    """Numbers that differ in the fourth digit are published alike."""
    one = published(np.array([0.123449, 0.5, 0.276551]), 0.9)
    assert one == published(np.array([0.122501, 0.5, 0.277399]), 0.9) == (0.123, 0.5, 0.277)
    assert sum(published(np.array([0.1234, 0.5678]), 0.9)) == pytest.approx(0.9, abs=1e-9)
    assert published(np.array([]), 0.9) == ()
