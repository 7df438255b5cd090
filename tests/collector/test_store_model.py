"""The store against a model of plain dictionaries, under any sequence of calls."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    rule,
    run_state_machine_as_test,
)

from tacit.collector.storage.interface import Outcome, Post, Verification
from tests.collector.stores import (
    DAY,
    KINDS,
    NEXT_DAY,
    Opener,
    draw,
    example_study,
    stored_seeds,
    tally_of,
)

STUDIES = [example_study("open to all"), example_study("by code"), example_study("never created")]
SEEDS = draw(12)
CODES = [bytes([number]) * 32 for number in range(5)]

posts = st.lists(
    st.tuples(
        st.sampled_from(range(3)),
        st.lists(st.sampled_from(range(len(SEEDS))), max_size=4),
        st.none() | st.sampled_from(CODES),
    ),
    max_size=6,
)


class StoreModel(RuleBasedStateMachine):
    """Studies 0 and 1 exist; study 1 needs codes."""

    kind = "sqlite"

    @initialize()
    def make(self) -> None:
        """An empty store, and its model."""
        self.directory = tempfile.TemporaryDirectory()
        self.open_store = Opener(self.kind, Path(self.directory.name))
        self.store = self.open_store()
        for number in (0, 1):
            self.store.create(STUDIES[number], planned=None, needs_code=number == 1)
        self.days: list[dict[int, str]] = [{}, {}]
        self.open = [True, True]
        self.codes: set[bytes] = set()

    @rule(codes=st.lists(st.sampled_from(CODES), max_size=3))
    def add_codes(self, codes: list[bytes]) -> None:
        """Codes, some of which may be there."""
        self.store.add_codes(STUDIES[1].id, codes)
        self.codes |= set(codes)

    @rule(number=st.sampled_from([0, 1]))
    def close_study(self, number: int) -> None:
        """Closing twice is closing once."""
        self.store.close_study(STUDIES[number].id)
        self.open[number] = False

    @rule()
    def reopen(self) -> None:
        """Everything is read back from disk."""
        self.store.close()
        self.store = self.open_store()
        stored = sum(len(days) for days in self.days)
        assert self.store.opened == Verification(stored, 0, 0, True)

    @rule()
    def compact(self) -> None:
        """Neither compacting nor checkpoints changes what is stored."""
        self.store.compact()
        self.store.checkpoint()

    @rule(sent=posts, day=st.sampled_from([DAY, NEXT_DAY]))
    def append(self, sent: list[tuple[int, list[int], bytes | None]], day: str) -> None:
        """Outcomes are those of the model, post by post."""
        made = [Post(STUDIES[number].id, SEEDS[which], code) for number, which, code in sent]
        expected = [self.expect(number, which, code, day) for number, which, code in sent]
        assert self.store.append(made, day) == expected

    def expect(self, number: int, which: list[int], code: bytes | None, day: str) -> Outcome:
        """The rules, one post at a time."""
        if number == 2:
            return Outcome.UNKNOWN_STUDY
        if not self.open[number]:
            return Outcome.CLOSED
        known = self.days[number]
        if all(seed in known for seed in which):
            return Outcome.STORED
        if number == 1 and code is None:
            return Outcome.NO_CODE
        if number == 1 and (len(which) != 1 or code not in self.codes):
            return Outcome.BAD_CODE
        if number == 1:
            self.codes -= {code}
        for seed in which:
            known.setdefault(seed, day)
        return Outcome.STORED

    @invariant()
    def holds_what_the_model_holds(self) -> None:
        """Reports, tallies and days agree."""
        for study, days in zip(STUDIES, self.days, strict=False):
            for day in (None, DAY, NEXT_DAY):
                seeds = SEEDS[[seed for seed, at in days.items() if day in (None, at)]]
                assert stored_seeds(self.store, study, day) == sorted(map(bytes, seeds))
                assert self.store.tally(study.id, day) == tally_of(seeds, study)
            found = {segment.day: segment.count for segment in self.store.segments(study.id)}
            values, counts = np.unique(list(days.values()), return_counts=True)
            assert found == dict(zip(values.tolist(), counts.tolist(), strict=True))

    def teardown(self) -> None:
        """Close, look at everything once more, and tidy up."""
        if hasattr(self, "store"):
            stored = sum(len(days) for days in self.days)
            assert self.store.verify() == Verification(stored, 0, 0, True)
            self.store.close()
            self.directory.cleanup()


@pytest.mark.parametrize("kind", KINDS)
def test_any_sequence_of_calls(kind: str) -> None:
    """Every kind of store holds what the model holds."""

    class OfKind(StoreModel):
        pass

    OfKind.kind = kind
    run_state_machine_as_test(
        OfKind, settings=settings(max_examples=30, stateful_step_count=20, deadline=None)
    )
