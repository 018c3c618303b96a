"""How often and how many at once.

What every request passes: slow bodies, a service that stops, work that takes too long, many at once.
"""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from pathlib import Path
from threading import Barrier, Event
from time import monotonic, sleep
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import Request

from dalenius.server import access_and_limits as routes
from dalenius.server.access_and_limits import Late, Rates, Work, request_body
from dalenius.server.app import Guard
from dalenius.server.problems import Problem
from dalenius.server.worker_processes import Busy
from tests.curator.asking import Clock, kinds
from tests.server.served import ASK, Served, serving


def test_a_clock_that_goes_back_gives_nothing() -> None:
    clock = Clock()
    rates = Rates(2, clock)
    assert [rates.wait("ana"), rates.wait("ana")] == [0.0, 0.0]
    clock.now -= 100
    assert rates.wait("ana") > 0


def test_what_is_kept_is_bounded_and_who_is_spent_stays_so() -> None:
    clock = Clock()
    rates = Rates(1, clock, kept=10)
    rates.wait("ana")
    for number in range(9):
        rates.wait(f"early {number}")
    clock.now += 59
    rates.wait("ana")
    for number in range(5):
        rates.wait(f"late {number}")
    assert rates.wait("ana") > 0
    assert len(rates._buckets) <= 11


def run(work: Work, calls: int, whose: list[str]) -> tuple[list[object], Event]:
    """What comes of so many calls that wait for one event, which is set once all are there."""
    go = Event()

    async def all_of_them() -> list[object]:
        tasks = [asyncio.create_task(work.run(lambda: go.wait(5), name)) for name in whose[:calls]]
        await asyncio.sleep(0.05)
        go.set()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    return asyncio.run(all_of_them()), go


def test_there_are_so_many_places() -> None:
    work = Work(2, 5, "test")
    found, _ = run(work, 5, ["a", "b", "c", "d", "e"])
    assert found[:4] == [True] * 4
    assert isinstance(found[4], Busy)
    work.close()
    for work, calls in ((Work(1, 5, "test", placeless=True), 8), (Work(1, 5, "test"), 1)):
        assert run(work, calls, ["a"] * 8)[0] == [True] * calls
        work.close()


def test_nobody_has_more_than_half_of_the_threads() -> None:
    """Whoever else comes has one at once, without waiting for what runs."""
    work = Work(4, 5, "test")
    found, _ = run(work, 4, ["a", "a", "a", "b"])
    assert [found[0], found[1], found[3]] == [True] * 3
    assert isinstance(found[2], Busy)
    assert work.running == 0
    work.close()


def test_who_is_late_goes_on_and_keeps_the_place() -> None:
    work, ended = Work(1, 0.05, "test"), Event()

    async def late() -> None:
        with pytest.raises(Late):
            await work.run(lambda: ended.wait(5), "a")
        assert work.running == 1
        with pytest.raises(Busy):
            await work.run(lambda: None, "a")
        ended.set()
        until = monotonic() + 5
        while work.running and monotonic() < until:
            await asyncio.sleep(0.01)
        assert work.running == 0

    asyncio.run(late())
    work.close()


def test_the_same_one_by_one_and_others_at_once(served: Served) -> None:
    within, most, both = dict.fromkeys("ab", 0), dict.fromkeys("ab", 0), Barrier(2, timeout=5)

    def go(ask: Any) -> None:
        key = ask.model_dump_json()
        within[key] += 1
        most[key] = max(most[key], within[key])
        both.wait()  # for one of the other key
        within[key] -= 1

    session: Any = SimpleNamespace(data=SimpleNamespace(name="measles"), ask=go)
    app: Any = served.client.app
    with ThreadPoolExecutor(8) as pool:
        asks = [SimpleNamespace(model_dump_json=lambda key=key: key) for key in "aaaabbbb"]
        list(pool.map(lambda ask: app.state.serving.ask(session, ask), asks))
    assert most == {"a": 1, "b": 1}
    assert not app.state.serving._questions


def through(served: Served, app: Any, receive: Any, **scope: Any) -> list[Any]:
    """What is sent for a request that only the guard has looked at."""
    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    whole = {"type": "http", "method": "POST", "path": "/", "headers": [], **scope}
    layer = Guard(app, served.client.app.state.serving)  # type: ignore[attr-defined]
    asyncio.run(layer(whole, receive, send))
    return sent


def test_a_body_that_does_not_come(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(routes, "BODY_MAY_TAKE", 0.1)

    async def slowly() -> Any:
        await asyncio.sleep(0.03)
        return {"type": "http.request", "body": b"x", "more_body": True}

    scope = {"type": "http", "method": "POST", "headers": [], "app": served.client.app}
    begun = monotonic()
    with pytest.raises(Problem, match=r"the body did not come within 0\.1 seconds"):
        asyncio.run(request_body(Request(scope, slowly)))
    assert monotonic() - begun < 5


def test_what_goes_wrong_when_the_answer_has_begun(served: Served) -> None:
    async def breaks(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        raise ValueError("secret 17")

    sent = through(served, breaks, None)
    assert [message["type"] for message in sent] == ["http.response.start"]
    assert "secret" not in served.lines.getvalue()
    assert served.log[0]["error"] == "ValueError"


def test_over_https_it_stays_there(served: Served) -> None:
    async def answers(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 204, "headers": [(b"Cache-Control", b"public")]})

    for scheme in ("http", "https"):
        (sent,) = through(served, answers, None, scheme=scheme)
        heads = [name.lower() for name, _ in sent["headers"]]
        assert (b"strict-transport-security" in heads) == (scheme == "https")
        assert heads.count(b"cache-control") == 1


def test_whoever_comes_while_it_stops(served: Served) -> None:
    served.client.app.state.serving.stopping = True  # type: ignore[attr-defined]
    for done in (served.ask(), served.get("/api/v1/data", "olga"), served.get("/nowhere")):
        assert (done.status_code, done.headers["retry-after"]) == (503, "10")
    assert served.get("/health").json()["status"] == "stopping"
    assert served.get("/health").status_code == 503


def test_an_ask_that_takes_too_long_is_answered_later(tmp_path: Path) -> None:
    """It is paid for once, and nothing is lost."""
    with serving(tmp_path, timeout=0.3) as served:
        served.post("/api/v1/data/measles/estimate", ASK, "ana@measles")
        while served.ask({**ASK, "epsilon": 0.05}).status_code == 503:  # the ledger is there, the tables are open
            sleep(0.05)
        held = sqlite3.connect(tmp_path / "ledger.sqlite", isolation_level=None, timeout=30)
        held.execute("BEGIN IMMEDIATE")
        late = served.ask()
        assert (late.status_code, late.headers["retry-after"]) == (503, "30")
        assert "it is still being computed" in late.json()["error"]["message"]
        held.execute("ROLLBACK")
        held.close()
        until = monotonic() + 20
        while (done := served.ask()).status_code == 503:
            assert monotonic() < until
            sleep(0.05)
        assert (done.status_code, done.json()["repeated"]) == (200, True)
        assert kinds(tmp_path / "ledger.sqlite").count("debit") == 2


def test_a_host_that_it_is_asked_by(tmp_path: Path) -> None:
    with serving(tmp_path, hosts=("counts.example.org",)) as served:
        for host in ("localhost", "127.0.0.1:8750", "[::1]:8750", "counts.example.org", "LOCALHOST"):
            assert served.client.get("/openapi.json", headers={"Host": host}).status_code == 200


def test_a_page_whose_name_stands_for_this_machine_reads_nothing(standing: Served) -> None:
    hosts = ("evil.example:8750", "localhost.evil.example", "127.0.0.1.evil.example", "")
    for host, path in product(hosts, ("/openapi.json", "/health", "/login", "/api/v1/data")):
        done = standing.client.get(path, headers={"Host": host})
        assert (done.status_code, done.text) == (400, "Invalid host header")
        assert standing.log[-1]["status"] == 400


def test_a_repeat_needs_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where everybody else is refused, and where nothing can be computed."""
    with serving(tmp_path, concurrent=1) as served:
        first = served.ask().json()
        monkeypatch.setattr(served.client.app.state.serving.asks, "_threads", 0)  # type: ignore[attr-defined]
        assert served.ask({**ASK, "epsilon": 0.2}).status_code == 503
        again = served.ask()
        assert again.status_code == 200
        assert (again.json()["entry"], again.json()["repeated"]) == (first["entry"], True)
