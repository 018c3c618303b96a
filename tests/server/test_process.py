"""The service as it is run: it listens, and it stops when it is told to, with nothing lost.

`dalenius token`, and what `dalenius serve` complains of.

How long a connection may take, and how many there are.
"""

import asyncio
import json
import signal
import socket
import sqlite3
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import httpx
import pytest
from uvicorn import Config, Server

from dalenius.server import Role, Tokens, tokens_path
from dalenius.server.process import BACKLOG, FEWEST, Connection, most_connections
from tests.cli import warm
from tests.cli.command import Done, complaint, here
from tests.curator.asking import kinds
from tests.server.process import policy_in, running
from tests.server.served import ASK

PATH = "/api/v1/data/measles/ask"


@pytest.mark.lengthy
def test_told_to_stop_in_the_middle_of_an_ask(tmp_path: Path) -> None:
    """The ask that runs gets its answer, new ones get 503, and the process ends with 0."""
    with running(tmp_path) as service, service.client() as client, ThreadPoolExecutor(1) as other:
        first = client.post(PATH, json=ASK)
        assert first.status_code == 200, service.log.read_text()
        held = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None, timeout=30)
        held.execute("BEGIN IMMEDIATE")  # the ledger is somebody else's for now: the ask waits
        try:
            with service.client() as second:
                asked = other.submit(second.post, PATH, json={**ASK, "epsilon": 0.2})
                sleep(0.5)
                assert not asked.done()
                service.signal(signal.SIGTERM)
                until = monotonic() + 10
                while (late := client.post(PATH, json={**ASK, "epsilon": 0.15})).status_code == 200:
                    assert monotonic() < until
                assert (late.status_code, late.headers["retry-after"]) == (503, "10")
                assert client.get("/health").json()["status"] == "stopping"
                assert service.process.exitcode is None
                held.execute("ROLLBACK")
                done = asked.result(30)
        finally:
            held.close()
        assert done.status_code == 200
        assert warm.ended(service.process) == 0
        with pytest.raises(httpx.ConnectError):
            httpx.get(f"{service.url}/health", trust_env=False)
        assert kinds(tmp_path / "ledger.sqlite").count("answer") == 2
        log = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
        assert [line["status"] for line in log if line.get("path") == "/api/v1/data/{name}/ask"].count(200) == 2
        assert service.token not in service.log.read_text()


def test_a_port_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_in(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        Tokens(tokens_path(policy)).make(Role.owner, "olga", "*")
        said = complaint(here(capsys, monkeypatch, "serve", policy, "--port", str(port)))
    assert said.startswith(f"serve: 127.0.0.1:{port}, wanted an address and a port that are free (")


Run = Callable[..., Done]


@pytest.fixture
def run(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    policy = policy_in(tmp_path)
    return lambda command, action, *more: here(
        capsys, monkeypatch, command, *([action] if action else []), policy, *more
    )


def test_a_token_is_made_listed_and_revoked(run: Run, tmp_path: Path) -> None:
    made = run("token", "make", "--analyst", "ana", "--days", "10")
    text = made.out.strip()
    tokens = Tokens(tokens_path(tmp_path / "policy.toml"))
    found = tokens.find(text)
    assert found is not None
    assert (found.role, found.name, found.data) == (Role.analyst, "ana", "measles")
    assert found.expires - found.made == 10 * 86400
    assert "this is shown once" in made.err
    assert text not in made.err
    listed = run("token", "list")
    assert text not in listed.out
    assert all(word in listed.out for word in (found.id, "analyst", "ana", "measles"))
    assert f"token {found.id}, analyst ana" in run("token", "revoke", found.id).out
    assert tokens.find(text) is None
    assert "revoked" in run("token", "list").out


def test_what_is_wrong_is_said_in_a_line(
    run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for arguments, message in (
        ("token make", "token: missing, wanted one of --analyst, --owner and --auditor"),
        ("token make --owner a --analyst ana", "token: --analyst and --owner, wanted one of --analyst"),
        ("token make --analyst carl", "analyst: carl, wanted one of the analysts of data set 'measles': ana, bob"),
        ("token make --analyst ana --data mumps", "data: mumps, wanted one of the policy's data sets: measles"),
        ("token make --owner olga --days 0", "days: 0.0, wanted a number above 0 and at most 3650"),
        ("token revoke", "ID: missing, wanted the id of a token, as list shows it"),
        ("token revoke x", "id: x, wanted the id of a token"),
        ("token list --days 3", "--days: given, wanted nothing with list: it belongs to make"),
    ):
        assert complaint(run(*arguments.split())).startswith(message)
    assert complaint(run("serve", "", "--port", "99999")).startswith("--port: 99999, wanted a port from 0 to 65535")
    none = tmp_path / "none.toml"
    said = complaint(here(capsys, monkeypatch, "serve", none))
    assert said.startswith(f"policy: {none}, wanted a file that can be read")


def test_a_table_that_is_not_what_the_policy_says_stops_it(run: Run, tmp_path: Path) -> None:
    Tokens(tokens_path(tmp_path / "policy.toml")).make(Role.owner, "olga", "*")
    (tmp_path / "people.csv").write_text("home,place,sick\nh1,x,1\n")
    said = complaint(run("serve", "", "--port", "0"))
    assert said.startswith("data.value: ill, wanted one of the columns home, place, sick")


def test_the_extra_that_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    for name in list(sys.modules):
        if name.partition(".")[0] == "uvicorn" or name == "dalenius.server.process":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    said = complaint(run("serve", ""))
    assert said == "serve: uvicorn, wanted a package of the extra server: pip install 'dalenius[server]'"


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


@pytest.mark.lengthy
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


@pytest.mark.lengthy
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
