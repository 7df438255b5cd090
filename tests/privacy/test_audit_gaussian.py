import dataclasses

import numpy as np
import pytest

from tacit.arrays import Floats, Integers
from tacit.errors import ConfigurationError
from tacit.privacy import Audit, Entropy, Guarantee, SeededEntropy
from tacit.privacy.gaussian import GaussianMechanism, rounded_noise

DELTA = 1e-6
TOO_LITTLE = 0.9


class Weak(GaussianMechanism):
    """States its noise and adds a tenth less."""

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Shrink the noise."""
        steps = self.encode(values)
        noise = rounded_noise(steps.size, entropy).reshape(steps.shape)
        return np.asarray(steps + np.rint(TOO_LITTLE * noise).astype(np.int64))


class Biased(GaussianMechanism):
    """Adds a twentieth of sigma to everything, which costs no privacy."""

    def value(self, reports: Integers) -> Floats:
        """Move it."""
        return super().value(reports) + 0.05 * self.sigma


class Loud(GaussianMechanism):
    """Adds twice the noise it states: safe, and wrong."""

    def randomize(self, values: Floats, entropy: Entropy) -> Integers:
        """Stretch the noise."""
        return self.encode(values) + 2 * super().randomize(np.zeros_like(values), entropy)


def right(epsilon: float, dimension: int = 1) -> GaussianMechanism:
    """The least noise for this epsilon."""
    return GaussianMechanism.exact(dimension, 2.0, epsilon, DELTA)


def mutant(kind: type[GaussianMechanism], epsilon: float) -> GaussianMechanism:
    """A mutant with the parameters of the right mechanism."""
    return kind(**dataclasses.asdict(right(epsilon)))


def run(mechanism: GaussianMechanism, claimed: float, draws: int, seed: int = 0) -> Audit:
    """An audit that repeats."""
    stated = Guarantee(claimed, delta=DELTA)
    return mechanism.audit(claimed=stated, draws=draws, entropy=SeededEntropy(seed))


def failed(result: Audit) -> set[str]:
    """The names of the checks that refuted the claim."""
    return {check.name for check in result.checks if not check.passed}


def check_both_sides(epsilon: float, draws: int, seed: int) -> None:
    """The right mechanism passes; the trade-off convicts a tenth too little, stated or not."""
    passed = run(right(epsilon), epsilon, draws, seed)
    assert passed.passed, passed
    assert 0.7 * epsilon < passed.epsilon_seen <= epsilon
    hidden = run(mutant(Weak, epsilon), epsilon, draws, seed)
    assert failed(hidden) == {"trade-off", "variance"}, hidden
    assert hidden.epsilon_seen > epsilon
    stated = dataclasses.replace(right(epsilon), sigma=TOO_LITTLE * right(epsilon).sigma)
    assert failed(run(stated, epsilon, draws, seed)) == {"noise scale", "trade-off"}


@pytest.mark.parametrize(("epsilon", "draws"), [(1.0, 500_000), (4.0, 50_000), (16.0, 20_000)])
def test_a_tenth_too_little_is_caught(epsilon: float, draws: int) -> None:
    """Fewer draws do for larger epsilon."""
    check_both_sides(epsilon, draws, seed=0)


@pytest.mark.assure
@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 8.0])
@pytest.mark.parametrize("seed", range(3))
def test_a_tenth_too_little_is_caught_at_length(epsilon: float, seed: int) -> None:
    """At 1e6 draws every mutant fails and every right mechanism passes."""
    check_both_sides(epsilon, 1_000_000, seed)


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 0.1), (2, 1.0), (10, 4.0), (65, 10.0)])
def test_right_mechanisms_pass(dimension: int, epsilon: float) -> None:
    """Nothing refutes the right mechanism, whatever the seed, however few the draws."""
    results = [run(right(epsilon, dimension), epsilon, 4_000, seed) for seed in range(4)]
    assert [str(result) for result in results if not result.passed] == []


@pytest.mark.parametrize(("kind", "expected"), [(Biased, "unbiased"), (Loud, "variance")])
def test_other_mutants_are_caught_by_their_check(
    kind: type[GaussianMechanism], expected: str
) -> None:
    """Reports that are moved or stretched leak nothing, but are not what is stated."""
    assert failed(run(mutant(kind, 1.0), 1.0, 40_000)) == {expected}


def test_a_hair_too_little_is_seen_on_the_curve() -> None:
    """No sampling error there: a millionth less noise fails, and fails nowhere else."""
    mechanism = dataclasses.replace(right(1.0), sigma=right(1.0).sigma * (1 - 1e-6))
    assert failed(run(mechanism, 1.0, 2_000)) == {"noise scale"}


def test_the_pair_may_be_chosen() -> None:
    """Two inputs that attain the sensitivity, away from the origin."""
    pair = (np.array([-1.0, 5.0]), np.array([1.0, 5.0]))
    result = right(4.0, 2).audit(pair=pair, draws=20_000, entropy=SeededEntropy(0))
    assert result.passed
    assert result.epsilon_seen > 3.0


@pytest.mark.parametrize(
    ("pair", "named"),
    [
        ((np.zeros(2), np.array([1.0, 0.0])), "distance of 1"),
        ((np.zeros(3), np.ones(3)), "shapes"),
    ],
)
def test_pairs_that_do_not_attain_the_sensitivity_are_refused(
    pair: tuple[Floats, Floats], named: str
) -> None:
    """A test of inputs closer to each other would pass for the wrong reason."""
    with pytest.raises(ConfigurationError, match=named):
        right(1.0, 2).audit(pair=pair)


def test_progress_is_told_every_draw() -> None:
    """Twice the draws, once for each input; too few draws are refused."""
    told: list[int] = []
    right(1.0).audit(draws=5_000, progress=told.append)
    assert sum(told) == 10_000
    with pytest.raises(ConfigurationError, match="draws=10"):
        run(right(1.0), 1.0, 10)


def test_the_outcome_reads_like_the_other_audit() -> None:
    """The same values, the same words."""
    lines = str(run(right(1.0), 1.0, 2_000)).splitlines()
    assert lines[0] == "epsilon = 1 is not refuted by 2,000 reports per input"
    assert lines[1].startswith("  ok    noise scale: delta = 1e-06 (allowed: at most 1e-06)")
