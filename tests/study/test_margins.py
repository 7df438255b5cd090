"""Known totals as they are stated: their canonical form, what they ask of rows, what is refused."""

from typing import Any

import numpy as np
import pytest

from tacit.answers import column
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, PublicRowsError
from tacit.study.calibration import calibrated
from tacit.study.margins import checked_margins, counted, gaps

REGION = column(["north", "north", "south", "isle", None])
STATED = {"isle": 0.1, "north": 0.3, "south": 0.6}
STATED_TWO = {"north": 0.3, "south": 0.7}
TYPO = {"north": 0.5, "South": 0.4, "other": 0.1}


def _equal(count: int) -> Floats:
    return np.full(count, 1.0 / count)


def test_margins_have_one_form() -> None:
    """Whatever the order and the types they were stated in."""
    stated = {"region": {"south": np.float64(0.7), "north": 0.3}, "age": 41, "b": {True: 1, 2: 0}}
    found = checked_margins(stated)
    assert found == {"age": 41.0, "b": {"2": 0.0, "true": 1.0}, "region": STATED_TWO}
    assert [*found, *found["region"]] == ["age", "b", "region", "north", "south"]  # type: ignore[misc]
    assert checked_margins(None) == {}


@pytest.mark.parametrize(
    ("stated", "said"),
    [
        ([("age", 1.0)], "margins must name columns"),
        ({3: 1.0}, "margins must name columns"),
        ({"age": "41"}, "'age'.*a number is needed, got '41'"),
        ({"age": True}, "got True"),
        ({"age": np.nan}, "got nan"),
        ({"age": 1e101}, r"got 1e\+101"),
        ({"region": {"north": None}}, "'region': a number is needed, got None"),
        ({"region": {"north": 0.3, "south": 0.6}}, "sum 0.9; give every level"),
        ({"region": {"north": 30, "south": 70}}, "sum 100"),
        ({"region": {"north": -0.1, "south": 1.1}}, "from 0 and sum to 1"),
        ({"region": {}}, "sum 0"),
        ({"region": {"1": 0.5, 1.0: 0.5}}, "must name different levels"),
        ({"region": {" ": 1.0}}, "must name different levels"),
    ],
)
def test_margins_that_say_nothing_clear_are_refused(stated: Any, said: str) -> None:
    """Naming the column and the value."""
    with pytest.raises(ConfigurationError, match=said):
        checked_margins(stated)


def test_shares_are_of_the_rows_that_have_a_value() -> None:
    """Shares that meet the margin have gaps of mean zero, and a missing value has no gap at all."""
    found = gaps("region", STATED, REGION)
    met = np.array([0.1, 0.2, 0.6, 0.1, 5.0])
    assert np.abs(met @ found).max() < 1e-15
    assert np.abs(_equal(5) @ found).max() > 0.01
    assert not found[4].any()


@pytest.mark.parametrize(
    ("values", "mean", "met"),
    [
        ([1.0, 3.0, 7.0, None], 4.0, [0.5, 0.0, 0.5, 3.0]),
        (["yes", "No", "1", ""], 0.25, [0.25, 0.75, 0.0, 3.0]),
        (np.array([True, False, False, False]), 0.4, [0.4, 0.1, 0.2, 0.3]),
    ],
)
def test_means_are_of_numbers_and_of_yes(values: Any, mean: float, met: list[float]) -> None:
    """Yes counts 1 and no 0; a missing value has no gap."""
    found = gaps("x", mean, column(values))
    assert abs(met @ found).item() < 1e-15
    assert abs(_equal(4) @ found).item() > 0.01


def test_other_is_every_level_that_is_not_named() -> None:
    """As in a study; without it each level must have its share."""
    found = gaps("region", {"north": 0.3, "other": 0.7}, REGION)
    assert np.abs(np.array([0.1, 0.2, 0.3, 0.4, 9.0]) @ found).max() < 1e-15
    with pytest.raises(PublicRowsError, match="'region' gives no share to 'isle'"):
        gaps("region", STATED_TWO, REGION)


def test_rows_of_a_level_without_a_share_do_not_count() -> None:
    """A share of 0 leaves them out; a missing value stays."""
    assert counted({"isle": 0.0, "other": 1.0}, REGION).tolist() == [True, True, True, False, True]
    assert counted({"north": 1.0, "other": 0.0}, REGION).tolist() == [
        True,
        True,
        False,
        False,
        True,
    ]
    assert counted(3.0, REGION).all()


@pytest.mark.parametrize(
    ("margin", "values", "said"),
    [
        (TYPO, REGION[:3], r"holds 'South' \(perhaps 'south' for 'South'\)"),
        (0.5, REGION, "is a mean, but public rows hold 'north' there; give shares"),
        (0.5, column([None, None]), "hold nothing there"),
        (0.5, column([0.0, np.inf]), "hold inf there"),
        (7.5, column([1.0, 7.0]), "it is 7.5, .* lies between 1 and 7"),
        (1.0, column([1.0, 7.0]), "lies between 1 and 7"),
        (1, column([True, False]), "lies between 0 and 1"),
    ],
)
def test_a_margin_out_of_reach_is_named(margin: Any, values: Any, said: str) -> None:
    """With what the rows hold."""
    with pytest.raises(PublicRowsError, match=f"the margin of 'q'.*{said}"):
        gaps("q", margin, values)


def test_calibration_finds_the_nearest_shares() -> None:
    """Each share is the given one times the exponential of something linear in the gaps."""
    generator = np.random.default_rng(2)
    given = generator.exponential(1.0, 500)
    given /= given.sum()
    number, level = column(generator.normal(3.0, 2.0, 500)), column(generator.choice([*"abc"], 500))
    apart = {"x": gaps("x", 3.7, number), "l": gaps("l", {"a": 0.5, "b": 0.2, "c": 0.3}, level)}
    shares = calibrated(given, apart)
    assert abs(shares @ number - 3.7) < 1e-9
    for name, share in (("a", 0.5), ("b", 0.2), ("c", 0.3)):
        assert abs(shares[level == name].sum() - share) < 1e-9
    together = np.column_stack([np.ones(500), *apart.values()])
    tilt = np.log(shares / given)
    left = tilt - together @ np.linalg.lstsq(together, tilt, rcond=None)[0]
    assert np.abs(left).max() < 1e-8


def test_shares_that_meet_the_margins_already_stay() -> None:
    """Calibrating twice is calibrating once."""
    apart = {"x": gaps("x", 2.0, column(np.array([1.0, 2.0, 3.0])))}
    np.testing.assert_allclose(calibrated(_equal(3), apart), _equal(3), rtol=1e-12)


def test_margins_that_repeat_each_other_are_met() -> None:
    """The same fact stated twice is no contradiction."""
    yes = np.arange(40) % 4 == 0
    apart = {"a": gaps("a", 0.4, column(yes)), "b": gaps("b", 0.6, column(~yes))}
    assert abs(calibrated(_equal(40), apart)[yes].sum() - 0.4) < 1e-9


def test_margins_that_contradict_each_other_are_named() -> None:
    """The first that cannot be met together with those before it."""
    generator = np.random.default_rng(3)
    x = generator.normal(size=300)
    apart = {
        "x": gaps("x", 0.2, column(x)),
        "free": gaps("free", 0.1, column(generator.normal(size=300))),
        "twice": gaps("twice", 0.9, column(2.0 * x)),
        "more": gaps("more", 0.0, column(generator.normal(size=300))),
    }
    with pytest.raises(PublicRowsError, match=r"'twice' cannot be met together with 'x', 'free':"):
        calibrated(_equal(300), apart)


def test_shares_of_zero_in_the_limit_are_reached() -> None:
    """Two margins that leave no other way than to leave rows out."""
    a, b = np.array([0, 0, 1, 1] * 10, bool), np.array([0, 1, 1, 1] * 10, bool)
    apart = {"a": gaps("a", 0.5, column(a)), "b": gaps("b", 0.5, column(b))}
    shares = calibrated(_equal(40), apart)
    assert abs(shares[a].sum() - 0.5) < 1e-9
    assert shares[b & ~a].sum() < 1e-9
