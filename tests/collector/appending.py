"""Programs that tests run in a process of their own, to kill it or to take its disk away.

python -m tests.collector.appending forever PATH ROUND
python -m tests.collector.appending limited PATH
"""

import itertools
import resource
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from tacit.collector.storage.interface import Outcome, Post
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.errors import StorageError
from tacit.study.report import Seeds
from tests.collector.stores import DAY, draw, example_study, new_store, put, tally_of

LIMIT = 400_000  # bytes of a file


def batches(round_number: int) -> Iterator[Seeds]:
    """What a round appends: posts of 1 to 6,000 reports, without end, the same for everyone."""
    generator = np.random.default_rng(round_number)
    while True:
        count = int(6_000 ** generator.random())
        yield generator.integers(0, 256, (count, 16), dtype=np.uint8)


def append_for_ever(path: Path, round_number: int) -> None:
    """Append batches, each after a repetition of the one before; say each number once durable.

    Now and then the store is compacted and checkpointed, so that a kill may come then as well.
    """
    store = new_store(path)
    before = draw(0)
    for number, seeds in enumerate(batches(round_number)):
        study_id = example_study().id
        store.append([Post(study_id, before), Post(study_id, seeds), Post(study_id, seeds)], DAY)
        if number % 8 == 7:
            store.compact()
            store.checkpoint()
        print(number, flush=True)  # noqa: T201 - the parent reads it
        before = seeds


def append_within_a_limit(path: Path) -> None:
    """Append until files may not grow, see that nothing changed, then go on with more room."""
    store = new_store(path)
    _, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LIMIT, most))
    stored = fill(store)
    assert store.tally(example_study().id) == tally_of(stored)
    resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))
    resume(store, stored)
    store.close()


def fill(store: SQLiteStore) -> Seeds:
    """Append until the store refuses, twice; everything that was acknowledged."""
    stored = [draw(0)]
    for number in itertools.count(1):
        try:
            put(store, draw(500, number))
        except StorageError:
            break
        stored.append(draw(500, number))
    assert len(stored) > 2
    try:
        put(store, draw(60_000, number))
    except StorageError:
        return np.concatenate(stored)
    raise AssertionError("the store took reports without room for them")


def resume(store: SQLiteStore, stored: Seeds) -> None:
    """Once there is room: what was refused is stored, and everything counted once."""
    more = draw(5_000, 0)
    assert put(store, more) == put(store, stored) == [Outcome.STORED]
    expected = np.concatenate([stored, more])
    assert store.tally(example_study().id) == tally_of(expected)
    check = store.verify()
    assert (check.reports, check.quarantined, check.tallies_agree) == (len(expected), 0, True)


if __name__ == "__main__":
    if sys.argv[1] == "forever":
        append_for_ever(Path(sys.argv[2]), int(sys.argv[3]))
    else:
        append_within_a_limit(Path(sys.argv[2]))
