"""One analyst, or anybody with sockets, tries to stop the service as it is run."""

import json
import resource
import signal
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import httpx
import pytest

from dalenius.server import Role, Tokens, tokens_beside
from tests.cli import warm
from tests.server import process
from tests.server.process import Running, running

HEAVY: Final = """
[[data]]
name = "heavy"
source = {file = "crowd.csv"}
notion = {kind = "inferential", epsilon = 3.0, delta = 1e-6}
analysts = [{name = "ana"}]

[[data.measures]]
name = "ill"
value = {column = "ill", equals = 1}
model = {kind = "households", by = "home", epidemic = {community = 0.06, household = 0.35}}
"""


@contextmanager
def heavy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Running, str]]:
    """A service with a second data set, of which fine Gaussian noise takes long, and its analyst's token."""
    rows = [f"{home},{home % 5 == 0:d}" for home in range(400) for _ in range(1 + home % 4)]
    (folder / "crowd.csv").write_text("\n".join(["home,ill", *rows]) + "\n", encoding="utf-8")
    monkeypatch.setattr(process, "POLICY", process.POLICY + HEAVY)
    with running(folder) as service:
        yield service, Tokens(tokens_beside(folder / "policy.toml")).make(Role.analyst, "ana", "heavy")[0]


def estimate(service: Running, token: str, data: str, timeout: float = 100, **terms: Any) -> httpx.Response:
    body = {"measure": "ill", "query": {"kind": "count"}, **terms}
    url = f"{service.url}/api/v1/data/{data}/estimate"
    return httpx.post(url, json=body, headers={"Authorization": f"Bearer {token}"}, timeout=timeout, trust_env=False)


def fine(number: int) -> dict[str, Any]:
    return {"noise": {"kind": "gaussian", "scale": 0.1 + number * 1e-4}}


@pytest.mark.slow
def test_eight_slow_estimates_beside_a_quick_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with heavy(tmp_path, monkeypatch) as (service, token), ThreadPoolExecutor(8) as pool:
        estimate(service, service.token, "measles", epsilon=0.2)
        slow = [pool.submit(estimate, service, token, "heavy", **fine(number)) for number in range(8)]
        sleep(1)
        for epsilon in (0.21, 0.22, 0.23):
            begun = monotonic()
            assert estimate(service, service.token, "measles", epsilon=epsilon).status_code == 200
            assert monotonic() - begun < 8
        assert httpx.get(f"{service.url}/health", trust_env=False).status_code == 200
        found = [each.result().status_code for each in slow]
        assert set(found) <= {200, 422, 503}
        assert found.count(503) >= 4  # at most half of the threads are theirs


@pytest.mark.slow
def test_told_to_stop_while_it_computes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with heavy(tmp_path, monkeypatch) as (service, token), ThreadPoolExecutor(4) as pool:
        estimate(service, service.token, "measles", epsilon=0.2)
        slow = [pool.submit(estimate, service, token, "heavy", **fine(number)) for number in range(4)]
        sleep(1)
        begun = monotonic()
        service.signal(signal.SIGTERM)
        assert warm.ended(service.process) == 0
        assert monotonic() - begun < 10
        assert {each.result().status_code for each in slow} == {503}


@pytest.mark.slow
def test_slow_sockets(tmp_path: Path) -> None:
    """As many as there may be files, and more, which never end the head of a request."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 4096), hard))
    try:
        with running(tmp_path) as service, ExitStack() as until:
            assert service.process.pid is not None
            resource.prlimit(service.process.pid, resource.RLIMIT_NOFILE, (1024, 1024))
            where = httpx.URL(service.url)
            assert where.port is not None
            for _ in range(1200):
                half = until.enter_context(socket.create_connection((where.host, where.port), timeout=10))
                half.sendall(b"GET /health HTTP/1.1\r\nHost: localhost\r\nX-a: ")
            for _ in range(5):
                begun = monotonic()
                assert httpx.get(f"{service.url}/health", trust_env=False, timeout=10).status_code == 200
                assert monotonic() - begun < 5
            sleep(12)  # longer than a head may take
            files = Path(f"/proc/{service.process.pid}/fd")
            assert len(list(files.iterdir())) < 100
            assert service.log.stat().st_size < 20_000
            logged = [json.loads(line) for line in service.log.read_text().splitlines() if line.startswith("{")]
            assert "a connection said nothing in time" in [line.get("message") for line in logged]
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
