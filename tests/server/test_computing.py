"""What is computed of an ask has a process, so much time and memory, and an end."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, sleep
from typing import Any

import pytest

from dalenius.curator import Asked, Ready, Service, TooHeavy
from dalenius.curator.ask import Public, source_of
from dalenius.errors import InputError
from dalenius.server.computing import Busy, Computing, Stopping
from dalenius.server.running import warmed
from tests.cli import warm
from tests.curator.policies import ask, policy
from tests.server.computed import KILLED, LARGE, SLOW, WRONG, computed

Made = Callable[..., Computing]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Iterator[Made]:
    # What this process forks from is one for all tests, whoever begins it.
    monkeypatch.setattr("dalenius.server.computing.LOADED", warm.IMPORTED)
    every: list[Computing] = []

    def make(**service: Any) -> Computing:
        every.append(Computing(Service(**({"processes": 2} | service)), computed))
        every[-1].warm()
        return every[-1]

    yield make
    for each in every:
        each.close()


def asked(epsilon: float, analyst: str = "ana") -> Asked:
    data = policy().data[0]
    measure = data.measures[0]
    return Asked(
        data, measure, source_of(data, measure), Public(1, {}, {}, measure.belief), ask(epsilon=epsilon), analyst
    )


def test_it_is_another_process_each_time_and_its_errors_are_ours(made: Made) -> None:
    found = made()
    places = {found(asked(0.5)).spec for _ in range(2)}
    assert len(places) == 2
    assert str(os.getpid()) not in places
    with pytest.raises(InputError, match=r"^ask\.query: count, wanted another$"):
        found(asked(WRONG))


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
    assert found(asked(0.5)).spec


def test_an_analyst_has_half_of_the_processes_and_another_is_not_kept_waiting(made: Made) -> None:
    found = made(timeout=3.0)
    found(asked(0.5))
    with ThreadPoolExecutor(4) as pool:
        slow = [pool.submit(found, asked(SLOW)) for _ in range(2)]
        _until_running(found, 1)
        assert pool.submit(found, asked(0.5, "bob")).result(2).spec
        assert sum(isinstance(each.exception(), TooHeavy | Busy) for each in slow) == 2


def test_closing_ends_what_runs_and_what_waits(made: Made) -> None:
    found = made()
    found(asked(0.5))
    with ThreadPoolExecutor(2) as pool:
        slow: list[Future[Ready]] = [pool.submit(found, asked(SLOW)) for _ in range(2)]
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
