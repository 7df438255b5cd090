import math

import numpy as np
import pytest
from scipy import stats

from tacit.errors import ConfigurationError
from tacit.privacy import Guarantee, shuffle
from tacit.privacy.shuffle import divergence, shuffled, with_shuffler

CLOSE = 1e-6


def delta_by_sums(epsilon: float, epsilon0: float, people: int) -> float:
    """The divergence of the two pairs of Theorem 3.2, summed over every outcome."""
    own = 1 / (1 + math.exp(-epsilon0))
    total = 0.0
    for alike in range(people):
        first = np.arange(alike + 2)
        without = stats.binom.pmf(first, alike, 0.5)
        with_own = stats.binom.pmf(first - 1, alike, 0.5)
        p, q = own * with_own + (1 - own) * without, (1 - own) * with_own + own * without
        chance = stats.binom.pmf(alike, people - 1, math.exp(-epsilon0))
        total += chance * float(np.maximum(p - math.exp(epsilon) * q, 0).sum())
    return total


def test_reference_value() -> None:
    """100,000 people at eps0 = 4 and delta = 1e-6: 0.17, where the closed form gives 0.53."""
    assert shuffled(4.0, 100_000, 1e-6) == pytest.approx(0.17, abs=0.001)
    assert shuffled(4.0, 100_000, 1e-6, bound="closed") == pytest.approx(0.5346, abs=0.0001)


@pytest.mark.parametrize(
    ("epsilon0", "people", "delta"),
    [(1.0, 1, 1e-6), (1.0, 2, 1e-3), (1.0, 50, 1e-3), (2.0, 300, 1e-4), (0.5, 600, 1e-6)],
)
def test_numerical_bound_is_the_sum_over_all_outcomes(
    epsilon0: float, people: int, delta: float
) -> None:
    """At the epsilon returned delta is met; a thousandth below it is not."""
    epsilon = shuffled(epsilon0, people, delta)
    assert delta * (1 - CLOSE) <= delta_by_sums(epsilon, epsilon0, people) <= delta
    assert delta_by_sums(0.999 * epsilon, epsilon0, people) > delta


def test_groups_of_counts_are_on_the_safe_side(monkeypatch: pytest.MonkeyPatch) -> None:
    """With few groups the bound is a little larger, and still holds by the sum over outcomes."""
    fine = shuffled(1.0, 300, 1e-5)
    monkeypatch.setattr(shuffle, "GROUPS", 24)
    coarse = shuffled(1.0, 300, 1e-5)
    assert fine < coarse < 1.2 * fine
    assert delta_by_sums(coarse, 1.0, 300) <= 1e-5


@pytest.mark.parametrize("epsilon0", [1e-3, 1.0, 30.0])
def test_more_who_look_alike_hide_more(epsilon0: float) -> None:
    """The divergence falls with their number, which is what grouping rests on."""
    seen = divergence(0.3 * epsilon0, epsilon0, np.arange(2000.0))
    assert (np.diff(seen) <= 1e-15).all()


@pytest.mark.parametrize("epsilon0", [0.1, 1.0, 4.0, 6.0])
@pytest.mark.parametrize("people", [10_000, 1_000_000])
def test_numerical_is_below_closed(epsilon0: float, people: int) -> None:
    """Where the closed form holds the numerical bound is tighter; both improve on eps0."""
    if math.log(people / (16 * math.log(2e6))) < epsilon0:
        with pytest.raises(ConfigurationError, match="bound='numerical'"):
            shuffled(epsilon0, people, 1e-6, bound="closed")
        return
    closed = shuffled(epsilon0, people, 1e-6, bound="closed")
    assert shuffled(epsilon0, people, 1e-6) < closed <= epsilon0


def test_the_closed_form_is_the_printed_one() -> None:
    """ln(1 + (e^e0 - 1)/(e^e0 + 1) (8 sqrt(e^e0 ln(4/delta)/n) + 8 e^e0/n)), to all digits."""
    grown, people, delta = math.exp(2.0), 1_000_000, 1e-8
    spread = 8 * math.sqrt(grown * math.log(4 / delta) / people) + 8 * grown / people
    expected = math.log(1 + (grown - 1) / (grown + 1) * spread)
    assert shuffled(2.0, people, delta, bound="closed") == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("people", [1, 1000])
def test_nobody_to_hide_among_saves_nothing(people: int) -> None:
    """At eps0 = 30 a thousand people look like nobody: only delta itself is saved."""
    assert shuffled(30.0, people, 1e-6) == pytest.approx(30.0 + math.log1p(-1e-6), abs=1e-8)


def test_more_people_and_larger_delta_help() -> None:
    """Epsilon falls with both; from a thousand million people on it falls no further."""
    by_people = [shuffled(4.0, 10**power, 1e-6) for power in (0, 1, 2, 3, 4, 6, 9, 15)]
    by_delta = [shuffled(1.0, 10_000, delta) for delta in (1e-12, 1e-9, 1e-6, 1e-3, 0.5)]
    assert sorted(by_people, reverse=True) == by_people
    assert sorted(by_delta, reverse=True) == by_delta


def test_floating_point_errors_do_not_show() -> None:
    """Tails that underflow are no error, whatever numpy was told."""
    with np.errstate(all="raise"):
        assert 0 < shuffled(1.0, 1_000_000, 1e-6) < 0.005


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ((0.0, 10, 1e-6), "epsilon0=0.0"),
        ((math.nan, 10, 1e-6), "epsilon0=nan"),
        ((31.0, 10, 1e-6), "epsilon0=31.0"),
        ((1.0, 0, 1e-6), "people=0"),
        ((1.0, 10, 0.0), "delta=0.0"),
        ((1.0, 10, 1e-13), "delta=1e-13"),
        ((1.0, 10, 1.0), "delta=1.0"),
        ((1.0, 10, 1e-6, "tight"), "bound='tight'"),
    ],
)
def test_meaningless_requests_are_refused(arguments: tuple[float, int, float], named: str) -> None:
    """The message shows the value."""
    with pytest.raises(ConfigurationError, match=named):
        shuffled(*arguments)


def test_a_declared_shuffler_is_stated_with_what_it_rests_on() -> None:
    """The statement has the central numbers, the shuffler's name, and the local guarantee."""
    local = Guarantee(4.0, simulated=True, notes=("first",))
    central = with_shuffler(local, 100_000, 1e-6, "the hospital's relay")
    assert central.epsilon == shuffled(4.0, 100_000, 1e-6)
    assert central.delta == 1e-6
    assert central.simulated
    assert central.protects == local.protects
    said = central.statement()
    assert "epsilon = 0.16977, delta = 1e-06" in said
    assert "whoever sees only the shuffled reports" in said
    assert "this rests on the hospital's relay" in said
    assert "at least 100,000 honest people" in said
    assert "the guarantee is local: epsilon = 4." in said
    assert said.endswith("Note: first")


def test_several_reports_are_shuffled_as_one() -> None:
    """A person's reports count with their sum, and are no longer counted apart."""
    central = with_shuffler(Guarantee(0.5, reports_per_person=4), 10_000, 1e-6, "relay")
    assert central.total_epsilon == shuffled(2.0, 10_000, 1e-6)
    assert central.total_delta == 1e-6


@pytest.mark.parametrize("blank", ["", "  ", "\n"])
def test_without_a_shuffler_nothing_is_stated(blank: str) -> None:
    """A blank name is refused: the local guarantee is all there is."""
    with pytest.raises(ConfigurationError, match="only the local guarantee"):
        with_shuffler(Guarantee(1.0), 1000, 1e-6, blank)


def test_approximate_guarantees_are_refused() -> None:
    """The theorem is about pure local privacy."""
    with pytest.raises(ConfigurationError, match="delta=1e-08"):
        with_shuffler(Guarantee(1.0, delta=1e-8), 1000, 1e-6, "relay")
