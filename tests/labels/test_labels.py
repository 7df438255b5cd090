"""Labels: weights over corners for any answer, words for people, a model, a form to type."""

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tacit.answers import column
from tacit.errors import ConfigurationError, LabelError, MissingLabelError
from tacit.labels import KINDS, Binary, Bounded, Categorical, Count, Label, parse

YES = Binary("churned", positive="yes")
YES_NO = Binary("churned", positive="yes", negative="no")
KIND = Categorical("kind", ("a", "b", "c"))
VISITS = Count("visits", 4)
INCOME = Bounded("income", -10, 30)
LABELS: list[Label] = [YES, YES_NO, KIND, VISITS, INCOME]

ROUNDING = 4 * np.finfo(float).eps


def _weights(label: Label, *values: object) -> Any:
    return label.weights(column(list(values))).tolist()


def test_every_kind_is_tried_here() -> None:
    """A kind that is added has to be added to these tests."""
    assert {type(label) for label in LABELS} == set(KINDS)


def test_binary_weights_are_negative_then_positive() -> None:
    """A sure label needs no luck."""
    assert _weights(YES_NO, "yes", "no") == [[0, 1], [1, 0]]


@pytest.mark.parametrize("label", [YES, YES_NO])
def test_labels_of_many_people_must_say_yes_somewhere(label: Label) -> None:
    """For trying out: a study of a label that never occurs is a mistake in the study."""
    label.check_occurs(column(["no", " yes ", None]))
    label.check_occurs(column([None, ""]))
    label.check_occurs(column([]))
    with pytest.raises(LabelError, match=r"no row says 'yes'.*'churned'.*hold 'Yes', 'no'\. Corr"):
        label.check_occurs(column(["no", "Yes", None]))
    with pytest.raises(LabelError, match=r"hold 7 different values\."):
        label.check_occurs(column(list(range(7))))


@pytest.mark.parametrize("label", [KIND, VISITS, INCOME])
def test_of_other_labels_any_answers_will_do(label: Label) -> None:
    """A class or a number that nobody has is no mistake."""
    label.check_occurs(column(["a", "a"]))


def test_without_a_negative_everything_else_is_no() -> None:
    """Including answers of another type."""
    assert _weights(YES, "yes", "no", "perhaps", 7) == [[0, 1], [1, 0], [1, 0], [1, 0]]


def test_with_a_negative_other_answers_weigh_both_equally() -> None:
    """They say nothing, and still report."""
    assert _weights(YES_NO, "perhaps", 7, [1]) == [[0.5, 0.5]] * 3


@pytest.mark.parametrize("positive", [1, True, "1", "true", 1.0])
def test_one_and_true_are_the_same_answer(positive: Any) -> None:
    """However label and rows were stored."""
    label = Binary("y", positive=positive)
    for values in ([1, 0], [True, False], [1.0, 0.0], ["1", "0"], ["True", "False"]):
        assert label.weights(column(np.array(values))).tolist() == [[0, 1], [1, 0]]


def test_categorical_weights_are_one_hot_and_even_for_unknown_classes() -> None:
    """In the order of the levels."""
    third = 1 / 3
    assert _weights(KIND, "b", "c", "z") == [[0, 1, 0], [0, 0, 1], [third, third, third]]


@pytest.mark.parametrize(
    ("label", "value", "share"),
    [
        (VISITS, 1, 0.25),
        (VISITS, "1", 0.25),
        (VISITS, 9, 1.0),
        (VISITS, -9, 0.0),
        (INCOME, 0, 0.25),
        (INCOME, 1 / 3, (1 / 3 + 10) / 40),
        (INCOME, np.inf, 1.0),
        (INCOME, -np.inf, 0.0),
        (INCOME, "much", 0.5),
        (INCOME, [3], 0.5),
    ],
)
def test_numbers_are_clipped_and_split_between_two_corners(
    label: Label, value: object, share: float
) -> None:
    """The weights have the clipped number as their mean; what is no number is even."""
    assert _weights(label, value) == [[1 - share, share]]


@pytest.mark.parametrize("label", [VISITS, INCOME])
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("make", [int, Decimal, Fraction, str], ids=lambda make: make.__name__)
def test_numbers_beyond_floats_are_clipped(
    label: Label, sign: int, make: Callable[[int], object]
) -> None:
    """10**400 is above every cap and below none, however it is stored."""
    share = float(sign > 0)
    assert _weights(label, make(sign * 10**400)) == [[1 - share, share]]


@pytest.mark.parametrize("label", LABELS)
@pytest.mark.parametrize("value", [None, np.nan, "", " "])
def test_a_missing_label_makes_no_report(label: Label, value: object) -> None:
    """And the message says that taking part is visible."""
    with pytest.raises(MissingLabelError, match=r"no report.*taking part is visible"):
        _weights(label, value)


def test_labels_in_two_dimensions_are_refused() -> None:
    """A column of the wrong shape is a mistake in the call."""
    with pytest.raises(ConfigurationError, match="one-dimensional"):
        column(np.ones((3, 1)))


@pytest.mark.parametrize(
    ("label", "values"),
    [
        (YES, ["yes", "whatever"]),
        (YES_NO, ["yes", "no"]),
        (KIND, ["a", "c"]),
        (VISITS, [0, 4, 99]),
        (INCOME, [-10, 30.0]),
    ],
)
def test_check_accepts_stated_values(label: Label, values: list[object]) -> None:
    """A count above the cap is one of them: the fit models the capped count."""
    label.check(column(values))


@pytest.mark.parametrize(
    ("label", "value", "said"),
    [
        (YES_NO, "maybe", "'no', 'yes'"),
        (KIND, "z", "'a', 'b', 'c'"),
        (VISITS, -1, "count of 0 or more"),
        (VISITS, np.inf, "count of 0 or more"),
        (INCOME, 31, "from -10 to 30"),
        (INCOME, "much", "from -10 to 30"),
    ],
)
def test_check_names_the_stated_values(label: Label, value: object, said: str) -> None:
    """In simulation a wrong label is a mistake in the rows."""
    with pytest.raises(LabelError, match=said):
        label.check(column([value]))


def test_two_corners_are_minus_one_and_one() -> None:
    """Exactly."""
    for label in (YES, VISITS, INCOME, Categorical("k", ("a", "b"))):
        assert label.corners.tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize("options", [2, 3, 4, 7, 30])
def test_corners_form_a_regular_simplex(options: int) -> None:
    """Unit vectors that sum to zero, all at one angle."""
    vectors = Categorical("k", tuple(range(options))).corners
    angles = np.full((options, options), -1 / (options - 1))
    np.fill_diagonal(angles, 1.0)
    assert vectors.shape == (options, options - 1)
    np.testing.assert_allclose(vectors @ vectors.T, angles, rtol=0, atol=options * ROUNDING)
    np.testing.assert_allclose(vectors.sum(axis=0), 0.0, rtol=0, atol=options * ROUNDING)
    assert not vectors.flags.writeable


def test_classes_are_named_in_the_order_of_corners() -> None:
    """A negative that was not stated is named after the positive; numbers have no classes."""
    assert YES.classes == ("not yes", "yes")
    assert YES_NO.classes == ("no", "yes")
    assert Categorical("k", (3, 1.0)).classes == ("3", "1")
    assert VISITS.classes == INCOME.classes == ()


@pytest.mark.parametrize("label", LABELS)
def test_a_label_has_as_many_weights_corners_and_predictors_as_it_says(label: Label) -> None:
    """K weights and corners, K - 1 predictors, one group of coefficients for each of them."""
    count = label.class_count
    assert label.weights(column(["b"])).shape == (1, count)
    assert label.corners.shape == (count, count - 1)
    assert label.model().width == label.model().contrasts.shape[0] == len(label.groups) == count - 1


def test_groups_compare_with_the_first_class() -> None:
    """Where there is one group it has no name."""
    assert KIND.groups == ("b vs a", "c vs a")
    assert all(label.groups == ("",) for label in LABELS if label is not KIND)


@pytest.mark.parametrize(
    ("label", "name", "low", "high"),
    [
        (YES, "logistic", 0.0, 1.0),
        (VISITS, "poisson", 0.0, 4.0),
        (INCOME, "linear", -10.0, 30.0),
    ],
)
def test_a_number_has_its_default_family_and_its_range(
    label: Label, name: str, low: float, high: float
) -> None:
    """The mean corner runs from -1 to 1 as the mean label runs from low to high."""
    model = label.model()
    assert model.name == name
    ends = {"logistic": (-800.0, 800.0), "poisson": (-800.0, 50.0)}.get(name, (low, high))
    assert model.mean(np.array(ends)[:, None])[:, 0].tolist() == [-1.0, 1.0]


def test_another_family_may_be_asked_for() -> None:
    """By its name; a label of several classes has no other."""
    assert VISITS.model("linear").name == "linear"
    assert KIND.model().name == "multinomial"
    with pytest.raises(ConfigurationError, match="3 classes"):
        KIND.model("logistic")


@pytest.mark.parametrize(
    ("label", "words", "axis"),
    [
        (YES, "yes or no, yes is 'yes', anything else is no", "the log-odds of churned = yes"),
        (YES_NO, "yes or no, yes is 'yes', no 'no'", "the log-odds of churned = yes"),
        (KIND, "one of a, b, c", "the log-odds of kind"),
        (Count("visits", 4, unit="x"), "a count, capped at 4 (x)", "the log rate of visits"),
        (Bounded("income", -10, 30, unit="k"), "a number from -10 to 30 (k)", "income (k)"),
    ],
)
def test_labels_say_what_they_are(label: Label, words: str, axis: str) -> None:
    """For people, and for the axis of a picture."""
    assert label.in_words() == words
    assert label.axis == axis


@pytest.mark.parametrize(
    "make",
    [
        lambda: Binary("", "yes"),
        lambda: Binary("y", ""),
        lambda: Binary("y", "yes", "yes"),
        lambda: Binary("y", 1, True),
        lambda: Binary("y", "x" * 5000),
        lambda: Binary("y", "yes", object()),  # type: ignore[arg-type]
        lambda: Categorical("y", ("a",)),
        lambda: Categorical("y", ("a", "a", "b")),
        lambda: Categorical("y", ("a", 1, True)),
        lambda: Categorical("y", ("a", "")),
        lambda: Categorical("y", "ab"),  # type: ignore[arg-type]
        lambda: Categorical("y", 3),  # type: ignore[arg-type]
        lambda: Count("y", 0),
        lambda: Count("y", 2.5),  # type: ignore[arg-type]
        lambda: Count("y", True),
        lambda: Count("y", 10**30),
        lambda: Bounded("y", 1, 1),
        lambda: Bounded("y", 0, np.inf),
        lambda: Bounded("y", np.nan, 1),
        lambda: Bounded("y", -1.7e308, 1.7e308),
        lambda: Bounded("y", 0, 1e-101),
        lambda: Bounded("y", 5e-324, 1),
        lambda: Bounded("y", -1e101, 1),
        lambda: Bounded("y", "low", 1),  # type: ignore[arg-type]
    ],
)
def test_impossible_labels_are_refused(make: Callable[[], Label]) -> None:
    """At construction."""
    with pytest.raises(ConfigurationError):
        make()


@pytest.mark.parametrize(
    ("spec", "label"),
    [
        ("churned:binary:yes", YES),
        ("churned:binary:yes:no", YES_NO),
        ("kind:categorical:a,b, c", KIND),
        ("visits:count:4", VISITS),
        (" income : bounded : -10 : 30", INCOME),
    ],
)
def test_specs_of_the_command_line_are_parsed(spec: str, label: Label) -> None:
    """One form for each kind of label."""
    assert parse(spec) == label


@pytest.mark.parametrize(
    "spec",
    [
        "", "churned", "a:b", "a:binary", "a:binary:1:2:3", "a:categorical:a:b", "a:count",
        "a:count:x", "a:bounded:3", "a:bounded:3:1", ":count:3",
    ],
)  # fmt: skip
def test_wrong_specs_show_the_forms(spec: str) -> None:
    """So that the next try succeeds."""
    with pytest.raises(ConfigurationError, match=r"binary:yes.*categorical:.*count:.*bounded:"):
        parse(spec)
