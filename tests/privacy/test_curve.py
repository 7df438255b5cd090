import math

import mpmath as mp
import numpy as np
import pytest
from dp_accounting.pld import privacy_loss_mechanism
from scipy import optimize

from tacit.errors import ConfigurationError
from tacit.privacy.curve import GaussianCurve, calibrate, classical_scale, compose

EPSILONS = [0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 10.0, 16.0, 20.0]
DELTAS = [1e-3, 1e-6, 1e-9, 1e-12]
CLOSE = 1e-9
SMALLEST = math.log(1e-300)
ORACLE = 1e-6  # of delta: the oracle subtracts numbers that may be a thousand times larger

over_budgets = pytest.mark.parametrize(
    ("epsilon", "delta"), [(epsilon, delta) for epsilon in EPSILONS for delta in DELTAS]
)


def log_delta(mu: float, epsilon: float) -> float:
    """The formula of Balle and Wang at 60 digits."""
    with mp.workdps(60):
        m, e = mp.mpf(mu), mp.mpf(epsilon)
        return float(mp.log(mp.ncdf(m / 2 - e / m) - mp.exp(e) * mp.ncdf(-m / 2 - e / m)))


@pytest.mark.parametrize("mu", [1e-4, 1e-3, 0.003, 0.03, 0.3, 1.0, 3.0, 10.0, 100.0])
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 1e-3, 0.1, 1.0, 4.0, 20.0, 100.0])
def test_curve_is_the_formula(mu: float, epsilon: float) -> None:
    """Logarithms of delta agree with 60-digit arithmetic; below 1e-300 they stay below."""
    exact, seen = log_delta(mu, epsilon), GaussianCurve(mu).log_delta(epsilon)
    if exact > SMALLEST:
        assert seen == pytest.approx(exact, abs=10 * CLOSE)
    else:
        assert seen < SMALLEST * (1 - CLOSE)


@over_budgets
def test_curve_agrees_with_dp_accounting(epsilon: float, delta: float) -> None:
    """An accountant by other people finds the same delta, and the same epsilon."""
    scale = calibrate(epsilon, delta)
    oracle = privacy_loss_mechanism.GaussianPrivacyLoss(scale)
    assert oracle.get_delta_for_epsilon(epsilon) == pytest.approx(delta, rel=ORACLE)
    curve = GaussianCurve(1 / scale)
    assert curve.epsilon(delta) == pytest.approx(epsilon, rel=CLOSE)


@over_budgets
def test_calibration_is_the_smallest_scale(epsilon: float, delta: float) -> None:
    """The scale meets delta, and one smaller by 1e-9 does not: at 60 digits, not by itself."""
    scale = calibrate(epsilon, delta)
    assert log_delta(1 / scale, epsilon) <= math.log(delta) + CLOSE / 10
    assert log_delta(1 / (scale * (1 - CLOSE)), epsilon) > math.log(delta)


@pytest.mark.parametrize("epsilon", [1e-9, 1e-3, 1.0, 1e4, 1e8])
@pytest.mark.parametrize("delta", [1e-300, 1e-30, 0.5, 0.999])
def test_calibration_answers_everywhere(epsilon: float, delta: float) -> None:
    """Extreme budgets have a scale too, and it meets them."""
    curve = GaussianCurve(1 / calibrate(epsilon, delta))
    assert curve.log_delta(epsilon) <= math.log(delta)


@pytest.mark.parametrize("mu", [0.01, 0.5, 2.0, 30.0])
@pytest.mark.parametrize("delta", [1e-12, 1e-6, 0.001, 0.3])
def test_epsilon_is_the_smallest(mu: float, delta: float) -> None:
    """It meets delta; a little less does not, unless it is 0."""
    curve = GaussianCurve(mu)
    epsilon = curve.epsilon(delta)
    assert curve.log_delta(epsilon) <= math.log(delta)
    assert epsilon == 0.0 or curve.log_delta(epsilon * (1 - CLOSE)) > math.log(delta)


def test_no_signal_costs_nothing_and_infinite_signal_everything() -> None:
    """mu = 0 is perfectly private; a mu whose square leaves the floats has no epsilon."""
    assert GaussianCurve(0.0).delta(0.0) == 0.0
    assert GaussianCurve(0.0).epsilon(1e-6) == 0.0
    assert GaussianCurve(1e200).epsilon(1e-6) == math.inf
    assert compose([]) == GaussianCurve(0.0)


def test_composition_is_one_gaussian_of_the_joint_length() -> None:
    """k releases at scale s sqrt(k) cost what one at s costs; huge mu do not overflow."""
    scale = calibrate(1.0, 1e-6)
    joint = compose(GaussianCurve(1 / (scale * math.sqrt(16))) for _ in range(16))
    assert joint.delta(1.0) == pytest.approx(1e-6, rel=CLOSE)
    assert compose([GaussianCurve(3.0), GaussianCurve(4.0)]).mu == pytest.approx(5.0, rel=1e-15)
    assert compose([GaussianCurve(3e200), GaussianCurve(4e200)]).mu == pytest.approx(5e200)


@pytest.mark.parametrize("mus", [(0.3, 0.5), (1.0, 2.0, 0.1)])
def test_composition_agrees_with_dp_accounting(mus: tuple[float, ...]) -> None:
    """The oracle's composition is that of one Gaussian of the same joint length."""
    scale = math.fsum(mu**2 for mu in mus) ** -0.5
    oracle = privacy_loss_mechanism.GaussianPrivacyLoss(scale)
    joint = compose(GaussianCurve(mu) for mu in mus)
    for epsilon in (0.1, 1.0, 4.0):
        expected = oracle.get_delta_for_epsilon(epsilon)
        assert joint.delta(epsilon) == pytest.approx(expected, rel=ORACLE)


@pytest.mark.parametrize("mu", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_power_and_delta_are_two_views_of_one_curve(mu: float, epsilon: float) -> None:
    """delta(eps) is the most by which the power exceeds e^eps false alarms."""
    curve = GaussianCurve(mu)
    found = optimize.minimize_scalar(
        lambda z: (
            math.exp(epsilon) * 0.5 * math.erfc(z / math.sqrt(2))
            - curve.power(0.5 * math.erfc(z / math.sqrt(2)))
        ),
        bounds=(-10.0, 20.0 + epsilon / mu),
        method="bounded",
    )
    assert -found.fun == pytest.approx(curve.delta(epsilon), rel=1e-6, abs=1e-12)


@pytest.mark.parametrize(("epsilon", "real"), [(10.0, 1.9e-6), (20.0, 1.6e-4)])
def test_classical_formula_breaks_above_one(epsilon: float, real: float) -> None:
    """At delta = 1e-6 the printed formula really gives these; up to eps = 1 it keeps its word."""
    curve = GaussianCurve(1 / classical_scale(epsilon, 1e-6))
    assert curve.delta(epsilon) == pytest.approx(real, rel=0.05)
    assert GaussianCurve(1 / classical_scale(1.0, 1e-6)).delta(1.0) < 1e-6


def test_floating_point_errors_do_not_show() -> None:
    """Whoever turned floating-point warnings into errors gets the same answers."""
    with np.errstate(all="raise"):
        assert GaussianCurve(1 / calibrate(20.0, 1e-300)).epsilon(1e-300) == pytest.approx(20.0)
        assert GaussianCurve(1e-5).delta(50.0) == 0.0


@pytest.mark.parametrize("wrong", [-1.0, 0.0, math.nan, math.inf])
def test_meaningless_epsilons_are_refused(wrong: float) -> None:
    """The message shows the value."""
    for ask in (calibrate, classical_scale):
        with pytest.raises(ConfigurationError, match=f"epsilon={wrong}"):
            ask(wrong, 1e-6)


@pytest.mark.parametrize("wrong", [-1.0, 0.0, 1.0, math.nan, math.inf])
def test_meaningless_deltas_are_refused(wrong: float) -> None:
    """The message shows the value, whoever asks."""
    for ask in (calibrate, classical_scale, lambda _, delta: GaussianCurve(1.0).epsilon(delta)):
        with pytest.raises(ConfigurationError, match=f"delta={wrong}"):
            ask(1.0, wrong)


@pytest.mark.parametrize("wrong", [-1.0, math.nan, math.inf])
def test_meaningless_curves_are_refused(wrong: float) -> None:
    """mu is finite and not negative, and so is the epsilon asked for."""
    with pytest.raises(ConfigurationError, match=f"mu={wrong}"):
        GaussianCurve(wrong)
    with pytest.raises(ConfigurationError, match=r"epsilon=-0\.5"):
        GaussianCurve(1.0).delta(-0.5)
