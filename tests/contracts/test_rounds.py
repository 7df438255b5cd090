"""One suite over every round of the papers, and over studies, whatever their reports are."""

import math
import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import tacit.papers
import tacit.protocol
from tacit.arrays import Floats
from tacit.privacy import SeededEntropy
from tacit.privacy.audit import Source
from tacit.privacy.curve import calibrate
from tacit.privacy.gaussian import GaussianMechanism
from tacit.protocol import Records, reports, simulated
from tacit.protocol.run import part_of, total_of
from tests.contracts.example import Example, filled, is_round, rounds_within, stated

EXAMPLES: list[Example] = stated("EXAMPLES")
EPSILONS = (0.1, 0.5, 1.0, 4.0, 10.0)
DELTA = 1e-6
STANDARD_ERRORS = 7.0
LUCK = 64  # numbers between 0 and 1 over which an input is averaged
WILD: tuple[Any, ...] = (
    *(math.inf, -math.inf, 1e308, -5e-324, 1e-310, 10**400, -(10**400)),
    *("red", b"", object(), 1j, True, math.nan, None, ""),
)
ABSENT = 3  # the last of them are no answer

over_examples = pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.name)


def encoded(stage: Any, records: Records, luck: float = 0.0) -> Floats:
    """Legal inputs of the mechanism, one row each."""
    people, mechanism = len(records[0]), stage.mechanism
    with np.errstate(all="ignore"):
        inputs = stage.encode(records, np.full((people, stage.draws), luck))
        if not isinstance(mechanism, GaussianMechanism):  # whose inputs are whole steps
            inputs = mechanism.encode(inputs)
    return np.asarray(inputs).reshape(people, -1)


def mean_encoded(stage: Any, records: Records) -> Floats:
    """Inputs averaged over the luck that draws them."""
    places = (np.arange(LUCK) + 0.5) / LUCK if stage.draws else [0.0]
    inputs = [encoded(stage, records, float(place)) for place in places]
    return np.asarray(np.mean(inputs, axis=0))


def values(stage: Any, records: Records, seed: int) -> Floats:
    """What the reports of real devices say, one row each."""
    said = stage.mechanism.value(reports(stage, records, SeededEntropy(seed)))
    return np.asarray(said).reshape(len(records[0]), -1)


def repeated(records: Records, person: int, times: int) -> Records:
    """One person's record, so many times."""
    return tuple(column[[person] * times] for column in records)


def diameter(mechanism: Any) -> float:
    """How far apart two legal inputs are at most: unit vectors and numbers in [-1, 1] by 2."""
    return float(getattr(mechanism, "sensitivity", 2.0))


def test_every_round_of_the_papers_has_an_example() -> None:
    """Found by their members, so that no new algorithm is forgotten."""
    found = {kind for package in (tacit.papers, tacit.protocol) for kind in rounds_within(package)}
    tried = {type(example.round(1.0)) for example in EXAMPLES}
    assert len(found) >= 8
    assert found == tried


def test_a_round_is_known_by_its_members() -> None:
    """A class that inherits nothing counts; one that lacks a member does not."""
    members = dict.fromkeys(["mechanism", "summed", "draws", "reports", "asked", "encode", "after"])
    assert is_round(type("Foreign", (), members))
    del members["asked"]
    assert not is_round(type("Unfinished", (), members))


@over_examples
def test_no_two_records_are_further_apart_than_the_mechanism_allows(example: Example) -> None:
    """Legal, extreme and wild records."""
    stage = example.round(1.0)
    inputs = encoded(stage, example.draw(np.random.default_rng(0), 300), 0.4)
    assert np.isfinite(inputs).all()
    squares = (inputs**2).sum(axis=1)
    distance = np.sqrt(np.maximum(squares[:, None] + squares - 2 * inputs @ inputs.T, 0.0))
    assert distance.max() <= diameter(stage.mechanism) * (1 + 1e-6)


@over_examples
def test_the_largest_distance_is_reached(example: Example) -> None:
    """Two records attain it, so no noise is wasted on distances that do not occur."""
    stage = example.round(1.0)
    first, second = encoded(stage, example.extremes(), 0.5)
    reached = float(np.linalg.norm(first - second)) / diameter(stage.mechanism)
    assert reached == pytest.approx(1.0, rel=1e-4) if example.tight else 0.1 < reached < 1.0


@over_examples
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_exact_noise_meets_the_guarantee_and_wastes_under_a_percent(
    example: Example, epsilon: float
) -> None:
    """Of all that is asked of one person: on the exact curve, or epsilon itself."""
    stage = example.round(epsilon)
    noise: Any = stage.mechanism if example.joint is None else example.joint(stage)
    if not isinstance(noise, GaussianMechanism):
        assert (noise.guarantee.epsilon, noise.guarantee.delta) == (epsilon, 0.0)
        return
    assert noise.delta(epsilon) <= DELTA * (1 + 1e-9)
    least = noise.sensitivity * calibrate(epsilon, DELTA)
    grid = noise.step * math.sqrt(noise.dimension) / noise.sensitivity
    assert least <= noise.sigma <= 1.01 * least * (1 + grid)
    assert noise.sigma == stage.mechanism.sigma
    assert noise.sensitivity >= stage.mechanism.sensitivity


@over_examples
def test_reports_are_unbiased_with_the_stated_noise(example: Example) -> None:
    """Real devices: the mean is that of the inputs, and no coordinate varies more than stated.

    Luck adds a variance of at most 1 to inputs of length 1, and the average over its places is off
    by at most 2 / LUCK.
    """
    stage = example.round(4.0)
    draws = example.draws
    records = example.draw(np.random.default_rng(1), draws)
    noise = values(stage, records, seed=1) - mean_encoded(stage, records)
    variance, luck = stage.mechanism.noise, 1.0 if stage.draws else 0.0
    allowed = STANDARD_ERRORS * math.sqrt((variance + luck) / draws) + luck * 2 / LUCK
    assert np.abs(noise.mean(axis=0)).max() <= allowed
    squares = (noise**2).mean(axis=1)
    spread = STANDARD_ERRORS * squares.std() / math.sqrt(draws)
    assert squares.mean() <= variance + luck + spread
    if isinstance(stage.mechanism, GaussianMechanism):
        assert squares.mean() >= variance - spread


@over_examples
@pytest.mark.parametrize("person", [0, -1])
def test_devices_and_simulation_have_the_same_law(example: Example, person: int) -> None:
    """Mean and covariance of single reports, and of simulated ones or sums of five."""
    stage, five, draws = example.round(4.0), 5, example.draws
    records = example.draw(np.random.default_rng(4), 7)
    single = values(stage, repeated(records, person, draws), seed=2)
    few, rng = repeated(records, person, five), np.random.default_rng(3)
    if stage.summed:
        sums = [simulated(stage, few, rng) for _ in range(draws)]
        fast = np.array([stage.mechanism.mean(total, five) for total in sums]).reshape(draws, -1)
    else:
        blocks = list(simulated(stage, repeated(records, person, draws), rng))
        fast = np.concatenate(blocks).reshape(draws, -1)
    _same(single, fast)
    centre, times = single.mean(axis=0), five if stage.summed else 1
    _same(_products(single - centre), times * _products(fast - centre))


def _products(rows: Floats) -> Floats:
    return np.asarray(rows[:, :, None] * rows[:, None, :]).reshape(len(rows), -1)


def _same(first: Floats, second: Floats) -> None:
    """Two samples have one mean, within 7 standard errors of their difference."""
    errors = np.hypot(first.std(axis=0), second.std(axis=0)) / math.sqrt(len(first))
    gap = np.abs(first.mean(axis=0) - second.mean(axis=0))
    assert (gap <= STANDARD_ERRORS * errors + 1e-9).all()


class _Zeros:
    """Bytes that accept every first trial, and a count of them."""

    def __init__(self) -> None:
        self.drawn = 0

    def draw(self, count: int) -> bytes:
        """So many zeros."""
        self.drawn += count
        return bytes(count)


@over_examples
def test_no_value_stops_a_report_or_takes_other_luck(example: Example) -> None:
    """Wild, tiny and foreign values: as many random bytes, as long a report, no warning."""
    stage = example.round(1.0)
    one = part_of(example.draw(np.random.default_rng(0), 1), slice(1))
    usual = _Zeros()
    expected = reports(stage, one, usual)
    for value in WILD[:-ABSENT] if example.absent else WILD:
        for error in ("raise", "warn"):
            entropy = _Zeros()
            with np.errstate(all=error), warnings.catch_warnings():
                warnings.simplefilter("error")
                report = reports(stage, filled(one, value), entropy)
            assert (report.shape, report.dtype) == (expected.shape, expected.dtype), value
            assert entropy.drawn == usual.drawn, value


@over_examples
def test_the_wire_carries_no_float_and_one_length(example: Example) -> None:
    """A seed of 16 bytes, or 64-bit integers: as many for every record."""
    stage = example.round(4.0)
    sent = reports(stage, example.draw(np.random.default_rng(5), 50), SeededEntropy(5))
    assert sent.dtype in (np.uint8, np.int64)
    assert {len(report.tobytes()) for report in sent} == {sent[0].nbytes}
    again = np.frombuffer(b"".join(one.tobytes() for one in sent), sent.dtype).reshape(sent.shape)
    assert np.array_equal(stage.mechanism.value(again), stage.mechanism.value(sent))


@pytest.mark.parametrize(
    "example", [one for one in EXAMPLES if one.round(1.0).summed], ids=lambda one: one.name
)
def test_totals_do_not_depend_on_order_or_partition(example: Example) -> None:
    """Any number of collectors with any of the reports; the mean is that of their values."""
    stage, rng = example.round(4.0), np.random.default_rng(6)
    sent: NDArray[Any] = reports(stage, example.draw(rng, 60), SeededEntropy(6))
    whole = total_of(stage, [sent])
    assert whole.dtype == np.int64
    for parts in (1, 2, 7):
        assert np.array_equal(total_of(stage, np.array_split(rng.permutation(sent), parts)), whole)
    mean = stage.mechanism.value(sent).mean(axis=0)
    assert np.allclose(stage.mechanism.mean(whole, 60), mean, rtol=1e-9, atol=1e-8)


@pytest.mark.assure
@over_examples
def test_the_audit_catches_a_tenth_too_little_noise(example: Example) -> None:
    """The mechanism of the round passes; a tenth less noise, or a tenth more epsilon, does not."""
    epsilon = 10.0 if isinstance(example.round(1.0).mechanism, GaussianMechanism) else 2.0
    right: Any = example.round(epsilon).mechanism
    weak: Any = example.round(1.1 * epsilon).mechanism
    if isinstance(right, GaussianMechanism):
        weak = replace(right, sigma=0.9 * right.sigma)
    audits = (
        noise.audit(Source(100_000, SeededEntropy(7)), right.guarantee) for noise in (right, weak)
    )
    assert [audit.passed for audit in audits] == [True, False]
