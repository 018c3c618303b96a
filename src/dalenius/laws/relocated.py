"""A law whose answers stay, or move from their bin to another's points: a stochastic matrix of low rank but for its
diagonal, applied without writing it out."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.stochastic import through


@final
@dataclass(frozen=True)
class Moves:
    """Consecutive points in bins; first (bins,): where each starts. A point of bin i leaves with probability
    leaves[i], to bin j with probability bins[i, j], and there to a point by its share of that bin; else it stays."""

    first: IntArray
    leaves: Array
    bins: Array
    shares: Array

    @property
    def bin_of(self) -> IntArray:
        """The bin of each point (points,)."""
        widths = np.diff(np.append(self.first, len(self.shares)))
        return np.repeat(np.arange(len(self.first)), widths)

    @property
    def leaving(self) -> Array:
        """The probability of leaving bin i for bin j (bins, bins), whatever the point."""
        return np.asarray(self.leaves[:, None] * self.bins)

    @property
    def stays(self) -> Array:
        """The probability of staying (bins,)."""
        return np.asarray(1 - self.leaves)

    def mean_moves(self, points: Array) -> Array:
        """E|output - answer| given each of these points (points,), which lie in ascending order."""
        means = np.add.reduceat(self.shares * points, self.first)
        found = np.empty(len(points))
        for here, (start, stop) in enumerate(self.edges()):
            own = points[start:stop]
            # Whole bins lie on one side of a point, so that only their mean counts; its own bin is on both.
            far = np.abs(means[None, :] - own[:, None])
            weights = self.shares[start:stop]
            below, under = np.cumsum(weights), np.cumsum(weights * own)
            far[:, here] = own * (2 * below - below[-1]) + under[-1] - 2 * under
            found[start:stop] = far @ self.leaving[here]
        return found

    def edges(self) -> Sequence[tuple[int, int]]:
        """First point of each bin, and the first beyond."""
        return list(zip(self.first.tolist(), [*self.first[1:].tolist(), len(self.shares)], strict=True))


def relocated(law: Law, axis: int, moves: Moves) -> Law:
    """Each point of that axis, of which there are as many as `moves` has, sent through it. The error of every entry is
    counted; the law must have no floor."""
    logs = np.moveaxis(law.log_mass(), axis + 1, -1)
    flat = logs.reshape(-1, logs.shape[-1])
    bins, terms = _by_bin(flat, moves)
    with np.errstate(divide="ignore"):
        # Not through `leaving`: a product of two rare moves may be no double.
        arriving, roundings = through(bins + np.log(moves.leaves), moves.bins)
        arrived = arriving[:, moves.bin_of] + np.log(moves.shares)
        kept = flat + np.log(moves.stays)[moves.bin_of]
    found = np.moveaxis(np.logaddexp(kept, arrived).reshape(logs.shape), -1, axis + 1)
    deepest = float(np.max(np.abs(found), where=np.isfinite(found), initial=0.0))
    error = law.error + (terms + roundings + 8 * deepest + 64) * UNIT
    return replace(law, base=np.zeros(law.box), relative=found, error=error)


def _by_bin(logs: Array, moves: Moves) -> tuple[Array, float]:
    """log of the mass in each bin (rows, bins), and how many roundings lie behind it."""
    tops = np.maximum.reduceat(logs, moves.first, axis=1)
    tops = np.where(tops > -np.inf, tops, 0.0)
    with np.errstate(divide="ignore"):
        sums = np.log(np.add.reduceat(np.exp(logs - tops[:, moves.bin_of]), moves.first, axis=1)) + tops
    widest = int(np.max(np.diff(np.append(moves.first, logs.shape[1]))))
    return sums, widest + 4 * float(np.max(np.abs(tops))) + 800
