"""What a party releases: how far one person can move it, and the noise on it."""

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy import optimize

from tacit.arrays import Floats
from tacit.errors import ConfigurationError, ReportError
from tacit.papers.mixing import Agreement, Mixing, PartyRound, assemble, mixed_rows, release
from tacit.papers.mixing.device import encode
from tacit.privacy import SeededEntropy
from tacit.privacy.curve import calibrate, classical_scale
from tacit.protocol import run
from tests.papers.parties import released, split

STANDARD_ERRORS = 7.0

RANGES = (((0.0, 10.0), (-1.0, 1.0), (0.0, 1.0)), ((-1.0, 1.0),))
MIXINGS = [None, Mixing(bytes(16), 3), Mixing(bytes(16), 6, "hadamard")]
over_mixings = pytest.mark.parametrize("mixing", MIXINGS, ids=["plain", "signs", "hadamard"])


def agreement(**more: Any) -> Agreement:
    """Two parties with three columns and one, five people."""
    return Agreement(**{"ranges": RANGES, "people": 5, "epsilon": 1.0, **more})


def test_units_make_every_range_one() -> None:
    """Exact noise follows each column's own range; the printed one takes |D_ij| <= bound."""
    assert np.array_equal(agreement().units(0), [10.0, 2.0, 1.0])
    assert np.array_equal(agreement(calibration="paper").units(0), [20.0, 2.0, 2.0])


@over_mixings
@pytest.mark.parametrize("calibration", ["exact", "paper"])
def test_sensitivity_is_the_largest_distance_an_optimiser_finds(
    calibration: Any, mixing: Mixing | None
) -> None:
    """Never exceeded from any start, wild values included, and reached within 1e-4."""
    made = agreement(calibration=calibration, mixing=mixing)
    generator = np.random.default_rng(0)
    others = generator.uniform(-1, 1, (5, 3))

    def distance(pair: Floats) -> float:
        first, second = others.copy(), others.copy()
        first[2], second[2] = pair.reshape(2, 3)
        return float(np.linalg.norm(encode(made, 0, first) - encode(made, 0, second)))

    wild = [distance(generator.normal(0, 10.0**power, 6)) for power in range(4) for _ in range(20)]
    box = [*RANGES[0], *RANGES[0]]
    found = optimize.direct(lambda pair: -distance(pair), box, maxfun=300)
    best = optimize.minimize(
        lambda pair: -(distance(pair) ** 2), found.x, bounds=box, method="L-BFGS-B"
    )
    allowed = made.sensitivity(0)
    assert max(*wild, distance(best.x)) <= allowed * (1 + 1e-9)
    assert max(*wild, distance(best.x)) >= allowed * (1 - 1e-4)


def test_exact_noise_uses_each_party_s_own_columns() -> None:
    """sqrt(d_j) times the exact scale for each party; sqrt(d + 1) for the whole person."""
    least = calibrate(1.0, 1e-6)
    party = agreement(budget="party")
    for j, size in enumerate(party.sizes):
        grid = 1 - least * math.sqrt(size) / 2**14
        assert party.mechanism(j).sigma == pytest.approx(least * math.sqrt(size) / grid, rel=1e-6)
        assert party.curve(j).delta(1.0) == pytest.approx(1e-6, rel=1e-3)
    person = agreement()
    assert person.mechanism(0).sigma == person.mechanism(1).sigma
    assert person.joint_curve().delta(1.0) == pytest.approx(1e-6, rel=1e-3)


def test_printed_noise_is_that_of_the_widest_party() -> None:
    """2 sqrt(d_max) sqrt(2 ln(1.25/delta))/eps on every column of every party."""
    made = agreement(ranges=(((-1.0, 1.0),) * 3, ((-1.0, 1.0),)), calibration="paper")
    printed = 2.0 * math.sqrt(3) * classical_scale(1.0, 1e-6)
    assert np.allclose(made.noise_scales(), printed)


@over_mixings
def test_device_and_simulation_have_the_same_law(mixing: Mixing | None) -> None:
    """Released integers and simulated rows: same mean, same variance, 7 standard errors."""
    made, draws = agreement(mixing=mixing), 300
    D = np.random.default_rng(1).uniform(-1, 1, (5, 4))
    entropy, generator = SeededEntropy(1), np.random.default_rng(2)
    parts = (D[:, :3], D[:, 3:])
    truth = np.hstack([encode(made, j, part) * made.units(j) for j, part in enumerate(parts)])
    one_by_one = [run(PartyRound(made), split(made, D), entropy=entropy) for _ in range(draws)]
    fast = [released(made, D, generator) for _ in range(draws)]
    for found in (one_by_one, fast):
        noise = (np.array(found) - truth) / made.noise_scales()
        assert np.abs(noise.mean(axis=0)).max() <= STANDARD_ERRORS / math.sqrt(draws)
        spread = noise.var(axis=0) - 1.0
        assert np.abs(spread).max() <= STANDARD_ERRORS * math.sqrt(2 / draws)


def test_noises_of_two_parties_are_independent() -> None:
    """Composition in mu needs it: no correlation beyond 7 standard errors."""
    made = agreement(people=20_000)
    found = released(made, np.zeros((20_000, 4)), np.random.default_rng(3))
    correlation = np.asarray(np.corrcoef(found.T))
    off = correlation[~np.eye(4, dtype=bool)]
    assert np.abs(off).max() <= STANDARD_ERRORS / math.sqrt(20_000)


@over_mixings
def test_wild_values_are_released_like_any_other(mixing: Mixing | None) -> None:
    """Not-a-number, infinite and huge entries give integers of the agreed shape."""
    made = agreement(mixing=mixing)
    wild = np.full((5, 3), np.nan)
    wild[0], wild[1], wild[2] = np.inf, -np.inf, 1e300
    sent = release(made, 0, wild)
    assert sent.dtype == np.int64
    assert sent.shape == (made.released_rows, 3)


def test_a_release_comes_from_the_system_and_never_repeats() -> None:
    """Two calls on the same columns differ: each is a release of its own."""
    made = agreement()
    first, second = (release(made, 1, np.zeros((5, 1))) for _ in range(2))
    assert not np.array_equal(first, second)


def test_clipping_and_absent_values_are_as_documented() -> None:
    """Beyond a range: its end. Absent: its middle."""
    made = agreement(people=3)
    rows = np.array([[99.0, -99.0, 0.25], [np.nan] * 3, [np.inf, -np.inf, 1.0]])
    expected = np.array([[10.0, -1.0, 0.25], [5.0, 0.0, 0.5], [10.0, -1.0, 1.0]])
    assert np.allclose(encode(made, 0, rows) * made.units(0), expected)


def test_foreign_releases_are_refused() -> None:
    """A missing party, one too many, a wrong shape, floats."""
    made = agreement()
    good = [release(made, j, np.zeros((5, size))) for j, size in enumerate(made.sizes)]
    short, floats = good[1][:4], good[1] * 0.5
    wrongs: list[list[Any]] = [[good[0]], [*good, good[1]], [good[0], short], [good[0], floats]]
    assert assemble(made, good).shape == (5, 4)
    for wrong in wrongs:
        with pytest.raises(ReportError):
            assemble(made, wrong)


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"ranges": RANGES[:1]}, "at least two parties"),
        ({"ranges": (RANGES[0], ())}, "at least two parties"),
        ({"ranges": (((1.0, 0.0),), RANGES[1])}, r"ranges=\(1.0, 0.0\)"),
        ({"ranges": (((0.0, math.inf),), RANGES[1])}, r"ranges=\(0.0, inf\)"),
        ({"people": 0}, "people=0"),
        ({"epsilon": 0.0}, "epsilon=0.0"),
        ({"delta": 1.0}, "delta=1.0"),
        ({"budget": "row"}, "budget='row'"),
        ({"calibration": "loose"}, "calibration='loose'"),
    ],
)
def test_bad_agreements_are_refused(wrong: dict[str, Any], words: str) -> None:
    """By parameter and value."""
    with pytest.raises(ConfigurationError, match=words):
        agreement(**wrong)


def test_columns_other_than_agreed_are_refused() -> None:
    """Shape and party are public, so an error may show them."""
    with pytest.raises(ConfigurationError, match=r"shape \(5, 2\)"):
        release(agreement(), 0, np.zeros((5, 2)))
    with pytest.raises(ConfigurationError, match="party=2"):
        release(agreement(), 2, np.zeros((5, 1)))


def test_rows_follow_theorem_2_under_printed_noise() -> None:
    """k = sqrt(n d / d_max) / sigma, never fewer than two per column."""
    ranges = (((-1.0, 1.0),) * 2,) * 5 + (((-1.0, 1.0),),)
    made = Agreement(ranges, 10**6, 1.0, 1e-5, "paper")
    expected = math.sqrt(10**6 * 10 / 2) / classical_scale(1.0, 1e-5)
    assert mixed_rows(made) == math.ceil(expected)
    assert mixed_rows(replace(made, people=10)) == 22
