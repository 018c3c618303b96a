"""Threads that do what takes a moment: read the ledger, open a table, put a release together.

One analyst has at most 4 of 8 threads, however much she sends. The rest of hers waits and holds no thread, and somebody
else's calls go before it.
"""

import asyncio
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar, final

from dalenius.server.fair_queue import FairQueue

_Result = TypeVar("_Result")


class Late(Exception):
    """The signal that it takes longer than anybody waits; it goes on, and the same request later gets its answer."""


async def awaited(task: "asyncio.Future[_Result]", seconds: float) -> _Result:
    """Returns what comes of a `task`; Late after so many `seconds`: it goes on to its end."""
    await asyncio.wait([task], timeout=seconds)
    if not task.done():
        raise Late
    return task.result()


@final
class Work:
    """A pool of threads, shared fairly. Called from one event loop."""

    def __init__(self, threads: int, seconds: float, name: str) -> None:
        """Takes its parts; seconds: that anybody waits for a call."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix=name)
        self._threads, self._seconds = threads, seconds
        self._taken: Counter[str] = Counter()
        self._waiting: FairQueue[tuple[Callable[[], Any], asyncio.Future[Any]]] = FairQueue()

    @property
    def running(self) -> int:
        """Counts the calls that have not ended, those that nobody waits for any more too."""
        return self._taken.total() + len(self._waiting)

    async def run(self, call: Callable[[], _Result], whose: str = "") -> _Result:
        """Returns what the `call` of `whose` returns or raises; Late after so many seconds."""
        return await awaited(self.begun(call, whose), self._seconds)

    def begun(self, call: Callable[[], _Result], whose: str = "") -> "asyncio.Future[_Result]":
        """Begins a `call` of `whose`, and returns what will come of it; nobody waits for the end here."""
        future: asyncio.Future[_Result] = asyncio.get_running_loop().create_future()
        context = copy_context()
        self._waiting.add(whose, (lambda: context.run(call), future))
        self._begin()
        return future

    def _begin(self) -> None:
        """Gives each free thread the next call."""
        most = max(1, self._threads // 2)
        while self._taken.total() < self._threads and (found := self._waiting.take(self._taken, most)) is not None:
            whose, (call, future) = found
            self._taken[whose] += 1
            running = asyncio.get_running_loop().run_in_executor(self._pool, call)
            running.add_done_callback(partial(self._ended, whose, future))

    def _ended(self, whose: str, future: "asyncio.Future[Any]", ended: "asyncio.Future[Any]") -> None:
        """Notes that a call has ended, and its thread is free."""
        self._taken[whose] -= 1
        self._taken += Counter()  # without those who have none
        passed_on(ended, future)
        self._begin()

    def close(self) -> None:
        """Closes the pool, after all calls have ended."""
        self._pool.shutdown()


def passed_on(ended: "asyncio.Future[Any]", future: "asyncio.Future[Any]") -> None:
    """Hands what came of `ended` on to a `future`; an error that nobody waits for is printed nowhere."""
    if future.done():
        return
    if ended.cancelled():
        future.cancel()
    elif (error := ended.exception()) is not None:
        future.set_exception(error)
        future.exception()
    else:
        future.set_result(ended.result())
