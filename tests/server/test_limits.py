"""How often and how many at once."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event
from time import monotonic

import pytest

from dalenius.server.computing import Busy
from dalenius.server.serving import Late, OneByOne, Rates, Work


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


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


def test_the_same_one_by_one_and_others_at_once() -> None:
    one_by_one, within, most = OneByOne(), dict.fromkeys("ab", 0), dict.fromkeys("ab", 0)
    both = Barrier(2, timeout=5)

    def go(key: str) -> None:
        with one_by_one.alone(key):
            within[key] += 1
            most[key] = max(most[key], within[key])
            both.wait()  # for one of the other key
            within[key] -= 1

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(go, "aaaabbbb"))
    assert most == {"a": 1, "b": 1}
    assert not one_by_one._keys


def test_what_is_raised_late_is_said_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    work, go = Work(1, 0.05, "test"), Event()

    def fails() -> None:
        go.wait(5)
        raise ValueError("secret 17")

    async def late() -> None:
        with pytest.raises(Late):
            await work.run(fails)
        go.set()
        await asyncio.sleep(0.1)

    asyncio.run(late())
    work.close()
    assert capfd.readouterr() == ("", "")
