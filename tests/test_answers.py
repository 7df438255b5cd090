"""Answers are read once, into values that everything behind can trust."""

import datetime
import math
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.answers import (
    LONGEST_TEXT,
    UNREADABLE,
    column,
    is_missing,
    level,
    look_up,
    numbers,
    plain,
    text,
)
from tests.hostile import MINED, ODD, WILD

TRUSTED = (type(None), bool, int, float, str)


@pytest.mark.parametrize("name", WILD)
def test_any_value_is_read_into_a_plain_one(name: str) -> None:
    """Of an exact type of Python, and of bounded size; none of the value's own code runs."""
    with np.errstate(all="raise"):
        found = plain(WILD[name])
    assert any(type(found) is kind for kind in TRUSTED)
    assert not isinstance(found, str) or len(found) <= LONGEST_TEXT
    assert not isinstance(found, int) or abs(found) <= sys.float_info.max


@given(st.one_of(st.floats(), st.integers(), st.text(), st.booleans(), st.none()))
def test_plain_values_stay_as_they_are(value: Any) -> None:
    """What can be trusted already is not changed."""
    found = plain(value)
    assert type(found) is type(value)
    assert repr(found) == repr(value)


@pytest.mark.parametrize(
    ("value", "read"),
    [
        (np.int8(-3), -3),
        (np.float32(2.5), 2.5),
        (np.longdouble(2.5), 2.5),
        (np.True_, True),
        (np.str_(" x"), " x"),
        (Decimal("4.5"), 4.5),
        (Fraction(5, 2), 2.5),
        (10**400, math.inf),
        (-(10**400), -math.inf),
        (2**1024 - 1, math.inf),
        (Decimal("-1e400"), -math.inf),
        (Fraction(-(10**400)), -math.inf),
        (datetime.date(2025, 1, 2), "2025-01-02"),
        (datetime.datetime(2025, 1, 2, 3, 4), "2025-01-02"),
        (pd.Timestamp("2025-01-02"), "2025-01-02"),
        (np.datetime64("2025-01-02T03:04", "ns"), "2025-01-02"),
        (" " * 9_000 + "yes", "yes"),
        ("x" * 5_000, UNREADABLE),
        (b"12", UNREADABLE),
        ([1, 2], UNREADABLE),
        (np.array(3.0), UNREADABLE),
    ],
)
def test_values_are_read_as_people_mean_them(value: object, read: object) -> None:
    """Numbers of any library as numbers, dates as days, what has no meaning as unreadable."""
    found = plain(value)
    assert type(found) is type(read)
    assert found == read


def test_subclasses_are_read_as_what_they_are() -> None:
    """By the base class, whatever they say of themselves."""
    assert [plain(value) for value in MINED[2:10]] == ["yes", 3, 2.5, 2.5, 2.5, 3, "yes", 2.5]


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), Decimal("NaN"), Decimal("sNaN"), pd.NA, pd.NaT,
              np.datetime64("NaT"), "", "  ", "\u3000"],
)  # fmt: skip
def test_missing_values_are_recognised(value: object) -> None:
    """In every spelling."""
    assert is_missing(column([value])).tolist() == [True]


def test_odd_values_are_not_missing() -> None:
    """Blanks and NaN say nothing; whatever else a device cannot read does."""
    said = [
        value for value in ODD if type(value) is not Decimal and repr(value) not in ("''", "' '")
    ]
    blank = [type(value) is str and not value.strip() for value in said]
    assert is_missing(column(said)).tolist() == blank
    assert not is_missing(column(MINED)).any()


def test_missing_dates_are_recognised() -> None:
    """In a column of a machine type, of any unit."""
    for unit in ("D", "ns"):
        dates = column(np.array(["2025-01-02", "NaT"], f"datetime64[{unit}]"))
        assert dates.tolist() == ["2025-01-02", None]


def test_numbers_of_a_machine_type_stay_as_they_are() -> None:
    """Without a copy, however many there are."""
    values = np.arange(5.0)
    assert column(values) is values


def test_numbers_are_parsed() -> None:
    """From text, booleans and every numeric type."""
    values = column([" 1.5 ", True, np.float32(2), 3, Decimal("4.5"), "1e400", 10**4000])
    assert numbers(values).tolist() == [1.5, 1.0, 2.0, 3.0, 4.5, math.inf, math.inf]


@pytest.mark.parametrize("value", ["abc", "", None, [1], {}, object(), UNREADABLE, "4 1"])
def test_what_is_no_number_is_nan(value: object) -> None:
    """And raises nothing."""
    assert np.isnan(numbers(column([value]))).all()


@pytest.mark.parametrize(
    ("value", "canonical"),
    [
        (True, "true"),
        (np.False_, "false"),
        (" TRUE ", "true"),
        (1, "1"),
        (1.0, "1"),
        (np.int8(-3), "-3"),
        (np.float32(2.0), "2"),
        (1e21, "1000000000000000000000"),
        (2**53 + 1, "9007199254740993"),
        (0.1, "0.1"),
        (Decimal("1.50"), "1.5"),
        (Fraction(4, 2), "2"),
        ("  north ", "north"),
        ("1.0", "1.0"),
        (float("inf"), "inf"),
        (np.float64("-inf"), "-inf"),
        pytest.param(10**5000, "inf", id="too long to print"),
        (datetime.date(2025, 1, 2), "2025-01-02"),
        (None, ""),
    ],
)
def test_text_is_canonical(value: object, canonical: str) -> None:
    """Equal answers have equal text, however they were stored."""
    assert text(plain(value)) == canonical


@pytest.mark.parametrize("value", ["x" * 5_000, object(), UNREADABLE, " ", None, [1]])
def test_what_no_answer_can_equal_is_no_level(value: object) -> None:
    """So that constructors refuse it like a blank one."""
    assert level(value) == ""


def test_look_up_agrees_for_machine_types_and_objects() -> None:
    """Converting once per distinct value changes nothing."""
    values = np.array([2.0, 1.0, 2.0, 0.5])
    places = {"1": 10.0, "2": 20.0}
    for found in (look_up(values, places, -1.0), look_up(column(values.tolist()), places, -1.0)):
        assert found.tolist() == [20.0, 10.0, 20.0, -1.0]


def test_look_up_may_disregard_case() -> None:
    """As yes-or-no answers do."""
    values = column(["YES", " yes", "no"])
    assert look_up(values, {"yes": 1.0}, 0.0, fold=True).tolist() == [1.0, 1.0, 0.0]
    assert look_up(values, {"yes": 1.0}, 0.0).tolist() == [0.0, 1.0, 0.0]
