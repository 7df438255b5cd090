"""One suite over every estimator of the papers."""

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

from tacit.errors import TacitError
from tacit.privacy import Guarantee
from tests.contracts.example import EstimatorExample, stated

ESTIMATORS: list[EstimatorExample] = stated("ESTIMATORS")

over_estimators = pytest.mark.parametrize("example", ESTIMATORS, ids=lambda example: example.name)


@over_estimators
def test_same_random_state_same_answer(example: EstimatorExample) -> None:
    """Seeds decide everything, and other seeds give other noise."""
    answers = [example.answer(example.fit(example.make(random_state=seed))) for seed in (0, 0, 1)]
    assert np.array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])


@over_estimators
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_guarantee_is_stated_and_measured(example: EstimatorExample, calibration: str) -> None:
    """Whatever the calibration, `guarantee_` is what the noise gives, and it says simulation."""
    made = example.make(random_state=0)
    if "calibration" in made.get_params():
        made.set_params(calibration=calibration)
    guarantee: Any = example.fit(made).guarantee_
    assert isinstance(guarantee, Guarantee)
    assert guarantee.epsilon > 0
    assert guarantee.simulated
    if calibration == "exact":
        assert guarantee.epsilon == pytest.approx(made.epsilon)


@over_estimators
def test_parameters_survive_cloning(example: EstimatorExample) -> None:
    """Constructor arguments are kept as they are."""
    made = example.make(random_state=0)
    assert clone(made).get_params() == made.get_params()


@pytest.mark.parametrize(
    ("example", "wrong", "words"),
    [
        pytest.param(example, wrong, words, id=f"{example.name}-{'-'.join(wrong)}-{number}")
        for example in ESTIMATORS
        for number, (wrong, words) in enumerate(example.bad)
    ],
)
def test_bad_parameters_are_refused(
    example: EstimatorExample, wrong: dict[str, Any], words: str
) -> None:
    """An error of the tree that shows the parameter and its value."""
    with pytest.raises(TacitError) as caught:
        example.fit(example.make(**wrong))
    assert words in str(caught.value)
