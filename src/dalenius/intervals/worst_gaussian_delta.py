"""The largest δ of one group's answer under Gaussian noise, over all laws of a box.

Let π be the chance of a secret under a law p, and q_s(y) the density that the secret is s and the output y, linear in
p. Then the δ of s against t is (1/π)·∫ max(q_s - e^ε c q_t, 0) dy, c the quotient of the two chances; of a secret that
has one other value it is ∫ max(q_s/π - e^ε q_t/(1-π), 0) dy. The integral is convex in p. So where π is held between
two numbers, which bound 1/π and 1/(1-π) too, it is largest at a corner of what is left of the box (at a fixed π it is a
linear program, Theory §16). Intervals of π are halved until the best corner comes within a hundredth of the bound.

Take couples, counted with noise of deviation 4. None of a couple is ill with .2 to .3, one with .1 and both with .6 to
.7. Given that one person is ill, or that they are not, the densities of the output differ by .177 at most.

>>> corner = np.array([[0.2, 0.1, 0.7], [0.3, 0.1, 0.6]])
>>> ill, well = np.diag([0.0, 0.5, 1.0]), np.diag([1.0, 0.5, 0.0])
>>> of_couples = Against(np.array([0.0, 1.0, 2.0]) / 4, Segments(corner[None]), np.stack([ill, well]), "ratio")
>>> round(of_couples.largest(0.0), 3)
0.177
"""

from dataclasses import dataclass
from itertools import combinations, product
from math import exp
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.intervals.limits import MOST_CELLS, MOST_FREE
from dalenius.laws.box import Box
from dalenius.special_functions import ndtr

_NEAR: Final = 1.01
"""How far, relatively, the bound may be above what some law of the group attains."""
_AT_FIRST: Final = 16
"""The intervals of π to begin with: numpy takes as long for one."""


@final
@dataclass(frozen=True, eq=False)
class Segments:
    """The edges of a box of laws: pairs of laws between which mass moves from one probability to another.

    Attributes:
        ends: The two laws of each edge (segments, 2, m).
    """

    ends: Array

    @classmethod
    def of(cls, box: Box) -> "Segments | None":
        """Returns the edges of `box`; None where there are too many."""
        free = np.flatnonzero(box.upper > box.lower).tolist()
        if not free:
            return cls(np.stack([box.point, box.point])[None])
        if len(free) > MOST_FREE:
            return None
        found = []
        for one, other in combinations(free, 2):
            rest = [place for place in free if place not in (one, other)]
            for sides in product((0, 1), repeat=len(rest)):
                law = box.lower.copy()
                law[rest] = [(box.lower, box.upper)[side][place] for side, place in zip(sides, rest, strict=True)]
                left = 1 - law.sum() + law[one] + law[other]
                low = max(box.lower[one], left - box.upper[other])
                high = min(box.upper[one], left - box.lower[other])
                # Roundings of the sum: an edge that is a point stays one.
                if low <= high + 1e-12:
                    laws = np.stack([law, law])
                    laws[:, one] = low, max(low, high)
                    laws[:, other] = left - laws[:, one]
                    found.append(laws)
        return cls(np.array(found))

    def within(self, weights: Array, low: Array, high: Array) -> tuple[Array, Array]:
        """Returns the corners of what is left of the box where weights·p lies between low and high.

        Args:
            weights: A linear function of the law (m,).
            low: The lower ends (cells,).
            high: The upper ends (cells,).

        Returns:
            The corners (cells, corners, m), and whether each belongs to what is left (cells, corners).
        """
        start, end = self.ends[:, 0], self.ends[:, 1]
        first, last = start @ weights, end @ weights
        length = np.where(last == first, 1.0, last - first)
        shares = [(bound[:, None] - first) / length for bound in (low, high)]
        least, most = np.minimum(*shares), np.maximum(*shares)
        off = 1e-9
        level = (first >= low[:, None] - off) & (first <= high[:, None] + off)
        inside = np.where(last == first, level, (least <= 1 + off) & (most >= -off))
        least = np.where(last == first, 0.0, np.clip(least, 0.0, 1.0))
        most = np.where(last == first, 1.0, np.clip(most, 0.0, 1.0))
        laws = [start + share[..., None] * (end - start) for share in (least, most)]
        return np.concatenate(laws, axis=1), np.concatenate([inside, inside], axis=1)


@final
@dataclass(frozen=True, eq=False)
class Against:
    """A secret of one group against another secret, or against everybody's average.

    Attributes:
        answers: The group's answers (k,), ascending, in deviations of the noise.
        segments: The edges of the laws' box.
        masses: By answer, how much each probability adds to it together with the secret, and together with what the
            secret is compared with (2, k, m).
        of: `ratio`, where the two are all there is; else `raised` or `lowered`, where the second is the average.
    """

    answers: Array
    segments: Segments
    masses: Array
    of: str

    def largest(self, epsilon: float, least: float = 0.0) -> float:
        """Returns the largest δ at that ε over all laws of the box: a probability, from above.

        Args:
            epsilon: ε, in nats.
            least: A δ up to which the result need not be close.
        """
        chance = self.masses[0].sum(axis=0)
        values = self.segments.ends @ chance
        ends = np.linspace(values.min() * (1 - 1e-9), values.max() * (1 + 1e-9), _AT_FIRST + 1)
        low, high = ends[:-1], ends[1:]
        # Some law rules the secret out: nothing is known of what an output says then.
        if low[0] <= 0:
            return 1.0
        best = closed = 0.0
        looked = 0
        while len(low):
            laws, inside = self.segments.within(chance, low, high)
            most = np.broadcast_to(high[:, None], inside.shape)
            chances = laws @ chance
            # Each law is tried with its own chance, and with the interval's.
            lows, highs = np.stack([chances, np.broadcast_to(low[:, None], inside.shape)]), np.stack([chances, most])
            found = self._delta(np.stack([laws, laws]), lows, highs, epsilon)
            attained, upper = np.where(inside, found, 0.0).max(axis=2)
            best, looked = max(best, float(attained.max())), looked + len(low)
            # Some law attains a value near enough to these bounds.
            done = (upper <= max(_NEAR * best, least)) | (looked > MOST_CELLS)
            closed = max(closed, float(upper[done].max(initial=0.0)))
            low, high = low[~done], high[~done]
            middle = (low + high) / 2
            low, high = np.concatenate([low, middle]), np.concatenate([middle, high])
        return min(closed * (1 + 1e-9), 1.0)

    def _delta(self, laws: Array, low: Array, high: Array, epsilon: float) -> Array:
        """Bounds δ at laws (.., m) from above, if the secret's chance is between low and high."""
        own, other = laws @ self.masses[0].T, laws @ self.masses[1].T
        grown = exp(min(epsilon, 700.0))
        if self.of == "raised":
            return above_zero((own - grown * low[..., None] * other) / low[..., None], self.answers)
        if self.of == "lowered":
            return above_zero(other - grown * own / high[..., None], self.answers)
        return above_zero(own / low[..., None] - grown * other / (1 - low[..., None]), self.answers)


def above_zero(weights: Array, places: Array) -> Array:
    """Returns the integral of max(Σ_k w_k φ(y - a_k), 0), from above.

    Where the weights change their sign once, so does the sum, at one place, which is found by halving. Where they do so
    more often, the parts above and below every change are bounded one by one.

    Args:
        weights: w (.., k).
        places: a (k,), ascending, in deviations.

    >>> above_zero(np.array([[-1.0, 1.0]]), np.array([0.0, 1.0])).round(6).tolist()
    [0.382925]
    """
    rows = weights.reshape(-1, len(places))
    signs = np.sign(rows)
    # Weights of 0 take the sign before them, so that they change nothing.
    for place in range(1, len(places)):
        signs[:, place] = np.where(signs[:, place] == 0, signs[:, place - 1], signs[:, place])
    changes = (signs[:, 1:] * signs[:, :-1] < 0).sum(axis=1)
    found = np.where(changes == 0, np.maximum(rows.sum(axis=1), 0.0), np.maximum(rows, 0.0).sum(axis=1))
    once = np.flatnonzero(changes == 1)
    if len(once):
        found[once] = np.minimum(found[once], _beyond_change(rows[once], signs[once, -1], places))
    return np.asarray((found * (1 + 64 * UNIT)).reshape(weights.shape[:-1]))


def _beyond_change(rows: Array, last: Array, places: Array) -> Array:
    """Bounds from above the integral over the side of the change on which the sum is positive.

    Args:
        rows: Weights (rows, k) with one change of sign.
        last: The sign at the end of the places (rows,).
        places: The places (k,), ascending.
    """
    with np.errstate(divide="ignore"):
        logs = np.log(np.abs(rows))
    same = np.sign(rows) == last[:, None]
    # The log of the two parts' quotient grows by the least distance of two places a unit, or more.
    spread = logs.max(axis=1) - np.min(logs, axis=1, where=np.isfinite(logs), initial=0.0)
    width = float(np.ptp(places))
    reach = (spread + np.log(len(places)) + width**2 / 2 + 1) / float(np.diff(places).min()) + width
    at = _change(logs, same, places, places[0] - reach, places[-1] + reach)[:, None]
    side = np.where(last[:, None] > 0, places - at, at - places)
    parts = rows * ndtr(side)
    # A place that is off by roundings loses their square only: the sum is 0 there.
    off = np.abs(parts) * (64 + 16 * side**2) * UNIT
    return np.asarray(np.maximum(parts.sum(axis=1), 0.0) + off.sum(axis=1) + 1e-300)


def _change(logs: Array, same: NDArray[np.bool_], places: Array, low: Array, high: Array) -> Array:
    """Finds where the two parts of a sum are equal (rows,), between low and high.

    It takes Newton's steps on the log of their quotient, and halves where these lead out of what is left.

    Args:
        logs: The logs of the weights' sizes (rows, k).
        same: The weights (rows, k) that have the sign of the last.
        places: The places (k,), ascending.
        low: The lower ends (rows,).
        high: The upper ends (rows,).
    """
    at = (low + high) / 2
    for _ in range(100):
        heights = logs - (at[:, None] - places) ** 2 / 2
        parts = [np.where(side, heights, -np.inf) for side in (same, ~same)]
        tops = [part.max(axis=1, keepdims=True) for part in parts]
        masses = [np.exp(part - top) for part, top in zip(parts, tops, strict=True)]
        sums = [mass.sum(axis=1) for mass in masses]
        gap = tops[0][:, 0] - tops[1][:, 0] + np.log(sums[0]) - np.log(sums[1])
        slope = (masses[0] @ places) / sums[0] - (masses[1] @ places) / sums[1]
        low, high = np.where(gap > 0, low, at), np.where(gap > 0, at, high)
        step = at - gap / slope
        following = np.where((step > low) & (step < high), step, (low + high) / 2)
        moved = np.abs(following - at)
        at = following
        # The loss goes with the square of the distance.
        if np.all(moved <= 1e-9 * (1 + np.abs(at))):
            break
    return at
