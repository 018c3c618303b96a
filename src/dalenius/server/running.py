"""The service as a process: it listens until it is told to stop, and then ends what runs."""

import logging
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from time import monotonic
from types import FrameType
from typing import Final, final

from uvicorn import Config, Server

from dalenius.curator import Curator
from dalenius.errors import InputError
from dalenius.server.app import make_app
from dalenius.server.computing import Computing
from dalenius.server.connections import BACKLOG, Connection, most_connections
from dalenius.server.logs import Lines, Log
from dalenius.server.serving import Serving
from dalenius.server.tokens import Tokens
from dalenius.server.web import make_router

GRACE: Final = 4.0
TOLD: Final = 7.5
END: Final = 9.5


@final
class Gentle(Server):
    """Told to stop, it refuses what is new with 503 until what runs has ended, and only then closes its door; told
    twice, it closes at once. After `GRACE` seconds what is still being computed is ended: that was not paid for. What
    was paid for has until `TOLD` to be told. At `END` the process ends, whatever it waits for: a table, or a ledger
    that somebody else has locked."""

    def __init__(self, config: Config, serving: Serving, computing: Computing) -> None:
        super().__init__(config)
        self._serving, self._computing, self._until = serving, computing, float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Instead of uvicorn's, which would close the door first, and in the end die of the signal."""
        if self._serving.stopping:
            self.should_exit = self.force_exit = True
            return
        self._serving.stopping = True
        self._until = monotonic() + TOLD
        for seconds, call in ((GRACE, self._computing.close), (END, self._end)):
            timer = Timer(seconds, call)
            timer.daemon = True
            timer.start()

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if self._serving.stopping and (self._serving.is_idle or monotonic() >= self._until):
            self._serving.leave()
            self.should_exit = True
        return await super().on_tick(counter)

    def _end(self) -> None:
        """What was paid for by now, and is not drawn, is in the ledger as that."""
        self._serving.log.write(
            level="error", message="ended before all had its answer", requests=self._serving.requests
        )
        os._exit(1)


@contextmanager
def listening(host: str, port: int) -> Iterator[socket.socket]:
    """The door, before anybody is behind it. InputError where it is taken, or the address is none of this machine's."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        with socket.create_server((host, port), family=family, backlog=512) as found:
            yield found
    except OSError as error:
        where = f"{host}:{port}"
        raise InputError("serve", where, f"an address and a port that are free ({error.strerror or error})") from None


def run(curator: Curator, tokens: Tokens, door: socket.socket, computing: Computing) -> None:
    """The API and the pages, until SIGTERM or SIGINT. computing: of the curator."""
    log = Log()
    app = make_app(curator, tokens, make_router(curator, tokens), log)
    for name, level in (("", logging.WARNING), ("uvicorn", logging.INFO)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Lines(log)], False
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
