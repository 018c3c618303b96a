"""The service as a process: its connections, how it listens until it is told to stop, and then ends what runs.

Say it is told to stop while an answer is drawn and three noises are being found. New requests are refused with 503.
After 4 seconds the three are ended, whose askers have paid nothing. The answer that was paid for has until 7.5 seconds
to be told; and after 9.5 seconds the process ends in any case.

The process that computing ones are forked from imports this module too, so that everything the first computation
imports and builds is there by then, once for all of them.
"""

import asyncio
import logging
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from threading import Timer
from time import monotonic
from types import FrameType
from typing import Any, ClassVar, Final, final

import h11
from uvicorn import Config, Server
from uvicorn.protocols.http.h11_impl import H11Protocol

from dalenius.calibration import calibrate
from dalenius.channel import Release
from dalenius.curator import Curator
from dalenius.errors import InputError
from dalenius.models import Households
from dalenius.noise import Geometric
from dalenius.notions import InferentialPrivacy
from dalenius.queries import Count
from dalenius.server.access import Serving
from dalenius.server.app import HEADERS, make_app
from dalenius.server.log import LibraryLog, Log
from dalenius.server.problems import Problem
from dalenius.server.request_head import StrictReader
from dalenius.server.tokens import Tokens
from dalenius.server.worker_processes import Computing


def warmed() -> None:
    """Finds the noise of a count of four people, so that what the first computation imports and builds is kept."""
    homes = Households(count=2, infected=(0.9, 0.05, 0.05))
    calibrate(Release(homes, Count(), Geometric()), [InferentialPrivacy(epsilon=0.5)])


with suppress(Exception):  # it is for speed alone
    warmed()


_LOG: Final = logging.getLogger("dalenius.server")
# Connections that are accepted at once, before any of them is looked at.
BACKLOG: Final = 100
FEWEST: Final = 16


def most_connections(wanted: int) -> int:
    """Returns as many connections as are wanted, but fewer than there may be files; wanted: as the policy has it.

    Without a file nobody is let in, and what is paid for cannot be written down. Of 1024 files, 128 and three times 100
    are for other things: 596 connections at most.
    """
    files, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    # Because some files are no connections: ledger, tables, processes.
    return max(FEWEST, min(wanted, files - 128 - 3 * BACKLOG))


@final
class Connection(H11Protocol):
    """A connection; where there are too many, the one that has said nothing for longest goes."""

    most: ClassVar[int] = FEWEST
    # Seconds within which the head of a request must have come, from the connection's begin or the last answer on.
    head: ClassVar[float] = 10.0

    # Turns to wait, and this connection's: a loop's clock stands still while it lets in many connections at once.
    _turns: ClassVar[Iterator[int]] = count()
    _turn = 0
    _timer: asyncio.TimerHandle | None = None
    conn: StrictReader

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self.conn = StrictReader()

    # Somebody opens a thousand connections and sends half a line on each: each goes after ten seconds, and the oldest
    # at once where there are too many.
    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._await_head()
        if len(self.connections) > self.most:
            self._make_room()

    def connection_lost(self, exc: Exception | None) -> None:
        """Ends its timer, whatever the error `exc`."""
        if self._timer is not None:
            self._timer.cancel()
        super().connection_lost(exc)

    def handle_events(self) -> None:
        """Stops waiting once a request's head has come."""
        super().handle_events()
        if self._answers and self._timer is not None:
            self._timer.cancel()

    def on_response_complete(self) -> None:
        """Waits anew: after an answer the next request on the same connection has as long as the first."""
        self._await_head()
        super().on_response_complete()

    def send_400_response(self, msg: str) -> None:
        """Refuses a request that was not read, and closes the connection, whatever h11's words, `msg`.

        Nobody knows where the next request begins.
        """
        # Because an answer that has begun cannot become a refusal.
        if self.conn.our_state not in (h11.IDLE, h11.SEND_RESPONSE):
            self.transport.abort()
            return
        status, said = self.conn.refused
        response = Problem(status, said, headers={"Connection": "close"}).response()
        headers = [*response.raw_headers, *((name, value) for name, value in HEADERS.items())]
        events = (
            h11.Response(status_code=status, headers=headers),
            h11.Data(data=bytes(response.body)),
            h11.EndOfMessage(),
        )
        self.transport.write(b"".join(self.conn.send(event) or b"" for event in events))
        self.transport.close()

    @property
    def _answers(self) -> bool:
        """Says whether a request is being answered: such a connection is not ended for others."""
        return self.cycle is not None and not self.cycle.response_complete

    def _await_head(self) -> None:
        """Begins to wait for the head of the next request, `head` seconds from now."""
        if self._timer is not None:
            self._timer.cancel()
        self._turn = next(self._turns)
        self._timer = self.loop.call_later(self.head, self._late)

    def _late(self) -> None:
        if not self._answers:
            self._end("said nothing in time")

    def _make_room(self) -> None:
        """Ends the connection that has waited longest; this new one, where all others are being answered."""
        idle = [each for each in self.connections if isinstance(each, Connection) and not each._answers]
        min(idle, key=lambda each: each._turn, default=self)._end("made room: there were too many")

    def _end(self, why: str) -> None:
        """Ends it at once, whatever of an answer has not been taken."""
        _LOG.warning("a connection %s", why)
        self.connections.discard(self)
        self.transport.abort()


_GRACE: Final = 4.0
_ANSWERED: Final = 7.5
_END: Final = 9.5


@final
class Gentle(Server):
    """A server that, told to stop, refuses what is new with 503 until what runs has ended, and only then closes.

    Told twice, it closes at once. After `_GRACE` seconds what is still being computed is ended: that was not paid for.
    What was paid for has until `_ANSWERED` to be told. At `_END` the process ends, whatever it waits for: a table, or a
    ledger that somebody else has locked.
    """

    def __init__(self, config: Config, serving: Serving, computing: Computing) -> None:
        super().__init__(config)
        self._serving, self._computing, self._until = serving, computing, float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stops gently at the signal `sig`, in any `frame`: uvicorn would close its door first, and die of it."""
        if self._serving.stopping:  # a second Ctrl-C, of somebody who does not want to wait
            self.should_exit = self.force_exit = True
            return
        self._serving.stopping = True
        self._until = monotonic() + _ANSWERED
        for seconds, call in ((_GRACE, self._computing.close), (_END, self._end)):
            timer = Timer(seconds, call)
            timer.daemon = True
            timer.start()

    async def on_tick(self, counter: int) -> bool:
        """Called ten times a second. Told to stop, it ends once nothing runs any more, or after `_ANSWERED` seconds."""
        if self._serving.stopping and (self._serving.is_idle or monotonic() >= self._until):
            self.should_exit = True
        return await super().on_tick(counter)

    def _end(self) -> None:
        """Ends the process; what was paid for by now, and is not drawn, is in the ledger as that."""
        self._serving.log.write(
            level="error", message="ended before all had its answer", requests=self._serving.requests
        )
        os._exit(1)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """Yields the socket at `host` and `port` at which the service will listen, as long as the block lasts.

    It is opened before the tables are, so that a port that is taken is said at once. InputError where it is, or the
    address is none of this machine's.
    """
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family, backlog=512) as found:
            yield found
    except OSError as error:
        where = f"{host}:{port}"
        raise InputError("serve", where, f"an address and a port that are free ({error.strerror or error})") from None


def run(curator: Curator, tokens: Tokens, door: socket.socket, computing: Computing) -> None:
    """Runs the API and the pages, until SIGTERM or SIGINT.

    Libraries log to the service's own log; those other than the server without their words, which may show values.

    Args:
        curator: The curator.
        tokens: The tokens, whose holders may ask.
        door: Where they listen.
        computing: The curator's processes.
    """
    log = Log()
    app = make_app(curator, tokens, log, computing.submit)
    for name, level in (("", logging.WARNING), ("uvicorn", logging.INFO)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [LibraryLog(log)], False
        logger.setLevel(level)
    Connection.most = most_connections(curator.policy.service.connections)
    config = Config(
        app,
        http=Connection,
        ws="none",
        backlog=BACKLOG,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=1,
    )
    Gentle(config, app.state.serving, computing).run([door])
