"""Running sums of probabilities given as logs, to full relative accuracy however small they are."""

from typing import Final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array

DEEP: Final = 500.0


def running_log_sums(logs: Array) -> Array:
    """log of the sums of the first one, two, .. of e^logs; a relative error of `sum_error` of their number.

    Where the largest so far has grown by e^DEEP a new stretch begins, with a scale of its own: what underflows there is
    no e^-700 of the sum.
    """
    if not len(logs):
        return logs
    highest = np.maximum.accumulate(logs)
    first = int(np.argmax(highest > -np.inf))
    if highest[-1] == -np.inf:
        return np.asarray(highest)
    stretch = np.floor((highest[first:] - highest[first]) / DEEP)
    starts = first + np.concatenate([[0], np.flatnonzero(np.diff(stretch)) + 1])
    found, before = np.full(len(logs), -np.inf), -np.inf
    for start, stop in zip(starts, [*starts[1:], len(logs)], strict=True):
        level = highest[start]
        sums = np.cumsum(np.exp(logs[start:stop] - level)) + np.exp(before - level)
        found[start:stop] = level + np.log(sums)
        before = found[stop - 1]
    return found


def log_total(logs: Array) -> float:
    """log of the sum of e^logs; -inf for none."""
    top = float(np.max(logs, initial=-np.inf))
    return top if top == -np.inf else top + float(np.log(np.sum(np.exp(logs - top))))


def sum_error(count: int, deepest: float) -> float:
    """How far, in nats, the log of a running sum of so many terms may be off."""
    return (2 * count + 16 + 4 * min(abs(deepest), 1e12)) * UNIT
