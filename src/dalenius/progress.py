"""How far long work is, for whoever waits for it: the stages it goes through, and about how long it will take.

>>> with followed() as course:
...     for method in steps("methods", ["group", "exact", "optimal"]):
...         print(course.words())
methods 1 of 3
methods 2 of 3
methods 3 of 3
"""

from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from time import monotonic
from typing import Final, TypeVar, final

_Item = TypeVar("_Item")


@final
@dataclass
class Stage:
    """So many of `total` steps are done since `start`, in seconds of a clock."""

    name: str
    total: int
    start: float
    done: int = 0


@final
@dataclass
class Course:
    """The stages that work is in, the outermost first. It may be looked at from another thread."""

    stages: list[Stage] = field(default_factory=list)

    def words(self) -> str:
        """Where it is: methods 3 of 20, parts 7 of 20; nothing where there are no steps."""
        several = [each for each in list(self.stages) if each.total > 1]
        return ", ".join(f"{each.name} {min(each.done + 1, each.total)} of {each.total}" for each in several)

    def seconds(self) -> tuple[float, float] | None:
        """About how long the outermost steps take in all, and how long they still take, if the rest is like what is
        done; None before one is."""
        for each in list(self.stages):
            # The outermost stage with steps: inner ones start anew all the time.
            if each.total > 1 and each.done:
                expected = (monotonic() - each.start) * each.total / each.done
                return expected, expected * (each.total - each.done) / each.total
        return None


_COURSE: Final[ContextVar[Course | None]] = ContextVar("course", default=None)


@contextmanager
def followed() -> Iterator[Course]:
    """As long as it lasts, the course of what is done inside."""
    course = Course()
    token = _COURSE.set(course)
    try:
        yield course
    finally:
        _COURSE.reset(token)


def steps(name: str, items: Iterable[_Item], total: int | None = None) -> Generator[_Item, None, None]:
    """The items in turn, each a step of the work that is followed. total: how many there are, where that is not known
    of the items."""
    course = _COURSE.get()
    # Nobody is waiting, as in a library call: no clock is read.
    if course is None:
        yield from items
        return
    several = list(items) if total is None else items
    stage = Stage(name, len(several) if isinstance(several, list) else total or 0, monotonic())
    course.stages.append(stage)
    try:
        for item in several:
            yield item
            stage.done += 1
    finally:
        course.stages.remove(stage)
