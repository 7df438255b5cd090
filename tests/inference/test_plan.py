"""Plans: closed form, consistent with the fit, and honest about what cannot be reached."""

import numpy as np
import pytest

from tacit import Study, fit, plan
from tacit.errors import ConfigurationError
from tacit.models import Family
from tests.inference.helpers import LABELS, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)


@pytest.mark.parametrize("name", tuple(LABELS))
def test_planned_errors_at_the_estimate_are_those_of_the_fit(name: str) -> None:
    """Guessing what the fit found gives its standard errors, where people are many."""
    world = make_world(name, people=30_000, epsilon=8.0, seed=3)
    found = fit(world.study, world.tally, public=PUBLIC)
    guess = dict(zip(found.names, found.coef, strict=True))
    made = plan(world.study, public=PUBLIC, people=30_000, guess=guess)
    assert np.allclose(made.standard_errors(), found.standard_errors, rtol=0.02)
    assert np.allclose(made.shares, found.solution("maximum").shares, atol=0.01)


def test_the_median_lies_within_its_range_and_the_range_within_the_truths() -> None:
    """Of 41 possible truths four are below the range and four above."""
    made = plan(make_study(LABELS["logistic"]), public=PUBLIC, people=5000)
    people = np.array([5000.0])
    each = np.sqrt([truth.variances(people)[0] for truth in made.expected])
    low, middle, high = made.quantiles()
    assert len(each) == 41
    assert ((each < low).sum(axis=0) == 4).all()
    assert ((each < middle).sum(axis=0) == 20).all()
    assert ((each > high).sum(axis=0) == 4).all()


def test_several_numbers_of_people_at_once() -> None:
    """One row for each, as if asked for one by one."""
    made = plan(make_study(LABELS["logistic"]), public=PUBLIC, people=5000)
    both = made.standard_errors([100, 5000])
    one_by_one = [made.standard_errors(100), made.standard_errors()]
    np.testing.assert_allclose(both, one_by_one, rtol=1e-12)


def test_a_plan_is_the_same_for_everybody() -> None:
    """Nothing in it is random."""
    study = make_study(LABELS["logistic"])
    first, second = (plan(study, public=PUBLIC, people=5000) for _ in range(2))
    assert np.array_equal(first.quantiles(), second.quantiles())


def test_rarer_labels_take_more_people() -> None:
    """The rate stated moves the standard errors, and stands under the table."""
    study = make_study(LABELS["logistic"])
    even, rare = (plan(study, public=PUBLIC, people=5000, rate=rate) for rate in (0.5, 0.03))
    assert (rare.standard_errors() > even.standard_errors()).all()
    assert "3% have y = 1 (as stated)" in str(rare).replace("\n", " ")
    assert "(as no rate was stated)" in str(plan(study, public=PUBLIC, people=5000))


def test_a_guess_leaves_the_intercept_to_the_rate() -> None:
    """The same as guessing the intercept that gives this rate, which is not 0."""
    study = make_study(LABELS["logistic"])
    slopes = {"age": 0.03, "hours": 0.2}
    made = plan(study, public=PUBLIC, people=5000, guess=slopes, rate=0.5)
    at_mean = -0.03 * np.mean(PUBLIC["age"]) - 0.2 * np.mean(PUBLIC["hours"])
    near, far = (
        plan(study, public=PUBLIC, people=5000, guess=slopes | {"intercept": value})
        for value in (at_mean, 0.0)
    )
    assert np.allclose(made.standard_errors(), near.standard_errors(), rtol=0.01)
    assert not np.allclose(made.standard_errors(), far.standard_errors(), rtol=0.1)
    assert "10% to 90%" not in str(made)


def test_progress_hears_of_every_truth() -> None:
    """Somebody watches."""
    steps: list[int] = []
    study = make_study(LABELS["logistic"])
    plan(study, public=PUBLIC, people=5000, progress=steps.append)
    assert steps == [1] * 41


def test_people_for_a_target_reach_it_and_no_more() -> None:
    """The hardest coefficient meets the target with that many people and not with one less."""
    study = make_study(LABELS["logistic"])
    made = plan(study, public=PUBLIC, target_se=0.2)
    slopes = np.array(made.names) != "intercept"
    assert made.standard_errors()[slopes].max() <= 0.2
    assert made.standard_errors(made.people - 1)[slopes].max() > 0.2
    one = plan(study, public=PUBLIC, target_se=0.01, coefficient="age")
    age = one.names.index("age")
    assert one.standard_errors()[age] <= 0.01 < one.standard_errors(one.people - 1)[age]


def test_an_unreachable_target_says_how_many_public_rows_it_takes() -> None:
    """Where the public rows alone exceed the target no number of people helps."""
    study = make_study(LABELS["linear"])
    guess = {"age": 0.5, "hours": -1.0}
    limit = plan(study, public=PUBLIC, people=10**12, guess=guess).standard_errors()
    target = float(limit[1]) * 0.9
    with pytest.raises(ConfigurationError, match="public rows"):
        plan(study, public=PUBLIC, target_se=target, coefficient="age", guess=guess)


def test_another_epsilon_needs_no_new_study() -> None:
    """Standard errors are those of a study made for it, whose geometry differs a little."""
    made = plan(make_study(LABELS["logistic"], epsilon=1.0), public=PUBLIC, people=10_000)
    other = plan(make_study(LABELS["logistic"], epsilon=4.0), public=PUBLIC, people=10_000)
    assert np.allclose(made.standard_errors(epsilon=4.0), other.standard_errors(), rtol=0.01)


def test_prints_the_split_by_cause() -> None:
    """The text has the range, the three causes and what is supposed."""
    text = str(plan(make_study(LABELS["logistic"]), public=PUBLIC, people=5000))
    for part in ("5,000 people", "10% to 90%", "privacy", "people", "public rows", "Supposed: "):
        assert part in text


@pytest.mark.parametrize(
    ("wrong", "names"),
    [
        ({}, "people or target_se"),
        ({"people": 10, "target_se": 0.1}, "people or target_se"),
        ({"people": 0}, "people=0"),
        ({"target_se": -1.0}, "target_se=-1"),
        ({"target_se": float("nan")}, "target_se=nan"),
        ({"target_se": 0.1, "coefficient": "agee"}, "agee"),
        ({"people": 10, "guess": {"agee": 1.0}}, "agee"),
        ({"people": 10, "width": 0.0}, "width=0"),
        ({"people": 10, "rate": 1.0}, "between 0 and 1, got rate=1"),
        ({"people": 10, "rate": {"a": 1.0}}, "rate={'a': 1.0}"),
        ({"people": 10, "rate": 0.2, "guess": {"intercept": 1.0}}, "either rate or a guess"),
    ],
)
def test_refuses_unclear_questions(wrong: dict[str, object], names: str) -> None:
    """The error names the parameter and shows its value."""
    with pytest.raises(ConfigurationError, match=names):
        plan(make_study(LABELS["logistic"]), public=PUBLIC, **wrong)  # type: ignore[arg-type]


def test_a_study_that_asks_nothing_is_planned() -> None:
    """The intercept alone has a standard error, and nothing can be too rare."""
    public = {"same": np.ones(500)}
    study = Study.from_public(public, label=LABELS["logistic"], epsilon=1.0, source="a test")
    made = plan(study, public=public, target_se=0.1, rate=0.2)
    assert made.names == ("intercept",)
    assert made.standard_errors()[0] <= 0.1
    assert made.wide() == ()


def test_refuses_a_guess_at_which_the_model_is_flat() -> None:
    """A link without slope at the guess cannot be planned there."""
    cube = Family("cube", mean=lambda t: t**3, slope=lambda t: 3 * t**2)
    study: Study = make_study(LABELS["linear"])
    with pytest.raises(ConfigurationError, match="guess"):
        plan(study, public=PUBLIC, people=100, family=cube, guess={"age": 0.0})


def test_a_model_without_intercept_has_no_rate() -> None:
    """Its coefficients alone decide the mean label."""
    study = make_study(LABELS["logistic"], intercept=False)
    assert "have y" not in str(plan(study, public=PUBLIC, people=100))
    with pytest.raises(ConfigurationError, match=r"without intercept .* rate=0\.2"):
        plan(study, public=PUBLIC, people=100, rate=0.2)


@pytest.mark.parametrize("rate", [{"a": 0.5, "b": 0.5}, {"a": 0.3, "b": 0.3, "c": 0.3}, 0.5])
def test_rates_of_classes_are_complete(rate: object) -> None:
    """Every class has a share, and all of them are everybody."""
    study = make_study(LABELS["multinomial"])
    with pytest.raises(ConfigurationError, match="a, b, c, d a share"):
        plan(study, public=PUBLIC, people=100, rate=rate)  # type: ignore[arg-type]


def test_a_plan_says_what_the_study_was_made_for() -> None:
    """With what a focus costs the others, under the table."""
    study = make_study(LABELS["logistic"], focus=("age",))
    told = " ".join(str(plan(study, public=PUBLIC, people=5000)).split())
    assert "Made to measure above all 'age', then the other coefficients." in told
    assert study.notes
    assert all(" ".join(note.split()) in told for note in study.notes)
