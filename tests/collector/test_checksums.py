"""Checksums of reports."""

import zlib

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tacit.collector.storage.sqlite.bundles import checksums
from tests.collector.stores import draw

TAG = bytes(range(16))


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=20), st.binary(max_size=32))
def test_equal_to_zlib(seeds: list[bytes], tag: bytes) -> None:
    """Each checksum is zlib.crc32 of tag and seed."""
    array = np.frombuffer(b"".join(seeds), np.uint8).reshape(-1, 16)
    assert checksums(array, tag).tolist() == [zlib.crc32(tag + seed) for seed in seeds]


def test_every_flipped_bit_shows() -> None:
    """Each of a seed's 128 bits changes the checksum, and no two alike."""
    (seed,) = draw(1)
    flips = np.packbits(np.eye(128, dtype=np.uint8), axis=1)
    found = checksums(np.vstack([seed, seed ^ flips]), TAG)
    assert len(np.unique(found)) == 129


def test_a_seed_of_another_study_fails() -> None:
    """The study's tag is part of what is checked."""
    seeds = draw(100)
    assert not (checksums(seeds, TAG) == checksums(seeds, TAG[::-1])).any()


def test_rows_may_lie_apart_in_memory() -> None:
    """A view with gaps is checked as its copy is."""
    seeds = draw(100)[::3]
    assert (checksums(seeds, TAG) == checksums(seeds.copy(), TAG)).all()
