"""Algorithm 2 and the Lasso: private labels, public features."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import special
from sklearn.linear_model import Lasso

from tacit import Family
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.common import Allowance
from tacit.papers.iht import LabelLasso, LabelLDPIHT, LabelRound, Problem
from tacit.papers.iht.round import LabelMechanism
from tacit.papers.iht.server import descend, lasso
from tacit.privacy import SeededEntropy
from tacit.privacy.curve import calibrate
from tacit.privacy.gaussian import GaussianMechanism
from tacit.privacy.window import Window, two_point
from tacit.protocol import reports, simulated

STANDARD_ERRORS = 7.0
DRAWS = 40_000
AUDIT_DRAWS = 200_000
BOUND = 1.75
PURE: list[LabelMechanism] = ["best", "two-point", "piecewise", "staircase"]


def on_devices(only: LabelRound, labels: Floats, seed: int) -> Floats:
    """Private labels as the server reads them from reports."""
    sent = reports(only, (labels,), SeededEntropy(seed))
    return only.after(iter([only.mechanism.value(sent)]), len(labels))


def in_simulation(only: LabelRound, labels: Floats, generator: np.random.Generator) -> Floats:
    """The same, drawn from their law."""
    return only.after(simulated(only, (labels,), generator), len(labels))


over_mechanisms = pytest.mark.parametrize("name", [*PURE, "gaussian"])


@over_mechanisms
def test_label_reports_are_unbiased_with_no_more_than_their_stated_variance(
    name: LabelMechanism,
) -> None:
    """In the middle, at the ends, and beyond, where labels are clipped; device and simulation."""
    only = LabelRound.of(BOUND, Allowance(2.0), name)
    rng = np.random.default_rng(0)
    for number, y in enumerate((0.0, 0.6, -BOUND, 40.0)):
        labels, clipped = np.full(DRAWS, y), min(y, BOUND)
        one_by_one = on_devices(only, labels, number)
        for values in (one_by_one, in_simulation(only, labels, rng)):
            error = math.sqrt(only.variance / DRAWS)
            assert abs(values.mean() - clipped) <= STANDARD_ERRORS * error
            squares = (values - clipped) ** 2
            slack = STANDARD_ERRORS * squares.std() / math.sqrt(DRAWS)
            assert squares.mean() <= only.variance + slack


@over_mechanisms
def test_device_and_simulation_of_labels_have_the_same_law(name: LabelMechanism) -> None:
    """First four moments agree within 7 standard errors of their difference."""
    only = LabelRound.of(BOUND, Allowance(1.0), name)
    labels = np.full(DRAWS, 0.5)
    device = on_devices(only, labels, 1)
    fast = in_simulation(only, labels, np.random.default_rng(2))
    for power in range(1, 5):
        first, second = device**power, fast**power
        error = math.sqrt((first.var() + second.var()) / DRAWS)
        assert abs(first.mean() - second.mean()) <= STANDARD_ERRORS * error


def refuted(only: LabelRound, claimed: float, threshold: float) -> bool:
    """Whether the event `value above threshold` under the end labels refutes pure `claimed`."""
    counts = []
    for number, y in enumerate((BOUND, -BOUND)):
        values = on_devices(only, np.full(AUDIT_DRAWS, y), number)
        counts.append(int((values > threshold).sum()))
    low = special.betaincinv(counts[0], AUDIT_DRAWS - counts[0] + 1, 0.5e-4)
    high = special.betainccinv(counts[1] + 1, AUDIT_DRAWS - counts[1], 0.5e-4)
    return bool(math.log(low / high) > claimed)


def event_of(only: LabelRound) -> float:
    """A threshold whose exceeding favours the upper end label by e^eps exactly."""
    mechanism = only.mechanism
    if isinstance(mechanism, Window):  # the cells favoured by the upper end are the last ones
        edge = mechanism.value(np.array([mechanism.cells - mechanism.width]))[0]
        return float(only.bound * edge - 1e-9)
    return BOUND  # the staircase: beyond the range both ends differ by one step of e^-eps


@pytest.mark.parametrize("name", PURE)
@pytest.mark.parametrize("epsilon", [1.0, 2.5])
def test_the_audit_passes_labels_and_catches_five_percent_too_much_epsilon(
    name: LabelMechanism, epsilon: float
) -> None:
    """Labels at the ends of the range; the mutant randomizes with 1.05 eps."""
    right = LabelRound.of(BOUND, Allowance(epsilon), name)
    weak = LabelRound.of(BOUND, Allowance(1.05 * epsilon), name)
    assert not refuted(right, epsilon, event_of(right))
    assert refuted(weak, epsilon, event_of(weak))


def test_reports_of_labels_are_integers_of_one_alphabet() -> None:
    """Whatever the label, NaN and infinities included; the system's entropy by default."""
    only = LabelRound.of(BOUND, Allowance(1.0), "two-point")
    wild = np.repeat([math.nan, math.inf, -math.inf, 1e308, 0.0, BOUND], 40)
    sent = reports(only, (wild,))
    assert set(sent.tolist()) == {0, 1}
    assert sent.dtype == np.int64


def test_pure_labels_have_far_less_noise_than_gaussian_ones() -> None:
    """At eps = 1: 3.9 times less standard deviation than exact noise at delta = 1e-6."""
    pure = LabelRound.of(BOUND, Allowance(1.0))
    assert pure.mechanism == two_point(1.0)
    gaussian = 2 * BOUND * calibrate(1.0, 1e-6)
    assert gaussian / math.sqrt(pure.variance) == pytest.approx(3.9, abs=0.05)
    best = [LabelRound.of(BOUND, Allowance(e)).variance for e in (0.5, 2.0, 8.0)]
    for epsilon, least in zip((0.5, 2.0, 8.0), best, strict=True):
        others = [LabelRound.of(BOUND, Allowance(epsilon), name).variance for name in PURE]
        assert least == pytest.approx(min(others))


def test_erratum_12_without_clipping_gaussian_labels_are_told_apart() -> None:
    """The audit of the exact curve refutes noise without clipping, and not the device."""
    only = LabelRound.of(BOUND, Allowance(1.0), "gaussian")
    noise = only.mechanism
    assert isinstance(noise, GaussianMechanism)
    labels = np.repeat([[-5 * BOUND], [5 * BOUND]], DRAWS, axis=1)
    printed = labels + np.random.default_rng(3).normal(0.0, BOUND * noise.sigma, labels.shape)
    device = [on_devices(only, side, k) for k, side in enumerate(labels)]
    assert seen_mu(*printed) > noise.curve.mu
    assert seen_mu(*device) <= noise.curve.mu


def seen_mu(low: Floats, high: Floats) -> float:
    """A lower confidence bound of mu from the event `above zero`."""
    hits, alarms = int((high > 0).sum()), int((low > 0).sum())
    true_low = special.betaincinv(hits, DRAWS - hits + 1, 0.5e-4)
    false_high = special.betainccinv(alarms + 1, DRAWS - alarms, 0.5e-4)
    return float(special.ndtri(true_low) - special.ndtri(false_high))


def signs(count: int, dimension: int, seed: int) -> Floats:
    """Rows of random signs."""
    return np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, dimension))


def test_without_noise_algorithm_2_recovers_the_parameter() -> None:
    """Linear, and non-linear with a step for its slope."""
    bent = Family("bent", lambda z: z + 0.5 * np.sin(z), lambda z: 1 + 0.5 * np.cos(z))
    X = signs(2001, 12, 0)
    theta = np.eye(12)[2] * 0.7 - np.eye(12)[7] * 0.4
    for family, step in ((None, 1.0), (bent, 0.5)):
        problem = Problem.of(12, 2, family=family)
        y = problem.family.mean(X @ theta)
        assert np.abs(descend(problem, X, y, step, 100) - theta).max() < 1e-9


def test_erratum_11_the_sign_of_algorithm_2_decides() -> None:
    """With plus it descends to the truth; with minus it ends on the ball, pointing away."""
    X = signs(2001, 12, 1)
    theta = np.eye(12)[2] * 0.7 - np.eye(12)[7] * 0.4
    problem = Problem.of(12, 2)
    plus, minus = (descend(problem, X, X @ theta, step, 50) for step in (0.2, -0.2))
    assert np.linalg.norm(plus - theta) < 1e-4
    assert minus @ theta < 0
    assert np.linalg.norm(minus) == pytest.approx(1.0)


def test_the_lasso_is_the_minimiser() -> None:
    """Against scikit-learn, and by its optimality conditions."""
    rng = np.random.default_rng(4)
    X = rng.normal(size=(200, 9)) @ rng.normal(size=(9, 9))
    y = X[:, 0] - 2 * X[:, 3] + rng.normal(size=200)
    gram, moment = X.T @ X / 200, X.T @ y / 200
    for penalty in (0.05, 0.5, 5.0):
        found = lasso(gram, moment, penalty)
        peer = Lasso(alpha=penalty, fit_intercept=False, tol=1e-12, max_iter=100_000).fit(X, y)
        assert np.allclose(found, peer.coef_, atol=1e-6)
        slack = moment - gram @ found
        assert np.abs(slack).max() <= penalty * (1 + 1e-6)
        assert np.allclose(slack[found != 0], penalty * np.sign(found[found != 0]), atol=1e-8)


def test_columns_that_are_all_but_equal_have_a_lasso_too() -> None:
    """Descent would take a million sweeps; the optimality conditions hold all the same."""
    gram, moment = np.array([[1.0, 1.0 - 1e-6], [1.0 - 1e-6, 1.0]]), np.array([1.0, -1.0])
    found = lasso(gram, moment, 0.5)
    assert np.allclose(moment - gram @ found, 0.5 * np.sign(found), rtol=1e-6)
    assert (found * [1.0, -1.0] > 0).all()


def test_the_lasso_of_large_penalty_and_of_an_empty_column_is_zero_there() -> None:
    """No division by zero, nothing chosen that says nothing."""
    gram, moment = np.diag([1.0, 0.0]), np.array([0.3, 0.0])
    assert lasso(gram, moment, 1.0).tolist() == [0.0, 0.0]
    assert lasso(gram, moment, 0.1) == pytest.approx([0.2, 0.0])


@pytest.mark.parametrize("kind", [LabelLDPIHT, LabelLasso])
def test_errors_are_of_the_size_that_the_known_noise_predicts(kind: type) -> None:
    """Coefficients within 7 known standard errors (plus the penalty) of the truth."""
    X = signs(20_000, 30, 5)
    theta = np.zeros(30)
    theta[[3, 8, 20]] = [0.6, -0.5, 0.4]
    y = X @ theta + np.random.default_rng(6).uniform(-0.1, 0.1, len(X))
    fitted = kind(2.0, sparsity=3, noise_bound=0.1, random_state=0).fit(X, y)
    error = fitted.deviation_ / math.sqrt(len(X))
    assert np.abs(fitted.coef_ - theta).max() <= STANDARD_ERRORS * error + getattr(
        fitted, "penalty_", 0.0
    )
    assert set(np.flatnonzero(fitted.coef_)) >= {3, 8, 20}


def test_thresholds_and_refits_follow_the_known_noise() -> None:
    """`threshold` drops what keep=8 s* leaves in; `refit` removes the Lasso's shrinkage."""
    X = signs(20_000, 30, 7)
    theta = np.zeros(30)
    theta[[3, 8]] = [0.7, -0.6]
    stated: dict[str, Any] = {"sparsity": 2, "noise_bound": 0.1, "random_state": 1}
    wide, cut = (
        LabelLDPIHT(1.0, keep=16, threshold=t, **stated).fit(X, X @ theta) for t in (False, True)
    )
    assert np.count_nonzero(wide.coef_) == 16
    assert np.count_nonzero(cut.coef_) < 6
    plain, again = (LabelLasso(1.0, refit=r, **stated).fit(X, X @ theta) for r in (False, True))
    assert np.array_equal(plain.coef_ != 0, again.coef_ != 0)
    assert np.linalg.norm(again.coef_ - theta) < np.linalg.norm(plain.coef_ - theta)


def test_printed_noise_is_gaussian() -> None:
    """`calibration="paper"` needs no mechanism's name, and refuses another one."""
    printed = LabelRound.of(BOUND, Allowance(1.0, 1e-3, "paper"))
    assert isinstance(printed.mechanism, GaussianMechanism)
    classical = 2 * BOUND * math.sqrt(2 * math.log(1.25e3))
    assert BOUND * printed.mechanism.sigma == pytest.approx(classical)
    for name in PURE:
        with pytest.raises(ConfigurationError, match=f"mechanism='{name}'"):
            LabelRound.of(BOUND, Allowance(1.0, calibration="paper"), name)
    unknown: Any = "laplace"
    with pytest.raises(ConfigurationError, match="mechanism='laplace'"):
        LabelRound.of(BOUND, Allowance(1.0), unknown)
