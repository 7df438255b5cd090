"""One suite over every Gaussian protocol of the papers, and over every estimator."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import special
from sklearn.base import clone

from tacit.errors import TacitError
from tacit.privacy import Guarantee, SeededEntropy
from tacit.privacy.curve import GaussianCurve, calibrate
from tacit.privacy.gaussian import GaussianMechanism
from tests.contracts import cases_chebyshev, cases_iht, cases_mixing, cases_stein
from tests.contracts.case import Case, EstimatorCase

Floats = NDArray[np.float64]

MODULES = (cases_chebyshev, cases_iht, cases_mixing, cases_stein)
CASES: list[Case] = [case for module in MODULES for case in module.CASES]
ESTIMATORS: list[EstimatorCase] = [case for module in MODULES for case in module.ESTIMATORS]
EPSILONS = (0.1, 0.5, 1.0, 4.0, 10.0)
DELTA = 1e-6
STANDARD_ERRORS = 7.0
DRAWS = 4000
AUDIT_DRAWS = 12_000

over_cases = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
over_estimators = pytest.mark.parametrize("case", ESTIMATORS, ids=lambda case: case.name)


@over_cases
def test_no_pair_of_records_exceeds_the_sensitivity(case: Case) -> None:
    """Over random and extreme records, vectors are never further apart than stated."""
    vectors = case.encode(case.draw(np.random.default_rng(0), 300))
    squares = (vectors**2).sum(axis=1)
    distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * vectors @ vectors.T, 0.0))
    allowed = case.mechanism("exact", 1.0, DELTA).sensitivity
    assert distance.max() <= allowed * (1 + 1e-6)


@over_cases
def test_the_sensitivity_is_reached(case: Case) -> None:
    """Two records attain it, so no noise is wasted on distances that do not occur."""
    first, second = case.encode(case.extremes())
    allowed = case.mechanism("exact", 1.0, DELTA).sensitivity
    assert np.linalg.norm(first - second) == pytest.approx(allowed, rel=1e-4)


@over_cases
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_exact_noise_meets_the_guarantee_and_wastes_under_a_percent(
    case: Case, epsilon: float
) -> None:
    """On the exact curve of the joint release; the smallest scale is that of the bare curve."""
    mechanism = case.mechanism("exact", epsilon, DELTA)
    assert mechanism.delta(epsilon) <= DELTA * (1 + 1e-9)
    least = mechanism.sensitivity * calibrate(epsilon, DELTA)
    grid = mechanism.step * math.sqrt(mechanism.dimension) / mechanism.sensitivity
    assert least <= mechanism.sigma <= 1.01 * least * (1 + grid)


@over_cases
def test_reports_are_unbiased(case: Case) -> None:
    """The one-by-one path has the encoded vectors as its mean, within 7 standard errors."""
    mechanism = case.mechanism("exact", 4.0, DELTA)
    records = case.draw(np.random.default_rng(1), DRAWS)
    noise = case.device(mechanism, records, SeededEntropy(1)) - case.encode(records)
    error = mechanism.sigma / math.sqrt(DRAWS)
    assert np.abs(noise.mean(axis=0)).max() <= STANDARD_ERRORS * error


@over_cases
def test_one_by_one_and_simulation_have_the_same_law(case: Case) -> None:
    """Mean and covariance of the noise of single reports and of simulated sums agree."""
    mechanism = case.mechanism("exact", 4.0, DELTA)
    records = case.draw(np.random.default_rng(2), DRAWS)
    vectors = case.encode(records)
    single = (case.device(mechanism, records, SeededEntropy(2)) - vectors) / mechanism.sigma
    rng = np.random.default_rng(3)
    few = case.draw(np.random.default_rng(4), 25)
    total = case.encode(few).sum(axis=0)
    sums = np.array([case.simulate_sum(mechanism, few, rng) for _ in range(DRAWS)])
    joint = (sums - total) / (mechanism.sigma * math.sqrt(25))
    for noise in (single, joint):
        assert np.abs(noise.mean(axis=0)).max() <= STANDARD_ERRORS / math.sqrt(DRAWS)
        covariance = noise.T @ noise / DRAWS
        gap = np.abs(covariance - np.eye(len(covariance)))
        assert gap.max() <= STANDARD_ERRORS * math.sqrt(2 / DRAWS)


@pytest.mark.assure
@over_cases
def test_the_audit_catches_a_tenth_too_little_noise(case: Case) -> None:
    """The device path on the pair that attains the sensitivity: right passes, less fails.

    At mu near 2 and 12,000 draws the two bounds take 0.11 of mu, a tenth less noise adds 0.2.
    """
    right = case.mechanism("exact", 10.0, DELTA)
    weak = GaussianMechanism(right.dimension, right.sensitivity, 0.9 * right.sigma)
    assert not _refuted(case, right, right.curve)
    assert _refuted(case, weak, right.curve)


def _refuted(case: Case, mechanism: GaussianMechanism, claimed: GaussianCurve) -> bool:
    records = case.extremes()
    first, second = case.encode(records)
    direction = (second - first) / np.linalg.norm(second - first)
    entropy = SeededEntropy(5)
    reports = np.array([case.device(mechanism, records, entropy) for _ in range(AUDIT_DRAWS)])
    centred = (reports - first) @ direction / mechanism.sigma
    middle = float(np.linalg.norm(second - first)) / mechanism.sigma / 2
    alarms, hits = (int(side) for side in (centred > middle).sum(axis=0))
    low = special.betaincinv(hits, AUDIT_DRAWS - hits + 1, 0.5e-4)
    high = special.betainccinv(alarms + 1, AUDIT_DRAWS - alarms, 0.5e-4)
    return bool(special.ndtri(low) - special.ndtri(high) > claimed.mu)


@over_estimators
def test_same_random_state_same_answer(case: EstimatorCase) -> None:
    """Seeds decide everything, and other seeds give other noise."""
    answers = [case.answer(case.fit(case.make(random_state=seed))) for seed in (0, 0, 1)]
    assert np.array_equal(answers[0], answers[1])
    assert not np.array_equal(answers[0], answers[2])


@over_estimators
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_guarantee_is_stated_and_measured(case: EstimatorCase, calibration: str) -> None:
    """Whatever the calibration, `guarantee_` is what the noise gives, and it says simulation."""
    made = case.make(random_state=0)
    if "calibration" in made.get_params():
        made.set_params(calibration=calibration)
    guarantee: Any = case.fit(made).guarantee_
    assert isinstance(guarantee, Guarantee)
    assert guarantee.epsilon > 0
    assert guarantee.simulated
    if calibration == "exact":
        assert guarantee.epsilon == pytest.approx(made.epsilon)


@over_estimators
def test_parameters_survive_cloning(case: EstimatorCase) -> None:
    """Constructor arguments are kept as they are."""
    made = case.make(random_state=0)
    assert clone(made).get_params() == made.get_params()


@pytest.mark.parametrize(
    ("case", "wrong", "words"),
    [
        pytest.param(case, wrong, words, id=f"{case.name}-{'-'.join(wrong)}-{number}")
        for case in ESTIMATORS
        for number, (wrong, words) in enumerate(case.bad)
    ],
)
def test_bad_parameters_are_refused(case: EstimatorCase, wrong: dict[str, Any], words: str) -> None:
    """An error of the tree that shows the parameter and its value."""
    with pytest.raises(TacitError) as caught:
        case.fit(case.make(**wrong))
    assert words in str(caught.value)
