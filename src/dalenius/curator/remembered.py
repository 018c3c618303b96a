"""What was found of asks, and why of others nothing was: neither is computed again."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from copy import copy
from math import inf
from threading import Lock
from time import monotonic
from typing import Final, final

from dalenius.curator.policy import TooHeavy
from dalenius.curator.ready import Ready
from dalenius.errors import DaleniusError

MOST: Final = 512
"""So many asks are remembered: estimating one again is free, and so is asking what was estimated."""
HEAVY: Final = 600.0
"""Seconds for which an ask counts as too heavy: it may have been the load of the machine."""


@final
class Remembered:
    """Safe for threads. What was asked last is kept longest."""

    def __init__(self, most: int = MOST, clock: Callable[[], float] = monotonic) -> None:
        self._most, self._clock = most, clock
        self._lock = Lock()
        self._kept: OrderedDict[Hashable, tuple[Ready | Exception, float]] = OrderedDict()

    def of(self, key: Hashable, find: Callable[[], Ready]) -> Ready:
        """What find returns, or raises of the ask itself; of a key that it was called for, what it was then."""
        found = self.known(key)
        if found is None:
            found = self._found(key, find)
        if isinstance(found, Exception):
            raise copy(found)  # each with a trace of its own
        return found

    def known(self, key: Hashable) -> Ready | Exception | None:
        """What was found, or raised, of that key; None where nothing was."""
        with self._lock:
            found, until = self._kept.get(key, (None, inf))
            if self._clock() >= until:
                del self._kept[key]
                return None
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def _found(self, key: Hashable, find: Callable[[], Ready]) -> Ready | Exception:
        try:
            found: Ready | Exception = find()
        except (DaleniusError, ArithmeticError) as error:
            found = error.with_traceback(None)
        until = self._clock() + HEAVY if isinstance(found, TooHeavy) else inf
        with self._lock:
            self._kept[key] = found, until
            while len(self._kept) > self._most:
                self._kept.popitem(last=False)
        return found
