"""The sparse model: the bounds that follow from it, Trunc, the projection, the groups."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize, special

from tacit import Family
from tacit.arrays import Floats
from tacit.errors import ConfigurationError, LabelError
from tacit.papers.common import check_labels
from tacit.papers.iht import GradientRound, OneShotSparse, Problem
from tacit.papers.iht.problem import noise_level, truncate
from tacit.papers.iht.round import sphere_for

STEEP = Family("steep", mean=lambda z: 2 * np.tanh(z), slope=lambda z: 2 / np.cosh(z) ** 2)


def test_trunc_keeps_the_largest_entries() -> None:
    """The largest in absolute value, their signs kept, none below the level."""
    theta = np.array([0.1, -3.0, 2.0, 0.0, -0.5])
    assert truncate(theta, 2).tolist() == [0.0, -3.0, 2.0, 0.0, 0.0]
    assert truncate(theta, 5, level=0.5).tolist() == [0.0, -3.0, 2.0, 0.0, -0.5]
    assert truncate(theta, 1, level=4.0).tolist() == [0.0] * 5


def test_ties_do_not_keep_too_many() -> None:
    """With all entries equal exactly `keep` stay."""
    assert np.count_nonzero(truncate(np.ones(6), 4)) == 4


def test_projection_is_the_nearest_point_of_the_ball() -> None:
    """Long vectors are scaled to the radius, short ones stay, zero stays zero."""
    problem = Problem.of(3, 2, radius=2.0)
    assert np.allclose(problem.project(np.array([3.0, 4.0, 1.0])), [1.2, 1.6, 0.0])
    assert np.allclose(problem.project(np.array([0.3, 0.4, 0.1])), [0.3, 0.4, 0.0])
    assert np.array_equal(problem.project(np.zeros(3)), np.zeros(3))


def test_linear_bounds_are_those_of_the_paper() -> None:
    """|y| <= sqrt(s*) + C; clipping radius sqrt(p)(sqrt(s) + sqrt(s*) + C)."""
    problem = Problem.of(40, 4, keep=32, noise_bound=0.25)
    assert problem.label_bound == pytest.approx(2.25, rel=1e-12)
    state = GradientRound.first(problem, sphere_for("duchi", 40, 1.0), "paper")
    printed = math.sqrt(40) * (math.sqrt(32) + math.sqrt(4) + 0.25)
    assert state.radius == pytest.approx(printed, rel=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_no_record_has_a_longer_gradient_than_the_radius_and_one_attains_it(seed: int) -> None:
    """An optimiser over records in the box never exceeds it and reaches it within 1e-4."""
    rng = np.random.default_rng(seed)
    problem = Problem.of(5, 3, noise_bound=0.5)
    state = GradientRound.first(problem, sphere_for("sphere", 5, 1.0))
    state = state.descended(rng.normal(size=5))

    def minus_square(record: Floats) -> float:
        x, y = record[:5], record[5]
        return -float((x @ x) * (x @ state.theta - y) ** 2)

    bounds = [(-1.0, 1.0)] * 5 + [(-problem.label_bound, problem.label_bound)]
    found = max(
        math.sqrt(-optimize.minimize(minus_square, rng.uniform(-1, 1, 6), bounds=bounds).fun)
        for _ in range(30)
    )
    assert state.radius * (1 - 1e-4) <= found <= state.radius * (1 + 1e-9)


@pytest.mark.parametrize("family", [STEEP, Family("expit", special.expit, lambda z: 0.25 * z**0)])
def test_residuals_of_non_linear_measurements_stay_within_their_bound(family: Family) -> None:
    """Random legal records, at random iterates."""
    rng = np.random.default_rng(0)
    problem = Problem.of(6, 4, family=family)
    for _ in range(20):
        theta = problem.project(rng.normal(size=6))
        X = rng.choice([-1.0, 1.0], size=(500, 6))
        y = problem.label_bound * rng.choice([-1.0, 1.0], size=500)
        largest = np.abs(problem.residuals(theta, X, y)).max()
        assert largest <= problem.residual_bound(float(np.abs(theta).sum())) * (1 + 1e-5)


def test_residuals_are_the_gradient_of_half_the_squared_error() -> None:
    """Against numerical differences, for a non-linear measurement."""
    rng = np.random.default_rng(1)
    problem = Problem.of(4, 2, family=STEEP)
    theta, x, y = rng.normal(size=4), rng.choice([-1.0, 1.0], size=(1, 4)), np.array([0.7])

    def loss(t: Floats) -> float:
        return 0.5 * float((STEEP.mean(x @ t) - y)[0] ** 2)

    numerical = optimize.approx_fprime(theta, loss, 1e-7)
    assert np.allclose(x[0] * problem.residuals(theta, x, y), numerical, rtol=1e-5, atol=1e-6)


def test_groups_are_those_of_line_1() -> None:
    """Consecutive, floor(n/T) each, the last takes the rest; nobody is asked twice."""
    stage = GradientRound.first(Problem.of(2, 1), sphere_for("sphere", 2, 1.0), iterations=3)
    stages = [replace(stage, number=number) for number in range(3)]
    found = [np.arange(10)[one.asked(10)].tolist() for one in stages]
    assert found == [[0, 1, 2], [3, 4, 5], [6, 7, 8, 9]]


def test_noise_alone_seldom_exceeds_the_noise_level() -> None:
    """For p = 1000 means of noise, in fewer than a third of the cases (1/sqrt(pi log p))."""
    rng = np.random.default_rng(2)
    largest = np.abs(rng.normal(0.0, 3.0, (400, 1000)) / math.sqrt(50)).max(axis=1)
    assert np.mean(largest > noise_level(3.0, 50, 1000)) < 1 / 3


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"sparsity": 0}, "sparsity=0"),
        ({"sparsity": 7}, "sparsity=7"),
        ({"sparsity": 2, "keep": 1}, "keep=1"),
        ({"sparsity": 2, "keep": 7}, "keep=7"),
        ({"sparsity": 2, "radius": 0.0}, "radius=0.0"),
        ({"sparsity": 2, "noise_bound": -1.0}, "noise_bound=-1.0"),
        ({"sparsity": 2, "family": "cubic"}, "family=cubic"),
    ],
)
def test_impossible_models_are_refused(wrong: dict[str, Any], words: str) -> None:
    """By an error that shows the parameter."""
    with pytest.raises(ConfigurationError, match=words):
        Problem.of(6, **wrong)


def test_labels_beyond_the_range_are_refused_in_simulation() -> None:
    """The message shows the label and what states the range; NaN is no label either."""
    X, y = np.ones((2, 4)), np.array([-1.5, 1.5])
    OneShotSparse(noise_bound=0.5, random_state=0).fit(X, y)
    with pytest.raises(LabelError, match=r"got 1\.6 \(1 of 2 rows\).*noise_bound"):
        OneShotSparse(noise_bound=0.5).fit(X, np.array([0.0, 1.6]))
    with pytest.raises(LabelError):
        check_labels(np.array([math.nan]), -1.5, 1.5, "correct them")
