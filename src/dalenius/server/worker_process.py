"""One process that finds noises, one after another, within limits for each.

It knows the policy's data sets and the public facts of their tables, and nothing else: no token, no ledger, no value.
If a question takes 20 seconds of a processor, or a gibibyte, the system ends it. One that has taken above a second, or
keeps much memory, is let go after its answer, so that the next question finds what a first one would.
"""

import resource
import signal
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from math import ceil
from multiprocessing.connection import Connection
from multiprocessing.context import BaseContext
from os import PRIO_PROCESS, setpriority, sysconf
from pickle import PicklingError
from time import monotonic
from typing import Any, Final, TypeAlias, final

from dalenius.curator import Inquiry, Service

Task: TypeAlias = Callable[[Inquiry], Any]
# A data set, a measure, and what is public of its table.
_Of: TypeAlias = tuple[str, str, str]

# Seconds after which a computation lets all others go first, and its process is let go when it ends.
SLOW_SECONDS: Final = 1.0
# The priority of such a process (`nice`): the least there is, so that it has what nobody else wants.
LOWEST_PRIORITY: Final = 19
# The share of the memory that a process may keep from one question to the next.
KEPT_MEMORY: Final = 0.25
# States of tables that one process knows at most.
STATES_KNOWN: Final = 64


@final
class Worker:
    """A process, as the service holds it. For one thread at a time."""

    def __init__(self, context: BaseContext, service: Service, compute: Task) -> None:
        """Starts it, with so many bytes beside those it begins with."""
        self.connection, theirs = context.Pipe()
        arguments = theirs, compute, service.computing, service.memory
        self.process = context.Process(target=_serve, args=arguments, daemon=True)  # type: ignore[attr-defined]
        self.process.start()
        theirs.close()
        self.begun = 0.0
        self.look_at = 0.0
        self.served = 0
        self._used = 0.0
        self._lowered = False
        self._known: set[_Of] = set()

    def begin(self, inquiry: Inquiry) -> None:
        """Hands it the question of an `inquiry`; OSError where the process has ended."""
        of = inquiry.data.name, inquiry.measure.name, inquiry.public.digest
        # Because a policy takes longer to hand over than a question, it is handed over once.
        self.connection.send((of, inquiry if of not in self._known else inquiry.ask, inquiry.analyst))
        self._known.add(of)
        self.begun = monotonic()
        self._used, self.look_at = _seconds_of(self.process.pid, 0.0), self.begun + SLOW_SECONDS

    def lower(self) -> None:
        """Lets all others go first, where it has taken long."""
        if self._lowered or monotonic() < self.look_at or self.process.pid is None:
            return
        # Because a short question takes long on a busy machine, these are seconds of a processor.
        left = SLOW_SECONDS - self.seconds
        self.look_at = monotonic() + max(left, 0.05)
        if left <= 0:
            self.lower_now()

    def lower_now(self) -> None:
        """Lets all others go first, from now on."""
        self._lowered = True
        if self.process.pid is not None:
            with suppress(OSError):
                setpriority(PRIO_PROCESS, self.process.pid, LOWEST_PRIORITY)

    @property
    def seconds(self) -> float:
        """Seconds of a processor that its question has taken."""
        return _seconds_of(self.process.pid, monotonic() - self.begun) - self._used

    @property
    def is_slow(self) -> bool:
        """Says whether it has let others go first."""
        return self._lowered

    @property
    def is_new(self) -> bool:
        """Says whether it has found nothing yet: what it cannot compute no process can."""
        return self.served == 0

    def is_worn(self, kept: float) -> bool:
        """Says whether it is to be let go after a question; kept: the share of its memory that it keeps."""
        return self._lowered or kept > KEPT_MEMORY or len(self._known) >= STATES_KNOWN

    def end(self) -> None:
        """Ends it at once, whatever it does."""
        self.process.kill()
        self.process.join()
        self.connection.close()


def _seconds_of(pid: int | None, otherwise: float) -> float:
    """Returns the seconds of a processor that a process has taken, as Linux says; otherwise: on other systems."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii", errors="replace") as stat:
            fields = stat.read().rpartition(")")[2].split()
    except OSError:
        return otherwise
    return (int(fields[11]) + int(fields[12])) / sysconf("SC_CLK_TCK")


def _serve(connection: Connection, compute: Task, seconds: float, memory: int) -> None:
    """Finds noises, in the process, until nobody wants any; ends at once when it is to be ended."""
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C in a terminal reaches it too: the service says when it ends
    first, known = _address_space(), dict[_Of, Inquiry]()
    if first:
        _limit(resource.RLIMIT_AS, first + memory)
    with suppress(EOFError, OSError):
        while True:
            of, sent, analyst = connection.recv()
            if isinstance(sent, Inquiry):
                known[of] = sent
            # Because the model that is here already has its laws.
            inquiry = replace(known[of], ask=sent.ask if isinstance(sent, Inquiry) else sent, analyst=analyst)
            _limit(resource.RLIMIT_CPU, ceil(_used() + seconds))
            found = _attempted(compute, inquiry)
            kept = (_address_space() - first) / memory
            try:
                connection.send((*found, kept))
            except (PicklingError, TypeError, AttributeError):  # of an error of somebody else's package
                connection.send((False, RuntimeError(type(found[1]).__name__), kept))


def _attempted(compute: Task, inquiry: Inquiry) -> tuple[bool, Any]:
    """Returns whether it was found, and what; or the error."""
    try:
        return True, compute(inquiry)
    except Exception as error:
        return False, error.with_traceback(None)


def _used() -> float:
    """Returns the seconds of a processor that this process has taken."""
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime


def _limit(which: int, most: int) -> None:
    """Limits a resource, or to less where the system allows only that; nothing on a system without such limits."""
    with suppress(OSError, ValueError):
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _address_space() -> int:
    """Returns the bytes of addresses that this process has already, as Linux says; 0 on other systems."""
    try:
        with open("/proc/self/statm", encoding="ascii") as statm:
            return int(statm.read().split()[0]) * resource.getpagesize()
    except OSError:
        return 0
