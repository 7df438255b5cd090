"""The stein algorithms: what they recover, what they refuse, and how they behave."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats
from sklearn.utils.estimator_checks import estimator_checks_generator

from tacit.errors import ConfigurationError, ConvergenceError, LabelError
from tacit.families import Family, linear
from tacit.papers.stein import (
    LINKS,
    LOSSES,
    GaussianDesignGLM,
    Moments,
    SphereProtocol,
    SteinGLM,
    SteinRegression,
    read,
)
from tacit.papers.stein.gaussian_design import read_moments
from tacit.papers.stein.moments import lemma_radius, printed_radius
from tacit.papers.stein.protocol import plan_protocol
from tacit.papers.stein.scaling import scale
from tacit.papers.stein.server import Collected, least_squares, pooled
from tacit.privacy import SeededEntropy

STANDARD_ERRORS = 7.0
TRUTH = np.array([0.6, -0.5, 0.3])
SPREAD = np.array([[1.0, 0.3, 0.0], [0.3, 0.8, -0.2], [0.0, -0.2, 0.6]])
FAMILIES = [*LOSSES.values(), *LINKS.values()]
PEOPLE = 100_000


def gaussian_rows(count: int, seed: int) -> np.ndarray:
    """Correlated Gaussian features."""
    rng = np.random.default_rng(seed)
    return rng.multivariate_normal(np.zeros(3), SPREAD, size=count)


def moments_of(family: Family, nodes: int = 4001) -> tuple[np.ndarray, np.ndarray]:
    """E[xx'] and E[x f(<x, w>)] for Gaussian x, by Gaussian integration by parts and by hand."""
    length = math.sqrt(TRUTH @ SPREAD @ TRUTH)
    grid = np.linspace(-12, 12, nodes)
    mean = np.trapezoid(grid * family.mean(length * grid) * stats.norm.pdf(grid), grid)
    return SPREAD, SPREAD @ TRUTH / length * mean


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_slopes_are_derivatives_of_means(family: Family) -> None:
    """Central differences of the mean, to the error that their step leaves."""
    z, h = np.linspace(-3, 3, 61), 1e-5
    difference = (family.mean(z + h) - family.mean(z - h)) / (2 * h)
    assert family.slope(z) == pytest.approx(difference, abs=1e-7)


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_without_noise_the_truth_is_recovered(family: Family) -> None:
    """Exact moments of a Gaussian design give back w for every loss and link of the texts."""
    gram, cross = moments_of(family)
    ols = least_squares(gram, cross)
    nodes = np.linspace(-10, 10, 2001)
    spread = math.sqrt(ols @ SPREAD @ ols)
    collected = Collected(gram, cross, ols, spread * nodes, stats.norm.pdf(nodes))
    assert collected.solve(family)[1] == pytest.approx(TRUTH, abs=1e-6)


@pytest.mark.parametrize("rounds", [1, 2])
@pytest.mark.parametrize("design", ["gaussian", "bounded"])
def test_collecting_needs_no_family(design: Any, rounds: Any) -> None:
    """One collection answers every loss, and each answer is a multiple of one vector."""
    X = np.clip(gaussian_rows(PEOPLE, 0), -2, 2) / 6
    y = np.random.default_rng(1).random(PEOPLE) < LOSSES["logistic"].mean(X @ TRUTH)
    public = None if rounds == 2 else np.clip(gaussian_rows(5000, 2), -2, 2) / 6
    made = SteinGLM(30.0, design=design, rounds=rounds, radius=1.0, random_state=0)
    made.collect(X, y, public)
    for family in ("exponential", "boosting", LINKS["cubic"]):
        answer = made.solve(family)
        assert answer @ made.ols_ == pytest.approx(
            np.linalg.norm(answer) * np.linalg.norm(made.ols_)
        )


def test_small_noise_recovers_the_truth_with_the_estimator() -> None:
    """At epsilon 30 and a sensible radius Algorithm 1 comes near the coefficients.

    The error of w is about c times that of least squares, whose variance per coordinate is
    at most (label and privacy variance) / (n * smallest eigenvalue^2).
    """
    X, public = gaussian_rows(PEOPLE, 3), gaussian_rows(50_000, 4)
    y = (np.random.default_rng(5).random(PEOPLE) < LOSSES["logistic"].mean(X @ TRUTH)).astype(float)
    made = SteinGLM(30.0, radius="lemma", random_state=1).fit(X, y, public=public)
    sigma = made.protocol_.mechanism.sigma / made.protocol_.moments.weight
    smallest = np.linalg.eigvalsh(SPREAD)[0]
    error = made.scale_ * math.sqrt((sigma**2 + 1.0) / PEOPLE) / smallest
    assert np.abs(made.coef_ - TRUTH).max() <= STANDARD_ERRORS * error
    assert made.predict(X[:5]) == pytest.approx(LOSSES["logistic"].mean(X[:5] @ made.coef_))


def test_gaussian_design_needs_no_public_rows() -> None:
    """Pure epsilon, Bernoulli labels, no public rows: the truth within 7 standard errors."""
    X = gaussian_rows(PEOPLE, 6)
    y = (np.random.default_rng(7).random(PEOPLE) < LOSSES["logistic"].mean(X @ TRUTH)).astype(float)
    largest = float(np.linalg.eigvalsh(SPREAD)[-1])
    made = GaussianDesignGLM(20.0, spectral_norm=largest, random_state=0).fit(X, y)
    moments, sphere = made.protocol_.moments, made.protocol_.sphere
    sigma = moments.longest * math.sqrt(sphere.noise) / moments.weight
    smallest = np.linalg.eigvalsh(SPREAD)[0]
    error = made.scale_ * math.sqrt((sigma**2 + 1.0) / PEOPLE) / smallest
    assert np.abs(made.coef_ - TRUTH).max() <= STANDARD_ERRORS * error
    assert made.guarantee_.delta == 0


def test_the_integral_of_the_gaussian_design_is_that_integral() -> None:
    """c solves 1 = c E[Phi''(c s N)], checked by adaptive quadrature."""
    protocol = SphereProtocol(2, 3.0, 0.0, 1.0, 4.0)
    gram, cross = np.array([[1.0, 0.2], [0.2, 0.5]]), np.array([0.2, -0.05])
    i, j = np.triu_indices(2)
    factor = np.where(i == j, 1.0, protocol.moments.off_diagonal)
    mean = np.concatenate([gram[i, j] * factor, protocol.moments.weight * cross])
    collected = read_moments(protocol, mean)
    c, _ = collected.solve(LOSSES["logistic"])
    s = math.sqrt(collected.ols @ gram @ collected.ols)

    def integrand(z: float) -> float:
        return float(LOSSES["logistic"].slope(np.array([c * s * z]))[0] * stats.norm.pdf(z))

    value, accuracy = integrate.quad(integrand, -12, 12, epsabs=1e-12)
    assert c * value == pytest.approx(1.0, abs=1e-9 + 10 * accuracy)


def test_gaussian_design_reports_and_simulation_have_one_mean() -> None:
    """16-byte reports of one record average to its moments, as simulated ones do."""
    protocol, count = SphereProtocol(2, 1.5, 0.0, 1.0, 2.0), 600
    x, y = np.array([0.7, -0.4]), 1.0
    entropy = SeededEntropy(0)
    reports = b"".join(protocol.report(x, y, entropy) for _ in range(count))
    seeds = np.frombuffer(reports, dtype=np.uint8).reshape(-1, 16)
    vector = protocol.encode(x[None], np.array([y]))[0]
    assert np.linalg.norm(vector) == pytest.approx(1.0)
    sphere, longest = protocol.sphere, protocol.moments.longest
    error = longest * math.sqrt((sphere.noise + 1) / count)
    X, labels = np.tile(x, (count, 1)), np.full(count, y)
    for mean in (
        protocol.mean(seeds),
        protocol.simulate_mean(X, labels, np.random.default_rng(1)),
    ):
        assert np.abs(mean - longest * vector[:-1]).max() <= STANDARD_ERRORS * error


@pytest.mark.parametrize("wild", [np.nan, np.inf, -np.inf, 1e308, -1e-320, None, "red", object()])
def test_wild_values_still_report(wild: Any) -> None:
    """Integers of one shape, 16 bytes: nothing is refused, nothing is raised."""
    plan = plan_protocol(
        "exact",
        design="bounded",
        rounds=2,
        features=2,
        radius=1.0,
        label_bound=1.0,
        printed_bound=1.0,
        prediction_range=(0.0, 1.0),
        epsilon=1.0,
        delta=1e-6,
    )
    with np.errstate(all="raise"):
        report = plan.report([wild, 0.5], wild)
        second = plan.second_report([wild, 0.5], np.array([1.0, 2.0]))
        seed = SphereProtocol(2, 1.5, 0.0, 1.0, 1.0).report([wild, 0.5], wild)
    assert report.shape == (plan.moments.dimension,)
    assert report.dtype == second.dtype == np.int64
    assert len(seed) == 16


def test_reports_one_by_one_lead_to_the_same_answer_as_the_estimator() -> None:
    """Device half and server half by hand: the same least squares but for other noise."""
    X, public = gaussian_rows(2000, 3), gaussian_rows(5000, 4)
    y = LINKS["sigmoid"].mean(X @ TRUTH)
    made = SteinGLM(30.0, radius=4.0, random_state=0)
    protocol, entropy = made.protocol(len(X), 3, public), SeededEntropy(1)
    reports = np.array([protocol.report(*one, entropy) for one in zip(X, y, strict=True)])
    collected = read(protocol, protocol.mean(reports), len(reports), public)
    assert made.collect(X, y, public).protocol_ == protocol
    sigma = protocol.mechanism.sigma / protocol.moments.weight
    error = math.sqrt(2 * sigma**2 / len(X)) / np.linalg.eigvalsh(SPREAD)[0]
    assert np.abs(collected.ols - made.ols_).max() <= STANDARD_ERRORS * error


def test_two_rounds_one_by_one() -> None:
    """The second round's reports stand for clipped predictions plus noise, without bias."""
    X = gaussian_rows(2000, 5)
    protocol = SteinGLM(4.0, rounds=2, radius=4.0).protocol(2000, 3)
    ols, entropy = np.array([0.3, -0.1, 0.2]), SeededEntropy(2)
    reports = np.array([protocol.second_report(x, ols, entropy) for x in X])
    noise = protocol.second_values(reports) - protocol.predictions(X, np.zeros(2000), ols)
    sigma = protocol.mechanism.sigma / protocol.echo
    assert abs(noise.mean()) <= STANDARD_ERRORS * sigma / math.sqrt(2000)
    assert noise.var() == pytest.approx(sigma**2, rel=STANDARD_ERRORS * math.sqrt(2 / 2000))


def test_encoded_moments_can_be_read_back() -> None:
    """`decode` undoes `encode`, and `total` is the sum of `encode`."""
    moments = Moments(3, "gaussian", 2.0, 1.0, 2.0)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50, 3)), rng.uniform(-1, 1, 50)
    clipped, labels = moments.clip(X, y)
    gram, cross = moments.decode(moments.total(X, y))
    assert gram == pytest.approx(clipped.T @ clipped)
    assert cross == pytest.approx(clipped.T @ labels)
    assert moments.encode(X, y).sum(axis=0) == pytest.approx(moments.total(X, y))


def test_pooling_by_inverse_variance_has_the_least_variance() -> None:
    """Over repetitions it beats both the reports alone and weights by row count."""
    X, truth = gaussian_rows(2000, 8), SPREAD
    made = SteinGLM(2.0, radius=4.0, random_state=0).collect(X, np.zeros(2000), gaussian_rows(9, 9))
    protocol, rng = made.protocol_, np.random.default_rng(10)
    errors: dict[Any, float] = {None: 0.0, "printed": 0.0, "inverse-variance": 0.0}
    for repetition in range(40):
        public = gaussian_rows(1000, 100 + repetition)
        gram, _ = protocol.moments.decode(protocol.simulate_mean(X, np.zeros(2000), rng))
        for pooling in errors:
            found = pooled(pooling, gram, len(X), public, protocol)
            errors[pooling] += float(((found - truth) ** 2).sum())
    assert errors["inverse-variance"] < errors["printed"] < errors[None]


def test_pooling_as_printed_weighs_by_row_count() -> None:
    """(sum of reports + sum over public rows) / (n + m)."""
    public = gaussian_rows(30, 1)
    made = SteinGLM(1.0, random_state=0).collect(public, np.zeros(30), public)
    found = pooled("printed", np.eye(3), 70, public, made.protocol_)
    assert found == pytest.approx((70 * np.eye(3) + public.T @ public) / 100)


def test_radii() -> None:
    """The printed radius, and the smaller one of the lemma behind it that hardly anyone exceeds."""
    spectrum = np.linalg.eigvalsh(SPREAD)
    assert printed_radius(2.0, 10, 1000, 20.0) == math.sqrt(20 * 10 * 2.0 * math.log(1000))
    radius = lemma_radius(spectrum, 1000)
    assert radius < printed_radius(spectrum[-1], 3, 1000, 10.0)
    assert np.linalg.norm(gaussian_rows(1000, 0), axis=1).max() < radius


@pytest.mark.parametrize("name", ["logistic", "cubic"])
def test_falling_and_odd_links_have_roots_of_either_sign(name: str) -> None:
    """log(1 + e^-z) falls, so its c is negative; a cube has slope 0 at 0, where Newton stalls."""
    s = np.random.default_rng(0).normal(0, 0.3, 5000)
    c = scale(LINKS[name], s)
    assert c * LINKS[name].slope(c * s).mean() == pytest.approx(1.0, abs=1e-9)
    assert (c < 0) == (name == "logistic")


def test_a_missing_root_is_an_error_that_helps() -> None:
    """Predictions too spread out for any logistic model: no silent least squares."""
    X, public = gaussian_rows(500, 1), gaussian_rows(500, 2)
    made = SteinGLM(1.0, random_state=0)
    with pytest.raises(ConvergenceError, match="larger epsilon, a smaller radius"):
        made.fit(X, (X[:, 0] > 0).astype(float), public=public)
    assert made.ols_.shape == (3,)
    assert not hasattr(made, "coef_")


def newton(family: Family, s: np.ndarray, c: float) -> float:
    """The texts' iteration, with the derivative by differences."""
    for _ in range(100):
        f, h = (lambda k: k * family.slope(k * s).mean() - 1.0), 1e-6
        slope = (f(c + h) - f(c - h)) / (2 * h)
        if slope == 0 or not abs(c) < 1e12:
            return math.inf
        c -= f(c) / slope
    return c


def test_newton_runs_away_where_bracketing_does_not() -> None:
    """From c = 60 the printed iteration leaves for infinity; the root is near 4.5."""
    s = np.random.default_rng(0).normal(0, 0.15, 5000)
    family = LOSSES["logistic"]
    c = scale(family, s)
    assert newton(family, s, 4.0) == pytest.approx(c)
    assert not abs(newton(family, s, 60.0) - c) < 1.0
    assert c * family.slope(c * s).mean() == pytest.approx(1.0)


def test_a_few_predictions_near_zero_feign_no_root() -> None:
    """Far out the sample mean is a handful of rows; a root there is chance, not a model."""
    s = np.random.default_rng(0).normal(0, 0.6, 2000)
    s[0] = 1e-9
    with pytest.raises(ConvergenceError):
        scale(LOSSES["logistic"], s)


def test_errors_teach() -> None:
    """What is missing, and where it would come from."""
    X, y = gaussian_rows(50, 0), np.zeros(50)
    with pytest.raises(ConfigurationError, match="need public rows"):
        SteinGLM().fit(X, y)
    with pytest.raises(ConfigurationError, match="without public rows"):
        SteinGLM(rounds=2, radius=1.0).fit(X, y, public=X)
    with pytest.raises(ConfigurationError, match="spectral_norm"):
        SteinGLM(rounds=2).fit(X, y)
    with pytest.raises(ConfigurationError, match="design='bounded' state radius"):
        SteinRegression(design="bounded").fit(X, y, public=X)
    with pytest.raises(LabelError, match="50 of 50 rows"):
        SteinGLM().fit(X, y + 2, public=X)
    with pytest.raises(ConfigurationError, match="epsilon=15"):
        SphereProtocol(2, 1.5, 0.0, 1.0, 15.0).report([0.0, 0.0], 1.0)
    with pytest.raises(ConfigurationError, match="x must have 2 features, got 3"):
        SphereProtocol(2, 1.5, 0.0, 1.0, 1.0).report([0.0, 0.0, 1.0], 1.0)


def test_estimators_survive_pickling() -> None:
    """A fitted estimator predicts the same after a round trip."""
    X = gaussian_rows(PEOPLE, 0)
    y = LINKS["sigmoid"].mean(X @ TRUTH)
    made = SteinRegression(30.0, radius="lemma", random_state=0).fit(
        X, y, public=gaussian_rows(999, 1)
    )
    again = pickle.loads(pickle.dumps(made))
    assert np.array_equal(again.predict(X[:9]), made.predict(X[:9]))
    assert np.array_equal(again.solve("logistic"), made.solve("logistic"))


IDENTITY = linear()  # its c is 1 whatever the noise: a few rows of a check always have an answer


class PublicStein(SteinGLM):
    """Supplies its own rows as public ones, as no real study may, and a wide label range."""

    def __init__(
        self, epsilon: float = 10.0, *, family: Any = IDENTITY, random_state: Any = None
    ) -> None:
        super().__init__(epsilon, family=family, label_bound=1e6, random_state=random_state)

    def fit(self, X: Any, y: Any, public: Any = None) -> Any:
        """Fit with X as the public rows."""
        return super().fit(X, y, public=X if public is None else public)


NOT_OURS = {"check_array_api_input", "check_parameters_default_constructible"}
CHECKS = [
    (estimator, check)
    for estimator, check in estimator_checks_generator(PublicStein())
    if check.func.__name__ not in NOT_OURS  # other array libraries; a default that is a Family
]


@pytest.mark.parametrize(
    ("estimator", "check"), CHECKS, ids=lambda x: getattr(getattr(x, "func", None), "__name__", "")
)
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::RuntimeWarning")
def test_scikit_learn_conventions(estimator: Any, check: Any) -> None:
    """Every check of scikit-learn's own suite passes."""
    check(estimator)
