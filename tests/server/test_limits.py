"""How often and how many at once.

What every request passes: slow bodies, a service that stops, work that takes too long, many at once.
"""

import asyncio
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import product
from pathlib import Path
from threading import Event
from time import monotonic, sleep
from typing import Any

import pytest
from fastapi import Request

from dalenius.curator.sqlite_file_state import SETTLED
from dalenius.server import Role, access as routes
from dalenius.server.access import Rates, request_body
from dalenius.server.app import Guard
from dalenius.server.problems import Problem
from dalenius.server.work import Late, Work
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


def run(work: Work, calls: int, whose: list[str]) -> tuple[list[str], list[object]]:
    """In which order so many calls begin, whose they are, and what comes of each."""
    begun: list[str] = []
    go = Event()

    def call(name: str) -> bool:
        begun.append(name)
        return go.wait(5)

    async def all_of_them() -> list[object]:
        tasks = [asyncio.create_task(work.run(partial(call, name), name)) for name in whose[:calls]]
        await asyncio.sleep(0.05)
        assert len(begun) <= work._threads
        go.set()
        return list(await asyncio.gather(*tasks, return_exceptions=True))

    return begun, asyncio.run(all_of_them())


def test_whoever_finds_no_thread_waits_and_is_not_refused() -> None:
    work = Work(2, 5, "test")
    assert run(work, 40, list("abcde") * 8)[1] == [True] * 40
    assert work.running == 0
    work.close()


def test_nobody_has_more_than_half_of_the_threads() -> None:
    """Whoever else comes has one at once, without waiting for what runs."""
    work = Work(4, 5, "test")
    begun, found = run(work, 6, ["a", "a", "a", "a", "a", "b"])
    assert found == [True] * 6
    assert begun[:3] == ["a", "a", "b"]
    assert work.running == 0
    work.close()


def test_who_is_late_goes_on() -> None:
    work, ended = Work(1, 0.05, "test"), Event()

    async def late() -> None:
        with pytest.raises(Late):
            await work.run(lambda: ended.wait(5), "a")
        assert work.running == 1
        ended.set()
        until = monotonic() + 5
        while work.running and monotonic() < until:
            await asyncio.sleep(0.01)
        assert work.running == 0

    asyncio.run(late())
    work.close()


def test_the_same_at_once_is_paid_for_once(served: Served) -> None:
    """By whoever clicks twice, and by two analysts."""
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda who: served.ask(who=who).json(), ["ana@measles", "bob@measles"] * 4))
    assert len({each["entry"] for each in found}) == 1
    assert [each["repeated"] for each in found].count(False) == 1
    app: Any = served.client.app
    assert not app.state.serving.asks._questions


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
    monkeypatch.setattr(routes, "BODY_SECONDS", 0.1)

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
        assert "the answer is still being computed" in late.json()["error"]["message"]
        held.execute("ROLLBACK")
        held.close()
        until = monotonic() + 20
        while (done := served.ask()).status_code == 503:
            assert monotonic() < until
            sleep(0.05)
        assert (done.status_code, done.json()["repeated"]) == (200, True)
        assert kinds(tmp_path / "ledger.sqlite").count("debit") == 2


def test_two_tokens_of_one_analyst_have_one_rate(tmp_path: Path) -> None:
    with serving(tmp_path, requests_per_minute=3) as served:
        served.tokens["ana again"], _ = served.made.make(Role.analyst, "ana", "measles")
        found = [served.get("/api/v1/data", who).status_code for who in ("ana@measles", "ana again") * 2]
        assert found == [200, 200, 200, 429]
        assert served.get("/api/v1/data", "bob@measles").status_code == 200


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


def test_a_repeat_needs_neither_thread_nor_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nobody else is answered, and the table is gone."""
    with serving(tmp_path, concurrent=1, timeout=5.0) as served:
        first = served.ask().json()
        (tmp_path / "people.csv").unlink()
        sleep(2 * SETTLED / 1e9)  # until the ledger's file is old enough to be trusted
        served.ask()
        monkeypatch.setattr(Work, "_begin", lambda self: None)
        again = served.ask()
        assert again.status_code == 200
        assert (again.json()["entry"], again.json()["repeated"]) == (first["entry"], True)
