"""The worst log-ratio of any output of two answers under a relocation.

Let two answers p and q be of bins i and k. An output of bin j that is neither is reached by leaving alone, so that its
log-ratio is that of i and k leaving for j; at p and at q themselves staying counts too. So a pair costs as many numbers
as there are bins, and not as there are points.

If all answers leave, and by the same row, outputs say nothing; in the second law they leave less often from one bin:

>>> equal = np.array([[0.5, 0.5], [0.5, 0.5]])
>>> worst_of_pairs(Leaving(np.array([0, 0, 1]), np.ones(2), equal, np.array([0.5, 0.5, 1.0])), np.array([[0, 2]]))
Enclosure(lower=0.0, upper=0.0)
>>> rarer = Leaving(np.array([0, 1]), np.array([1.0, 0.5]), equal, np.ones(2))
>>> round(worst_of_pairs(rarer, np.array([[0, 1]])).upper, 6)  # .5 against .25
0.693147
"""

from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import ZERO, Enclosure
from dalenius.noise.losses_between_neighbours import of_logs
from dalenius.optimum.limits import MOST_MOVED_RATIOS

_AT_ONCE: Final = 2**21
"""The ratios that are read together: 16 MB of doubles."""


@final
@dataclass(frozen=True)
class Leaving:
    """A relocation's probabilities; bin_of (points,): each point's bin; leaves, moves, shares: as in `Relocation`."""

    bin_of: IntArray
    leaves: Array
    moves: Array
    shares: Array

    @cached_property
    def logs(self) -> tuple[Array, Array, Array]:
        """The logs of leaving bin i for bin j (bins, bins), of staying (bins,), and of each point's share (points,)."""
        with np.errstate(divide="ignore"):
            leaving = np.log(self.leaves)[:, None] + np.log(self.moves)
            return np.asarray(leaving), np.log1p(-self.leaves), np.log(self.shares)

    @cached_property
    def deepest(self) -> float:
        """The largest -log of a positive probability."""
        positive = [part[part > 0] for part in (self.leaves, 1 - self.leaves, self.moves.ravel(), self.shares)]
        return float(-np.log(np.min(np.concatenate(positive))))

    def alike(self, one: IntArray, other: IntArray) -> NDArray[np.bool_]:
        """Returns whether answers `one` and `other` (pairs,), never kept, have the same law of outputs (pairs,)."""
        i, k = self.bin_of[one], self.bin_of[other]
        sure = (self.leaves[i] == 1) & (self.leaves[k] == 1)
        return np.asarray(sure & (self.moves[i] == self.moves[k]).all(axis=1))

    @property
    def constant(self) -> bool:
        """Whether all answers have the same law of outputs."""
        return bool((self.leaves == 1).all() and (self.moves == self.moves[0]).all())


def worst_of_pairs(law: Leaving, pairs: IntArray) -> Enclosure:
    """Returns the worst log-ratio over these `pairs` (pairs, 2) of points under the `law`, in nats.

    It is infinite where an output has one of them only.
    """
    if len(pairs) * len(law.leaves) > MOST_MOVED_RATIOS:
        return Enclosure(0.0, inf)
    worst = None
    for some in np.array_split(pairs, 1 + len(pairs) * len(law.leaves) // _AT_ONCE):
        differing = some[~law.alike(some[:, 0], some[:, 1])]
        if len(differing):
            worst = max(worst or 0.0, float(np.max(_ratios(law, differing[:, 0], differing[:, 1]))))
    return ZERO if worst is None else of_logs(worst, law.deepest)


def _ratios(law: Leaving, one: IntArray, other: IntArray) -> Array:
    """Returns the worst log-ratio of each pair (pairs,)."""
    leaving, staying, shares = law.logs
    i, k = law.bin_of[one], law.bin_of[other]
    # Outputs of each bin that are neither answer: how many have a share.
    elsewhere = np.tile(np.bincount(law.bin_of, weights=law.shares > 0, minlength=len(law.leaves)), (len(one), 1))
    row = np.arange(len(one))
    elsewhere[row, i] -= law.shares[one] > 0
    elsewhere[row, k] -= law.shares[other] > 0
    far = np.max(np.where(elsewhere > 0, _gap(leaving[i], leaving[k]), 0.0), axis=1)
    kept = np.logaddexp(staying[i], leaving[i, i] + shares[one])
    kept_other = np.logaddexp(staying[k], leaving[k, k] + shares[other])
    first, second = _gap(kept, leaving[k, i] + shares[one]), _gap(kept_other, leaving[i, k] + shares[other])
    return np.asarray(np.maximum(far, np.maximum(first, second)))


def _gap(one: Array, other: Array) -> Array:
    """Returns |one - other|, 0 where neither can be."""
    with np.errstate(invalid="ignore"):
        return np.where(np.isneginf(one) & np.isneginf(other), 0.0, np.abs(one - other))
