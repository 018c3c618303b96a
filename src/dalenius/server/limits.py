"""How often, how much and how many at once: what a token, or an address without one, may ask of the service."""

import asyncio
from collections import Counter
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from threading import Lock
from time import monotonic
from typing import Final, TypeVar, final

Result = TypeVar("Result")

KEPT: Final = 10_000
"""Buckets that are remembered; of more the full ones are forgotten, which changes nothing, and then the oldest."""


class Busy(Exception):
    """There is no place for another call."""


class Late(Exception):
    """It takes longer than anybody waits; it goes on."""


class Stopping(Exception):
    """It was ended, or not begun, as the service is stopping."""


@final
class Rates:
    """A bucket for each key: so many requests at once, filled again evenly within a minute. Safe for threads."""

    def __init__(self, per_minute: int, clock: Callable[[], float] = monotonic, kept: int = KEPT) -> None:
        self._most, self._clock, self._kept = float(per_minute), clock, kept
        self._buckets: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def wait(self, key: str) -> float:
        """0 where a request may go on, which is then counted; else the seconds until the next one may."""
        with self._lock:
            now = self._clock()
            left = self._left(self._buckets.pop(key, (self._most, now)), now)
            allowed = left >= 1
            self._buckets[key] = (left - 1 if allowed else left, now)
            if len(self._buckets) > self._kept:
                self._forget(now)
            return 0.0 if allowed else (1 - left) * 60 / self._most

    def _left(self, bucket: tuple[float, float], now: float) -> float:
        left, then = bucket
        return min(self._most, left + max(0.0, now - then) * self._most / 60)

    def _forget(self, now: float) -> None:
        kept = {key: each for key, each in self._buckets.items() if self._left(each, now) < self._most}
        self._buckets = dict(list(kept.items())[-self._kept :])


@final
class Work:
    """A pool of threads for what takes long. As many calls as there are threads may wait for one; nobody may have more
    than half of the threads, so that there is always one for somebody else. Called from one event loop."""

    def __init__(self, threads: int, seconds: float, name: str, placeless: bool = False) -> None:
        """placeless: whether any number of calls may wait, of what is short."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._threads, self._seconds, self._placeless = threads, seconds, placeless
        self._taken: Counter[str] = Counter()
        self._waiting: set[asyncio.Future[None]] = set()

    @property
    def running(self) -> int:
        """How many calls have not ended, those that nobody waits for any more too."""
        return self._taken.total()

    async def run(self, call: Callable[[], Result], whose: str = "") -> Result:
        """What the call returns or raises. Busy where there is no place, or none for whose it is; Late after so many
        seconds: the call itself goes on to its end."""
        if not self._placeless and (self.running >= 2 * self._threads or 2 * self._taken[whose] >= self._threads):
            raise Busy
        self._taken[whose] += 1
        loop = asyncio.get_running_loop()
        future = self._pool.submit(copy_context().run, call)
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._ended, whose))
        return await self._waited(future)

    async def _waited(self, future: "Future[Result]") -> Result:
        waiting, left = asyncio.wrap_future(future), asyncio.get_running_loop().create_future()
        self._waiting.add(left)
        await asyncio.wait([waiting, left], timeout=self._seconds, return_when=asyncio.FIRST_COMPLETED)
        self._waiting.discard(left)
        if waiting.done():
            return waiting.result()
        waiting.add_done_callback(_looked_at)
        raise Late

    def leave(self) -> None:
        """Nobody waits any longer: Late for all."""
        for each in self._waiting:
            each.set_result(None)
        self._waiting.clear()

    def _ended(self, whose: str) -> None:
        self._taken[whose] -= 1
        if self._taken[whose] <= 0:
            del self._taken[whose]

    def close(self) -> None:
        """After all calls have ended."""
        self._pool.shutdown(wait=True, cancel_futures=False)


@final
class OneByOne:
    """Of threads that come with the same key one goes on at a time."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._keys: dict[Hashable, tuple[Lock, int]] = {}

    @contextmanager
    def alone(self, key: Hashable) -> Iterator[None]:
        """Until no other thread is within with this key."""
        with self._lock:
            own, there = self._keys.get(key, (Lock(), 0))
            self._keys[key] = own, there + 1
        try:
            with own:
                yield
        finally:
            with self._lock:
                there = self._keys[key][1] - 1
                if there:
                    self._keys[key] = own, there
                else:
                    del self._keys[key]


def _looked_at(future: "asyncio.Future[Result]") -> None:
    """Whatever came of a call that nobody waits for, so that asyncio does not print it."""
    if not future.cancelled():
        future.exception()
