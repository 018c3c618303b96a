"""Processes in which noises are found, for a service whose analysts may ask what takes any time and memory.

Each noise may take so much of both, and then its process is ended: a question costs nothing before it is paid for. Take
4 processes, and a question of Ana's that would take an hour. It has one process for 20 seconds of a processor, and is
then refused as too heavy. If she sends ten such questions, two are at work at once, and Bob's count is found in a third
process meanwhile. A computation of more than a second goes on beside the others, in as many processes again, and lets
them go first. So does her next question from its begin, until one of hers takes less.

The processes live on: the next question finds the laws of the same people computed. They are shared by analysts, as is
what was found: noise hangs on the policy, the question and what is public, and on nothing that anybody asked before.
"""

from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, InvalidStateError
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import Pipe, get_context
from multiprocessing.connection import wait
from os import cpu_count, environ
from signal import SIGXCPU
from threading import Lock, Thread
from time import monotonic
from typing import Any, Final, final

from dalenius.curator import Inquiry, Service, TooHeavy, priced_of
from dalenius.server.fair_queue import FairQueue
from dalenius.server.limits import WAITING_QUESTIONS
from dalenius.server.worker_process import SLOW_SECONDS, Worker

LOADED: Final = ["dalenius.server.worker_processes", "dalenius.server.process"]


class Busy(Exception):
    """The refusal of another call, for which there is no place."""


class Stopping(Exception):
    """The signal that a call was ended, or not begun, as the service is stopping."""


@final
@dataclass(eq=False)
class _Job:
    """One question: whose it is, since when it waits, and what comes of it."""

    inquiry: Inquiry
    whose: str
    since: float
    future: "Future[Any]" = field(default_factory=Future)


@final
class Computing:
    """The processes that find noises for analysts. Safe for threads.

    An analyst has at most half of the processes; more questions than that wait, and hold nothing. A process that
    becomes free goes to the analyst who has least, and among those to the one who has waited longest.

    compute: what is done in a process, by default what a curator does.
    """

    def __init__(self, service: Service, compute: Callable[[Inquiry], Any] = priced_of) -> None:
        self._service, self._compute = service, compute
        self._processes = service.processes or max(2, cpu_count() or 1)
        self._lock = Lock()
        self._waiting: FairQueue[_Job] = FairQueue()
        self._running: dict[Worker, _Job] = {}
        self._idle: list[Worker] = []
        # Analysts whose last question took long: their next one lets all others go first from its begin.
        self._heavy: set[str] = set()
        self._closed = False
        self._ready = 0.0
        self._thread: Thread | None = None
        self._bell, self._ring = Pipe(duplex=False)

    def __call__(self, inquiry: Inquiry) -> Any:
        """Returns what is found of an inquiry.

        TooHeavy where that takes more than there is; Busy where no process is free in time; Stopping once it is closed.
        """
        return self.submit(inquiry).result()

    def submit(self, inquiry: Inquiry) -> "Future[Any]":
        """Begins an `inquiry`, and returns what will be found; nobody waits for the end here."""
        whose = f"{inquiry.data.name}/{inquiry.analyst}"
        job = _Job(inquiry, whose, monotonic())
        with self._lock:
            if self._closed:
                job.future.set_exception(Stopping())
            elif self._waiting.of(whose) >= WAITING_QUESTIONS:
                job.future.set_exception(Busy())
            else:
                self._waiting.add(whose, job)
                self._begin()
        return job.future

    def warm(self) -> None:
        """Starts the processes, so that nobody waits for them later."""
        with self._lock:
            if not self._closed:
                self._begin()

    def close(self) -> None:
        """Ends all that is computed; calls that wait for it get Stopping."""
        with self._lock:
            self._closed, thread = True, self._thread
            if thread is not None:
                self._ring.send_bytes(b"!")
        if thread is not None:
            thread.join()

    def _begin(self) -> None:
        """Wakes the thread that looks after the processes, or starts it; for the thread that holds the lock."""
        if self._thread is None:
            environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # of the processes: each has one processor
            self._thread = Thread(target=self._attend, name="noises", daemon=True)
            self._thread.start()
        elif not self._bell.poll():
            self._ring.send_bytes(b"!")

    def _attend(self) -> None:
        """Hands questions to processes, and what these find to their askers, until it is closed."""
        context = get_context("forkserver")  # a fork of a process with threads may hang
        context.set_forkserver_preload(LOADED)

        def make() -> Worker:
            return Worker(context, self._service, self._compute)

        while not self._closed:
            # Without memory none is begun now; the call that waits for it is told below.
            with suppress(OSError):
                while len(self._idle) + len(self._running) < self._processes:
                    self._idle.append(make())
            # Because loading what the first ones need may take long, nobody is refused for that.
            self._ready = self._ready or monotonic()
            while (job := self._next()) is not None:
                self._start(job, make)
            for connection in wait([self._bell, *(worker.connection for worker in self._running)], self._patience()):
                if connection is self._bell:
                    self._bell.recv_bytes()
            self._look_round(make)
        for worker in [*self._idle, *self._running]:
            worker.end()
        for job in [*self._running.values(), *self._waiting]:
            _fail(job.future, Stopping())

    def _next(self) -> _Job | None:
        """Returns the next question that may have a process now; one that has waited too long is refused."""
        taken = Counter(job.whose for job in self._running.values())
        slow = min(self._processes, sum(worker.is_slow for worker in self._running))
        with self._lock:
            for job in [each for each in self._waiting if self._until(each) <= monotonic()]:
                self._waiting.discard(job.whose, job)
                _fail(job.future, Busy())
            if len(self._running) - slow >= self._processes:
                return None
            found = self._waiting.take(taken, max(1, self._processes // 2))
        return None if found is None else found[1]

    def _until(self, job: _Job) -> float:
        """Returns the time at which it has waited too long for a process, since there may have been one."""
        return max(job.since, self._ready) + self._service.timeout

    def _start(self, job: _Job, make: Callable[[], Worker], new: bool = False) -> None:
        """Gives the question to a process; new: to one that has found nothing yet."""
        while True:
            try:
                worker = self._idle.pop() if self._idle and not new else make()
            except OSError:  # there is no memory for a process
                _fail(job.future, Busy())
                return
            # Because one that has ended meanwhile, as the machine ran out of memory, takes no question.
            try:
                worker.begin(job.inquiry)
            except OSError:
                worker.end()
            else:
                self._running[worker] = job
                if job.whose in self._heavy:
                    worker.lower_now()
                return

    def _patience(self) -> float:
        """Returns the seconds until something has to be looked at, though no process says anything."""
        moments = [worker.look_at for worker in self._running if not worker.is_slow]
        moments += [worker.begun + self._service.timeout for worker in self._running]
        with self._lock:
            moments += [self._until(job) for job in self._waiting]
        return max(0.0, min(moments, default=monotonic() + 60.0) - monotonic())

    def _look_round(self, make: Callable[[], Worker]) -> None:
        """Takes what was found, lowers what is slow, and ends what has had its time."""
        for worker, job in list(self._running.items()):
            if worker.connection.poll():
                del self._running[worker]
                self._hear(worker, job, make)
            elif monotonic() >= worker.begun + self._service.timeout:
                del self._running[worker]
                self._heavy.add(job.whose)
                worker.end()
                _fail(job.future, self._too_heavy(job))
            else:
                worker.lower()

    def _hear(self, worker: Worker, job: _Job, make: Callable[[], Worker]) -> None:
        """Takes what a process found, or that it has ended."""
        try:
            found, what, kept = worker.connection.recv()
        except (EOFError, OSError):
            worker.process.join()
            self._failed(worker, job, make, worker.process.exitcode == -SIGXCPU)
            return
        if isinstance(what, MemoryError) and not found:
            self._failed(worker, job, make, False)
            return
        worker.served += 1
        (self._heavy.add if worker.seconds >= SLOW_SECONDS else self._heavy.discard)(job.whose)
        if worker.is_worn(kept):
            worker.end()
        else:
            self._idle.append(worker)
        if found:
            _tell(job.future, what)
        else:
            _fail(job.future, what)

    def _failed(self, worker: Worker, job: _Job, make: Callable[[], Worker], late: bool) -> None:
        """Handles a question that took too much: of a processor, where it is late; else of memory, or it was ended.

        So that this does not hang on what was asked before, a new process tries again.
        """
        self._heavy.add(job.whose)
        worker.end()
        if late or worker.is_new:
            _fail(job.future, self._too_heavy(job))
        else:
            self._start(job, make, new=True)

    def _too_heavy(self, job: _Job) -> TooHeavy:
        """Returns the refusal, which says what a computation may take."""
        given = f"{self._service.computing:g} seconds of a processor and {self._service.memory:,} bytes"
        return TooHeavy(*job.inquiry.ask.asked, given)


def _tell(future: "Future[Any]", found: Any) -> None:
    """Tells what was found, unless nobody waits any more."""
    with suppress(InvalidStateError):
        future.set_result(found)


def _fail(future: "Future[Any]", error: Exception) -> None:
    with suppress(InvalidStateError):
        future.set_exception(error)
