"""Where a condition that changes once begins to hold: by halving, for one number and for arrays of them."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def bisected(
    holds: Callable[[float], bool], inside: float, outside: float, *, relative: float = 0.0, absolute: float = 0.0
) -> tuple[float, float]:
    """Numbers between these two that lie as near as is asked: the first holds, as `inside` does, the other does not.

    relative: to the larger of the two, in size. Either may be the larger number. No number is tried twice: the search
    ends at the latest where no double lies between.

    >>> inside, outside = bisected(lambda place: place**2 <= 2, 0.0, 2.0, absolute=1e-3)
    >>> f"{inside:.4f} {outside:.4f}"
    '1.4141 1.4150'
    """
    while abs(outside - inside) > absolute + relative * max(abs(inside), abs(outside)):
        middle = inside + (outside - inside) / 2
        if middle in (inside, outside):
            break
        inside, outside = (middle, outside) if holds(middle) else (inside, middle)
    return inside, outside


def bisected_all(
    holds: Callable[[Floats], NDArray[np.bool_]], inside: Floats, outside: Floats, times: int
) -> tuple[Floats, Floats]:
    """The same for each of many (n,), after so many halvings."""
    for _ in range(times):
        middle = (inside + outside) / 2
        kept = holds(middle)
        inside, outside = np.where(kept, middle, inside), np.where(kept, outside, middle)
    return inside, outside
