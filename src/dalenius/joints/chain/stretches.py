"""How far outputs can tell a record's states apart, seen from the records near it alone (Results 20.26 and 20.27).

Given the states at both ends of a stretch of the chain, all that lies beyond is a function of the stretch's sum whose
logarithm changes by `rate` per unit at most. The one that tells the middle record's states apart most is found.
"""

from dataclasses import dataclass
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.joints.chain.lipschitz import largest_ratio, most_apart
from dalenius.laws.law import Array, IntArray

LONGEST: Final = 512
"""Records on either side."""
MOST_WORK: Final = 1 << 30
"""Products of two numbers, for all laws of one length: some seconds."""
AT_ONCE: Final = 1 << 21
WIDEST: Final = 600.0
"""Nats by which a function may change over a stretch, so that a double holds it."""
NEAR: Final = 1e-10
"""Nats by which longer stretches must lower a bound, or a bound be above the truth, for them to be tried."""
FAINT: Final = 1e-300
"""More than all that was too small for a double can amount to."""
ALIKE: Final = 1e-13
"""Nats between the entries of two kernels that count as one."""


@final
@dataclass(frozen=True, eq=False)
class Side:
    """The steps from every record towards one end of the chain. kernels (m + 1, k, k), by rows, the last of which
    forgets the state; which (n,): the one each record steps by, m at the end; off: nats by which an entry may be off;
    scores (n + 1, k): of least 0, the last row all 0; step: 1 or -1."""

    kernels: Array
    which: IntArray
    off: float
    scores: IntArray
    step: int

    def deepest(self, length: int) -> float:
        """Nats that so many steps may take off a probability."""
        return -length * float(np.log(np.min(self.kernels, where=self.kernels > 0, initial=1.0)))

    def names(self, kinds: IntArray) -> IntArray:
        """Of each record's one step, and of none (n + 1,); kinds (n + 1,): of the rows of scores."""
        n = len(self.which)
        to = np.clip(np.arange(n) + self.step, -1, n)
        labels = np.append(self.which, len(self.kernels) - 1) * (kinds.max() + 1) + np.append(kinds[to], kinds[n])
        return _named(labels)

    def doubled(self, names: IntArray, length: int) -> IntArray:
        """Names of twice as many steps."""
        n = len(self.which)
        on = np.arange(n) + self.step * length
        then = names[np.where((on >= 0) & (on < n), on, n)]
        return _named(names * (names.max() + 1) + np.append(then, names[n]))

    def sums(self, places: IntArray, length: int) -> tuple[Array, IntArray]:
        """Pr[state after so many steps, sum of the scores met | state at the place] (places, k, k, points), and which
        states can be reached (places, k, k)."""
        n, states = len(self.which), self.kernels.shape[1]
        points = length * int(self.scores.max()) + 1
        found = np.zeros((len(places), states, states, points))
        found[:, np.arange(states), np.arange(states), 0] = 1.0
        reached = np.broadcast_to(np.eye(states, dtype=np.int64), (len(places), states, states))
        for number in range(length):
            on = places + self.step * number
            inside = (on >= 0) & (on < n)
            kernel = self.kernels[np.where(inside, self.which[np.clip(on, 0, n - 1)], len(self.kernels) - 1)]
            to = np.where(inside & (on + self.step >= 0), on + self.step, n)
            found = _shifted(np.einsum("pxia,pij->pxja", found, kernel), self.scores[to])
            reached = np.minimum(np.matmul(reached, (kernel > 0).astype(np.int64)), 1)
        return found, reached


def side(kernels: Array, which: IntArray, scores: IntArray, step: int) -> Side:
    """kernels (m, k, k), by rows, and which (n - 1,) as of a chain; scores (n, k)."""
    with np.errstate(divide="ignore"):
        logs = np.log(kernels).reshape(len(kernels), -1)
    solid = logs > -np.inf
    lowest = np.min(logs, axis=0, where=solid, initial=0.0)
    cells = np.where(solid, np.floor((np.where(solid, logs, 0.0) - lowest) / ALIKE), -1)
    _, first, kind = np.unique(cells, axis=0, return_index=True, return_inverse=True)
    kind = kind.ravel()
    off = float(np.max(np.abs(np.where(solid, logs, 0.0) - np.where(solid, logs, 0.0)[first][kind])))
    forgetful = np.zeros((1, *kernels.shape[1:]))
    forgetful[0, :, 0] = 1.0
    steps, end = kind[which], [len(first)]
    named = np.concatenate([steps, end] if step > 0 else [end, steps]).astype(np.int64)
    rows = np.concatenate([scores - scores.min(axis=1, keepdims=True), np.zeros((1, scores.shape[1]), dtype=np.int64)])
    return Side(np.concatenate([kernels[first], forgetful]), named, off * (1 + 8 * UNIT), rows, step)


def stretched(before: Side, after: Side, rate: float, least: Array) -> Array:
    """At least sup log W(y|s)/W(y|s') over outputs, of every record (n, k, k), all roundings of what is done here
    counted; infinite where nothing is known. least (n, k, k): lower bounds of it, and infinite where none is wanted."""
    found, length = np.full(least.shape, np.inf), 1
    kinds = _named(np.unique(before.scores, axis=0, return_inverse=True)[1].ravel())
    left, right = before.names(kinds), after.names(kinds)
    places = np.arange(len(least))
    while len(places):
        whole = _named(_named(left * (right.max() + 1) + right) * (kinds.max() + 1) + kinds)
        first, of_each = np.unique(whole[places], return_index=True, return_inverse=True)[1:]
        made = _bounds(before, after, rate, places[first], length, least)
        if made is None:
            break
        known = found[places]
        gains = (made[of_each] < known - NEAR) | np.isinf(known)
        found[places] = np.minimum(known, made[of_each])
        places = places[np.any(gains & (found[places] > least[places] + NEAR), axis=(1, 2))]
        left, right, length = before.doubled(left, length), after.doubled(right, length), 2 * length
    return found


def _bounds(before: Side, after: Side, rate: float, places: IntArray, length: int, least: Array) -> Array | None:
    """None where it would take too long, or no double would hold it."""
    states, most = before.scores.shape[1], int(before.scores.max())
    points = (2 * length + 1) * most + 1
    each = states**3 * points
    effort = len(places) * each * (length * most + 32 * states)
    if length > LONGEST or each > AT_ONCE or effort > MOST_WORK:
        return None
    # Any function may look at one sum alone, however rare: no double may lose it.
    if (rate * points if rate < np.inf else before.deepest(length) + after.deepest(length)) > WIDEST:
        return None
    stride = max(AT_ONCE // each, 1)
    parts = []
    for start in range(0, len(places), stride):
        some = places[start : start + stride]
        parts.append(_bound(before, after, rate, some, length, np.where(np.isfinite(least[some]), least[some], 0.0)))
    # A step's k + 1 roundings, of both sides, and those of the convolution of two sums; each of two laws.
    rounded = 2 * UNIT * (2 * length * (states + 2) + length * most + 16)
    return np.asarray(np.concatenate(parts) + rounded + 2 * length * (before.off + after.off))


def _bound(before: Side, after: Side, rate: float, places: IntArray, length: int, least: Array) -> Array:
    states = before.scores.shape[1]
    (one, first), (other, last) = before.sums(places, length), after.sums(places, length)
    points, most = one.shape[3], int(before.scores.max())
    both = np.zeros((len(places), states, states, states, 2 * points - 1 + most))
    for point in range(points):
        both[..., point : point + points] += one[:, :, :, None, None, point] * other[:, :, None, :, :]
    both = _shifted(both, before.scores[places], own=True)
    possible = (first[:, :, :, None] * last[:, :, None, :]) > 0
    found = np.zeros((len(places), states, states))
    laws = np.moveaxis(both, -1, 0)
    for state in range(states):
        for against in range(states):
            if state == against:
                continue
            shown = possible[:, state]
            faint = FAINT if rate < np.inf else 0.0
            above = laws[:, :, state][:, shown] + faint
            below = np.maximum(laws[:, :, against][:, shown] - faint, 0.0)
            bounds = np.full(shown.shape, -np.inf)
            start = np.broadcast_to(least[:, state, against, None, None], shown.shape)[shown]
            bounds[shown] = most_apart(above, below, rate, start) if rate < np.inf else largest_ratio(above, below)
            found[:, state, against] = bounds.max(axis=(1, 2))
    return found


def _shifted(laws: Array, scores: IntArray, own: bool = False) -> Array:
    """Each law (places, x, j, .., points) moved on by the score of its j, or of its x where it is the own one; what
    would leave the array is 0. scores (places, k)."""
    found = np.zeros_like(laws)
    points = laws.shape[-1]
    axis = 1 if own else 2
    shape = [len(laws)] + [1] * (laws.ndim - 1)
    shape[axis] = scores.shape[1]
    for score in np.unique(scores).tolist():
        moved = np.where((scores == score).reshape(shape), laws, 0.0)
        found[..., score:] += moved[..., : points - score]
    return found


def _named(labels: IntArray) -> IntArray:
    """The same partition, numbered from 0."""
    return np.asarray(np.unique(labels, return_inverse=True)[1].ravel(), dtype=np.int64)
