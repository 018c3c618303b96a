"""How far messages along a chain can tell its states apart, whatever the function of the sum (Result 20.23).

A message is m_t(x) = E[g(u + what is added from here on) | X_t = x], and log g changes by at most `rate` per unit. Of
all such the range of their ratios is kept, D[x, x'] >= log m(x)/m(x'), and carried from record to record.
"""

from typing import Final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.ratios.large.ranges import most_apart

SETTLED: Final = 1e-12
ABOVE: Final = (1e-12, 1e-11, 1e-10, 1e-9)
"""Nats by which a range that hardly grows is widened, to hold all that follow."""
ALIKE: Final = 1e-14
"""Relative distance of the entries of two kernels that count as one."""


def ranges(kernels: Array, which: IntArray, apart: Array) -> Array:
    """D at every place in order (n, k, k): zero at the first, and then what one step makes of D + apart.

    kernels (m, k, k), of non-negative entries, by rows; which (n - 1,): that of each step; apart (n - 1, k, k): of the
    place that each step comes from. Upper bounds, roundings included; infinite where nothing is known.
    """
    steps, states = len(which), kernels.shape[1]
    found = np.zeros((steps + 1, states, states))
    alike = _alike(kernels, which, apart)
    for place in range(steps):
        kernel = kernels[which[min(place, alike)]]
        found[place + 1] = _ranged(kernel, found[place] + apart[place], 2 * ALIKE if place > alike else 0.0)
        if place >= alike and np.all(found[place + 1] <= found[place] + SETTLED):
            top = _settled(kernel, found[place : place + 2].max(axis=0), apart[place])
            if top is not None:
                found[place + 1 :] = top
                break
    return found


def _settled(kernel: Array, reached: Array, apart: Array) -> Array | None:
    """A range, hardly wider, that a further step does not widen: as more of a range never makes less, it holds all that
    follow. None where there is none so near."""
    others = 1 - np.eye(len(reached))
    for above in ABOVE:
        top = reached + above * others
        if np.all(_ranged(kernel, top + apart, 2 * ALIKE) <= top):
            return np.asarray(top)
    return None


def _alike(kernels: Array, which: IntArray, apart: Array) -> int:
    """The first step from which on all kernels are `ALIKE` that one, and all places as far apart as its own."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(kernels)
        off = np.abs(logs - logs[which[-1]])
    close = (np.where(logs == logs[which[-1]], 0.0, off) <= ALIKE / 2).reshape(len(kernels), -1)
    even = (apart == apart[-1]).reshape(len(apart), -1)
    differing = np.flatnonzero(~(np.all(close, axis=1)[which] & np.all(even, axis=1)))
    return int(differing[-1]) + 1 if len(differing) else 0


def _ranged(kernel: Array, distances: Array, extra: float = 0.0) -> Array:
    """What one step makes of a range (k, k), its diagonal 0; extra: nats added for a kernel that is nearly this one.
    Exact for up to three states."""
    states = len(kernel)
    found = np.zeros((states, states))
    rows = np.nonzero(~np.eye(states, dtype=np.bool_))
    found[rows] = most_apart(kernel[rows[0]], kernel[rows[1]], distances[None]) + extra
    return found
