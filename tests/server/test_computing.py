"""What is computed of an ask has a process, so much time and memory, and an end.

One analyst, or anybody with sockets, tries to stop the service as it is run.
"""

import json
import os
import resource
import signal
import socket
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from time import monotonic, sleep
from typing import Any, Final

import httpx
import pytest

from dalenius.curator import Inquiry, Prepared, Priced, Service, TooHeavy, analyst_question, priced_of
from dalenius.curator.inquiry import Public
from dalenius.errors import InputError
from dalenius.models import households
from dalenius.server import Role, Tokens, tokens_path
from dalenius.server.process import warmed
from dalenius.server.worker_process import LOWEST_PRIORITY, Worker
from dalenius.server.worker_processes import Busy, Computing, Stopping
from tests.cli import warm
from tests.curator.policies import ask, policy
from tests.server import process
from tests.server.computed import BUSY, KILLED, LARGE, NICENESS, SLOW, WRONG, computed
from tests.server.process import Running, running

Made = Callable[..., Computing]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    # What this process forks from is one for all tests, whoever begins it.
    monkeypatch.setattr("dalenius.server.worker_processes.LOADED", warm.IMPORTED)
    every: list[Computing] = []

    def make(**service: Any) -> Computing:
        every.append(Computing(Service(**({"processes": 2} | service)), computed))
        every[-1].warm()
        return every[-1]

    yield make
    for each in every:
        each.close()


def asked(epsilon: float, analyst: str = "ana") -> Inquiry:
    data = policy().data[0]
    measure = data.measures[0]
    return Inquiry(data, measure, Public(1, {}, {}, measure.model), ask(epsilon=epsilon), analyst)


def test_it_is_another_process_which_lives_on_and_its_errors_are_ours(made: Made) -> None:
    found = made()
    places = {found(asked(0.5, analyst)).advised for analyst in ("ana", "bob", "ana", "bob")}
    assert len(places) <= 2
    assert str(os.getpid()) not in places
    with pytest.raises(InputError, match=r"^ask\.query: count, wanted another$"):
        found(asked(WRONG))


@pytest.mark.lengthy
def test_nobody_is_refused_while_the_first_process_starts(made: Made, monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process needs is loaded once, and takes longer than anybody may wait."""

    def slowly(*arguments: Any) -> Worker:
        sleep(0.6)
        return Worker(*arguments)

    monkeypatch.setattr("dalenius.server.worker_processes.Worker", slowly)
    assert made(timeout=1.0)(asked(0.5)).advised


@pytest.mark.lengthy
def test_what_is_too_heavy_says_what_there_is_and_the_next_is_computed(made: Made) -> None:
    """Too long, too large, or ended by whoever it was."""
    found = made(timeout=1.0, memory=2**28, computing=20.0)
    words = (
        r"^ask\.query: count, wanted a question whose noise is found within 20 seconds of a processor and 268,435,456"
    )
    for epsilon in (SLOW, LARGE, KILLED):
        begun = monotonic()
        with pytest.raises(TooHeavy, match=words):
            found(asked(epsilon))
        assert monotonic() - begun < 10
    assert found(asked(0.5)).advised


def test_a_used_process_finds_what_a_new_one_does() -> None:
    """To the last digit, whoever asked what before."""
    data = policy().data[0]
    measure = data.measures[0]
    homes: dict[tuple[tuple[str, int], ...], int] = {(("", size),): 9 * size for size in range(1, 5)}
    of = measure.model.with_compositions(homes)  # type: ignore[attr-defined]
    public = Public(270, {"": 270}, homes, of)

    def found(epsilon: float) -> Priced:
        priced = priced_of(Inquiry(data, measure, public, ask(epsilon=epsilon), "ana"))
        assert isinstance(priced, Priced)
        return priced

    new = found(0.3)
    for cached in (analyst_question._bare, households._kept_joints):
        cached.cache_clear()
    for epsilon in (0.1, 0.7):
        found(epsilon)
    used = found(0.3)
    assert (used.calibration, used.cost, used.advised) == (new.calibration, new.cost, new.advised)


def test_what_a_used_process_has_no_memory_for_a_new_one_computes(made: Made, tmp_path: Path) -> None:
    found = made(memory=2**28, processes=2)
    assert found(asked(0.5)).advised
    with pytest.raises(TooHeavy):
        found(asked(LARGE))
    assert found(asked(0.5)).advised


@pytest.mark.lengthy
def test_an_analyst_has_half_of_the_processes_and_another_is_not_kept_waiting(made: Made) -> None:
    found = made(timeout=2.0)
    found(asked(0.5))
    with ThreadPoolExecutor(4) as pool:
        slow = [pool.submit(found, asked(SLOW)) for _ in range(2)]
        _until_running(found, 1)
        assert pool.submit(found, asked(0.5, "bob")).result(2).advised
        assert sum(isinstance(each.exception(), TooHeavy | Busy) for each in slow) == 2


@pytest.mark.lengthy
def test_after_a_heavy_question_the_analyst_s_next_one_lets_all_others_go_first(made: Made) -> None:
    computing = made(computing=1.0)
    with pytest.raises(TooHeavy):
        computing(asked(BUSY, "ana"))
    first, second, other = (computing(asked(NICENESS, name)).advised for name in ("ana", "ana", "bob"))
    own = str(os.nice(0))
    assert (first, second, other) == (str(max(os.nice(0), LOWEST_PRIORITY)), own, own)


def test_closing_ends_what_runs_and_what_waits(made: Made) -> None:
    found = made()
    found(asked(0.5))
    with ThreadPoolExecutor(2) as pool:
        slow: list[Future[Prepared]] = [pool.submit(found, asked(SLOW)) for _ in range(2)]
        _until_running(found, 1)
        begun = monotonic()
        found.close()
        assert [type(each.exception()) for each in slow] == [Stopping, Stopping]
        assert monotonic() - begun < 5
    with pytest.raises(Stopping):
        found(asked(0.5))


def _until_running(found: Computing, many: int) -> None:
    until = monotonic() + 10
    while len(found._running) < many and monotonic() < until:
        sleep(0.01)
    assert len(found._running) == many


def test_what_warms_them_does_its_work() -> None:
    """What goes wrong there is passed over in the service: it would be slower, and nobody would see why."""
    warmed()


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
        yield service, Tokens(tokens_path(folder / "policy.toml")).make(Role.analyst, "ana", "heavy")[0]


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
        # Each waits for a place and then has its time: none is refused because the service is busy.
        assert set(found) <= {200, 422}


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
        found = [each.result().status_code for each in slow]
        # One may have been found within the second.
        assert set(found) <= {200, 503}
        assert found.count(503) >= 2


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
