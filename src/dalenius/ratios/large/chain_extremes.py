"""The least and the greatest sum that a chain's records can have given one of them, and how likely they are then: of
every record at once, in O(n) (Result 20.29)."""

from dataclasses import dataclass
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.joints.chain.chain import MarkovChain
from dalenius.joints.chain.products import running
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses

NONE: Final = -(2**61)
"""What stands for the sum over paths of which there is none."""
AT_ONCE: Final = 1 << 20


@final
@dataclass(frozen=True, eq=False)
class Extremes:
    """sums (2, n, k): the least and the greatest sum of all scores given a record's value, NONE where it cannot have
    it; logs (2, n, k): of the probability of that sum given the value; error: of the difference of two of a record."""

    sums: IntArray
    logs: Array
    error: float

    def apart(self, possible: NDArray[np.bool_]) -> Array:
        """At (side, record, s, t): log Pr[sum | s] - log Pr[sum | t], of the one of the two extremes that lies further
        out: infinite where only one of them has it (2, n, k, k)."""
        outward = np.stack([-self.sums[0], self.sums[1]])
        further = outward[:, :, :, None] - outward[:, :, None, :]
        same = self.logs[:, :, :, None] - self.logs[:, :, None, :]
        found = np.where(further == 0, same, np.where(further > 0, np.inf, -np.inf))
        return np.where(possible[:, :, None] & possible[:, None, :], found, 0.0)

    def ends(self, possible: NDArray[np.bool_]) -> Array:
        """log Pr[sum | s] of the outermost sums of all (2, n, k); 0 where s is impossible."""
        outward = np.where(possible, np.stack([-self.sums[0], self.sums[1]]), NONE)
        attained = outward == outward.max(axis=2, keepdims=True)
        return np.where(possible, np.where(attained, self.logs, -np.inf), 0.0)


def extremes(chain: MarkovChain, scores: IntArray) -> Extremes:
    """scores (n, k), in lattice steps."""
    sums, logs = zip(*(_greatest(chain, sign * scores) for sign in (-1, 1)), strict=True)
    found = np.stack(logs)
    # Of each step k + 1 roundings: in both messages, and in the plain one.
    steps = 3 * len(scores) * (scores.shape[1] + 1)
    error = 2 * UNIT * (steps + 16 + 4 * float(np.max(np.abs(found))))
    lowest = np.where(chain.possible, -sums[0], NONE)
    return Extremes(np.stack([lowest, np.where(chain.possible, sums[1], NONE)]), found, error)


def _greatest(chain: MarkovChain, scores: IntArray) -> tuple[IntArray, Array]:
    """The greatest sum given every value, and the log of its probability, 0 where the value is impossible (n, k)."""
    steps, states = chain.steps, scores.shape[1]
    moved = np.where(steps.solid, scores[1:, None, :], NONE)
    before = _running(np.where(chain.initial.solid, scores[0], NONE), moved)
    after = _running(np.zeros(states, dtype=np.int64), np.swapaxes(moved, 1, 2)[::-1])[::-1]
    # Only paths that attain the greatest sums are left: their probabilities add up as those of all paths do.
    arriving = steps.where(before[:-1, :, None] + moved == before[1:, None, :])
    leaving = steps.where(moved + after[1:, None, :] == after[:-1, :, None])
    come = running(chain.initial, arriving)
    gone = running(Masses.of(np.ones(states)), leaving.turned()[::-1])[::-1]
    found = come.times(gone).over(chain.forward)
    logs = np.where(chain.possible, found.filled(found.solid, 1.0).logs(), 0.0)
    return before + after, logs


def _running(first: IntArray, steps: IntArray) -> IntArray:
    """The greatest sums over paths: first (k,), steps (n, k, k); (n + 1, k)."""
    stride = max(AT_ONCE // len(first) ** 3, 1)
    found = [first[None, None]]
    for start in range(0, len(steps), stride):
        found.append(_along(found[-1][-1:], steps[start : start + stride])[1:])
    return np.concatenate(found)[:, 0]


def _along(first: IntArray, steps: IntArray) -> IntArray:
    """As `products.running`: steps two by two give every other row, and one step from there the rest."""
    if len(steps) == 1:
        return np.concatenate([first, _joined(first, steps)])
    whole = len(steps) // 2
    even = _along(first, _joined(steps[: 2 * whole : 2], steps[1::2]))
    odd = _joined(even[: len(steps) - whole], steps[::2])
    found = np.empty((len(even) + len(odd), *even.shape[1:]), dtype=np.int64)
    found[::2], found[1::2] = even, odd
    return found


def _joined(one: IntArray, other: IntArray) -> IntArray:
    sums = (one[..., :, :, None] + other[..., None, :, :]).max(axis=-2)
    return np.where(sums < NONE // 2, NONE, sums)
