"""How long a connection may take, and how many there are."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pytest
from uvicorn import Config, Server

from dalenius.server.running import BACKLOG, FEWEST, Connection, most_connections

HALF = b"GET / HTTP/1.1\r\nHost: x\r\nX-a: "
WHOLE = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


async def app(scope: Any, receive: Any, send: Any) -> None:
    if scope["path"] == "/slow":
        await asyncio.sleep(0.6)
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@pytest.fixture
def port(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Of a server that has room for four."""
    monkeypatch.setattr(Connection, "most", 4)
    monkeypatch.setattr(Connection, "head", 0.3)
    with socket.create_server(("127.0.0.1", 0)) as door:
        config = Config(app, http=Connection, ws="none", lifespan="off", log_config=None, access_log=False)
        server = Server(config)
        thread = Thread(target=lambda: asyncio.run(server.serve([door])))
        thread.start()
        while not server.started:
            sleep(0.01)
        yield door.getsockname()[1]
        server.should_exit = True
        thread.join()


def opened(port: int, sent: bytes) -> socket.socket:
    found = socket.create_connection(("127.0.0.1", port), timeout=5)
    found.sendall(sent)
    return found


def ended(found: socket.socket) -> bool:
    """Whether it is, after whatever comes; TimeoutError where it is not."""
    try:
        while found.recv(4096):
            pass
    except ConnectionError:
        pass
    return True


def test_a_head_must_come_in_time(port: int) -> None:
    for sent in (b"", HALF):
        begun = monotonic()
        with opened(port, sent) as half:
            assert ended(half)
        assert 0.2 < monotonic() - begun < 3


def test_so_must_the_next_one_however_it_dribbles(port: int) -> None:
    """uvicorn's own limit between two requests ends with the first byte that comes."""
    begun = monotonic()
    with opened(port, WHOLE) as one:
        assert one.recv(4096).startswith(b"HTTP/1.1 200")
        one.sendall(HALF)
        assert ended(one)
    assert monotonic() - begun < 3


def test_an_answer_may_take_longer(port: int) -> None:
    with opened(port, WHOLE.replace(b"/ ", b"/slow ", 1)) as one:
        assert one.recv(4096).startswith(b"HTTP/1.1 200")


def test_whoever_speaks_gets_in_and_who_said_nothing_for_longest_goes(port: int) -> None:
    with ExitStack() as until:
        silent = [until.enter_context(opened(port, HALF)) for _ in range(20)]
        with opened(port, WHOLE) as one:
            assert one.recv(4096).startswith(b"HTTP/1.1 200")
        assert ended(silent[0])


def test_there_are_fewer_connections_than_files(monkeypatch: pytest.MonkeyPatch) -> None:
    for files, most in ((1024, 596), (100_000, 1000), (64, FEWEST)):
        monkeypatch.setattr("resource.getrlimit", lambda _, files=files: (files, files))
        assert most_connections(1000) == most
    assert 596 + 3 * BACKLOG < 1024
