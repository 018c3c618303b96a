"""A fair queue: the next is the one who has least, and among those the one who has waited longest.

Ana sends eight questions and Bob one. Ana's first is taken, then Bob's, whatever the order in which they came, and only
then Ana's second: a place that becomes free goes to the one who has none. Nobody who waits holds a thread.

>>> queue = FairQueue()
>>> for whose, item in (("ana", 1), ("ana", 2), ("ana", 3), ("bob", 4)):
...     queue.add(whose, item)
>>> [queue.take({}, 2) for _ in range(5)]
[('ana', 1), ('bob', 4), ('ana', 2), ('ana', 3), None]
"""

from collections import deque
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Generic, TypeVar, final

_Item = TypeVar("_Item")


@final
class FairQueue(Generic[_Item]):
    """The waiting items, by whose they are. For one thread at a time."""

    def __init__(self) -> None:
        self._waiting: dict[str, deque[_Item]] = {}
        self._since: dict[str, int] = {}
        self._clock = count()

    def __len__(self) -> int:
        return sum(map(len, self._waiting.values()))

    def __iter__(self) -> Iterator[_Item]:
        """Yields all that wait, in no order."""
        for items in self._waiting.values():
            yield from items

    def of(self, whose: str) -> int:
        """Counts how many of theirs wait; whose: who they are."""
        return len(self._waiting.get(whose, ()))

    def add(self, whose: str, item: _Item) -> None:
        """Adds an `item`, behind the others of `whose` it is."""
        if whose not in self._waiting:
            self._waiting[whose], self._since[whose] = deque(), next(self._clock)
        self._waiting[whose].append(item)

    def take(self, taken: Mapping[str, int], most: int) -> tuple[str, _Item] | None:
        """Returns the next one, and whose it is; None where nobody who waits may have more.

        Args:
            taken: How many each has already.
            most: How many anybody may have.
        """
        may = [whose for whose in self._waiting if taken.get(whose, 0) < most]
        if not may:
            return None
        whose = min(may, key=lambda each: (taken.get(each, 0), self._since[each]))
        items = self._waiting[whose]
        found = items.popleft()
        # So that whose was served waits anew, behind all others who have as much.
        self._since[whose] = next(self._clock)
        if not items:
            self._forget(whose)
        return whose, found

    def discard(self, whose: str, item: _Item) -> None:
        """Takes an `item` of `whose` it is out, where it is still there."""
        items = self._waiting.get(whose)
        if items is not None and item in items:
            items.remove(item)
            if not items:
                self._forget(whose)

    def _forget(self, whose: str) -> None:
        del self._waiting[whose], self._since[whose]
