"""The largest of enclosed numbers, and the first place that may have it."""

from math import inf, isinf
from typing import Generic, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import Enclosure, around
from dalenius.laws.law import Array

What = TypeVar("What")


@final
class Largest(Generic[What]):
    """The largest of many enclosed numbers, and the first item that may attain it: any enclosure that overlaps the
    largest lower end may be the largest, and rounding decides which one seems so, differently on every processor.

    Overlap is not transitive: it is tested against the largest of all, not one after the other. Kept are the items
    whose upper end exceeds all before, as only these can be the first in the end.
    """

    def __init__(self) -> None:
        self.lower = self.upper = 0.0
        self._held: list[tuple[float, What]] = []

    def add(self, value: Enclosure, what: What) -> None:
        """Adds the next item, in the order that decides."""
        self.lower, self.upper = max(self.lower, value.lower), max(self.upper, value.upper)
        if not self._held or value.upper > self._held[-1][0]:
            self._held.append((value.upper, what))
        self._held = [each for each in self._held if each[0] >= self.lower]

    @property
    def first(self) -> What | None:
        """None where nothing was added."""
        return self._held[0][1] if self._held else None


def peak(values: Array, possible: Array | NDArray[np.bool_], error: Array | float) -> tuple[Enclosure, tuple[int, ...]]:
    """The largest of values ± error over the outputs that can occur, at least 0, and the first place that may have it:
    in the order of the axes, each from its lowest index."""
    shown = np.where(possible, values, -inf)
    most = float(np.max(shown))
    if np.max(error) == inf:
        top, tied = Enclosure(0.0, inf), np.broadcast_to(possible > 0, shown.shape)
    elif np.ndim(error):
        low, high = float(np.max(shown - error)), shown + error
        top, tied = Enclosure(low, float(np.max(high))), high >= low
    else:
        top, tied = around(most, float(error)), shown >= (most if isinf(most) else most - 2 * float(error))
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(tied)), shown.shape))
    return top.clipped(0.0), place


def pair_at(logs: Array, possible: Array | NDArray[np.bool_], error: float, least: float) -> tuple[int, int, int]:
    """The first secret, the first other one, and the first output at which log W(y|s) - log W(y|s') + 2·error reaches
    `least`, as it does somewhere: pairs in the order of the secrets. logs: (secrets, outputs)."""
    shown = np.where(possible, logs, 0.0)
    lowest = np.min(shown, axis=0)
    for secret, own in enumerate(shown):
        there = possible & (own > -inf)
        with np.errstate(invalid="ignore"):
            if not np.any(there & (own - lowest + 2 * error >= least)):
                continue
            reached = there & (own - shown + 2 * error >= least)
        reached[secret] = False
        if reached.any():
            against = int(np.argmax(reached.any(axis=1)))
            return secret, against, int(np.argmax(reached[against]))
    return 0, 1, int(np.argmax(possible))
