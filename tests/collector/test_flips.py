"""A bit flips anywhere in the file, most often where a page tells its own structure."""

import contextlib
from pathlib import Path

import numpy as np
import pytest

from tacit.collector.storage.interface import Post
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import StorageError
from tacit.study import Tally
from tests.collector.clients import small_study

FLIPS = 1_500
PAGE = 4096
STRUCTURE = 64  # bytes at the start of a page
STUDY = small_study()


def drawn(generator: np.random.Generator, count: int) -> Post:
    """A post of so many reports."""
    return Post(STUDY.id, generator.integers(0, 256, (count, 16), dtype=np.uint8))


def filled(path: Path, generator: np.random.Generator) -> set[bytes]:
    """A closed store with bundles of many sizes and days, and the reports in it."""
    store, sent = SQLiteStore.open(path), set()
    store.create(STUDY, planned=10, needs_code=False)
    for day in ("2024-01-01", "2024-01-02"):
        for count in (300, 1, 1_500, 40):
            post = drawn(generator, count)
            store.append([post], day)
            sent |= set(map(bytes, post.seeds))
    store.add_codes(STUDY.id, [generator.bytes(32) for _ in range(50)])
    store.close()
    return sent


def check_truth(store: SQLiteStore, sent: set[bytes]) -> None:
    """True reports, the tally of exactly these, and of any other one it is told."""
    seeds = np.concatenate(list(store.seeds(STUDY.id)))
    stored = set(map(bytes, seeds))
    assert len(stored) == len(seeds)
    assert stored <= sent
    assert store.tally(STUDY.id) == Tally.of(STUDY).add(seeds)
    missing = len(sent) - len(stored) - store.quarantined(STUDY.id)
    assert missing == store.opened.missing


@pytest.mark.assure
@pytest.mark.parametrize("near_structure", [False, True])
def test_no_flipped_bit_is_believed(tmp_path: Path, near_structure: bool) -> None:
    """What opens tells the truth at once and takes reports; all else is a storage error."""
    generator, whole, copy = np.random.default_rng(70), tmp_path / "whole.db", tmp_path / "copy.db"
    sent = filled(whole, generator)
    content = whole.read_bytes()
    for _ in range(FLIPS):
        place = int(generator.integers(len(content)))
        if near_structure:
            place = place // PAGE * PAGE + int(generator.integers(STRUCTURE))
        flipped = bytearray(content)
        flipped[place] ^= 1 << int(generator.integers(8))
        for left in tmp_path.glob("copy.db*"):
            left.unlink()
        copy.write_bytes(flipped)
        with (
            contextlib.suppress(StorageError),
            contextlib.closing(SQLiteStore.open(copy)) as store,
        ):
            check_truth(store, sent)
            store.append([drawn(generator, 3)], "2024-01-02")
