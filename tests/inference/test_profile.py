"""Profile intervals: exact where there is a closed form, and by brute force where there is none."""

import math

import numpy as np
import pytest
from scipy import linalg, optimize, special

from tacit import Study, fit, simulate
from tacit.arrays import Floats
from tacit.inference.likelihood import Likelihood
from tacit.inference.profile import Line, Surface
from tacit.inference.weak import SIGNALS, WeakMode, weak_mode
from tests.inference.helpers import LABELS, flat_in, make_rows, make_study, make_world

PUBLIC = make_rows(2000, 0)
QUANTILE = float(special.chdtri(1, 0.05))


def _asked(name: str, people: int, epsilon: float, seed: int = 3) -> Likelihood:
    world = make_world(name, people=people, epsilon=epsilon, seed=seed)
    return fit(world.study, world.tally, public=PUBLIC).asking("a test")


def _line(likelihood: Likelihood, found: WeakMode, place: int) -> Line:
    contrast = np.eye(len(likelihood.rows))[place]
    return Surface.around(found).along(likelihood.rows[place], likelihood.limit(contrast))


@pytest.mark.parametrize("flat", [False, True])
def test_a_linear_mean_has_the_closed_form(flat: bool) -> None:
    """Then the objective is quadratic: least squares, with the prior flat in what is asked."""
    likelihood = _asked("linear", 20_000, 4.0)
    found = weak_mode(likelihood, flat=flat)
    problem, start = found.problem, found.problem.start
    jacobian = problem.jacobian(start)
    for place, a in enumerate(likelihood.rows):
        prior = flat_in(found.prior, a)
        curvature = jacobian.T @ problem.inverse @ jacobian + prior
        pull = jacobian.T @ problem.inverse @ problem.gap(start)
        estimate = a @ (start - linalg.solve(curvature, pull))
        error = math.sqrt(a @ linalg.solve(curvature, a))
        line = _line(likelihood, found, place)
        least = line.least()
        assert line.estimate(least) == pytest.approx(estimate, abs=5e-3 * error)
        assert line.standard_error == pytest.approx(error, rel=1e-6)
        for side in (-1, 1):
            end = line.end(least, side, QUANTILE)
            assert end == pytest.approx(
                estimate + side * math.sqrt(QUANTILE) * error, abs=0.01 * error
            )
        z = line.gain(least, estimate - 2.5 * error)
        assert z == pytest.approx(2.5, abs=0.01)


def _brute_force(found: WeakMode, a: Floats, value: float, start: Floats) -> float:
    """The least objective where a'w = value, by another method, with the prior flat in a'w."""
    problem = found.problem
    prior = flat_in(found.prior, a)
    basis, fixed = linalg.null_space(a[None, :]), a * value / (a @ a)

    def objective(y: Floats) -> float:
        return problem.objective(prior, fixed + basis @ y)

    found_at = optimize.minimize(objective, basis.T @ start, method="BFGS", options={"gtol": 1e-6})
    return float(found_at.fun)


@pytest.mark.parametrize(("name", "people"), [("logistic", 1200), ("poisson", 3000)])
def test_ends_are_where_the_profile_has_risen_by_the_quantile(name: str, people: int) -> None:
    """An optimizer that knows nothing of profiles finds the same rise at every end."""
    likelihood = _asked(name, people, 2.0)
    found = weak_mode(likelihood)
    for place in (1, 3, 5):
        a, line = likelihood.rows[place], _line(likelihood, found, place)
        least = line.least()
        lowest = _brute_force(found, a, line.value(least.t), found.weights)
        for side in (-1, 1):
            end = line.end(least, side, QUANTILE)
            if math.isinf(end):
                end = line.origin + side * line.limit
                assert _brute_force(found, a, end, found.weights) - lowest < QUANTILE + 0.05
                continue
            rise = _brute_force(found, a, end, found.weights) - lowest
            assert rise == pytest.approx(QUANTILE, abs=0.05)
        for nearby in (-0.3, 0.3):
            beside = line.value(least.t + nearby)
            assert _brute_force(found, a, beside, found.weights) > lowest - 0.01


def _noise(seed: int) -> Likelihood:
    study: Study = make_study(LABELS["logistic"], epsilon=0.5, minimum_batch=1)
    tally = simulate(study, make_rows(150, seed), np.arange(150) % 2, random_state=seed)
    return fit(study, tally, public=PUBLIC).asking("a test")


def test_an_interval_has_no_end_where_the_profile_stays_low() -> None:
    """Reports of pure noise bound few coefficients, and no end is nearer than it should be."""
    ends: list[bool] = []
    for seed in range(4):
        likelihood = _noise(seed)
        found = weak_mode(likelihood)
        for place, a in enumerate(likelihood.rows):
            line = _line(likelihood, found, place)
            least = line.least()
            lowest = _brute_force(found, a, line.value(least.t), found.weights)
            for side in (-1, 1):
                end = line.end(least, side, QUANTILE)
                endless = math.isinf(end)
                looked_at = line.origin + side * line.limit if endless else end
                rise = _brute_force(found, a, looked_at, found.weights) - lowest
                assert rise < QUANTILE + 0.1 if endless else rise > QUANTILE - 0.1
                ends.append(endless)
    assert 5 < sum(ends) < len(ends) - 5


def test_zero_is_outside_an_interval_where_its_p_value_is_small() -> None:
    """Interval and test are one: p < 5% where the 95% interval leaves zero out."""
    compared = 0
    for name in LABELS:
        for seed in (1, 2):
            world = make_world(name, people=4000, epsilon=2.0, seed=seed)
            table = fit(world.study, world.tally, public=PUBLIC).table()
            outside = (table.low > 0) | (table.high < 0)
            clear = np.abs(table.p - 0.05) > 0.001
            assert np.array_equal(outside[clear], (table.p < 0.05)[clear])
            assert np.array_equal(np.sign(table.z), np.sign(table.estimate))
            compared += int(clear.sum())
    assert compared > 60


def test_the_prior_is_as_strong_as_the_reports_suggest() -> None:
    """Labels that depend on nothing leave a small signal, those that depend on much a large one."""
    study = make_study(LABELS["logistic"], epsilon=8.0)
    rows = make_rows(40_000, 1)
    coin = np.random.default_rng(0).random(40_000)
    strength = 4.0 * (rows["age"] - 45.0) / 15.0 + 3.0 * (rows["smoker"] - 0.3)
    signals = []
    for predictor in (0.0 * strength, strength):
        labels = (coin < special.expit(predictor)).astype(int)
        tally = simulate(study, rows, labels, random_state=1)
        found = weak_mode(fit(study, tally, public=PUBLIC).asking("a test"))
        signals.append(found.signal)
    assert signals[0] == SIGNALS[0]
    assert signals[1] is not None
    assert signals[1] >= 3.0


def test_a_weak_prior_does_not_move_what_the_reports_determine() -> None:
    """With enough people the intervals with and without a prior are nearly the same."""
    world = make_world("logistic", people=60_000, epsilon=8.0, seed=11)
    found = fit(world.study, world.tally, public=PUBLIC)
    profile, flat = found.table(), found.table(intervals="flat")
    assert np.abs((profile.estimate - flat.estimate) / flat.standard_errors).max() < 0.1
    assert np.allclose(profile.high - profile.low, flat.high - flat.low, rtol=0.05)
