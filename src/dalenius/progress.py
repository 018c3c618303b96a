"""The progress of long work, for people who wait for it: its stages, and about how long it will take.

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
    """A stage of work: `done` of its `total` steps are done since `start`, in seconds of a clock."""

    name: str
    total: int
    start: float
    done: int = 0


@final
@dataclass
class Course:
    """The stages that work is in, the outermost first. Another thread may look at it."""

    stages: list[Stage] = field(default_factory=list)

    def words(self) -> str:
        """Says in which step the work is, as in "methods 3 of 20, parts 7 of 20"; "" where there are no steps."""
        several = [each for each in list(self.stages) if each.total > 1]
        return ", ".join(f"{each.name} {min(each.done + 1, each.total)} of {each.total}" for each in several)

    def seconds(self) -> tuple[float, float] | None:
        """Estimates how long the outermost steps take in all, and how long they still take, in seconds.

        The rest is taken to be like the steps that are done; None before one is.
        """
        for each in list(self.stages):
            # Because inner stages start anew all the time, the outermost one with steps counts.
            if each.total > 1 and each.done:
                expected = (monotonic() - each.start) * each.total / each.done
                return expected, expected * (each.total - each.done) / each.total
        return None


_COURSE: Final[ContextVar[Course | None]] = ContextVar("course", default=None)


@contextmanager
def followed() -> Iterator[Course]:
    """Yields the course of the work that is done inside, as long as it lasts."""
    course = Course()
    token = _COURSE.set(course)
    try:
        yield course
    finally:
        _COURSE.reset(token)


def steps(name: str, items: Iterable[_Item], total: int | None = None) -> Generator[_Item, None, None]:
    """Yields the items in turn, each a step of the work that is followed.

    Args:
        name: The name of the stage, in the plural.
        items: What is worked on, one after another.
        total: How many items there are; None: they are counted first.
    """
    course = _COURSE.get()
    # The case in which nobody is waiting, as in a library call: no clock is read.
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
