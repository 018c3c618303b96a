"""The service as a process: it listens until it is told to stop, and then ends what runs."""

import logging
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from types import FrameType
from typing import final

from uvicorn import Config, Server

from dalenius.curator import Curator
from dalenius.errors import InputError
from dalenius.server.app import make_app
from dalenius.server.logs import Lines, Log
from dalenius.server.serving import Serving
from dalenius.server.tokens import Tokens
from dalenius.server.web import make_router


@final
class Gentle(Server):
    """Told to stop, it refuses what is new with 503 until what runs has ended, and only then closes its door; told
    twice, it closes at once."""

    def __init__(self, config: Config, serving: Serving) -> None:
        super().__init__(config)
        self._serving, self._until = serving, float("inf")

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Instead of uvicorn's, which would close the door first, and in the end die of the signal."""
        if self._serving.stopping:
            self.should_exit = self.force_exit = True
            return
        self._serving.stopping = True
        self._until = monotonic() + self._serving.service.timeout

    async def on_tick(self, counter: int) -> bool:
        """Ten times a second."""
        if self._serving.stopping and (self._serving.is_idle or monotonic() >= self._until):
            self.should_exit = True
        return await super().on_tick(counter)


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


def run(curator: Curator, tokens: Tokens, door: socket.socket) -> None:
    """The API and the pages, until SIGTERM or SIGINT."""
    log = Log()
    app = make_app(curator, tokens, make_router(curator, tokens), log)
    for name, level in (("", logging.WARNING), ("uvicorn", logging.INFO)):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [Lines(log)], False
        logger.setLevel(level)
    config = Config(app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=5)
    Gentle(config, app.state.serving).run([door])
