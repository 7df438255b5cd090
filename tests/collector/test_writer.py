"""The writer: one commit for all that waits, answers after it, errors to everyone concerned."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from tacit.collector.storage.store import Outcome, Post
from tacit.collector.web import writer as writing
from tacit.collector.web.metrics import Refusals
from tacit.collector.web.writer import BusyError, Writer
from tacit.errors import StorageError


class Recorder:
    """A store that keeps what it was given, waits when told, and fails when told."""

    def __init__(self) -> None:
        self.appended: list[int] = []
        self.refusals: dict[tuple[str, str], int] = {}
        self.failure: Exception | None = None
        self.may_go = threading.Event()
        self.may_go.set()
        self.began = threading.Event()

    def append(self, posts: Sequence[Post], day: str) -> list[Outcome]:
        """As the store does."""
        self.began.set()
        assert self.may_go.wait(timeout=60)
        if self.failure is not None:
            raise self.failure
        self.appended.append(len(posts))
        return [Outcome.STORED] * len(posts)

    def add_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        """As the store does."""
        if self.failure is not None:
            raise self.failure
        for key, count in counts.items():
            self.refusals[key] = self.refusals.get(key, 0) + count


def a_post(count: int = 1) -> Post:
    """A post of some reports."""
    return Post("study", np.zeros((count, 16), dtype=np.uint8))


def run(story: Callable[[Writer, Recorder], Awaitable[None]]) -> Recorder:
    """Tell a story to a writer, then close it."""
    store = Recorder()

    async def told() -> None:
        writer = Writer(store, Refusals())  # type: ignore[arg-type]
        await story(writer, store)
        await writer.close()

    asyncio.run(told())
    return store


def test_posts_of_one_turn_share_a_commit() -> None:
    """A hundred posts, one append."""

    async def story(writer: Writer, store: Recorder) -> None:
        outcomes = await asyncio.gather(*(writer.post(a_post()) for _ in range(100)))
        assert set(outcomes) == {Outcome.STORED}

    assert run(story).appended == [100]


def test_posts_gather_while_a_commit_is_under_way() -> None:
    """None is answered before its own commit, and those that came meanwhile share the next."""

    async def story(writer: Writer, store: Recorder) -> None:
        store.may_go.clear()
        first = writer.post(a_post())
        while not store.began.is_set():
            await asyncio.sleep(0)
        later = [writer.post(a_post()) for _ in range(5)]
        await asyncio.sleep(0)
        assert not any(future.done() for future in (first, *later))
        store.may_go.set()
        await asyncio.gather(first, *later)

    assert run(story).appended == [1, 5]


def test_a_commit_takes_no_more_than_is_quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Very many reports are split between commits, in their order."""
    monkeypatch.setattr(writing, "MOST_AT_ONCE", 10)

    async def story(writer: Writer, store: Recorder) -> None:
        await asyncio.gather(*(writer.post(a_post(4)) for _ in range(7)))
        assert writer.waiting == 0

    assert run(story).appended == [3, 3, 1]


def test_too_much_that_waits_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The post that is too much is refused; those before it are stored."""
    monkeypatch.setattr(writing, "MOST_WAITING", 10)

    async def story(writer: Writer, store: Recorder) -> None:
        taken = [writer.post(a_post(5)), writer.post(a_post(5))]
        with pytest.raises(BusyError):
            writer.post(a_post())
        await asyncio.gather(*taken)
        assert await writer.post(a_post()) is Outcome.STORED

    assert run(story).appended == [2, 1]


def test_a_failed_commit_is_told_to_everyone_in_it() -> None:
    """Not ready from then on, until storing works again."""

    async def story(writer: Writer, store: Recorder) -> None:
        store.failure = StorageError("the disk is full")
        posts = [writer.post(a_post()) for _ in range(3)]
        results = await asyncio.gather(*posts, return_exceptions=True)
        assert results == [store.failure] * 3
        assert not writer.ready
        store.failure = None
        assert await writer.post(a_post()) is Outcome.STORED
        assert writer.ready

    assert run(story).appended == [1]


def test_storing_refusals_finds_out_that_storing_works_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Nobody posts where a balancer has seen that the collector is not ready."""
    monkeypatch.setattr(writing, "FLUSH_SECONDS", 0.001)

    async def story(writer: Writer, store: Recorder) -> None:
        store.failure = StorageError("the disk is full")
        await asyncio.gather(writer.post(a_post()), return_exceptions=True)
        writer.refuse("study", "storage")
        await asyncio.gather(writer.store_refusals(), return_exceptions=True)
        assert not writer.ready
        store.failure = None
        while not writer.ready:
            await asyncio.sleep(0)

    assert run(story).refusals == {("study", "storage"): 1}


def test_an_unexpected_error_does_not_end_the_writer() -> None:
    """Whoever asked is told, the next one is served."""

    async def story(writer: Writer, store: Recorder) -> None:
        store.failure = ZeroDivisionError("a mistake")
        with pytest.raises(ZeroDivisionError):
            await writer.post(a_post())
        assert writer.ready
        store.failure = None
        assert await writer.post(a_post()) is Outcome.STORED

    run(story)


def test_changes_run_in_the_writers_thread() -> None:
    """So that nothing else changes the store meanwhile."""
    names: list[str] = []

    async def story(writer: Writer, store: Recorder) -> None:
        def change() -> int:
            names.append(threading.current_thread().name)
            return 5

        assert await writer.change(change) == 5

    run(story)
    assert names[0].startswith("tacit-writer")


def test_closing_stores_what_waits() -> None:
    """Posts and counts alike."""
    futures: list[Any] = []

    async def story(writer: Writer, store: Recorder) -> None:
        futures.extend(writer.post(a_post()) for _ in range(3))
        writer.refuse("", "rate")

    store = run(story)
    assert store.appended == [3]
    assert store.refusals == {("", "rate"): 1}
    assert all(future.result() is Outcome.STORED for future in futures)


def test_whoever_left_does_not_disturb_the_others() -> None:
    """A cancelled wait is skipped when answers are given."""

    async def story(writer: Writer, store: Recorder) -> None:
        left, stayed = writer.post(a_post()), writer.post(a_post())
        left.cancel()
        assert await stayed is Outcome.STORED

    assert run(story).appended == [2]
