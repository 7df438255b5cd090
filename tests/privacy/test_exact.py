"""Pure mechanisms counted out by their own code: every word, every report, every pair of inputs."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.privacy.draws import ratio_below, threshold_below
from tacit.privacy.response import Response
from tacit.privacy.staircase import Staircase
from tacit.privacy.window import Window
from tests.privacy.exact import WORD, law_of, law_of_coins, moments, reports, worst_ratio

NEAR = 1 - Fraction(1, 2**20)
SURE = 1e-9  # of a mean or variance summed in floats


def e_to_the(epsilon: float) -> Fraction:
    """e^eps from below at 60 digits."""
    with mp.workdps(70):
        return Fraction(mp.nstr(mp.exp(mp.mpf(epsilon)), 65)) * (1 - Fraction(1, 10**60))


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 4.0, 12.0, 30.0])
@pytest.mark.parametrize(("cells", "width"), [(2, 1), (3, 1), (3, 2), (7, 3), (16, 4), (29, 11)])
def test_windows_are_pure(epsilon: float, cells: int, width: int) -> None:
    """Over all inputs on the grid the worst ratio is at most e^eps, and comes close."""
    window = Window.of(epsilon, cells, width)
    laws = [law_of(window, np.array(value)) for value in np.linspace(-1, 1, cells - width + 1)]
    assert e_to_the(epsilon) * NEAR <= worst_ratio(laws) <= e_to_the(epsilon)


@pytest.mark.parametrize(("cells", "width"), [(2, 1), (3, 1), (6, 2), (16, 5)])
def test_windows_are_unbiased(cells: int, width: int) -> None:
    """On the grid and between its points; the variance is the one stated."""
    window = Window.of(1.5, cells, width)
    for value in np.linspace(-1, 1, 2 * (cells - width) + 3):
        mean, variance = moments(window, law_of(window, np.array(value)))
        assert mean == pytest.approx(value, abs=SURE)
        assert variance == pytest.approx(window.variance(float(value)), rel=SURE)


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 12.0, 30.0])
@pytest.mark.parametrize("cells", [2, 6])
def test_staircases_are_pure(epsilon: float, cells: int) -> None:
    """The ends included, over all inputs on the grid: at most e^eps, and close to it."""
    stairs = Staircase.best(epsilon, cells)
    laws = [law_of_coins(stairs, np.array(value)) for value in np.linspace(-1, 1, cells + 1)]
    assert e_to_the(epsilon) * NEAR <= worst_ratio(laws) <= e_to_the(epsilon)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_staircases_are_unbiased(epsilon: float) -> None:
    """On the grid and between its points; on it the variance is that of the noise in steps."""
    stairs = Staircase.best(epsilon, 6)
    on_grid = [moments(stairs, law_of_coins(stairs, np.array(v))) for v in np.linspace(-1, 1, 7)]
    means = [float(mean[0]) for mean, _ in on_grid]
    assert means == pytest.approx(np.linspace(-1, 1, 7), abs=SURE)
    variances = [float(variance[0]) for _, variance in on_grid]
    assert variances == pytest.approx([variances[0]] * 7, rel=SURE)
    between = moments(stairs, law_of_coins(stairs, np.array(0.4)))[0]
    assert between == pytest.approx(0.4, abs=SURE)


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 0.5, 1.0, 4.0, 12.0, 30.0])
def test_coins_last(epsilon: float) -> None:
    """So many are tossed that more steps than counted have a chance below 1e-17."""
    stairs = Staircase.best(epsilon)
    assert (stairs.steps - 2) * math.log(stairs.coin / WORD) < math.log(1e-17)


@pytest.mark.parametrize("epsilon", [1e-3, 0.5, 1.0, 4.0, 12.0, 30.0])
@pytest.mark.parametrize("classes", [2, 3, 7])
def test_responses_are_pure(epsilon: float, classes: int) -> None:
    """Over all classes, and weights between them, the worst ratio is at most e^eps."""
    response = Response(classes, epsilon)
    sure = [law_of(response, row) for row in np.eye(classes)]
    assert e_to_the(epsilon) * NEAR <= worst_ratio(sure) <= e_to_the(epsilon)
    mixed = law_of(response, np.arange(1.0, classes + 1))
    assert worst_ratio([*sure, mixed]) == worst_ratio(sure)


@pytest.mark.parametrize("classes", [2, 3, 5])
def test_responses_are_unbiased(classes: int) -> None:
    """For sure classes and for weights; no coordinate has more variance than `noise`."""
    response = Response(classes, 1.5)
    weights = np.vstack([np.eye(classes), np.arange(1.0, classes + 1), np.ones(classes)])
    variances = []
    for row in weights / weights.sum(axis=1, keepdims=True):
        mean, variance = moments(response, law_of(response, row))
        np.testing.assert_allclose(mean, row, atol=SURE)
        variances.append(variance.max())
    assert max(variances) <= response.noise * (1 + SURE)
    if classes == 2:  # even weights give the chance of a half, the worst there is
        assert max(variances) == pytest.approx(response.noise, rel=SURE)


@pytest.mark.parametrize("classes", [2, 5])
def test_weights_are_drawn_as_they_are(classes: int) -> None:
    """A sure class needs no luck, not even with the words at the ends; any floats add up to 1."""
    response = Response(classes, 1.0)
    for row in np.eye(classes):
        ends = [[luck, *rest] for luck in (0, WORD - 1) for rest in ((0, 0), (WORD - 1, 0))]
        sent = reports(response, row, np.array(ends, dtype=np.uint64)).tolist()
        assert sent[:2] == sent[2:]
        assert sent[0] == int(row.argmax())
    wild = np.array([[0.2] * classes, [math.nan] * classes, [1e308] * classes, [-1.0] * classes])
    np.testing.assert_allclose(response.encode(wild), 1 / classes)


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_thresholds_are_rounded_down(odds: Fraction) -> None:
    """The greatest integer of 2^64 whose odds are no more than asked for."""
    threshold = threshold_below(odds)
    assert Fraction(threshold, WORD - threshold) <= odds
    assert threshold + 1 == WORD or Fraction(threshold + 1, WORD - threshold - 1) > odds


@pytest.mark.parametrize("epsilon", [1e-6, 0.1, 1.0, 8.0, 30.0])
def test_the_coin_of_a_staircase_is_rounded_up(epsilon: float) -> None:
    """The least integer of 2^64 that is no less than e^-eps, with room for uneven words."""
    coin = Staircase.best(epsilon).coin
    assert coin - 1 < WORD / ratio_below(epsilon) <= coin
    assert e_to_the(epsilon) * NEAR < ratio_below(epsilon) < e_to_the(epsilon)
