import decimal
import math
from collections.abc import Callable
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.errors import ConfigurationError
from tacit.privacy import SeededEntropy
from tacit.privacy.draws import below, round_at_random
from tacit.privacy.scalar import Scalar, best_scalar
from tacit.privacy.staircase import Staircase
from tacit.privacy.window import Window, piecewise, two_point
from tests.privacy.helpers import STANDARD_ERRORS

WORD = 2**64
EPSILONS = [1e-6, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0, 12.0, 30.0]
MAKERS: list[Callable[[float], Scalar]] = [two_point, piecewise, Staircase.best]
WILD = [math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, -5e-324, -0.0, 1 + 1e-15]
TOO_MUCH = 1.05
GRID = 4e-6  # of a variance: half a cell of the narrowest window or step tried

over_makers = pytest.mark.parametrize("make", MAKERS)
over_epsilons = pytest.mark.parametrize("epsilon", EPSILONS)


def e_to_the(epsilon: float) -> Fraction:
    """e^eps from below at 60 digits."""
    with mp.workdps(70):
        return Fraction(mp.nstr(mp.exp(mp.mpf(epsilon)), 65)) * (1 - Fraction(1, 10**60))


@pytest.mark.parametrize("epsilon", [1e-6, 1e-3, 0.1, 1.0, 5.0, 30.0])
def test_staircase_thresholds_leave_room_at_full_size(epsilon: float) -> None:
    """Step by step and high to low, the ratio of densities stays below e^eps, unevenness apart."""
    stairs = Staircase.best(epsilon)
    uneven = 1 + Fraction(stairs.cells, WORD // 4)
    coin, high = Fraction(stairs.coin, WORD), Fraction(stairs.threshold, WORD)
    densities = high / stairs.split, (1 - high) / (stairs.cells - stairs.split)
    assert uneven / coin <= e_to_the(epsilon)
    assert 1 <= densities[0] / densities[1] * uneven <= e_to_the(epsilon)


@over_epsilons
def test_window_thresholds_leave_room_at_full_size(epsilon: float) -> None:
    """The ratio of the two densities stays below e^eps, unevenness included."""
    window = piecewise(epsilon)
    uneven = 1 + Fraction(window.cells, WORD // 4)
    favoured, rest = Fraction(window.threshold, WORD), window.cells - window.width
    assert favoured / window.width / ((1 - favoured) / rest) * uneven <= e_to_the(epsilon)


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 1000, 2**20 - 1, 2**24, 2**24 - 3])
def test_numbers_below_a_limit_are_exact(limit: int) -> None:
    """Words next to every kind of edge lead where whole-number arithmetic says."""
    picked = {min(number, limit - 1) for number in (0, 1, limit // 3, limit // 2, limit - 1)}
    edges = [-(-number * WORD // limit) for number in picked]
    words = sorted({w for edge in edges for w in (edge - 1, edge, edge + 1) if 0 <= w < WORD})
    words += [WORD - 1, WORD // 2, 2**32 - 1, 2**32]
    expected = [word * limit // WORD for word in words]
    assert below(np.array(words, dtype=np.uint64), limit).tolist() == expected


class Extreme:
    """Entropy whose every bit is the same."""

    def __init__(self, byte: int) -> None:
        self.byte = byte

    def draw(self, count: int) -> bytes:
        """So many of them."""
        return bytes([self.byte]) * count


@pytest.mark.parametrize("byte", [0, 255])
@pytest.mark.parametrize("cells", [1, 2, 3, 2**24 - 1])
def test_whole_numbers_are_never_rounded_away(byte: int, cells: int) -> None:
    """No word, not even the largest, takes an input at the end beyond it."""
    ends = np.array([0.0, cells, -cells])
    assert round_at_random(ends, Extreme(byte)).tolist() == [0, cells, -cells]


@over_makers
@over_epsilons
@pytest.mark.parametrize("byte", [0, 255])
def test_reports_stay_in_their_alphabet(
    make: Callable[[float], Scalar], epsilon: float, byte: int
) -> None:
    """Whatever the words and the input, a report is one that every other input can send."""
    mechanism = make(max(epsilon, 0.1))  # below that the staircase tosses millions of coins
    reports = mechanism.randomize(np.array([-1.0, 1.0, 0.5, *WILD]), Extreme(byte))
    if isinstance(mechanism, Window):
        assert 0 <= reports.min() <= reports.max() < mechanism.cells
    assert np.abs(mechanism.value(reports)).max() <= mechanism.bound * (1 + 1e-15)


@over_makers
def test_bounds_are_reached(make: Callable[[float], Scalar]) -> None:
    """The largest report has the size stated."""
    mechanism = make(1.0)
    ends = [0, mechanism.cells - 1]
    if isinstance(mechanism, Staircase):
        largest = (mechanism.steps - 2) * mechanism.cells
        ends = [-largest - 1, largest]
    values = mechanism.value(np.array(ends))
    assert values.tolist() == pytest.approx([-mechanism.bound, mechanism.bound], rel=1e-12)


@over_makers
def test_any_float_reports_as_its_replacement(make: Callable[[float], Scalar]) -> None:
    """Wild values are clipped, what is no number is 0, and numpy's errors stay silent."""
    mechanism = make(1.0)
    replaced = np.clip(np.nan_to_num(np.array(WILD)), -1.0, 1.0)
    with np.errstate(all="raise"):
        seen = mechanism.randomize(np.array(WILD), SeededEntropy(3))
    np.testing.assert_array_equal(seen, mechanism.randomize(replaced, SeededEntropy(3)))


@over_makers
def test_shapes_do_not_mix_people(make: Callable[[float], Scalar]) -> None:
    """A column, a row or a single number give one report a person."""
    mechanism, values = make(2.0), np.linspace(-1, 1, 6)
    flat = mechanism.randomize(values, SeededEntropy(0))
    assert flat.shape == (6,)
    column = mechanism.randomize(values[:, None], SeededEntropy(0))
    np.testing.assert_array_equal(column, flat)
    assert mechanism.randomize(np.array(0.3), SeededEntropy(0)).shape == (1,)


def check_moments(mechanism: Scalar, values: NDArray[np.float64], draws: int) -> None:
    """Mean and variance of each value's reports, within 7 standard errors."""
    for seed, value in enumerate(values):
        reports = mechanism.value(mechanism.randomize(np.full(draws, value), SeededEntropy(seed)))
        stated = mechanism.noise
        if isinstance(mechanism, Window):
            stated = mechanism.variance(value)
        assert abs(reports.mean() - value) <= STANDARD_ERRORS * math.sqrt(stated / draws)
        squares = (reports - value) ** 2
        error = STANDARD_ERRORS * float(squares.std()) / math.sqrt(draws)
        assert abs(float(squares.mean()) - stated) <= max(error, 1e-9 * stated)


@over_makers
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0, 8.0])
def test_reports_are_unbiased_with_the_variance_stated(
    make: Callable[[float], Scalar], epsilon: float
) -> None:
    """At the ends, in the middle and at a value of no particular kind."""
    check_moments(make(epsilon), np.array([-1.0, 0.0, 0.3, 1.0]), 40_000)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 4.0, 8.0])
def test_variances_are_those_of_the_literature(epsilon: float) -> None:
    """Duchi et al., Wang et al. and Geng and Viswanath print these worst cases."""
    grown, half = math.exp(epsilon), math.exp(epsilon / 2)
    duchi = ((grown + 1) / (grown - 1)) ** 2
    assert two_point(epsilon).noise == pytest.approx(duchi, rel=GRID)
    wang = 4 * half / (3 * (half - 1) ** 2)
    assert piecewise(epsilon).noise == pytest.approx(wang, rel=GRID)
    middle = (half + 3) / (3 * (half - 1) ** 2)
    assert piecewise(epsilon).variance(0.0) == pytest.approx(middle, rel=GRID)
    b = math.exp(-epsilon)
    inner = 2 ** (-2 / 3) * b ** (2 / 3) * (1 + b) ** (2 / 3) + b
    geng = 4 * inner / (1 - b) ** 2
    assert Staircase.best(epsilon).noise == pytest.approx(geng, rel=GRID)


@pytest.mark.parametrize("make", [two_point, piecewise])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 1.3, 2.0, 6.0])
def test_noise_is_the_worst(make: Callable[[float], Window], epsilon: float) -> None:
    """No input of a fine grid has more."""
    window = make(epsilon)
    seen = max(window.variance(value) for value in np.linspace(-1, 1, 2001))
    assert seen <= window.noise * (1 + 1e-9)


@pytest.mark.parametrize(
    ("epsilon", "kind", "cells"),
    [
        (0.1, Window, 2),
        (1.0, Window, 2),
        (1.28, Window, 2),
        (1.3, Window, 2**24),
        (4.0, Window, 2**24),
        (5.0, Staircase, 2**20),
        (12.0, Staircase, 2**20),
    ],
)
def test_the_best_changes_with_epsilon(epsilon: float, kind: type[Scalar], cells: int) -> None:
    """Two points up to 1.29, then an interval, then the staircase: each the least of the three."""
    best = best_scalar(epsilon)
    assert isinstance(best, kind)
    assert best.cells == cells
    assert best.noise == min(make(epsilon).noise for make in MAKERS)


def test_two_points_beat_the_gaussian() -> None:
    """At eps = 1 by 3.9 times in standard deviation, against the Gaussian at delta = 1e-6."""
    from tacit.privacy.curve import calibrate

    gaussian = 2 * calibrate(1.0, 1e-6)
    assert gaussian / math.sqrt(best_scalar(1.0).noise) == pytest.approx(3.9, abs=0.05)


def epsilon_seen(mechanism: Scalar, draws: int) -> float:
    """A lower confidence bound of the true epsilon."""
    return mechanism.audit(draws=draws, entropy=SeededEntropy(0)).epsilon_seen


@over_makers
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_five_percent_too_much_is_caught(make: Callable[[float], Scalar], epsilon: float) -> None:
    """At 4e5 draws the right mechanism passes and the mutant fails."""
    assert 0.9 * epsilon < epsilon_seen(make(epsilon), 400_000) <= epsilon
    assert epsilon < epsilon_seen(make(TOO_MUCH * epsilon), 400_000) <= TOO_MUCH * epsilon


@pytest.mark.assure
@over_makers
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 6.0])
def test_five_percent_too_much_is_caught_at_length(
    make: Callable[[float], Scalar], epsilon: float
) -> None:
    """The same at 1e6 draws, from 0.5 to 6."""
    assert epsilon_seen(make(epsilon), 1_000_000) <= epsilon
    assert epsilon_seen(make(TOO_MUCH * epsilon), 1_000_000) > epsilon


@pytest.mark.assure
@over_makers
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0, 8.0])
def test_moments_at_length(make: Callable[[float], Scalar], epsilon: float) -> None:
    """A million reports of each of five values."""
    check_moments(make(epsilon), np.array([-1.0, -0.4, 0.0, 0.3, 1.0]), 1_000_000)


@over_makers
def test_no_decimal_context_of_the_caller_shows(make: Callable[[float], Scalar]) -> None:
    """Precision, rounding and traps set elsewhere change no threshold and raise nothing."""
    plain = make(0.7)
    traps = [decimal.Inexact, decimal.Rounded, decimal.FloatOperation]
    with decimal.localcontext(decimal.Context(prec=3, rounding=decimal.ROUND_UP, traps=traps)):
        assert make(0.7) == plain


@over_makers
@pytest.mark.parametrize("wrong", [0.0, -1.0, 1e-7, 30.5, math.nan, math.inf])
def test_meaningless_epsilons_are_refused(make: Callable[[float], Scalar], wrong: float) -> None:
    """The message shows the value."""
    with pytest.raises(ConfigurationError, match=f"epsilon={wrong}"):
        make(wrong)


@pytest.mark.parametrize(
    ("cells", "width", "named"),
    [(1, 1, "cells=1"), (2**25, 5, "cells=33554432"), (4, 0, "width=0"), (4, 4, "width=4")],
)
def test_impossible_windows_are_refused(cells: int, width: int, named: str) -> None:
    """At least two cells, no more than integers are even for, and a window that leaves some."""
    with pytest.raises(ConfigurationError, match=named):
        Window.of(1.0, cells, width)


@pytest.mark.parametrize(("cells", "named"), [(0, "cells=0"), (5, "even"), (2**25, "cells=")])
def test_impossible_staircases_are_refused(cells: int, named: str) -> None:
    """With an odd number of cells the ends would be rounded farther apart than the step."""
    with pytest.raises(ConfigurationError, match=named):
        Staircase.best(1.0, cells)
