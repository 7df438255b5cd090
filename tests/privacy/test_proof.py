"""The proof in `sphere.py`, step by step, with every seed of a small world counted."""

import math
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from numpy.typing import NDArray

from tacit.privacy import SeededEntropy, Sphere, sphere
from tacit.privacy import expand as expansion
from tacit.privacy.draws import Words
from tests.privacy.helpers import STANDARD_ERRORS, TAG, random_seeds, random_units, rate_error

STEPS = 360
ALL_WORDS = 2**64
Floats = NDArray[np.float64]
Seeds = NDArray[np.uint8]


def circle(at: NDArray[np.float64]) -> Floats:
    """Points (2, n) of a circle at some steps."""
    angles = 2 * math.pi * at / STEPS
    return np.stack([np.cos(angles), np.sin(angles)])


def small_expand(seeds: Seeds, tag: bytes, dimension: int) -> Floats:
    """A world of 360 seeds, evenly spread over the circle."""
    assert (len(tag), dimension) == (16, 2)
    return circle(seeds[:, 0].astype(float) + 256.0 * seeds[:, 1] + 0.5)


def small_world() -> Seeds:
    """All its seeds."""
    numbers = np.arange(STEPS)
    seeds = np.zeros((STEPS, 16), dtype=np.uint8)
    seeds[:, 0], seeds[:, 1] = numbers % 256, numbers // 256
    return seeds


def accept_chances(mechanism: Sphere, vector: Floats, seeds: Seeds) -> list[Fraction]:
    """The exact chance, over all words, that each seed is accepted in one trial."""
    vectors = np.broadcast_to(vector, (len(seeds), len(vector)))

    def decide(word: int) -> NDArray[np.bool_]:
        words = np.full(len(seeds), word, dtype=np.uint64)
        return mechanism.accepts(seeds, words, vectors)

    always = decide(ALL_WORDS - 1)
    assert decide(mechanism.coin - 1).all()
    np.testing.assert_array_equal(decide(mechanism.coin), always)
    coin = Fraction(mechanism.coin, ALL_WORDS)
    return [Fraction(1) if certain else coin for certain in always]


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 4.0, 8.0, 12.0])
def test_no_ratio_exceeds_e_to_the_epsilon(monkeypatch: pytest.MonkeyPatch, epsilon: float) -> None:
    """Over every seed and pair of inputs the exact ratio is at most e^eps, and comes close."""
    monkeypatch.setattr(sphere, "expand", small_expand)
    mechanism, seeds = Sphere.best(2, epsilon, TAG), small_world()
    laws = []
    for vector in circle(np.arange(0.0, STEPS, 12)).T:
        chances = accept_chances(mechanism, vector, seeds)
        total = sum(chances)
        laws.append([chance / total for chance in chances])
    ratios = [max(column) / min(column) for column in zip(*laws, strict=True)]
    with mp.workdps(50):
        factor = mp.exp(mp.mpf(epsilon))
        worst = mp.mpf(max(ratios).numerator) / max(ratios).denominator
        assert worst <= factor
        assert factor - worst <= factor**2 / ALL_WORDS


def test_the_device_takes_the_first_accepted_seed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Reports and counts are those of a loop over trials, whatever the number tried at once."""
    mechanism, vector = Sphere.best(3, 2.0, TAG), random_units(1, 3)
    for ahead in (1, 2, 50):
        monkeypatch.setattr(Sphere, "trials_at_once", lambda self, pending, k=ahead: k)
        for start in range(20):
            seeds, trials = mechanism.randomize_counting(vector, SeededEntropy(start))
            entropy, tried, accepted = SeededEntropy(start), 0, np.array([False])
            while not accepted.any():
                drawn = np.frombuffer(entropy.draw(16 * ahead), dtype=np.uint8).reshape(-1, 16)
                words = np.frombuffer(entropy.draw(8 * ahead), dtype="<u8")
                vectors = np.repeat(vector, ahead, axis=0)
                accepted = mechanism.accepts(drawn, words, vectors)
                tried += ahead
            first = int(np.flatnonzero(accepted)[0])
            np.testing.assert_array_equal(seeds[0], drawn[first])
            assert trials[0] == tried - ahead + first + 1


def test_cap_and_coin_are_both_computed_for_every_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither is left out where the other has decided: the work says nothing of the input."""
    sizes: list[tuple[str, int]] = []
    cap, coin = Sphere.in_cap, Sphere.by_coin

    def in_cap(self: Sphere, points: Floats, units: Floats) -> NDArray[np.bool_]:
        sizes.append(("cap", len(units)))
        return cap(self, points, units)

    def by_coin(self: Sphere, drawn: Words) -> NDArray[np.bool_]:
        sizes.append(("coin", len(drawn)))
        return coin(self, drawn)

    monkeypatch.setattr(Sphere, "in_cap", in_cap)
    monkeypatch.setattr(Sphere, "by_coin", by_coin)
    drawn = np.array([0, ALL_WORDS - 1] * 500, dtype=np.uint64)
    Sphere.best(2, 1.0, TAG).accepts(random_seeds(1000), drawn, random_units(1000, 2))
    assert sorted(sizes) == [("cap", 1000), ("coin", 1000)]


@pytest.mark.parametrize(("dimension", "epsilon"), [(1, 1.0), (2, 4.0), (3, 1.0), (10, 8.0)])
def test_acceptance_is_equal_around_every_input(dimension: int, epsilon: float) -> None:
    """On a large common set of seeds Z(v) is the same for all inputs, up to sampling."""
    mechanism, count = Sphere.best(dimension, epsilon, TAG), 200_000
    points = expansion.expand(random_seeds(count), TAG, dimension)
    inputs = np.vstack([np.eye(dimension)[:2], -np.eye(dimension)[:1], random_units(4, dimension)])
    rates = np.array(
        [mechanism.in_cap(points, np.broadcast_to(v, points.T.shape)).mean() for v in inputs]
    )
    error = rate_error(mechanism.cap_rate, count)
    assert np.abs(rates - mechanism.cap_rate).max() <= STANDARD_ERRORS * error
    pairwise = rates[:, None] - rates[None, :]
    assert np.abs(pairwise).max() <= STANDARD_ERRORS * math.sqrt(2) * error
    gain = math.expm1(epsilon)
    excess = np.log1p(gain * rates.max()) - np.log1p(gain * rates.min())
    spread = STANDARD_ERRORS * math.sqrt(2) * error * gain / (1 + gain * rates.min())
    assert excess <= spread


def words_in_cap(cap: float, angle: float) -> int:
    """How many of the 2^32 words of the angle lie in the cap around an angle (dimension 2)."""
    vector = np.array([math.cos(angle), math.sin(angle)])
    centre = math.floor(angle / (2 * math.pi) * 2**32)

    def inside(word: int) -> bool:
        cos, sin = expansion.cos_sin_turn(np.array([[word % 2**32]], dtype=np.uint32))
        return float(cos[0, 0] * vector[0] + sin[0, 0] * vector[1]) >= cap

    def farthest(direction: int) -> int:
        low, high = 0, 2**31
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if inside(centre + direction * middle) else (low, middle)
        return low

    return farthest(1) + farthest(-1) + 1


@pytest.mark.parametrize("epsilon", [1.0, 4.0, 8.0, 12.0])
def test_rounding_of_words_in_dimension_two(epsilon: float) -> None:
    """Counted over all words: one word of difference, below 3e-8 in eps up to eps = 12."""
    mechanism = Sphere.best(2, epsilon, TAG)
    angles = 2 * math.pi * np.random.default_rng(0).random(200)
    counts = [words_in_cap(mechanism.cap, angle) for angle in angles]
    assert max(counts) - min(counts) <= 1
    assert abs(min(counts) - mechanism.cap_rate * 2**32) <= 1
    gain = math.expm1(epsilon)
    excess = gain * 2.0**-32 / (1 + gain * mechanism.cap_rate)
    assert excess < 3e-8


def test_signs_of_dimension_one_are_exactly_even() -> None:
    """In one dimension exactly the words of two quadrants are positive: no rounding at all."""
    borders = np.array([[0, 2**30 - 1, 2**30, 2**31, 3 * 2**30 - 1, 3 * 2**30, 2**32 - 1]])
    cos, _ = expansion.cos_sin_turn(borders.astype(np.uint32))
    assert np.sign(cos[0]).tolist() == [1, 1, -1, -1, -1, 1, 1]
