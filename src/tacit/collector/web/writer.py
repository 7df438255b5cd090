"""The one writer: gathers what waits into one commit, and answers only after it.

Everything but the commit itself happens in the event loop. While one commit is on its way to the
disk the next one gathers; nothing that is posted ever waits for a timer.
"""

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from time import perf_counter
from typing import Any, TypeVar

from tacit.collector.storage.interface import Outcome, Post, Store
from tacit.collector.web.metrics import Commits, Refusals
from tacit.errors import StorageError

MOST_WAITING = 500_000  # reports; beyond it a post is refused instead of queued
MOST_AT_ONCE = 100_000  # reports in one commit, so that none takes long
ENOUGH_POSTS = 512
FLUSH_SECONDS = 2.0
REST_SECONDS = 1.0  # without anything new, after which there is a checkpoint
LOAD_SECONDS = 60.0  # after which there is one anyhow: there was no rest, or somebody read

_log = logging.getLogger("tacit.collector")

Value = TypeVar("Value")
_Waiting = tuple[Post, asyncio.Future[Outcome]]
_Change = tuple[Callable[[], Any], asyncio.Future[Any]]


class BusyError(Exception):
    """Too many reports wait to be stored."""


class Writer:
    """The only one to change the store. Its methods are for the event loop's thread."""

    def __init__(self, store: Store, refusals: Refusals) -> None:
        self.ready = True
        self.waiting = 0
        self.commits = Commits()
        self._store = store
        self._refusals = refusals
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="tacit-writer")
        self._posts: list[_Waiting] = []
        self._changes: list[_Change] = []
        self._pump: asyncio.Task[None] | None = None
        self._flush: asyncio.TimerHandle | None = None
        self._maintenance: asyncio.Task[None] | None = None
        self._rounds = 0
        self._day = ""

    def maintain(self) -> None:
        """From now on checkpoint the store when nothing comes, and compact it after each day."""
        self._maintenance = asyncio.get_running_loop().create_task(self._maintain())

    def post(self, post: Post) -> asyncio.Future[Outcome]:
        """What becomes of a post, known once it is durable; `StorageError` if it cannot be."""
        self.waiting += len(post.seeds)
        if self.waiting > MOST_WAITING:
            self.waiting -= len(post.seeds)
            raise BusyError
        future: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()
        self._posts.append((post, future))
        self._wake()
        return future

    def change(self, action: Callable[[], Value]) -> asyncio.Future[Value]:
        """The result of anything else that changes the store, run in the writer's thread."""
        future: asyncio.Future[Value] = asyncio.get_running_loop().create_future()
        self._changes.append((action, future))
        self._wake()
        return future

    async def today(self) -> str:
        """The day (UTC) that reports get from now on; those of earlier days are all stored."""
        day = self._today()
        await self.change(lambda: None)  # comes after the commit that may be under way
        return day

    def refuse(self, study_id: str, reason: str) -> None:
        """Count a refusal; it is stored a little later, with those that follow."""
        self._refusals.count(study_id, reason)
        if self._flush is None:
            loop = asyncio.get_running_loop()
            self._flush = loop.call_later(FLUSH_SECONDS, self.store_refusals)

    def store_refusals(self) -> asyncio.Future[None]:
        """Store the counts now; if that fails, again a little later.

        After a failure this is also what finds out that storing works again.
        """
        self._cancel_flush()
        counts = self._refusals.take()
        stored = self.change(lambda: self._store.add_refusals(counts) if counts else None)
        stored.add_done_callback(lambda done: self._refusals_stored(done, counts))
        return stored

    async def close(self) -> None:
        """Store what waits, and end the thread."""
        if self._maintenance is not None:
            self._maintenance.cancel()
        self._cancel_flush()
        await asyncio.gather(self.store_refusals(), return_exceptions=True)
        while self._pump is not None:
            await self._pump
        self._cancel_flush()
        self._thread.shutdown()

    def _wake(self) -> None:
        """The pump starts with the next turn of the loop, and so takes all of this one."""
        if self._pump is None:
            self._pump = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            while self._posts or self._changes:
                await self._until_no_more_come()
                posts, changes = self._gathered(), self._changes
                self._changes = []
                if posts:
                    append = partial(self._append, posts, self._today())
                    _deliver(posts, await self._in_thread(append))
                for action, future in changes:
                    _resolve(future, await self._in_thread(action))
                self._rounds += 1
        finally:
            self._pump = None

    async def _maintain(self) -> None:
        """Looks now and then, so that a post sets no timer; the first look always checkpoints."""
        clock = asyncio.get_running_loop().time
        seen, checkpointed, checkpointed_at, compacted = 0, -1, clock(), ""
        while True:
            await asyncio.sleep(REST_SECONDS)
            if compacted != self._today():
                compacted = self._today()
                failure = await self._in_thread(self._store.compact)
                if failure is not None:
                    _log.error("past days keep the order of their commits: %s", failure)
                self._rounds += 1
            seen, rested = self._rounds, seen == self._rounds
            if (rested and seen != checkpointed) or clock() - checkpointed_at >= LOAD_SECONDS:
                await self._in_thread(self._store.checkpoint)
                checkpointed, checkpointed_at = seen, clock()

    async def _in_thread(self, action: Callable[[], Value]) -> Value | Exception:
        return await asyncio.get_running_loop().run_in_executor(self._thread, _tried, action)

    def _today(self) -> str:
        """A clock that is set back does not open a day again that was over."""
        self._day = max(self._day, datetime.now(UTC).date().isoformat())
        return self._day

    async def _until_no_more_come(self) -> None:
        """A commit costs much the same for one report as for a hundred.

        So turns of the loop that bring more posts come first; the first that brings none, or
        enough posts, ends the waiting.
        """
        before = 0
        while before < len(self._posts) < ENOUGH_POSTS:
            before = len(self._posts)
            await asyncio.sleep(0)

    def _gathered(self) -> list[_Waiting]:
        """What goes into the next commit: everything, unless that is very much."""
        reports = place = 0
        if self.waiting <= MOST_AT_ONCE:
            place = len(self._posts)
            reports = self.waiting
        else:
            while place < len(self._posts) and reports < MOST_AT_ONCE:
                reports += len(self._posts[place][0].seeds)
                place += 1
        taken, self._posts = self._posts[:place], self._posts[place:]
        self.waiting -= reports
        return taken

    def _append(self, posts: list[_Waiting], day: str) -> list[Outcome] | Exception:
        """In the writer's thread."""
        began = perf_counter()
        outcomes = _tried(lambda: self._store.append([post for post, _ in posts], day))
        self.commits.add(perf_counter() - began)
        if isinstance(outcomes, StorageError):
            if self.ready:
                _log.error("reports cannot be stored: %s", outcomes)
            self.ready = False
        elif not isinstance(outcomes, Exception):
            self.ready = True
        return outcomes

    def _refusals_stored(self, done: asyncio.Future[None], counts: Any) -> None:
        if done.cancelled():
            return
        if done.exception() is None:
            self.ready = self.ready or bool(counts)
            return
        self._refusals.give_back(counts)
        if self._flush is None:
            self._flush = done.get_loop().call_later(FLUSH_SECONDS, self.store_refusals)

    def _cancel_flush(self) -> None:
        if self._flush is not None:
            self._flush.cancel()
            self._flush = None


def _tried(action: Callable[[], Value]) -> Value | Exception:
    """The writer outlives whatever goes wrong; whoever asked is told."""
    try:
        return action()
    except Exception as error:
        return error


def _deliver(posts: list[_Waiting], outcomes: list[Outcome] | Exception) -> None:
    each = [outcomes] * len(posts) if isinstance(outcomes, Exception) else outcomes
    for (_, future), outcome in zip(posts, each, strict=True):
        _resolve(future, outcome)


def _resolve(future: asyncio.Future[Any], result: Any) -> None:
    if future.done():  # whoever asked has left
        return
    if isinstance(result, Exception):
        future.set_exception(result)
    else:
        future.set_result(result)
