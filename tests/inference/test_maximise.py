"""Maximum likelihood: the right root, and an honest refusal where there is none."""

import numpy as np
import pytest
from scipy import special

from tacit import Binary
from tacit.errors import ConvergenceError
from tacit.inference.design import Design
from tacit.inference.likelihood import start_weights
from tacit.inference.maximise import Endless, maximise
from tacit.models import Family, ScalarModel
from tests.inference.helpers import LABELS, make_design, make_study


@pytest.mark.parametrize("name", tuple(LABELS))
@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0])
def test_recovers_the_weights_of_a_noiseless_tally(name: str, scale: float) -> None:
    """From b = G(w) the weights come back, also where most labels are nearly certain."""
    study = make_study(LABELS[name])
    design = make_design(study)
    start = start_weights(study, design.model)
    rng = np.random.default_rng(1)
    weights = start + rng.normal(0.0, scale, design.size) * design.model.unit
    found = maximise(design, design.moments(weights), start)
    assert not isinstance(found, Endless)
    error = design.predictor(found - weights) / design.model.unit
    assert np.abs(error).max() < 1e-5


@pytest.mark.parametrize("name", ["logistic", "poisson", "multinomial"])
def test_names_the_ray_where_no_maximum_exists(name: str) -> None:
    """A tally beyond every expected one has no maximum, and the ray leads towards it."""
    study = make_study(LABELS[name])
    design = make_design(study)
    start = start_weights(study, design.model)
    ray = np.zeros(design.size)
    ray[design.model.width * 2] = 1.0
    beyond = design.moments(start + 1e9 * ray) + 0.05 * ray
    found = maximise(design, beyond, start)
    assert isinstance(found, Endless)
    assert found.direction @ ray > 0.5
    assert np.linalg.norm(found.direction) == pytest.approx(1.0)


def test_the_refusal_is_exact() -> None:
    """Just inside the reachable tallies there is a maximum, just outside there is none."""
    design = Design.of(np.ones((50, 1)), Binary("y", positive=1).model())
    inside = maximise(design, np.array([1 - 1e-6]), np.zeros(1))
    assert not isinstance(inside, Endless)
    assert inside[0] == pytest.approx(np.log((2 - 1e-6) / 1e-6), rel=1e-4)
    assert isinstance(maximise(design, np.array([1 + 1e-6]), np.zeros(1)), Endless)


def test_a_start_where_nothing_reacts_is_refused() -> None:
    """The tally is met at once, but by any weights nearby: no direction can be named."""
    cube = Family("cube", mean=lambda t: t**3, slope=lambda t: 3 * t**2)
    design = Design.of(np.ones((5, 1)), ScalarModel(cube, -1.0, 1.0, binary=False))
    found = maximise(design, np.zeros(1), np.zeros(1))
    assert isinstance(found, Endless)
    assert np.array_equal(found.direction, [0.0])


def test_random_tallies_are_solved_or_refused() -> None:
    """Pure noise never hangs, warns or ends in a wrong root, whatever the label."""
    for name, label in LABELS.items():
        study = make_study(label, public=60)
        design = make_design(study, public=60)
        start = start_weights(study, design.model)
        for seed in range(60):
            rng = np.random.default_rng(seed)
            mean = rng.normal(0.0, (0.03, 0.1, 0.3, 1.0)[seed % 4], design.size)
            found = maximise(design, mean, start)
            if isinstance(found, Endless):
                assert name != "linear"
            else:
                assert np.abs(design.moments(found) - mean).max() < 1e-9


def test_a_slope_that_is_not_the_means_is_reported() -> None:
    """The search ends, with an error that says what to check."""
    wrong = Family("wrong", mean=special.expit, slope=lambda t: -special.expit(t))
    design = Design.of(np.ones((5, 1)), ScalarModel(wrong, 0.0, 1.0, binary=True))
    with pytest.raises(ConvergenceError, match="its mean does not decrease and that slope is"):
        maximise(design, np.array([0.95]), np.zeros(1))
