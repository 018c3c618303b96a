"""What any function of a sum can say of a record of a chain, at most.

A message to a state x is m(x) = E[g(u + what is added beyond) | x], where log g changes by at most `rate` per unit. Of
all such g the range of the ratios is kept, D[x, x'] >= log m(x)/m(x'). One step makes of it what the furthest two
mixtures are of weights in that range (`largest_log_ratio`, Result 20.23). `ranges` carries it along a chain, from
record to record; `tree_message_bounds` through a network.

As the range of one day follows from that of the day before in the same way on each of 10^5 alike days, it settles, and
is kept once: a chain of 100,001 days with one kernel has some thirty ranges in memory, one of weeks seven times these.

>>> kernel, day = np.array([[[0.9, 0.1], [0.2, 0.8]]]), np.array([[0.0, 1.0], [1.0, 0.0]])
>>> found = ranges(kernel, np.zeros(100_000, dtype=int), np.broadcast_to(day, (100_000, 2, 2)))
>>> found[1].round(4).tolist(), found[-1].round(4).tolist()
([[0.0, 0.6393], [0.7063, 0.0]], [[0.0, 1.1275], [1.5771, 0.0]])
"""

from collections.abc import Hashable
from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray

_FARTHEST: Final = 600.0
"""Nats beyond which ratios count as unbounded."""


def largest_log_ratio(above: Array, below: Array, log_ratios: Array) -> Array:
    """At least log Σ above·w / Σ below·w for all w > 0 with log w_i/w_j <= log_ratios[i, j] (pairs,), as for one step
    of a chain (Result 20.23). above, below (pairs, c); log_ratios (pairs, c, c).

    One pair of rows, (.9, .1) and (.2, .8), and weights that are one nat apart at most:

    >>> log_ratios = np.array([[[0.0, 1.0], [1.0, 0.0]]])
    >>> largest_log_ratio(np.array([[0.9, 0.1]]), np.array([[0.2, 0.8]]), log_ratios).round(6).tolist()
    [0.639307]
    """
    columns = above.shape[1]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(above) - np.log(below)
    # A value that neither row can reach: 0/0 has no part in any sum.
    ratio = np.where(np.isnan(ratio), -np.inf, ratio)
    order = np.argsort(-ratio, axis=1, kind="stable")
    rank = np.argsort(order, axis=1, kind="stable")
    # The worst weights are large on the m columns with the largest quotients and small on all others, for some m
    # (Result 20.23): all m are tried at once.
    high = rank[:, None, :] < np.arange(1, columns)[None, :, None]
    least = np.take_along_axis(ratio, order, axis=1)[:, : columns - 1]
    widest = ratio.max(axis=1)
    # Ranges that e^x would overflow for: then the weights may as well be anything, and the widest quotient remains.
    deepest = np.max(log_ratios, axis=(1, 2))
    near = np.minimum(log_ratios, _FARTHEST)
    # (pairs, m, r, columns)
    weights = np.where(high[:, :, None, :], np.exp(near.swapaxes(1, 2))[:, None], np.exp(-near)[:, None])
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((weights * above[:, None, None, :]).sum(axis=-1))
        logs -= np.log((weights * below[:, None, None, :]).sum(axis=-1))
    nearest = np.where(np.isnan(logs), np.inf, logs).min(axis=2)
    mixed = np.minimum(nearest, least).max(axis=1)
    # No mixture has a larger quotient than its largest part: that bound always holds too.
    found = np.maximum(np.where(deepest > _FARTHEST, widest, np.minimum(mixed, widest)), 0.0)
    rounding = (4 * columns + 16 + 4 * np.minimum(deepest, _FARTHEST)) * UNIT
    return np.asarray(found + rounding * (1 + np.where(np.isfinite(found), found, 0.0)))


_ALIKE: Final = 1e-14
"""Relative distance of the entries of two kernels that count as one."""


def ranges(kernels: Array, which: IntArray, log_ratios: Array) -> Array:
    """D at every place in order (n, k, k): zero at the first, and then what one step makes of D + log_ratios.

    kernels (m, k, k), of non-negative entries, by rows; which (n - 1,): that of each step; log_ratios (n - 1, k, k): of
    the place that each step comes from. Upper bounds, roundings included; infinite where nothing is known. The first
    steps may have kernels of their own, as messages from the left do, which converge and then count as one.
    """
    # Backward kernels of a chain that starts away from its stationary law are all different, but soon by roundings
    # only: from there on they are one, and that is counted.
    alike = _alike(kernels, which, log_ratios)
    states, at, known = [np.zeros(kernels.shape[1:])], [0], dict[Hashable, int]()
    numbers = {states[0].tobytes(): 0}
    for i in range(len(which)):
        # From the same range the same step leads to the same one: a day like 10⁵ others costs the memory of one.
        step = (int(which[i]), log_ratios[i].tobytes()) if i < alike else None
        if (at[-1], step) not in known:
            kernel, extra = kernels[which[min(i, alike)]], 0.0 if i < alike else 2 * _ALIKE
            found = rounded_up(_ranged(kernel, states[at[-1]] + log_ratios[i], extra), 44)
            known[at[-1], step] = number = numbers.setdefault(found.tobytes(), len(states))
            if number == len(states):
                states.append(found)
        at.append(known[at[-1], step])
    return np.stack(states)[at]


def rounded_up(found: Array, bits: int) -> Array:
    """To so many of the 53 bits of doubles: ranges that hardly differ any more, far from an end, are then one, and hold
    all that follow."""
    mantissa, exponent = np.frexp(found)
    return np.asarray(np.ldexp(np.ceil(np.ldexp(mantissa, bits)), exponent - bits))


def _alike(kernels: Array, which: IntArray, log_ratios: Array) -> int:
    """The first step from which on all kernels are `_ALIKE` that one, and all places as far apart as its own."""
    with np.errstate(invalid="ignore", divide="ignore"):
        logs = np.log(kernels)
        off = np.abs(logs - logs[which[-1]])
    close = (np.where(logs == logs[which[-1]], 0.0, off) <= _ALIKE / 2).reshape(len(kernels), -1)
    even = (log_ratios == log_ratios[-1]).reshape(len(log_ratios), -1)
    differing = np.flatnonzero(~(np.all(close, axis=1)[which] & np.all(even, axis=1)))
    return int(differing[-1]) + 1 if len(differing) else 0


def _ranged(kernel: Array, distances: Array, extra: float = 0.0) -> Array:
    """What one step makes of a range (k, k), its diagonal 0; extra: nats added for a kernel that is nearly this one.
    Exact for up to three states."""
    states = len(kernel)
    found = np.zeros((states, states))
    rows = np.nonzero(~np.eye(states, dtype=np.bool_))
    found[rows] = largest_log_ratio(kernel[rows[0]], kernel[rows[1]], distances[None]) + extra
    return found
