"""Does jobs of several threads in one go: the thread that gets the lock does what all others wait for.

A commit takes a millisecond, and while one goes on ten threads come with a debit each. The first that gets the lock
takes all ten debits, and commits once; the other nine find theirs done. Nobody waits for more than two commits.

>>> group = Group()
>>> [each.result() for each in group.served([2, 3], Lock(), lambda jobs: [Attempt([job**2]) for job in jobs])]
[4, 9]
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any, Generic, TypeVar, final

_Job = TypeVar("_Job")
_Result = TypeVar("_Result")


@final
class Attempt(Generic[_Result]):
    """The result of a job, or the error that it raised.

    >>> Attempt([7]).result()
    7
    """

    def __init__(self, results: Sequence[_Result] = (), error: BaseException | None = None) -> None:
        """Takes the result, in `results`, or an error beside an empty list."""
        self._results, self._error = results, error

    def result(self) -> _Result:
        """Returns what the job returned; raises what the job raised."""
        if self._error is not None:
            raise self._error
        (found,) = self._results
        return found


@final
@dataclass(eq=False)
class _Share(Generic[_Job]):
    """The jobs of one thread, and what came of them once somebody did them."""

    jobs: Sequence[_Job]
    done: Sequence[Attempt[Any]] | None = None


@final
class Group(Generic[_Job]):
    """The threads that wait for the same lock; safe for threads."""

    def __init__(self) -> None:
        self._shares: list[_Share[_Job]] = []
        self._lock = Lock()

    def served(
        self, jobs: Sequence[_Job], lock: Lock, do: Callable[[Sequence[_Job]], Sequence[Attempt[Any]]]
    ) -> Sequence[Attempt[Any]]:
        """Returns what comes of the jobs, in their order.

        Args:
            jobs: The jobs of this thread.
            lock: The lock that the thread holds which does jobs.
            do: Does several jobs at once, and says what came of each.
        """
        own = _Share(jobs)
        with self._lock:
            self._shares.append(own)
        with lock:
            if own.done is None:
                self._do(do)
        assert own.done is not None
        return own.done

    def _do(self, do: Callable[[Sequence[_Job]], Sequence[Attempt[Any]]]) -> None:
        """Does the jobs of all who wait, in the order in which they came."""
        with self._lock:
            shares, self._shares = self._shares, []
        try:
            found = list(do([job for share in shares for job in share.jobs]))
        except BaseException as error:  # the thread that does them is stopped: nobody may wait for ever
            found = [Attempt(error=error) for share in shares for _ in share.jobs]
        for share in shares:
            share.done, found = found[: len(share.jobs)], found[len(share.jobs) :]
