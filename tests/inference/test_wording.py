import pytest

from tacit.inference.coefficients import coefficient_names
from tacit.inference.wording import drawn_coefficients, meaning
from tests.inference.helpers import LABELS, make_study


@pytest.mark.parametrize("label", LABELS)
def test_every_coefficient_is_drawn_in_the_order_of_the_table(label: str) -> None:
    """Names agree with the table's; one intercept for each group."""
    study = make_study(LABELS[label])
    drawn = drawn_coefficients(study)
    assert tuple(each.name for each in drawn) == coefficient_names(study)
    assert sum(each.intercept for each in drawn) == len({each.group for each in drawn})


def test_groups_of_coefficients_follow_each_other() -> None:
    """Every class against the first, each with all its columns."""
    names = coefficient_names(make_study(LABELS["multinomial"]))
    assert names[:2] == ("b vs a: intercept", "b vs a: age")
    assert names[len(names) // 3] == "c vs a: intercept"


def test_numbers_are_drawn_per_public_standard_deviation() -> None:
    """Levels and answers as they are."""
    study = make_study(LABELS["logistic"])
    drawn = {each.name: each for each in drawn_coefficients(study)}
    age = next(feature for feature in study.features if feature.name == "age")
    assert drawn["age"].scale == age.spread
    assert drawn["age"].shown == f"age (per {age.spread:.3g})"
    assert drawn["smoker"].scale == 1.0
    assert drawn["region: south"].shown == "region: south (vs north)"


@pytest.mark.parametrize(
    ("label", "told"),
    [
        ("logistic", "change in the log-odds of y = 1"),
        ("linear", "change in y"),
        ("poisson", "change in the log rate of y"),
        ("multinomial", "change in the log-odds of y"),
    ],
)
def test_the_axis_says_what_it_measures(label: str, told: str) -> None:
    """As the label's model does."""
    assert meaning(make_study(LABELS[label])) == told
