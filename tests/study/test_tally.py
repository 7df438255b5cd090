"""Tallies: exact sums that merge in any order."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import ReportError, TooFewReportsError
from tacit.privacy.expand import SCALE, expand
from tacit.study import Report, Study, Tally
from tacit.study.tally import LARGEST_COUNT

SEEDS = np.random.default_rng(11).integers(0, 256, (40, 16), dtype=np.uint8)
PARTS = st.lists(st.lists(st.integers(0, len(SEEDS) - 1), max_size=12), max_size=4)


@pytest.fixture
def tally(study: Study) -> Tally:
    """Of forty reports."""
    return Tally.of(study).add(SEEDS)


@settings(deadline=None, max_examples=40)
@given(parts=PARTS, data=st.data())
def test_order_and_partition_do_not_matter(
    study: Study, parts: list[list[int]], data: st.DataObject
) -> None:
    """Any split of the reports, merged in any order, is the same tally."""
    empty = Tally.of(study)
    everything = [index for part in parts for index in part]
    shuffled = data.draw(st.permutations(parts))
    assert sum((empty.add(SEEDS[part]) for part in shuffled), empty) == empty.add(SEEDS[everything])


@settings(deadline=None, max_examples=20)
@given(indices=st.tuples(*[st.lists(st.integers(0, 39), max_size=5)] * 3))
def test_tallies_form_a_commutative_monoid(study: Study, indices: tuple[list[int], ...]) -> None:
    """Associative, commutative, with the empty tally as identity."""
    empty = Tally.of(study)
    a, b, c = (empty.add(SEEDS[index]) for index in indices)
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + empty == a == empty + a


@settings(deadline=None, max_examples=20)
@given(index=st.lists(st.integers(0, 39), max_size=8))
def test_a_tally_survives_its_bytes(study: Study, index: list[int]) -> None:
    """Equal tallies have equal bytes and equal hashes."""
    tally = Tally.of(study).add(SEEDS[index])
    again = Tally.from_bytes(tally.to_bytes())
    assert again == tally
    assert bytes(again) == bytes(tally)
    assert hash(again) == hash(tally)


def test_reports_and_arrays_add_up_alike(study: Study, tally: Tally) -> None:
    """One by one, several, or as an array."""
    reports = [Report(study.id, bytes(seed)) for seed in SEEDS]
    one_by_one = Tally.of(study)
    for report in reports:
        one_by_one = one_by_one.add(report)
    assert one_by_one == Tally.of(study).add(reports) == Tally.of(study).add(iter(reports)) == tally
    assert tally.add([]) == tally
    assert tally.count == 40


def test_the_mean_is_that_of_the_unbiased_reports(study: Study, tally: Tally) -> None:
    """Up to the rounding of each coordinate."""
    vectors = expand(SEEDS, study.tag, study.dimension) / study.mechanism.mean_length
    rounding = 0.5 / SCALE / study.mechanism.mean_length
    np.testing.assert_allclose(tally.mean(study), vectors.mean(axis=1), rtol=0, atol=rounding)


def test_sums_made_elsewhere_are_a_tally(study: Study, tally: Tally) -> None:
    """As engines and simulations make them."""
    assert Tally.from_sums(study, 40, tally.sums) == tally
    with pytest.raises(ReportError, match="8 entries"):
        Tally.from_sums(study, 40, tally.sums[1:])


def test_tallies_of_other_studies_are_refused(
    study: Study, other_study: Study, tally: Tally
) -> None:
    """Reports, tallies and means alike."""
    with pytest.raises(ReportError, match="belong to study"):
        tally.add(Report(other_study.id, bytes(16)))
    with pytest.raises(ReportError, match="belong to study"):
        tally + Tally.of(other_study)
    with pytest.raises(ReportError, match="belong to study"):
        tally.mean(other_study)
    with pytest.raises(TypeError):
        tally + 1


def test_an_empty_tally_has_no_mean(study: Study) -> None:
    """Nor does it pretend to."""
    with pytest.raises(TooFewReportsError, match="empty"):
        Tally.of(study).mean(study)


def test_a_tally_is_frozen(tally: Tally) -> None:
    """Its sums included, and apart from the array they came from."""
    with pytest.raises(ValueError, match="read-only"):
        tally.sums[0] = 1
    sums = np.zeros(8, dtype=np.int64)
    made = Tally(tally.study_id, 3, sums)
    sums[0] = 5
    assert made.sums[0] == 0


def test_more_reports_than_a_sum_can_hold_are_refused(study: Study, tally: Tally) -> None:
    """Before anything could overflow."""
    full = Tally.from_sums(study, LARGEST_COUNT, np.full(8, LARGEST_COUNT * 2**32))
    with pytest.raises(ReportError, match="at most"):
        full + tally
    with pytest.raises(ReportError, match="at most"):
        full.add(SEEDS[:1])
    assert full + Tally.of(study) == full


@pytest.mark.parametrize(
    ("count", "sums"),
    [
        (-1, np.zeros(8, np.int64)),
        (LARGEST_COUNT + 1, np.zeros(8, np.int64)),
        (0, np.ones(8, np.int64)),
        (1, np.full(8, 2**32 + 1)),
        (1, np.zeros(8)),
        (1, np.zeros((2, 4), np.int64)),
        (1, np.zeros(0, np.int64)),
    ],
)
def test_impossible_tallies_are_refused(study: Study, count: int, sums: Any) -> None:
    """No reports could have made them."""
    with pytest.raises(ReportError):
        Tally(study.id, count, sums)


def test_altered_bytes_are_refused(tally: Tally) -> None:
    """Every position, and every truncation to whole numbers."""
    data = tally.to_bytes()
    for position in range(len(data)):
        altered = bytearray(data)
        altered[position] ^= 1
        with pytest.raises(ReportError):
            Tally.from_bytes(bytes(altered))
        with pytest.raises(ReportError):
            Tally.from_bytes(data[:position])
