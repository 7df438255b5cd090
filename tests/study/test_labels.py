import numpy as np
import pytest

from tacit.errors import ConfigurationError, LabelError, MissingLabelError
from tacit.study import Binary, Bounded, Categorical, Count
from tacit.study.labels import check, classes, codes, limits, parse, weights
from tacit.study.rows import as_column

YES = Binary("churned", positive="yes")
YES_NO = Binary("churned", positive="yes", negative="no")
KIND = Categorical("kind", ["a", "b", "c"])
VISITS = Count("visits", 4)
INCOME = Bounded("income", -10, 30)

ROUNDING = 4 * np.finfo(float).eps


def _weights(label, *values):
    return weights(label, as_column(list(values))).tolist()


def test_binary_weights_are_negative_then_positive():
    """A sure label needs no luck."""
    assert _weights(YES_NO, "yes", "no") == [[0, 1], [1, 0]]


def test_without_a_negative_everything_else_is_no():
    """Including answers of another type."""
    assert _weights(YES, "yes", "no", "perhaps", 7) == [[0, 1], [1, 0], [1, 0], [1, 0]]


def test_with_a_negative_other_answers_weigh_both_equally():
    """They say nothing, and still report."""
    assert _weights(YES_NO, "perhaps", 7, [1]) == [[0.5, 0.5]] * 3


@pytest.mark.parametrize("positive", [1, True, "1", "true", 1.0])
def test_one_and_true_are_the_same_answer(positive):
    """However label and rows were stored."""
    label = Binary("y", positive=positive)
    for values in ([1, 0], [True, False], [1.0, 0.0], ["1", "0"], ["True", "False"]):
        assert weights(label, np.array(values)).tolist() == [[0, 1], [1, 0]]


def test_categorical_weights_are_one_hot_and_even_for_unknown_classes():
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
        (INCOME, np.inf, 1.0),
        (INCOME, -np.inf, 0.0),
        (INCOME, 10**400, 0.5),
        (INCOME, "much", 0.5),
        (INCOME, [3], 0.5),
    ],
)
def test_numbers_are_clipped_and_split_between_two_codes(label, value, share):
    """The weights have the clipped number as their mean; what is no number is even."""
    assert _weights(label, value) == [[1 - share, share]]


@pytest.mark.parametrize("label", [YES, YES_NO, KIND, VISITS, INCOME])
@pytest.mark.parametrize("value", [None, np.nan, "", " "])
def test_a_missing_label_makes_no_report(label, value):
    """And the message says that taking part is visible."""
    with pytest.raises(MissingLabelError, match=r"no report.*taking part is visible"):
        _weights(label, value)


def test_labels_in_two_dimensions_are_refused():
    """A column of the wrong shape is a mistake in the call."""
    with pytest.raises(ConfigurationError, match="one-dimensional"):
        weights(VISITS, np.ones((3, 1)))


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
def test_check_accepts_stated_values(label, values):
    """A count above the cap is one of them: the fit models the capped count."""
    check(label, as_column(values))


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
def test_check_names_the_stated_values(label, value, said):
    """In simulation a wrong label is a mistake in the rows."""
    with pytest.raises(LabelError, match=said):
        check(label, as_column([value]))


def test_two_codes_are_minus_one_and_one():
    """Exactly."""
    for label in (YES, VISITS, INCOME, Categorical("k", ("a", "b"))):
        assert codes(label).tolist() == [[-1.0], [1.0]]


@pytest.mark.parametrize("options", [2, 3, 4, 7, 30])
def test_codes_form_a_regular_simplex(options):
    """Unit vectors that sum to zero, all at one angle."""
    vectors = codes(Categorical("k", tuple(range(options))))
    angles = np.full((options, options), -1 / (options - 1))
    np.fill_diagonal(angles, 1.0)
    assert vectors.shape == (options, options - 1)
    np.testing.assert_allclose(vectors @ vectors.T, angles, rtol=0, atol=options * ROUNDING)
    np.testing.assert_allclose(vectors.sum(axis=0), 0.0, rtol=0, atol=options * ROUNDING)
    assert not vectors.flags.writeable


def test_classes_are_named_in_the_order_of_codes():
    """A negative that was not stated is named after the positive."""
    assert classes(YES) == ("not yes", "yes")
    assert classes(YES_NO) == ("no", "yes")
    assert classes(Categorical("k", (3, 1.0))) == ("3", "1")


def test_limits_are_the_numbers_behind_the_two_codes():
    """0 and 1 for a yes-or-no label."""
    assert [limits(label) for label in (YES, VISITS, INCOME)] == [(0, 1), (0, 4), (-10, 30)]


@pytest.mark.parametrize(
    "make",
    [
        lambda: Binary("", "yes"),
        lambda: Binary("y", ""),
        lambda: Binary("y", "yes", "yes"),
        lambda: Binary("y", 1, True),
        lambda: Categorical("y", ("a",)),
        lambda: Categorical("y", ("a", "a", "b")),
        lambda: Categorical("y", ("a", "")),
        lambda: Categorical("y", "ab"),
        lambda: Categorical("y", 3),
        lambda: Count("y", 0),
        lambda: Count("y", 2.5),
        lambda: Count("y", True),
        lambda: Count("y", 10**30),
        lambda: Bounded("y", 1, 1),
        lambda: Bounded("y", 0, np.inf),
        lambda: Bounded("y", np.nan, 1),
        lambda: Bounded("y", -1.7e308, 1.7e308),
        lambda: Bounded("y", "low", 1),
    ],
)
def test_impossible_labels_are_refused(make):
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
        ("income:bounded:-10:30", INCOME),
    ],
)
def test_specs_of_the_command_line_are_parsed(spec, label):
    """One form for each kind of label."""
    assert parse(spec) == label


@pytest.mark.parametrize(
    "spec", ["", "churned", "a:b", "a:binary", "a:count", "a:count:x", "a:bounded:3:1", ":count:3"]
)
def test_wrong_specs_show_the_forms(spec):
    """So that the next try succeeds."""
    with pytest.raises(ConfigurationError, match=r"binary:yes.*categorical:.*count:.*bounded:"):
        parse(spec)
