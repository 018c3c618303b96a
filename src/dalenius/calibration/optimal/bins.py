"""Programmes of fewer answers, whose mechanisms serve the whole one (Result 8.1)."""

from dataclasses import dataclass, replace
from typing import Final, final

import numpy as np

from dalenius.calibration.optimal.program import FAINTEST, NEGLIGIBLE, SMALL, Programme
from dalenius.laws.law import Array, IntArray

NOTHING: Final = 1e-12
"""Relatively: differences this small are rounding."""


@final
@dataclass(frozen=True)
class Merged:
    """A programme of fewer answers: every answer of the whole first becomes its nearest kept one.

    programme: over those; row (answers of the whole,): which of them stands for each.
    """

    programme: Programme
    row: IntArray


def merged(whole: Programme) -> Merged:
    """Answers of next to no probability share a neighbour's row, and their outputs are given up: the answer is clamped,
    so to speak, before the mechanism sees it, and what that costs is counted in the error. Where the worst over the
    answers is sought none are."""
    if whole.weights is None:
        return Merged(whole, np.arange(len(whole.answers)))
    return _merged_to(whole, likely(whole))


def likely(whole: Programme) -> IntArray:
    """The answers whose probability is not negligible next to what breaks the promise."""
    unit, constant = float(np.sum(np.max(whole.excess, axis=0, initial=0.0))), whole.constant
    least = max(FAINTEST, 2 * whole.rarest, NEGLIGIBLE * (constant if constant < SMALL * unit else unit))
    return np.flatnonzero(whole.mass >= least)


def _merged_to(whole: Programme, kept: IntArray) -> Merged:
    edges = (whole.answers[kept][1:] + whole.answers[kept][:-1]) / 2
    row = np.searchsorted(edges, whole.answers)
    answers = whole.answers[kept]
    inside = (whole.outputs >= answers[0]) & (whole.outputs <= answers[-1])
    outputs = whole.outputs[inside] if whole.power == 2 else answers
    first = np.searchsorted(row, np.arange(len(kept)))
    return Merged(replace(averaged(whole, first), answers=answers, outputs=outputs), row)


def averaged(whole: Programme, first: IntArray) -> Programme:
    """One answer for each run of them that starts there, the mean of the run: from these all leave, and to these."""
    mass = np.add.reduceat(whole.mass, first)

    def mean(rows: Array) -> Array:
        return np.asarray(np.add.reduceat(whole.mass * rows, first, axis=-1) / mass)

    answers = mean(whole.answers.astype(np.float64))
    weights = None if whole.weights is None else mean(whole.weights)
    tells, sizes = mean(whole.tells), mean(whole.sizes)
    return replace(whole, answers=answers, outputs=answers, mass=mass, tells=tells, sizes=sizes, weights=weights)


@final
@dataclass(frozen=True)
class Binned:
    """fine: the programme of all answers between the least and the greatest likely one, those beyond clamped to them;
    first (bins,): where each of the bins starts into which they are cut; coarse: the programme of the bins."""

    fine: Programme
    first: IntArray
    coarse: Programme


def binned(whole: Programme, count: int) -> Binned:
    """So many bins of equal width, cut once more wherever an answer turns from being told too much to having some to
    spare: within a bin all constraints then hold, or are broken, by all answers together."""
    kept = likely(whole)
    fine = _merged_to(whole, np.arange(kept[0], kept[-1] + 1)).programme
    answers = len(fine.answers)
    edges = np.unique(np.rint(np.linspace(0, answers, min(count, answers) + 1)).astype(np.int64))[:-1]
    # What nobody is told but for rounding has no sign of its own.
    signs = np.where(np.abs(fine.tells) > NOTHING * fine.sizes, np.sign(fine.tells), 0.0)
    turns = np.flatnonzero(np.any(np.diff(signs, axis=1) != 0, axis=0)) + 1
    first = np.union1d(edges, turns) if len(turns) <= count else edges
    return Binned(fine, first, averaged(fine, first))
