"""How near maximum likelihood comes to the truth."""

import numpy as np
import pytest

from evidence import accuracy, populations
from evidence.one_run import study_for
from tacit import plan

BOUNDS = {1.0: 0.09, 5.0: 0.005}  # of the median squared error, what the project promises
TOLERANCE = 7.0  # standard errors
RUNS = 24


@pytest.mark.assure
def test_squared_error_at_the_published_size() -> None:
    """Ten features, 100,000 people, 50,000 public rows: the promised squared errors are met."""
    size = accuracy.SIZES[0]
    found = accuracy.accuracy(size, tuple(BOUNDS), RUNS, seed=1)
    medians = {one.epsilon: one.median for one in found if one.epsilon is not None}
    assert {eps for eps, median in medians.items() if median > BOUNDS[eps]} == set(), medians


def test_squared_error_is_the_one_theory_says() -> None:
    """The mean squared error is the trace of the planned covariance, within its own noise."""
    features, people, public_rows, epsilon, runs = 3, 20_000, 5_000, 4.0, 30
    found, _ = accuracy.accuracy((features, people, public_rows), (epsilon,), runs, seed=2)
    variances = _planned_variances(features, people, public_rows, epsilon)
    noise = np.sqrt(2.0 * (variances**2).sum() / runs)
    assert abs(found.squared_errors.mean() - variances.sum()) < TOLERANCE * noise


def _planned_variances(features: int, people: int, public_rows: int, epsilon: float) -> np.ndarray:
    """Of the same Gaussian design; by its symmetry the direction of the truth does not matter."""
    names = [f"x{j}" for j in range(features)]
    population = populations.Population(
        "isotropic",
        lambda g, n: dict(zip(names, g.standard_normal((features, n)) * 0.5**0.5, strict=True)),
        {"intercept": 0.0} | dict.fromkeys(names, features**-0.5),
    )
    public = population.rows(np.random.default_rng(3), public_rows)
    study = study_for(population, public, epsilon)
    made = plan(study, public=public, people=people, guess=population.truth)
    return made.standard_errors()[1:] ** 2
