"""The service as it is run: it listens, and it stops when it is told to, with nothing lost."""

import json
import signal
import socket
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic, sleep

import httpx
import pytest

from dalenius.server import Role, Tokens, tokens_beside
from tests.cli import warm
from tests.cli.command import complaint, here
from tests.curator.asking import kinds
from tests.pace import slow
from tests.server.process import policy_in, running
from tests.server.served import ASK

PATH = "/api/v1/data/measles/ask"


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


@pytest.mark.parametrize("name", ["SIGTERM", slow("SIGINT")])
def test_told_to_stop_with_nothing_to_do(tmp_path: Path, name: str) -> None:
    with running(tmp_path) as service, service.client() as client:
        assert client.get("/health").status_code == 200
        service.signal(signal.Signals[name])
        assert warm.ended(service.process) == 0
        assert "Traceback" not in service.log.read_text()


def test_a_port_that_is_taken(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    policy = policy_in(tmp_path)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        Tokens(tokens_beside(policy)).make(Role.owner, "olga", "*")
        said = complaint(here(capsys, monkeypatch, "serve", policy, "--port", str(port)))
    assert said.startswith(f"serve: 127.0.0.1:{port}, wanted an address and a port that are free (")
