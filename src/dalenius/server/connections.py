"""Connections: how long one may take to say what it wants, and how many there are. uvicorn bounds how large the head of
a request is and how long nothing may come after an answer, and not how slowly a head comes."""

import asyncio
import logging
import resource
from typing import ClassVar, Final, final

from uvicorn.protocols.http.h11_impl import H11Protocol

LOG: Final = logging.getLogger("dalenius.server")
HEAD: Final = 10.0
"""Seconds within which the head of a request must have come, from the connection's begin or the last answer on."""
TAKEN: Final = 30.0
"""Seconds within which what was sent must have been taken."""
BACKLOG: Final = 100
"""Connections that are accepted at once, before any of them is looked at."""
OTHERS: Final = 128
"""Files that are no connections: ledger, tables, processes."""
FEWEST: Final = 16


def most_connections(wanted: int) -> int:
    """As many as are wanted, but fewer than there may be files: where there is none left, nobody is let in, and what is
    paid for cannot be written down."""
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return max(FEWEST, min(wanted, files - OTHERS - 3 * BACKLOG))


@final
class Connection(H11Protocol):
    """Where there are too many, the one that has said nothing for longest goes, so that whoever speaks gets in."""

    most: ClassVar[int] = FEWEST
    head: ClassVar[float] = HEAD
    taken: ClassVar[float] = TAKEN

    _since = 0.0
    _timer: asyncio.TimerHandle | None = None
    _full: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._timer, self._full):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        super().handle_events()
        if self._answers and self._timer is not None:
            self._timer.cancel()

    def on_response_complete(self) -> None:
        self._await_head()
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._full = self.loop.call_later(self.taken, self._end, "did not take its answer in time")

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._full is not None:
            self._full.cancel()

    @property
    def _answers(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._since = self.loop.time()
        self._timer = self.loop.call_later(self.head, self._late)

    def _late(self) -> None:
        if not self._answers:
            self._end("said nothing in time")

    def _make_room(self) -> None:
        idle = [each for each in self.connections if isinstance(each, Connection) and not each._answers]
        min(idle, key=lambda each: each._since, default=self)._end("made room: there were too many")

    def _end(self, why: str) -> None:
        """At once, whatever of an answer has not been taken."""
        LOG.warning("a connection %s", why)
        self.connections.discard(self)
        self.transport.abort()
