"""Noises are found in processes of their own, which have so much time and memory and are ended after it: what an
analyst asks may take any amount of both, and costs nothing before it is paid for.

With 4 processes Ana's question that would take an hour has one of them for 20 seconds of a processor, and is then
refused as too heavy; if she sends ten of them, two are at work at once, and Bob's count is found in a third meanwhile.
"""

import resource
import signal
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from math import ceil
from multiprocessing import get_context
from os import PRIO_PROCESS, cpu_count, environ, getpid, setpriority
from threading import Condition, Timer
from typing import Final, TypeVar, final

from pebble import ProcessExpired, ProcessPool

from dalenius.curator import Inquiry, Prepared, Service, TooHeavy, ready_of

Result = TypeVar("Result")

LOADED: Final = ["dalenius.server.worker_processes", "dalenius.server.process"]


class Busy(Exception):
    """There is no place for another call."""


class Stopping(Exception):
    """It was ended, or not begun, as the service is stopping."""


@final
class Computing:
    """The processes that find noises for analysts. Called from any thread. An analyst has at most half of the
    processes; for more than that threads wait.

    compute: what is done in a process, by default what a curator does.
    """

    def __init__(self, service: Service, compute: Callable[[Inquiry], Prepared] = ready_of) -> None:
        self._service, self._compute = service, compute
        self._processes = service.processes or max(2, cpu_count() or 1)
        self._pool: ProcessPool | None = None
        self._free = Condition()
        self._taken: Counter[str] = Counter()
        self._running: set[Future[Prepared]] = set()
        self._closed = False

    def __call__(self, inquiry: Inquiry) -> Prepared:
        """What is found of it. TooHeavy where that takes more than there is; Busy where no process is free in time;
        Stopping once it is closed."""
        with self._place(f"{inquiry.data.name}/{inquiry.analyst}"):
            future = self._scheduled(inquiry)
            try:
                return future.result()
            except CancelledError:
                raise Stopping from None
            except BrokenProcessPool:  # the machine ran out of memory, and killed whom it liked
                raise Busy from None
            except (TimeoutError, MemoryError, ProcessExpired):
                raise TooHeavy(inquiry.ask.query.kind, self._given) from None
            finally:
                with self._free:
                    self._running.discard(future)

    def warm(self) -> None:
        """Starts the processes, so that nobody waits for them later."""
        with suppress(Stopping, RuntimeError):
            self._made().schedule(int)

    def close(self) -> None:
        """Ends all that is computed; who waits for it gets Stopping."""
        with self._free:
            self._closed = True
            pool, self._pool = self._pool, None
            running = list(self._running)
            self._free.notify_all()
        for each in running:
            each.cancel()
        if pool is not None:
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()

    @property
    def _given(self) -> str:
        """What a computation may take, in words, for whoever is refused."""
        return f"{self._service.computing:g} seconds of a processor and {self._service.memory:,} bytes"

    @contextmanager
    def _place(self, whose: str) -> Iterator[None]:
        """A process is free for them. Busy where none is in time; Stopping where it is closed meanwhile."""
        own = max(1, self._processes // 2)

        def free() -> bool:
            return self._closed or (self._taken[whose] < own and self._taken.total() < self._processes)

        # Ana has half of the processes already: her next question waits here, and Bob's goes on.
        with self._free:
            there = self._free.wait_for(free, self._service.timeout)
            if self._closed:
                raise Stopping
            if not there:
                raise Busy
            self._taken[whose] += 1
        try:
            yield
        finally:
            with self._free:
                self._taken[whose] -= 1
                if not self._taken[whose]:
                    del self._taken[whose]
                self._free.notify_all()

    def _scheduled(self, inquiry: Inquiry) -> "Future[Prepared]":
        """A process that dies while it has nothing to do breaks the pool: Busy then, and the next call begins
        another."""
        pool = self._made()
        try:
            given = self._compute, inquiry, self._service.computing
            future: Future[Prepared] = pool.schedule(_limited, given, timeout=self._service.timeout)
        except RuntimeError:
            with self._free:
                # Of several threads that find it broken the first lets go of it.
                if self._pool is pool:
                    self._pool = None
            pool.stop()  # type: ignore[no-untyped-call]
            pool.join()
            raise Busy from None
        with self._free:
            self._running.add(future)
            if self._closed:
                future.cancel()
        return future

    def _made(self) -> ProcessPool:
        """The pool, begun where there is none. Stopping once it is closed."""
        with self._free:
            if self._closed:
                raise Stopping
            if self._pool is None:
                environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the processes: each has one processor
                context = get_context("forkserver")  # a fork of a process with threads may hang
                context.set_forkserver_preload(LOADED)
                # Processes that have begun, for when others end: each finds one noise, so that nothing is left of it to
                # anybody.
                count, given = self._processes + 2, (self._service.memory,)
                self._pool = ProcessPool(count, max_tasks=1, initializer=_begun, initargs=given, context=context)
            return self._pool


def _begun(memory: int) -> None:
    """In the process: it is ended at once when it is to be, and has so many bytes beside those it begins with."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    with suppress(OSError, ValueError):
        _limit(resource.RLIMIT_AS, _address_space() + memory)


def _limit(which: int, most: int) -> None:
    """So much and no more, or less where the system allows only that; nothing on a system without such limits."""
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _limited(compute: Callable[[Inquiry], Prepared], inquiry: Inquiry, seconds: float) -> Prepared:
    """In the process, which the system ends once it has used so many seconds of a processor, though the service be
    gone."""
    _limit(resource.RLIMIT_CPU, ceil(seconds))
    # Seconds after which a computation lets all others go first.
    timer = Timer(1.0, setpriority, (PRIO_PROCESS, getpid(), 10))
    timer.daemon = True
    timer.start()
    return compute(inquiry)


def _address_space() -> int:
    """Bytes of addresses that this process has already, as Linux says; OSError on other systems."""
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[0]) * resource.getpagesize()
