"""Linear programs over fewer answers, in bins, whose mechanisms are made ones between all answers (Result 8.1).

A bin's answers leave it with equal probability. Let an output r of bin j keep own(c, r) = stay·mass(r)·excess(c, r),
and bin j receive A(c, j) = sum_i mass(i)·move(i, j)·excess(c, i) in all, of which share(r) arrives at r. The promise is

    own(c, r) + share(r)·A(c, j) <= 0    for all c and r,

for each r an interval of shares, of which some sum to 1 if and only if the lower ends sum to at most 1 and the upper
ends to at least 1. If own(c, .) has one sign in the bin, as `binned` sees to, and one c binds, that is the bin's own
constraint.

Take the number of ill people in twelve households of four, ill as [0.9, 0.04, 0, 0, 0.06], and ε = 1. The 44 likely
answers are put into 10 bins, 8 of equal width, cut where a coefficient changes sign. Their mechanism errs by 0.4945,
and no mechanism errs by less than 0.4888.
"""

from dataclasses import dataclass, replace
from functools import cached_property
from math import expm1
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.optimum.program import FAINTEST_MASS, NEGLIGIBLE, SMALL, Program, nearest_place
from dalenius.optimum.relocation_noise import Moves

_EVENLY: float = 1e-9
"""The share of each bin's arrivals that goes by mass, so that every output can be masked at a finite cost."""


def merged(program: Program) -> Program:
    """Returns the program over fewer answers: every answer is first replaced by the nearest one retained.

    Answers of negligible probability share a neighbour's row, and lose their own outputs, and the cost is counted in
    the error. For the worst-case objective none are merged.
    """
    return program if program.weights is None else _merged_to(program, _likely(program))


def retained(program: Program) -> IntArray | Array:
    """Returns the answers that `merged` retains of `program`."""
    return program.answers if program.weights is None else program.answers[_likely(program)]


def _likely(program: Program) -> IntArray:
    """Returns the answers whose probability is not negligible next to the mass that violates the promise."""
    unit, constant = float(np.sum(program.most_violated)), program.constant
    least = max(FAINTEST_MASS, 2 * program.rarest, NEGLIGIBLE * (constant if constant < SMALL * unit else unit))
    return np.flatnonzero(program.mass >= least)


def _merged_to(program: Program, kept: IntArray) -> Program:
    answers = program.answers[kept]
    inside = (program.outputs >= answers[0]) & (program.outputs <= answers[-1])
    outputs = program.outputs[inside] if program.power == 2 else answers
    first = np.searchsorted(nearest_place(answers, program.answers), np.arange(len(kept)))
    return replace(_averaged(program, first), answers=answers, outputs=outputs)


def _averaged(program: Program, first: IntArray) -> Program:
    """Returns one answer for each run starting at `first`, the mean of the run: moves are between these means."""
    mass = np.add.reduceat(program.mass, first)

    def mean(rows: Array) -> Array:
        return np.asarray(np.add.reduceat(program.mass * rows, first, axis=-1) / mass)

    def means(rows: Array) -> Array:
        # If every answer is a bin of its own, the means are the rows themselves, and no second copy of them is made.
        if len(first) == len(program.mass):
            return rows
        found = np.empty((len(rows), len(first)))
        for mine, row in zip(found, rows, strict=True):
            mine[:] = mean(row)
        return found

    answers = mean(program.answers.astype(np.float64))
    weights = None if program.weights is None else mean(program.weights)
    excess, sizes = means(program.excess), means(program.sizes)
    return replace(program, answers=answers, outputs=answers, mass=mass, excess=excess, sizes=sizes, weights=weights)


@final
@dataclass(frozen=True)
class Binned:
    """A program in bins.

    Attributes:
        fine: The linear program over all answers between the least and the greatest likely one, those beyond clamped.
        first: Where each bin of them starts (bins,).
        coarse: The linear program over the bins.
    """

    fine: Program
    first: IntArray
    coarse: Program

    @cached_property
    def home(self) -> IntArray:
        """The bin of each answer (answers,)."""
        return np.repeat(np.arange(len(self.first)), np.diff(np.append(self.first, len(self.fine.answers))))

    @cached_property
    def even(self) -> Array:
        """The share of each answer in its bin's mass (answers,)."""
        return np.asarray(self.fine.mass / np.add.reduceat(self.fine.mass, self.first)[self.home])

    def in_proportion(self, values: Array) -> Array:
        """Returns shares of each bin in proportion to these values (answers,), but for EVENLY, which goes by mass.

        Where the values are 0, all goes by mass.
        """
        total = np.add.reduceat(values, self.first)[self.home]
        with np.errstate(divide="ignore", invalid="ignore"):
            found = np.where(total > 0, values / total, self.even)
        return np.asarray((1 - _EVENLY) * found + _EVENLY * self.even)


def binned(program: Program, count: int) -> Binned:
    """Returns the `program` in `count` bins of equal width, cut once more wherever a coefficient changes sign.

    They are cut so if there are no more such places than bins: within a bin all answers then count towards a
    constraint, or all against it.
    """
    kept = _likely(program)
    fine = _merged_to(program, np.arange(kept[0], kept[-1] + 1))
    answers = len(fine.answers)
    edges = np.unique(np.rint(np.linspace(0, answers, min(count, answers) + 1)).astype(np.int64))[:-1]
    turning = np.zeros(answers - 1, dtype=np.bool_)
    for excess, sizes in zip(fine.excess, fine.sizes, strict=True):
        # Because relative differences this small are rounding, such coefficients have no sign of their own.
        turning |= np.diff(np.where(np.abs(excess) > 1e-12 * sizes, np.sign(excess), 0.0)) != 0
    turns = np.flatnonzero(turning) + 1
    first = np.union1d(edges, turns) if len(turns) <= count else edges
    return Binned(fine, first, _averaged(fine, first))


def spread(bins: Binned, kernel: Array) -> Moves:
    """Returns the mechanism on the fine answers; kernel (bins, bins): that on the coarse ones.

    Violations left by rounding or by the bins' width are removed by mixing in a little mass that does not depend on the
    answer.
    """
    # Because a smaller probability of staying in a bin is rounding, it is taken as 0.
    stays = np.where(np.diag(kernel) < 1e-9, 0.0, np.diag(kernel))
    moves = kernel - np.diag(np.diag(kernel))
    # If no shares keep every constraint, as with several that bind in one bin, the mask makes up for it.
    shares = _shares(bins, stays, moves)
    mask = _mask(bins, stays, moves, shares)
    leaving = (moves + mask) / (1 + float(np.sum(mask)))
    leaves = np.sum(leaving, axis=1)
    leaves[stays == 0] = 1.0
    total = np.sum(leaving, axis=1, keepdims=True)
    conditional = np.where(total > 0, leaving / np.where(total > 0, total, 1.0), np.eye(len(kernel)))
    return Moves(bins.first, np.minimum(leaves, 1.0), conditional, shares)


def _shares(bins: Binned, stays: Array, moves: Array) -> Array:
    """Returns, in each bin, a point between the least and the largest shares with which outputs keep the promise."""
    fine, first, home = bins.fine, bins.first, bins.home
    kept = stays[home] * fine.mass
    least, most = np.zeros(len(home)), np.full(len(home), np.inf)
    for excess, reached in zip(fine.excess, (bins.coarse.mass * bins.coarse.excess) @ moves, strict=True):
        own, arriving = kept * excess, reached[home]
        with np.errstate(divide="ignore", invalid="ignore"):
            wanted = -own / arriving
        np.maximum(least, wanted, out=least, where=(arriving < 0) & (own > 0))
        np.minimum(most, np.maximum(wanted, 0.0), out=most, where=arriving > 0)
    # If no constraint bounds an output from above, it may take its share of the bin's mass beyond its least.
    most = np.maximum(np.where(np.isfinite(most), most, least + bins.even), least)
    below, above = np.add.reduceat(least, first), np.add.reduceat(most, first)
    with np.errstate(divide="ignore", invalid="ignore"):
        part = np.clip(np.nan_to_num((1 - below) / (above - below), nan=0.0), 0.0, 1.0)
    mixed = bins.in_proportion(least + part[home] * (most - least))
    return np.asarray(mixed / np.add.reduceat(mixed, first)[home])


def _mask(bins: Binned, stays: Array, moves: Array, shares: Array) -> Array:
    """Returns the mass sent to each bin whatever the answer, for its outputs to keep the promise (bins,).

    It is the largest violation of a constraint, beyond what its delta allows, over e^ε - 1.
    """
    fine, first, home = bins.fine, bins.first, bins.home
    kept, worst = stays[home] * fine.mass, np.zeros(len(home))
    for excess, delta, epsilon in zip(fine.excess, fine.deltas.tolist(), fine.epsilons.tolist(), strict=True):
        arriving = np.add.reduceat(fine.mass * excess, first) @ moves
        moved = np.maximum(kept * excess + arriving[home] * shares, 0.0)
        total = float(np.sum(moved))
        part = max(0.0, 1 - delta / total) if total > 0 else 0.0
        np.maximum(worst, moved * (part / expm1(epsilon)), out=worst)
    return np.asarray(np.maximum.reduceat(worst / shares, first))
