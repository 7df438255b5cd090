"""What tests of the store share: a small study, seeds, and a store in a file."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from tacit.collector.storage import open_store
from tacit.collector.storage.interface import Outcome, Post, Store
from tacit.collector.storage.sqlite.store import SQLiteStore
from tacit.study import Binary, Study, Tally
from tacit.study.report import Seeds
from tests.collector.memory_store import MemoryStore

DAY = "2026-03-01"
NEXT_DAY = "2026-03-02"

Open = Callable[[Path, Callable[[int], None] | None], Store]

KINDS: dict[str, Open] = {  # a new kind of store is one more line
    "sqlite": lambda folder, progress: open_store(folder / "reports.db", progress),
    "memory": MemoryStore,
}


@dataclass(frozen=True)
class Opener:
    """Opens the same store of some kind again and again, each time as another process would."""

    kind: str
    folder: Path

    def __call__(self, progress: Callable[[int], None] | None = None) -> Store:
        """The store; `progress` is told how many reports each step read."""
        return KINDS[self.kind](self.folder, progress)


@cache
def example_study(title: str = "Sleep") -> Study:
    """A study of three coefficients; another title makes another study."""
    rows = {"age": np.arange(20.0, 60.0), "smoker": np.arange(40) % 3 == 0}
    label = Binary("rested", positive="yes", negative="no")
    return Study.from_public(rows, label=label, epsilon=1.0, source="invented", title=title)


def draw(count: int, seed: int = 1) -> Seeds:
    """Seeds (count, 16) as devices might send."""
    return np.random.default_rng(seed).integers(0, 256, (count, 16), dtype=np.uint8)


def new_store(path: Path, *studies: Study, needs_code: bool = False) -> SQLiteStore:
    """A store that has the studies, or else the example."""
    store = SQLiteStore.open(path)
    for study in studies or (example_study(),):
        store.create(study, planned=None, needs_code=needs_code)
    return store


def put(store: Store, seeds: Seeds, day: str = DAY, study: Study | None = None) -> list[Outcome]:
    """Append one post."""
    return store.append([Post((study or example_study()).id, seeds)], day)


def stored_seeds(store: Store, study: Study | None = None, day: str | None = None) -> list[bytes]:
    """Every stored report, sorted."""
    pieces = store.seeds((study or example_study()).id, day)
    return sorted(seed.tobytes() for piece in pieces for seed in piece)


def tally_of(seeds: Seeds, study: Study | None = None) -> Tally:
    """The tally the seeds must have, made without a store."""
    return Tally.of(study or example_study()).add(seeds)


def as_bytes(seeds: Seeds) -> list[bytes]:
    """Sorted, to compare with what is stored."""
    return sorted(seed.tobytes() for seed in seeds)
