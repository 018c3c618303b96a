"""Linear programs over fewer answers, whose mechanisms serve the whole one (Result 8.1)."""

from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.laws.law import Array, IntArray
from dalenius.optimum.program import FAINTEST, NEGLIGIBLE, SMALL, Program

NOTHING: Final = 1e-12
"""Relative: differences this small are rounding."""


@final
@dataclass(frozen=True)
class Merged:
    """A linear program over fewer answers: every answer of the whole is first replaced by the nearest one retained.

    program: over those retained; row (answers of the whole,): which of them replaces each.
    """

    program: Program
    row: IntArray


def merged(whole: Program) -> Merged:
    """Answers of negligible probability share a neighbour's row, and lose their own outputs: the mechanism is applied
    to the nearest answer retained, and the cost is counted in the error. For the worst-case objective none are
    merged."""
    return unmerged(whole) if whole.weights is None else _merged_to(whole, likely(whole))


def retained(whole: Program) -> IntArray | Array:
    """The answers of `merged`."""
    return whole.answers if whole.weights is None else whole.answers[likely(whole)]


def unmerged(whole: Program) -> Merged:
    """All answers retained."""
    return Merged(whole, np.arange(len(whole.answers)))


def likely(whole: Program) -> IntArray:
    """The answers whose probability is not negligible next to the mass that violates the promise."""
    unit, constant = float(np.sum(whole.most_violated)), whole.constant
    least = max(FAINTEST, 2 * whole.rarest, NEGLIGIBLE * (constant if constant < SMALL * unit else unit))
    return np.flatnonzero(whole.mass >= least)


def _merged_to(whole: Program, kept: IntArray) -> Merged:
    edges = (whole.answers[kept][1:] + whole.answers[kept][:-1]) / 2
    row = np.searchsorted(edges, whole.answers)
    answers = whole.answers[kept]
    inside = (whole.outputs >= answers[0]) & (whole.outputs <= answers[-1])
    outputs = whole.outputs[inside] if whole.power == 2 else answers
    first = np.searchsorted(row, np.arange(len(kept)))
    return Merged(replace(averaged(whole, first), answers=answers, outputs=outputs), row)


def averaged(whole: Program, first: IntArray) -> Program:
    """One answer for each run starting at `first`, the mean of the run: all moves are from these means and to them."""
    mass = np.add.reduceat(whole.mass, first)

    def mean(rows: Array) -> Array:
        return np.asarray(np.add.reduceat(whole.mass * rows, first, axis=-1) / mass)

    def means(rows: Array) -> Array:
        if len(first) == len(whole.mass):
            return rows
        found = np.empty((len(rows), len(first)))
        for mine, row in zip(found, rows, strict=True):
            mine[:] = mean(row)
        return found

    answers = mean(whole.answers.astype(np.float64))
    weights = None if whole.weights is None else mean(whole.weights)
    excess, sizes = means(whole.excess), means(whole.sizes)
    return replace(whole, answers=answers, outputs=answers, mass=mass, excess=excess, sizes=sizes, weights=weights)


@final
@dataclass(frozen=True)
class Binned:
    """fine: the linear program over all answers between the least and the greatest likely one, those beyond clamped to
    them; first (bins,): where each bin of them starts; coarse: the linear program over the bins."""

    fine: Program
    first: IntArray
    coarse: Program


def binned(whole: Program, count: int) -> Binned:
    """That many bins of equal width, cut once more wherever a coefficient changes sign, if there are no more such
    places than bins: within a bin all answers then count towards a constraint, or all against it."""
    kept = likely(whole)
    fine = _merged_to(whole, np.arange(kept[0], kept[-1] + 1)).program
    answers = len(fine.answers)
    edges = np.unique(np.rint(np.linspace(0, answers, min(count, answers) + 1)).astype(np.int64))[:-1]
    turning = np.zeros(answers - 1, dtype=np.bool_)
    for excess, sizes in zip(fine.excess, fine.sizes, strict=True):
        # Coefficients that are 0 up to rounding have no sign of their own.
        turning |= np.diff(np.where(np.abs(excess) > NOTHING * sizes, np.sign(excess), 0.0)) != 0
    turns = np.flatnonzero(turning) + 1
    first = np.union1d(edges, turns) if len(turns) <= count else edges
    return Binned(fine, first, averaged(fine, first))
