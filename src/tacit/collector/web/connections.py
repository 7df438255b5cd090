"""HTTP on a connection: uvicorn's protocol, with bounds, and with replies prepared beforehand."""

import asyncio
from collections import deque
from dataclasses import dataclass, field
from functools import partial
from http import HTTPStatus as Status
from typing import Any

from tacit.collector.web.headers import Headers, rendered
from tacit.collector.web.internals import FlowControl, HttpToolsProtocol, RequestResponseCycle
from tacit.collector.web.replies import raw_error

HEAD_BYTES = 16_384
DISCARDED_BYTES = 262_144  # of a body that was refused unread; then the connection ends
OWED_SECONDS = 10.0  # for a head, and for a body
PACE_BYTES = 1_048_576  # a longer body has to bring so much in every OWED_SECONDS
TAKEN_BYTES = 16_384  # of a reply, taken in every OWED_SECONDS by whoever does not take all
MOST_PIPELINED = 100  # requests that wait for a reply before theirs
PREPARED = "tacit.prepared"  # the name of the extension in the ASGI scope

_MALFORMED = raw_error(Status.BAD_REQUEST, "this is no HTTP/1.1 request")
_LATE = raw_error(Status.REQUEST_TIMEOUT, f"a request may take {OWED_SECONDS:g} seconds")
_LONG_HEAD = raw_error(
    Status.REQUEST_HEADER_FIELDS_TOO_LARGE, f"headers may take {HEAD_BYTES:,} bytes"
)
_CROWDED = raw_error(Status.SERVICE_UNAVAILABLE, "too many connections; try again later")


@dataclass
class Shared:
    """What all connections have in common."""

    most_connections: int
    defaults: Headers = field(default_factory=list)
    rendered_defaults: bytes = b""


class OneAfterAnother(FlowControl):
    """Nothing is read while requests wait that were read already."""

    def __init__(self, transport: asyncio.Transport, waiting: deque[Any]) -> None:
        super().__init__(transport)
        self._waiting = waiting

    def resume_reading(self) -> None:
        """Asked for with every reply, and with every body that an application wants."""
        if not self._waiting:
            super().resume_reading()


class LastReply(asyncio.Transport):
    """Where the last reply of a connection goes: its end waits for the body that is on its way.

    A connection closed with bytes unread is reset, and a reset can take the reply with it.
    """

    def __init__(self, transport: asyncio.Transport, last: RequestResponseCycle) -> None:
        super().__init__()
        self._transport = transport
        self._last = last

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """As ever."""
        self._transport.write(data)

    def is_closing(self) -> bool:
        """As ever."""
        return self._transport.is_closing()

    def close(self) -> None:
        """At once where nothing is to come; else the client is told that this was all."""
        if not self._last.more_body:
            self._transport.close()
        elif self._transport.can_write_eof():
            self._transport.write_eof()


class PipelineError(Exception):
    """Too many requests came before the reply to the first; this ends their parsing."""


class BoundedProtocol(HttpToolsProtocol):
    """A cap on connections, deadlines for what a client owes, and a quick way to answer.

    A client owes the rest of a head, or of a body, from its first byte or from connecting; and it
    owes to take what it is answered. The deadlines are only armed where something is missing, so
    a request in one piece with a reply that the system takes at once costs no timer.
    """

    def __init__(self, *arguments: Any, shared: Shared, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._shared = shared
        self._deadline: asyncio.TimerHandle | None = None
        self._untaken_deadline: asyncio.TimerHandle | None = None
        self._untaken = 0  # bytes of replies when that deadline was armed
        self._running: RequestResponseCycle | None = None  # `cycle` is the one parsed last
        self._unasked = 0  # bytes of an unfinished head, or of a body that was refused
        self._arrived = 0  # bytes since the deadline was armed

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Take the connection, unless there are too many."""
        super().connection_made(transport)
        self.flow = OneAfterAnother(transport, self.pipeline)
        transport.set_write_buffer_limits(high=1, low=0)  # paused: whatever is not taken at once
        if len(self.connections) > self._shared.most_connections:
            self._end(_CROWDED)
        else:
            self._arm()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadlines with the connection, and the requests that nobody awaits."""
        self._disarm()
        self._disarm_untaken()
        self.pipeline.clear()
        if self._running is not None and not self._running.response_complete:
            self._running.disconnected = True
            self._running.message_event.set()
        super().connection_lost(exc)

    def pause_writing(self) -> None:
        """The client does not take a reply as fast as it is written."""
        super().pause_writing()
        self._arm_untaken()

    def resume_writing(self) -> None:
        """It has taken all."""
        super().resume_writing()
        self._disarm_untaken()

    def data_received(self, data: bytes) -> None:
        """Parse, then see what the client still owes."""
        before = self.cycle
        unasked = before is None or before.response_complete or not before.more_body
        super().data_received(data)
        cycle = self.cycle
        if cycle is not before:
            self._unasked = 0
        elif unasked:
            self._unasked += len(data)
            if self._unasked > (HEAD_BYTES if _head_is_due(cycle) else DISCARDED_BYTES):
                self._end(_LONG_HEAD if _head_is_due(cycle) else b"")
                return
        if cycle is not None and not cycle.more_body and not cycle.response_complete:
            if self._deadline is not None:
                self._disarm()
            return
        self._arrived += len(data)
        if self._deadline is None and not self.transport.is_closing():
            self._arm()

    def on_headers_complete(self) -> None:
        """Offer the application to send a reply prepared beforehand."""
        super().on_headers_complete()
        if not self.pipeline:
            self._running = self.cycle
        elif len(self.pipeline) > MOST_PIPELINED:
            self._end(b"")
            raise PipelineError
        if self.cycle is not None:
            self.cycle.keep_alive &= self.parser.should_keep_alive()
            if not self.cycle.keep_alive:
                self.cycle.transport = LastReply(self.transport, self.cycle)
            extensions: dict[str, Any] = {PREPARED: partial(self._reply, self.cycle)}
            self.scope["extensions"] = extensions

    def on_message_complete(self) -> None:
        """The body of a request that was the last has come, and has its reply already."""
        super().on_message_complete()
        if _was_the_last(self.cycle):
            self.transport.close()

    def on_response_complete(self) -> None:
        """The request that waited longest is the next."""
        if self.pipeline:
            self._running = self.pipeline[-1][0]
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """As every other error: in JSON, with the security headers."""
        self._end(_MALFORMED)

    def _reply(self, cycle: RequestResponseCycle, head: bytes, rest: bytes) -> bool:
        """Write a whole reply between whose parts the default headers go.

        False, and nothing is written, where uvicorn's own way has to be gone. That way checks and
        joins ten headers for every reply, which takes longer than all that is done for a report.
        """
        if not cycle.keep_alive or cycle.disconnected or self.flow.write_paused:
            return False
        shared, defaults = self._shared, self.server_state.default_headers
        if shared.defaults is not defaults:  # uvicorn makes them anew when the date changes
            shared.defaults, shared.rendered_defaults = defaults, rendered(defaults)
        self.transport.write(head + shared.rendered_defaults + rest)
        cycle.response_started = cycle.response_complete = True
        cycle.message_event.set()
        cycle.on_response()
        return True

    def _arm(self) -> None:
        self._arrived = 0
        self._deadline = self.loop.call_later(OWED_SECONDS, self._late)

    def _disarm(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def _late(self) -> None:
        self._deadline = None
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            self._end(_LATE if self._unasked else b"")
        elif cycle.more_body:
            if self._arrived >= PACE_BYTES:
                self._arm()
                return
            self._end(b"" if cycle.response_started else _LATE)
            cycle.disconnected = True  # whoever reads the body is told that there is no more
            cycle.message_event.set()

    def _arm_untaken(self) -> None:
        self._untaken = self.transport.get_write_buffer_size()
        self._untaken_deadline = self.loop.call_later(OWED_SECONDS, self._left_untaken)

    def _disarm_untaken(self) -> None:
        if self._untaken_deadline is not None:
            self._untaken_deadline.cancel()
            self._untaken_deadline = None

    def _left_untaken(self) -> None:
        if self._untaken - self.transport.get_write_buffer_size() < TAKEN_BYTES:
            self.transport.abort()
        else:
            self._arm_untaken()

    def _end(self, last_words: bytes) -> None:
        self._disarm()
        if self.flow.write_paused:
            self.transport.abort()
        elif not self.transport.is_closing():
            if not _was_the_last(self.cycle):
                self.transport.write(last_words)
            self.transport.close()


def _was_the_last(cycle: Any) -> bool:
    """Whether a request has the reply after which its connection ends."""
    return cycle is not None and cycle.response_complete and not cycle.keep_alive


def _head_is_due(cycle: Any) -> bool:
    return cycle is None or not cycle.more_body
