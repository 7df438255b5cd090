import dataclasses
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy import stats

from tacit.arrays import Floats, Integers, Seeds
from tacit.errors import ConfigurationError
from tacit.privacy import Audit, Entropy, Guarantee, SeededEntropy, Sphere
from tacit.privacy.audit.outcome import allowed_error
from tacit.privacy.audit.seeds import unit_inputs
from tacit.privacy.draws import Words
from tests.privacy.helpers import TAG

TOO_MUCH = 1.05


class Skewed(Sphere):
    """The cap of inputs along the first axis is larger."""

    def in_cap(self, points: Floats, units: Floats) -> NDArray[np.bool_]:
        """Stretch the first coordinate."""
        return super().in_cap(points, units * np.where(np.arange(self.dimension), 1.0, 1.1))


class Biased(Sphere):
    """Scales its reports by too little."""

    @property
    def mean_length(self) -> float:
        """Five percent too much."""
        return TOO_MUCH * Sphere.best(self.dimension, self.epsilon).mean_length


class Hesitant(Sphere):
    """Tries once more in a tenth of the cases when the first coordinate is positive."""

    def randomize_counting(self, values: Floats, entropy: Entropy) -> tuple[Seeds, Integers]:
        """The right reports, with trials that tell of the input."""
        seeds, trials = super().randomize_counting(values, entropy)
        return seeds, trials + (values[:, 0] > 0) * (seeds[:, 0] < 26)


class Mute(Sphere):
    """Accepts by the coin alone, so that reports say nothing and take long."""

    def accepts(self, seeds: Seeds, drawn: Words, units: Floats) -> NDArray[np.bool_]:
        """Forget the cap."""
        return drawn <= np.uint64(self.coin - 1)


def mutant(kind: type[Sphere], dimension: int, epsilon: float) -> Sphere:
    """A mutant with the parameters of the right mechanism."""
    return kind(**dataclasses.asdict(Sphere.best(dimension, epsilon, TAG)))


def run(sphere: Sphere, claimed: float, draws: int, seed: int = 0) -> Audit:
    """An audit that repeats."""
    return sphere.audit(claimed=Guarantee(claimed), draws=draws, entropy=SeededEntropy(seed))


def failed(result: Audit) -> set[str]:
    """The names of the checks that refuted the claim, without their numbers."""
    return {check.name.split(" over")[0] for check in result.checks if not check.passed}


def check_both_sides(epsilon: float, draws: int, seed: int) -> None:
    """The right mechanism passes; with 5% too much epsilon the trade-off alone convicts."""
    right = run(Sphere.best(5, epsilon, TAG), epsilon, draws, seed)
    assert right.passed, right
    wrong = run(Sphere.best(5, TOO_MUCH * epsilon, TAG), epsilon, draws, seed)
    assert {"trade-off", "coin threshold"} <= failed(wrong), wrong
    assert epsilon < wrong.epsilon_seen <= TOO_MUCH * epsilon


def test_five_percent_too_much_is_caught() -> None:
    """At 3e5 draws the trade-off test tells a mutant from the right mechanism."""
    check_both_sides(1.0, 300_000, seed=0)


@pytest.mark.assure
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_five_percent_too_much_is_caught_at_length(epsilon: float) -> None:
    """At 1e6 draws every mutant fails and every right mechanism passes."""
    check_both_sides(epsilon, 1_000_000, seed=1)


@pytest.mark.assure
def test_five_percent_too_much_is_caught_at_eight() -> None:
    """At eps = 8 the mutant fails by the trade-off; right ones pass in the other tests."""
    wrong = run(Sphere.best(5, TOO_MUCH * 8.0, TAG), 8.0, 1_000_000)
    assert "trade-off" in failed(wrong), wrong


@pytest.mark.parametrize(
    ("dimension", "epsilon", "draws"),
    [(1, 1.0, 50_000), (1, 12.0, 1_000), (2, 2.0, 50_000), (5, 4.0, 20_000), (65, 1.0, 10_000)],
)
def test_right_mechanisms_pass(dimension: int, epsilon: float, draws: int) -> None:
    """Nothing refutes the right mechanism, whatever the seed, however few the draws."""
    results = [run(Sphere.best(dimension, epsilon, TAG), epsilon, draws, seed) for seed in range(4)]
    assert [str(result) for result in results if not result.passed] == []
    assert all(0 <= result.epsilon_seen <= epsilon for result in results)


@pytest.mark.assure
@pytest.mark.parametrize(
    ("dimension", "epsilon"), [(1, 8.0), (2, 4.0), (3, 6.0), (10, 8.0), (65, 4.0)]
)
def test_right_mechanisms_pass_at_length(dimension: int, epsilon: float) -> None:
    """The same with more draws and larger epsilon."""
    results = [
        run(Sphere.best(dimension, epsilon, TAG), epsilon, 50_000, seed) for seed in range(3)
    ]
    assert [str(result) for result in results if not result.passed] == []


def test_coin_one_too_small_is_caught() -> None:
    """A threshold wrong by one in 2^64 fails, and only the exact check can see it."""
    right = Sphere.best(5, 1.0, TAG)
    result = run(dataclasses.replace(right, coin=right.coin - 1), 1.0, 10_000)
    assert failed(result) == {"coin threshold"}


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Skewed, "cap rate"),
        (Biased, "unbiased"),
        (Hesitant, "number of trials"),
        (Mute, "unbiased"),
    ],
)
def test_mutants_are_caught_by_their_check(kind: type[Sphere], expected: str, seed: int) -> None:
    """Each mutant fails the check made for it; none of them changes the coin."""
    result = run(mutant(kind, 5, 2.0), 2.0, 100_000, seed)
    assert expected in failed(result), result
    assert "coin threshold" not in failed(result)


@pytest.mark.parametrize(("kind", "only"), [(Biased, "unbiased"), (Hesitant, "number of trials")])
def test_some_mutants_show_nowhere_else(kind: type[Sphere], only: str) -> None:
    """A wrong scale and a telling number of trials are each seen by one check alone."""
    assert failed(run(mutant(kind, 5, 2.0), 2.0, 100_000)) == {only}


@pytest.mark.parametrize("rate", [1e-6, 1e-3, 0.1, 0.5])
@pytest.mark.parametrize("draws", [1_000, 30_000, 1_000_000])
def test_allowance_for_frequencies_is_safe(rate: float, draws: int) -> None:
    """Exact binomial tails beyond the allowance stay below e^-24.5, also for rare events."""
    allowed = allowed_error(rate * (1 - rate), 1 / 3, draws)
    above = stats.binom.sf(math.ceil((rate + allowed) * draws) - 1, draws, rate)
    below = stats.binom.cdf(math.floor((rate - allowed) * draws), draws, rate)
    assert max(above, below) <= math.exp(-24.5)


@pytest.mark.parametrize("rate", [1e-3, 0.1, 0.5, 0.9])
@pytest.mark.parametrize("draws", [1_000, 30_000])
def test_allowance_for_trials_is_safe(rate: float, draws: int) -> None:
    """Exact tails of a sum of geometric numbers stay below e^-24.5 too."""
    allowed = allowed_error((1 - rate) / rate**2, 1 / rate, draws)
    wasted = stats.nbinom(draws, rate)  # refused trials before the last acceptance
    above = wasted.sf(math.ceil((1 / rate + allowed) * draws) - draws - 1)
    below = wasted.cdf(math.floor((1 / rate - allowed) * draws) - draws)
    assert max(above, below) <= math.exp(-24.5)


def test_too_few_draws_are_refused() -> None:
    """Fewer draws than any check needs are an error of configuration."""
    with pytest.raises(ConfigurationError, match="draws must be at least 1000, got draws=999"):
        run(Sphere.best(3, 1.0, TAG), 1.0, 999)


def test_progress_adds_up_to_three_rounds() -> None:
    """The progress callback counts the reports of either input and the seeds of the cap rate."""
    counts: list[int] = []
    Sphere.best(2, 1.0, TAG).audit(draws=40_000, entropy=SeededEntropy(0), progress=counts.append)
    assert sum(counts) == 120_000


def test_system_entropy_is_the_default() -> None:
    """Without a source of its own an audit runs on what devices run on."""
    assert Sphere.best(2, 1.0, TAG).audit(draws=1_000).passed


def test_text_says_verdict_and_every_check() -> None:
    """The printed outcome names the claim, the verdict and each check."""
    good, bad = run(Sphere.best(2, 1.0, TAG), 1.0, 1_000), run(Sphere.best(2, 2.0, TAG), 1.0, 1_000)
    assert str(good).startswith("epsilon = 1 is not refuted by 1,000 reports per input")
    assert str(bad).startswith("epsilon = 1 is REFUTED")
    for result in (good, bad):
        assert all(check.name in str(result) for check in result.checks)
    assert "FAIL  coin threshold" in str(bad)


def test_inputs_differ_in_kind() -> None:
    """The cap rate is tried around axes, diagonals and directions of no kind, all of length 1."""
    inputs = unit_inputs(7)
    assert len(inputs) >= 5
    assert len(np.unique(inputs.round(6), axis=0)) == len(inputs)
    np.testing.assert_allclose(np.linalg.norm(inputs, axis=1), 1.0)
