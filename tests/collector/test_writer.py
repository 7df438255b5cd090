"""The writer: one commit for all that waits, answers after it, errors to everyone concerned."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import datetime, tzinfo
from typing import Any

import numpy as np
import pytest

from tacit.collector.storage.interface import Outcome, Post
from tacit.collector.web import writer as writing
from tacit.collector.web.metrics import Refusals
from tacit.collector.web.writer import BusyError, Writer
from tacit.errors import StorageError


class Recorder:
    """A store that keeps what it was given, waits when told, and fails when told."""

    def __init__(self) -> None:
        self.appended: list[int] = []
        self.days: list[str] = []
        self.chores: list[str] = []
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
        self.days.append(day)
        return [Outcome.STORED] * len(posts)

    def add_refusals(self, counts: Mapping[tuple[str, str], int]) -> None:
        """As the store does."""
        if self.failure is not None:
            raise self.failure
        for key, count in counts.items():
            self.refusals[key] = self.refusals.get(key, 0) + count

    def checkpoint(self) -> None:
        """As the store does."""
        self.chores.append("checkpoint")

    def compact(self) -> None:
        """As the store does."""
        if self.failure is not None:
            raise self.failure
        self.chores.append("compact")


class Clock:
    """Stands in for `datetime`, at the time it is told."""

    def __init__(self, now: str) -> None:
        self.time = datetime.fromisoformat(now)

    def now(self, zone: tzinfo) -> datetime:
        """As `datetime` does."""
        return self.time.astimezone(zone)

    def set(self, now: str) -> None:
        """Forward or back."""
        self.time = datetime.fromisoformat(now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    """The writer's clock, just before midnight."""
    made = Clock("2026-03-01T23:59:59Z")
    monkeypatch.setattr(writing, "datetime", made)
    return made


async def until(true: Callable[[], bool]) -> None:
    """Let the loop turn until something holds."""
    async with asyncio.timeout(60):
        while not true():
            await asyncio.sleep(0)


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


def test_a_clock_set_back_opens_no_day_again(clock: Clock) -> None:
    """Reports go to the later day until the clock has passed it."""

    async def story(writer: Writer, store: Recorder) -> None:
        for now in ("2026-03-02T00:00:01Z", "2026-03-01T23:30:00Z", "2026-03-03T00:00:00Z"):
            clock.set(now)
            await writer.post(a_post())

    assert run(story).days == ["2026-03-02", "2026-03-02", "2026-03-03"]


def test_a_day_is_over_once_its_last_commit_is_done(clock: Clock) -> None:
    """Whoever asks at midnight waits for the commit that began before it."""

    async def story(writer: Writer, store: Recorder) -> None:
        store.may_go.clear()
        late = writer.post(a_post())
        await until(store.began.is_set)
        clock.set("2026-03-02T00:00:00Z")
        asked = asyncio.ensure_future(writer.today())
        for _ in range(100):
            await asyncio.sleep(0)
        assert not asked.done()
        store.may_go.set()
        assert await asked == "2026-03-02"
        assert late.done()

    assert run(story).days == ["2026-03-01"]


def test_the_store_settles_when_nothing_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Once at the start and once after each burst, however long the quiet lasts."""
    monkeypatch.setattr(writing, "REST_SECONDS", 0.001)

    async def story(writer: Writer, store: Recorder) -> None:
        writer.maintain()
        for bursts in (1, 2, 3):
            await until(lambda count=bursts: store.chores.count("checkpoint") == count)  # type: ignore[misc]
            for _ in range(100):
                await asyncio.sleep(0)
            await asyncio.gather(*(writer.post(a_post()) for _ in range(10)))

    assert run(story).chores.count("checkpoint") in (3, 4)


def test_the_store_settles_under_load_too(monkeypatch: pytest.MonkeyPatch) -> None:
    """After a while it does not wait for a rest."""
    monkeypatch.setattr(writing, "REST_SECONDS", 0.001)
    monkeypatch.setattr(writing, "LOAD_SECONDS", 0.0)

    async def story(writer: Writer, store: Recorder) -> None:
        writer.maintain()
        while store.chores.count("checkpoint") < 3:
            await writer.post(a_post())

    run(story)


def test_past_days_are_tidied_when_a_day_begins(
    clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """And at the start, for days that ended meanwhile; a failure is told and ends nothing."""
    monkeypatch.setattr(writing, "REST_SECONDS", 0.001)

    async def story(writer: Writer, store: Recorder) -> None:
        writer.maintain()
        await until(lambda: store.chores == ["compact", "checkpoint"])
        store.failure = StorageError("the disk is full")
        clock.set("2026-03-02T00:00:00Z")
        await until(lambda: "the disk is full" in caplog.text)
        store.failure = None
        clock.set("2026-03-03T00:00:00Z")
        await until(lambda: store.chores.count("compact") == 2)
        await until(lambda: store.chores[-1] == "checkpoint")

    run(story)
