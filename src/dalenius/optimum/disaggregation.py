"""A mechanism between bins made one between all their answers, so that each output keeps the promise (Result 8.1).

A bin's answers leave it with equal probability. Let an output r of bin j keep own(c, r) = stay·mass(r)·excess(c, r),
and bin j receive A(c, j) = sum_i mass(i)·move(i, j)·excess(c, i) in all, of which share(r) arrives at r. The promise is

    own(c, r) + share(r)·A(c, j) <= 0    for all c and r,

for each r an interval of shares, of which some sum to 1 if and only if the lower ends sum to at most 1 and the upper
ends to at least 1. Where own(c, .) has one sign in the bin, as `binned` sees to, and one c binds, that is the bin's own
constraint.
"""

from math import expm1

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.optimum.bins import Binned
from dalenius.optimum.program import Program
from dalenius.optimum.relocation_law import Moves

EVENLY: float = 1e-9
"""Share of each bin's arrivals that is distributed by mass, so that every output can be masked at a finite cost."""
ROUGH: float = 1e-9
"""A smaller probability of staying in a bin is taken as 0."""


def spread(bins: Binned, kernel: Array) -> Moves:
    """The mechanism on the fine answers; kernel (bins, bins): that on the coarse ones. Violations left by rounding or
    by the bins' width are removed by mixing in a little mass that does not depend on the answer."""
    stays = np.where(np.diag(kernel) < ROUGH, 0.0, np.diag(kernel))
    moves = kernel - np.diag(np.diag(kernel))
    candidates = [_shares(bins, stays, moves), *_simple_shares(bins, stays)]
    masks = [_mask(bins, stays, moves, shares) for shares in candidates]
    chosen = np.argmin(masks, axis=0)
    shares = np.choose(chosen[_home(bins.fine, bins.first)], candidates)
    # All bins share what delta allows: with these shares each may use another part of it.
    mask = _mask(bins, stays, moves, shares)
    leaving = (moves + mask) / (1 + float(np.sum(mask)))
    leaves = np.sum(leaving, axis=1)
    leaves[stays == 0] = 1.0
    total = np.sum(leaving, axis=1, keepdims=True)
    conditional = np.where(total > 0, leaving / np.where(total > 0, total, 1.0), np.eye(len(kernel)))
    return Moves(bins.first, np.minimum(leaves, 1.0), conditional, shares)


def _shares(bins: Binned, stays: Array, moves: Array) -> Array:
    fine, first = bins.fine, bins.first
    home = _home(fine, first)
    kept, even = stays[home] * fine.mass, fine.mass / np.add.reduceat(fine.mass, first)[home]
    least, most = np.zeros(len(home)), np.full(len(home), np.inf)
    for excess, reached in zip(fine.excess, _arriving(bins.coarse, moves), strict=True):
        own, arriving = kept * excess, reached[home]
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = -own / arriving
        np.maximum(least, wanted, out=least, where=(arriving < 0) & (own > 0))
        np.minimum(most, np.maximum(wanted, 0.0), out=most, where=arriving > 0)
    most = np.maximum(np.where(np.isfinite(most), most, least + even), least)
    below, above = np.add.reduceat(least, first), np.add.reduceat(most, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(np.nan_to_num((1 - below) / (above - below), nan=0.0), 0.0, 1.0)
    found = least + part[home] * (most - least)
    total = np.add.reduceat(found, first)[home]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(total > 0, found / total, even)
    mixed = (1 - EVENLY) * found + EVENLY * even
    return np.asarray(mixed / np.add.reduceat(mixed, first)[home])


def _simple_shares(bins: Binned, stays: Array) -> tuple[Array, Array]:
    """For bins in which no shares satisfy all constraints: in proportion to the outputs' violations, and to mass."""
    home = _home(bins.fine, bins.first)
    even = bins.fine.mass / np.add.reduceat(bins.fine.mass, bins.first)[home]
    kept, broken = stays[home] * bins.fine.mass, np.zeros(len(home))
    for excess in bins.fine.excess:
        np.maximum(broken, kept * excess, out=broken)
    total = np.add.reduceat(broken, bins.first)[home]
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(total > 0, broken / total, even)
    return (1 - EVENLY) * found + EVENLY * even, even


def _mask(bins: Binned, stays: Array, moves: Array, shares: Array) -> Array:
    """Mass sent to each bin whatever the answer, for its outputs to keep the promise (bins,)."""
    over = _over(bins.fine, bins.first, stays, moves, shares)
    return np.asarray(np.maximum.reduceat(over / shares, bins.first))


def _over(fine: Program, first: IntArray, stays: Array, moves: Array, shares: Array) -> Array:
    """Each output's largest violation of a constraint, beyond what its delta allows, over e^ε - 1 (outputs,)."""
    home = _home(fine, first)
    kept, worst = stays[home] * fine.mass, np.zeros(len(home))
    for excess, delta, epsilon in zip(fine.excess, fine.deltas.tolist(), fine.epsilons.tolist(), strict=True):
        arriving = np.add.reduceat(fine.mass * excess, first) @ moves
        moved = np.maximum(kept * excess + arriving[home] * shares, 0.0)
        total = float(np.sum(moved))
        part = max(0.0, 1 - delta / total) if total > 0 else 0.0
        np.maximum(worst, moved * (part / expm1(epsilon)), out=worst)
    return worst


def _home(fine: Program, first: IntArray) -> IntArray:
    """The bin of each answer."""
    return np.repeat(np.arange(len(first)), np.diff(np.append(first, len(fine.answers))))


def _arriving(coarse: Program, moves: Array) -> Array:
    return np.asarray((coarse.mass * coarse.excess) @ moves)
