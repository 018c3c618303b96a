"""How far messages along a chain can tell its states apart, whatever the function of the sum (Result 20.23).

A message is m_t(x) = E[g(u + what is added from here on) | X_t = x], and log g changes by at most `rate` per unit. Of
all such the range of their ratios is kept, D[x, x'] >= log m(x)/m(x'), and carried from record to record.
"""

from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray

FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""
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
    alike, step = _alike(kernels, which, apart), None
    for place in range(steps):
        if step is None or (place <= alike and which[place] != which[place - 1]):
            step = Step(kernels[which[place]])
        found[place + 1] = step.ranged(found[place] + apart[place], 2 * ALIKE if place > alike else 0.0)
        if place >= alike and np.all(found[place + 1] <= found[place] + SETTLED):
            top = _settled(step, found[place : place + 2].max(axis=0), apart[place])
            if top is not None:
                found[place + 1 :] = top
                break
    return found


def _settled(step: "Step", reached: Array, apart: Array) -> Array | None:
    """A range, hardly wider, that a further step does not widen: as more of a range never makes less, it holds all that
    follow. None where there is none so near."""
    others = 1 - np.eye(len(reached))
    for above in ABOVE:
        top = reached + above * others
        if np.all(step.ranged(top + apart, 2 * ALIKE) <= top):
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


@final
class Step:
    """One kernel: what it makes of a range.

    The largest ratio of two rows' means of w, over all w with log w_i - log w_j <= D[i, j], is attained where the w of
    the columns with the largest ratios of the rows are as large as the others allow: of how many such columns, m, is
    not known. With the others at their bounds next to one column, r, any r gives an upper bound: exact for up to three
    states. A set of m columns is the right one only if the ratio is less than its own least.
    """

    def __init__(self, kernel: Array) -> None:
        states = len(kernel)
        pairs = [(x, z) for x in range(states) for z in range(states) if x != z]
        self._rows = np.array([x for x, _ in pairs]), np.array([z for _, z in pairs])
        self._above, self._below = kernel[self._rows[0]], kernel[self._rows[1]]
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.log(self._above) - np.log(self._below)
        ratio = np.where(np.isnan(ratio), -np.inf, ratio)
        order = np.argsort(-ratio, axis=1, kind="stable")
        rank = np.argsort(order, axis=1, kind="stable")
        self._high = rank[:, None, :] < np.arange(1, states)[None, :, None]
        self._least = np.take_along_axis(ratio, order, axis=1)[:, : states - 1]
        self._widest = ratio.max(axis=1)
        self._states = states

    def ranged(self, distances: Array, extra: float = 0.0) -> Array:
        """(k, k), its diagonal 0; extra: nats added for a kernel that is nearly this one."""
        found = np.zeros((self._states, self._states))
        deepest = float(np.max(distances))
        values = self._widest if deepest > FARTHEST else np.minimum(self._mixed(distances), self._widest)
        rounding = (4 * self._states + 16 + 4 * min(deepest, FARTHEST)) * UNIT
        found[self._rows] = values + extra + rounding * (1 + np.abs(np.where(np.isfinite(values), values, 0.0)))
        return found

    def _mixed(self, distances: Array) -> Array:
        high, low = np.exp(distances).T, np.exp(-distances)
        # (pairs, m, r, columns)
        weights = np.where(self._high[:, :, None, :], high[None, None], low[None, None])
        above = (weights * self._above[:, None, None, :]).sum(axis=-1)
        below = (weights * self._below[:, None, None, :]).sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(above) - np.log(below)
        nearest = np.where(np.isnan(logs), np.inf, logs).min(axis=2)
        return np.asarray(np.minimum(nearest, self._least).max(axis=1))
