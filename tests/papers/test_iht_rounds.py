"""Algorithm 1: reports that are sphere seeds, and the server's step."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import special

from tacit import Family
from tacit.arrays import Floats
from tacit.errors import ConfigurationError
from tacit.papers.iht import LDPIHT, GradientRound, OneShotSparse, Problem
from tacit.papers.iht.device import gradient_directions
from tacit.papers.iht.estimators import OneShotMechanism
from tacit.papers.iht.round import Randomizer, sphere_for
from tacit.privacy import SeededEntropy, Sphere
from tacit.protocol import reports, simulated

STANDARD_ERRORS = 7.0
DRAWS = 20_000
AUDIT_DRAWS = 100_000
DIMENSION = 3
PROBLEM = Problem.of(DIMENSION, 2, noise_bound=0.5)
RANDOMIZERS: list[Randomizer] = ["sphere", "duchi"]

over_randomizers = pytest.mark.parametrize("randomizer", RANDOMIZERS)


def second_round(randomizer: Randomizer, epsilon: float = 2.0) -> GradientRound:
    """A round whose iterate is not zero."""
    first = GradientRound.first(PROBLEM, sphere_for(randomizer, DIMENSION, epsilon), iterations=3)
    return first.descended(np.array([0.4, -0.3, 0.1]))


def gradients(stage: GradientRound, X: Floats, y: Floats) -> Floats:
    """The clipped gradients (n, p) of records."""
    units, share = gradient_directions(stage.problem, stage.theta, stage.bound, (X, y))
    return np.asarray(units * (stage.radius * share)[:, None])


def answers(stage: GradientRound, X: Floats, y: Floats, seed: int) -> Floats:
    """The unbiased gradient that each device's report stands for, (n, p)."""
    sent = reports(stage, (X, y), SeededEntropy(seed))
    return np.asarray(stage.radius * stage.mechanism.value(sent))


def in_simulation(
    stage: GradientRound, X: Floats, y: Floats, generator: np.random.Generator
) -> Floats:
    """The mean gradient of simulated devices."""
    return stage.gradient(simulated(stage, (X, y), generator), len(X))


def test_the_paper_s_randomizer_has_its_published_length() -> None:
    """Duchi et al. 2018: R (e^eps+1)/(e^eps-1) sqrt(pi)/2 d Gamma((d+1)/2)/Gamma(d/2+1)."""
    for d, epsilon in ((2, 0.5), (5, 1.0), (40, 4.0)):
        shape = math.exp(special.gammaln((d + 1) / 2) - special.gammaln(d / 2 + 1))
        length = math.sqrt(math.pi) / 2 * d * shape / math.tanh(epsilon / 2)
        assert 1 / sphere_for("duchi", d, epsilon).mean_length == pytest.approx(length, rel=1e-9)


def test_the_sphere_mechanism_is_never_worse_than_the_paper_s() -> None:
    """Its squared error is smaller at every dimension and epsilon, the more so the larger."""
    for d in (2, 10, 64):
        for epsilon in (0.5, 1.0, 4.0, 8.0):
            best, named = (sphere_for(name, d, epsilon) for name in RANDOMIZERS)
            assert best.squared_error <= named.squared_error
    assert sphere_for("duchi", 64, 8.0).squared_error > 5 * Sphere.best(64, 8.0).squared_error


@over_randomizers
def test_reports_are_unbiased_for_the_clipped_gradient(randomizer: Randomizer) -> None:
    """Records in the middle, extreme, short and wild; each coordinate within 7 standard errors."""
    state = second_round(randomizer)
    records = [
        ([1.0, -1.0, 1.0], 0.3),
        ([-1.0, 1.0, 1.0], PROBLEM.label_bound),
        ([0.1, 0.0, -0.2], -0.5),
        ([math.nan, 7.0, -math.inf], 1e9),
    ]
    deviation = state.radius / state.mechanism.mean_length
    for number, (x, y) in enumerate(records):
        X, labels = np.tile(x, (DRAWS, 1)), np.full(DRAWS, y)
        found = answers(state, X, labels, number)
        gradient = gradients(state, X[:1], labels[:1])[0]
        assert np.linalg.norm(gradient) <= state.radius * (1 + 1e-12)
        gap = np.abs(found.mean(axis=0) - gradient).max()
        assert gap <= STANDARD_ERRORS * deviation / math.sqrt(DRAWS)


def test_legal_records_are_not_clipped() -> None:
    """Under the model the gradient reported is x (<x, theta> - y) itself."""
    state = second_round("sphere")
    rng = np.random.default_rng(0)
    X = rng.choice([-1.0, 1.0], size=(200, DIMENSION))
    y = rng.uniform(-PROBLEM.label_bound, PROBLEM.label_bound, 200)
    assert np.allclose(gradients(state, X, y), X * (X @ state.theta - y)[:, None])


@over_randomizers
def test_one_by_one_and_simulation_have_the_same_law(randomizer: Randomizer) -> None:
    """Mean and covariance of single reports and of simulated means are those of the formula."""
    state = second_round(randomizer)
    x, y = np.array([[1.0, -1.0, 1.0]]), np.array([0.4])
    gradient = gradients(state, x, y)[0]
    along = np.outer(x[0], x[0]) / DIMENSION
    mu, cap = state.mechanism.mean_length, state.mechanism.cap
    # E<U,v>^2 = (1 + (d-1) cap mu)/d along the input, and the rest is spread over the others
    tilt = (1 + (DIMENSION - 1) * cap * mu) / DIMENSION
    across = (1 - tilt) / (DIMENSION - 1)
    second = (tilt * along + across * (np.eye(DIMENSION) - along)) * (state.radius / mu) ** 2
    single = answers(state, np.tile(x, (DRAWS, 1)), np.full(DRAWS, y[0]), 1)
    rng = np.random.default_rng(2)
    fast = np.array([in_simulation(state, x, y, rng) for _ in range(DRAWS // 4)])
    for drawn in (single, fast):
        error = np.sqrt(np.diag(second) / len(drawn))
        assert (np.abs(drawn.mean(axis=0) - gradient) <= STANDARD_ERRORS * error).all()
        products = drawn[:, :, None] * drawn[:, None, :]
        spread = products.std(axis=0) / math.sqrt(len(drawn))
        assert (np.abs(products.mean(axis=0) - second) <= STANDARD_ERRORS * spread).all()


@over_randomizers
def test_the_mean_gradient_of_seeds_is_the_mean_of_their_values(randomizer: Randomizer) -> None:
    """The server's exact integer sum, scaled; simulated groups agree with it in expectation."""
    state = second_round(randomizer, epsilon=6.0)
    rng = np.random.default_rng(3)
    X = rng.choice([-1.0, 1.0], size=(DRAWS, DIMENSION))
    y = rng.uniform(-PROBLEM.label_bound, PROBLEM.label_bound, DRAWS)
    sent = reports(state, (X, y), SeededEntropy(4))
    mean = state.gradient(state.mechanism.total(sent), DRAWS)
    assert np.allclose(mean, answers(state, X, y, 4).mean(axis=0), atol=1e-6)
    truth = gradients(state, X, y).mean(axis=0)
    allowed = STANDARD_ERRORS * state.radius / state.mechanism.mean_length / math.sqrt(DRAWS)
    assert np.abs(mean - truth).max() <= allowed
    assert np.abs(in_simulation(state, X, y, rng) - truth).max() <= allowed


def refuted(state: GradientRound, claimed: float) -> bool:
    """The event `in the cap of x` under the two records whose vectors are x and -x."""
    x = np.ones((AUDIT_DRAWS, DIMENSION))
    zero = replace(state, theta=np.zeros(DIMENSION))
    counts = []
    for number, y in enumerate((-PROBLEM.label_bound, PROBLEM.label_bound)):
        labels = np.full(AUDIT_DRAWS, y)
        points = answers(zero, x, labels, number) * zero.mechanism.mean_length / zero.radius
        heights = points @ x[0] / math.sqrt(DIMENSION)
        counts.append(int((heights >= zero.mechanism.cap).sum()))
    low = special.betaincinv(counts[0], AUDIT_DRAWS - counts[0] + 1, 0.5e-4)
    high = special.betainccinv(counts[1] + 1, AUDIT_DRAWS - counts[1], 0.5e-4)
    return bool(math.log(low / high) > claimed)


@over_randomizers
def test_the_audit_passes_the_device_and_catches_five_percent_too_much_epsilon(
    randomizer: Randomizer,
) -> None:
    """On the records that attain the radius; the mutant randomizes with 1.05 eps."""
    assert not refuted(second_round(randomizer, 2.0), 2.0)
    assert refuted(second_round(randomizer, 2.1), 2.0)


def test_devices_refuse_an_epsilon_that_takes_too_many_trials() -> None:
    """Simulation goes on beyond it; another number of features is refused too."""
    state, x, y = second_round("sphere", 13.0), np.ones((1, DIMENSION)), np.zeros(1)
    with pytest.raises(ConfigurationError, match="epsilon=13"):
        reports(state, (x, y))
    in_simulation(state, x, y, np.random.default_rng(0))
    with pytest.raises(ConfigurationError, match="3 features"):
        reports(second_round("sphere"), (np.ones((1, 4)), y))


def test_rounds_do_not_share_their_seeds() -> None:
    """Another iterate or round number expands the same seed to another vector."""
    state = second_round("sphere")
    others = (state.descended(np.zeros(3)), second_round("duchi"))
    assert len({one.mechanism.tag for one in (state, *others)}) == 3


def test_the_last_round_is_followed_by_the_answer() -> None:
    """Three groups, each asked once; then theta itself."""
    first = GradientRound.first(PROBLEM, sphere_for("sphere", DIMENSION, 2.0), iterations=3)
    total, stage, asked = np.zeros(DIMENSION, dtype=np.int64), first, []
    while isinstance(stage, GradientRound):
        asked.append(stage.asked(10))
        following = stage.after(total, 3)
        if not isinstance(following, GradientRound):
            break
        stage = following
    assert np.array_equal(following, np.zeros(DIMENSION))
    assert asked == [slice(0, 3), slice(3, 6), slice(6, 10)]


def run_noise_free(problem: Problem, step: float, rounds: int, *, printed: bool) -> Floats:
    """Algorithm 1 with the exact mean of clipped gradients for the reports."""
    rng = np.random.default_rng(5)
    theta = np.zeros(problem.dimension)
    theta[[1, 4]] = [0.8, -0.5]
    # an odd number in each group: no two columns of signs are exactly orthogonal by chance
    X = rng.choice([-1.0, 1.0], size=(801 * rounds, problem.dimension))
    y = problem.family.mean(X @ theta)
    sphere = sphere_for("sphere", problem.dimension, 1.0)
    state = GradientRound.first(problem, sphere, iterations=rounds, step=step, printed=printed)
    for _ in range(rounds):
        group = state.asked(len(X))
        state = state.descended(gradients(state, X[group], y[group]).mean(axis=0))
    return np.asarray(state.theta - theta)


def test_without_noise_the_parameter_is_recovered() -> None:
    """For linear measurements, and for non-linear ones with a step for their slope."""
    bent = Family("bent", lambda z: z + 0.5 * np.sin(z), lambda z: 1 + 0.5 * np.cos(z))
    linear, measured = Problem.of(8, 2), Problem.of(8, 2, family=bent)
    assert np.abs(run_noise_free(linear, 1.0, 30, printed=False)).max() < 1e-9
    assert np.abs(run_noise_free(measured, 0.5, 60, printed=False)).max() < 1e-9


def test_erratum_11_truncating_the_round_before_wastes_the_last_group() -> None:
    """Printed with T = 1 the answer is zero whatever was reported; corrected it is the truth.

    With more rounds the printed one is two interleaved runs of half as many, one group unused.
    """
    problem = Problem.of(8, 2)
    lost = run_noise_free(problem, 1.0, 1, printed=True)
    assert np.array_equal(lost, -np.array([0, 0.8, 0, 0, -0.5, 0, 0, 0]))
    assert np.abs(run_noise_free(problem, 1.0, 1, printed=False)).max() < 0.2
    late = np.linalg.norm(run_noise_free(problem, 1.0, 6, printed=True))
    assert 0 < np.linalg.norm(run_noise_free(problem, 1.0, 6, printed=False)) < late / 10


def test_erratum_12_without_clipping_the_randomizer_s_bound_is_exceeded() -> None:
    """A record outside the model has a gradient longer than any stated radius; clipped it has not.

    Duchi et al. need |t| <= 1: here the printed `probability` (1 + t)/2 is beyond 1.
    """
    state = GradientRound.first(PROBLEM, sphere_for("duchi", DIMENSION, 1.0), "paper")
    x, y = np.array([[5.0, -5.0, 5.0]]), np.array([30.0])
    printed = np.linalg.norm(x * (x @ state.theta - y)[:, None])
    assert (1 + printed / state.radius) / 2 > 1
    assert np.linalg.norm(gradients(state, x, y)) <= state.radius


def test_one_shot_is_the_first_round_with_step_1() -> None:
    """Same seed, same answer as Algorithm 1 with T = 1; more rounds have more error."""
    rng = np.random.default_rng(6)
    X = rng.choice([-1.0, 1.0], size=(30_000, 16))
    theta = np.eye(16)[3] * 0.6 + np.eye(16)[9] * 0.6
    y = X @ theta + rng.uniform(-0.1, 0.1, len(X))
    stated: dict[str, Any] = {"sparsity": 2, "noise_bound": 0.1, "random_state": 0}
    once = OneShotSparse(4.0, threshold=False, **stated).fit(X, y)
    assert np.array_equal(once.coef_, LDPIHT(4.0, iterations=1, **stated).fit(X, y).coef_)
    errors = [
        np.linalg.norm(LDPIHT(4.0, iterations=T, **stated).fit(X, y).coef_ - theta)
        for T in (1, 5, 10)
    ]
    assert errors[0] < min(errors[1:])


@pytest.mark.parametrize("mechanism", ["sphere", "duchi", "gaussian"])
def test_the_one_shot_mean_has_its_stated_deviation(mechanism: OneShotMechanism) -> None:
    """Unbiased for mean(x y) of fixed people; `deviation_` squared is the noise and their own."""
    rng = np.random.default_rng(7)
    theta = np.array([0.6, 0.0, -0.5, 0.0])
    X = rng.choice([-1.0, 1.0], size=(400, 4))
    scores = []
    for seed in range(400):
        labels = X @ theta + rng.uniform(-0.2, 0.2, len(X))
        made = OneShotSparse(2.0, sparsity=2, noise_bound=0.2, mechanism=mechanism)
        fitted = made.set_params(random_state=seed).fit(X, labels)
        scores.append((fitted.mean_ - (X * labels[:, None]).mean(axis=0)) / fitted.deviation_)
    z = np.array(scores)
    assert np.abs(z.mean(axis=0)).max() <= STANDARD_ERRORS / math.sqrt(len(z))
    between = (X @ theta) ** 2 if mechanism != "gaussian" else fitted.problem_.label_bound**2
    noise = 1.0 - (np.mean(between) + 0.2**2 / 3) / (fitted.deviation_**2 * len(X))
    assert abs((z**2).mean() - noise) <= STANDARD_ERRORS * math.sqrt(2 / z.size)


def test_one_shot_without_noise_recovers_theta_and_the_threshold_drops_noise() -> None:
    """Over all sign vectors mean(x y) is theta itself; what is below `level_` becomes zero."""
    X = np.array(np.meshgrid(*[[-1.0, 1.0]] * 4)).reshape(4, -1).T
    theta = np.array([0.6, 0.0, -0.5, 0.0])
    assert np.allclose((X * (X @ theta)[:, None]).mean(axis=0), theta)
    many = np.tile(X, (2500, 1))
    fitted = OneShotSparse(8.0, sparsity=2, keep=4, random_state=0).fit(many, many @ theta)
    assert np.flatnonzero(fitted.coef_).tolist() == [0, 2]
    allowed = STANDARD_ERRORS * fitted.deviation_
    assert np.abs(fitted.mean_ - theta).max() <= allowed
    assert np.abs(fitted.coef_[[1, 3]]).max() == 0
    assert np.count_nonzero(fitted.mean_) == 4
