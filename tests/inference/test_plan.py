"""Plans: closed form, consistent with the fit, and honest about what cannot be reached."""

import msgspec
import numpy as np
import pytest

from tacit import Study, fit, plan
from tacit.errors import ConfigurationError
from tacit.models import Family
from tests.inference.helpers import LABELS, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)


@pytest.mark.parametrize("name", tuple(LABELS))
def test_planned_errors_at_the_estimate_are_those_of_the_fit(name: str) -> None:
    """Guessing what the fit found gives the fit's standard errors."""
    world = make_world(name, people=30_000, epsilon=8.0, seed=3)
    found = fit(world.study, world.tally, public=PUBLIC)
    guess = dict(zip(found.names, found.solution("maximum").coef, strict=True))
    made = plan(world.study, public=PUBLIC, people=30_000, guess=guess)
    assert np.allclose(made.standard_errors(), found.solution("maximum").standard_errors, rtol=1e-6)
    assert np.allclose(made.shares, found.solution("maximum").shares, rtol=1e-6)


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
    """Standard errors at another epsilon equal those of the same geometry with it."""
    study = make_study(LABELS["logistic"], epsilon=1.0)
    made = plan(study, public=PUBLIC, people=10_000)
    stated = {"epsilon": 4.0, "parameters": study.parameters.best(study.dimension, 4.0)}
    other = plan(msgspec.structs.replace(study, **stated), public=PUBLIC, people=10_000)
    assert np.allclose(made.standard_errors(epsilon=4.0), other.standard_errors(), rtol=1e-9)


def test_prints_the_split_by_cause() -> None:
    """The text has every coefficient and the three causes."""
    text = str(plan(make_study(LABELS["logistic"]), public=PUBLIC, people=5000))
    for part in ("5,000 people", "privacy", "people", "public rows", "region: south"):
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
    ],
)
def test_refuses_unclear_questions(wrong: dict[str, object], names: str) -> None:
    """The error names the parameter and shows its value."""
    with pytest.raises(ConfigurationError, match=names):
        plan(make_study(LABELS["logistic"]), public=PUBLIC, **wrong)  # type: ignore[arg-type]


def test_refuses_a_guess_at_which_the_model_is_flat() -> None:
    """A link without slope at the guess cannot be planned there."""
    cube = Family("cube", mean=lambda t: t**3, slope=lambda t: 3 * t**2)
    study: Study = make_study(LABELS["linear"])
    with pytest.raises(ConfigurationError, match="guess"):
        plan(study, public=PUBLIC, people=100, family=cube)
