"""The set of reports that are stored already."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.collector.storage.sqlite.fingerprints import ReportSet, SlotTable
from tests.collector.stores import draw


@given(st.lists(st.integers(0, 400), max_size=12), st.integers(0, 2**32))
def test_contains_what_was_added(sizes: list[int], seed: int) -> None:
    """After any additions those are found and others are not."""
    seeds = draw(2 * sum(sizes), seed)
    added, others = seeds[::2], seeds[1::2]
    seen = ReportSet()
    start = 0
    for size in sizes:
        seen.add(added[start : start + size])
        start += size
    assert seen.contains(added).all()
    assert not seen.contains(others).any()


def test_growing_keeps_everything_at_every_step() -> None:
    """While a table moves to a larger one, piece by piece, nothing is lost or invented."""
    seeds = draw(60_000)
    seen, moves = ReportSet(), 0
    for start in range(0, 40_000, 250):
        seen.add(seeds[start : start + 250])
        moves += seen.moving
        assert seen.contains(seeds[: start + 250]).all()
        assert not seen.contains(seeds[40_000:]).any()
    assert moves > 0


def test_an_addition_larger_than_the_table() -> None:
    """Growth by several doublings at once, also while an earlier one is unfinished."""
    seeds = draw(200_000)
    seen = ReportSet()
    seen.add(seeds[:2_000])
    seen.add(seeds[2_000:3_000])
    seen.add(seeds[3_000:100_000])
    seen.reserve(100_000)
    seen.reserve(1_000_000)
    assert seen.contains(seeds).tolist() == [True] * 100_000 + [False] * 100_000


def test_reserving_changes_no_answer() -> None:
    """Room for more is not more."""
    seeds = draw(10_000)
    seen = ReportSet(expected=5_000)
    seen.add(seeds[:5_000])
    seen.reserve(1_000_000)
    assert seen.contains(seeds).tolist() == [True] * 5_000 + [False] * 5_000


def test_seeds_that_differ_in_one_bit_are_told_apart() -> None:
    """All 128 neighbours of a seed, and the seeds of zeros and of ones."""
    flips = np.packbits(np.eye(128, dtype=np.uint8), axis=1)
    seen = ReportSet()
    seen.add(np.zeros((1, 16), dtype=np.uint8))
    assert not seen.contains(flips).any()
    seen.add(flips)
    assert seen.contains(flips).all()
    assert not seen.contains(np.full((1, 16), 255, dtype=np.uint8)).any()


def test_two_sets_have_two_keys() -> None:
    """Whoever knows one process's fingerprints knows nothing of another's."""
    seeds = draw(1_000)
    first, second = ReportSet(), ReportSet()
    assert not (first.prepare(seeds) == second.prepare(seeds)).any()


def test_nothing_is_contained_in_an_empty_set() -> None:
    """No seeds, no answers."""
    seen = ReportSet()
    seen.add(draw(0))
    assert seen.contains(draw(0)).tolist() == []
    assert not seen.contains(draw(3)).any()


def test_a_crowded_table_wraps_around() -> None:
    """Values that all want the last slot go on from the first."""
    table = SlotTable(4)
    values = np.uint64(2**64 - 1) - np.arange(10, dtype=np.uint64)
    table.place(values)
    assert table.contains(values).all()
    assert not table.contains(values - np.uint64(10)).any()
    assert table.slots[0] != 0
