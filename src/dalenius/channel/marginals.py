"""Marginal laws of an answer's coordinates, for advice on accuracy and for secrets that are a number of everybody."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import prod
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.copies import ProportionalAnswers
from dalenius.channel.limits import MOST_ADVICE_ANSWERS, MOST_ADVICE_POINTS, MOST_SECRET_CELLS
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.laws.characteristic import Cumulant, Cumulants, Evaluations, tilted_law
from dalenius.laws.convolution import Coefficients, ScaledGrid, law_of
from dalenius.laws.generating_function_algebra import Extent, Extents
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law, log_mix
from dalenius.laws.tilting import Tilt, circle
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.queries import Scores


@final
@dataclass(frozen=True)
class Marginal:
    """The law of one coordinate of the exact answer.

    Args:
        name: The coordinate's name.
        start: The first lattice index.
        masses: Numbers in proportion to the probabilities, from there on (points,).
        step: The lattice step, in the query's unit.
    """

    name: str
    start: int
    masses: Array
    step: Fraction


def copies_of(
    marginals: Sequence[Marginal], proportional: ProportionalAnswers, names: Sequence[str]
) -> Iterator[Marginal]:
    """Yields the laws of all coordinates from those of the distinct ones.

    Args:
        marginals: The laws of the distinct coordinates.
        proportional: Which coordinate copies which.
        names: The names of all coordinates.
    """
    for name, copy in zip(names, proportional.copies, strict=True):
        law = marginals[copy.axis]
        stride = int(copy.multiple * law.step / copy.step)
        masses = np.zeros((len(law.masses) - 1) * abs(stride) + 1)
        masses[:: abs(stride)] = law.masses if stride > 0 else law.masses[::-1]
        end = law.start if stride > 0 else law.start + len(law.masses) - 1
        yield Marginal(name, int(copy.of(end * law.step) / copy.step), masses, copy.step)


def marginals_of(subject: Subject, law: Law, lattice: Lattice, names: Sequence[str]) -> Iterator[Marginal]:
    """Yields each coordinate's own law, whatever the subject's secret.

    Args:
        subject: The subject, whose prior mixes the laws.
        law: The law of the answer given each secret.
        lattice: The lattice of the answers.
        names: The names of the coordinates.
    """
    masses = np.exp(law.base + log_mix(subject.log_prior, law.relative))
    for axis, (name, step) in enumerate(zip(names, lattice.steps, strict=True)):
        others = tuple(other for other in range(masses.ndim) if other != axis)
        yield Marginal(name, law.start[axis], np.asarray(np.sum(masses, axis=others)), step)


def marginal_of_sum(joint: Joint, scores: Scores, extent: Extent) -> Marginal | None:
    """Returns the law of a single sum, given nothing, from one transform.

    Probabilities have a double's absolute accuracy, and decide no privacy. A wide range is computed only around the
    usual answers, as all others have less than such a probability. None for several coordinates, extremes, and sums
    that even so have too many points.

    Args:
        joint: The law of the records.
        scores: The query's scores.
        extent: The box of all answers.
    """
    if not scores.additive or scores.lattice.axes > 1:
        return None
    flat, low, length = scores.indices[:, 0], extent.low[0], extent.high[0] - extent.low[0] + 1
    start, points = low, length + length % 2
    # The case of a sum over 10^6 people: it has 10^6 answers, and nearly all of its law within some thousands.
    if length >= MOST_ADVICE_ANSWERS:
        start, points = _usual(joint, scores, extent)
    # Because a law for advice only may be left out.
    if points > MOST_ADVICE_POINTS:
        return None
    values = joint.total(Evaluations(flat, 0.0, points, {}))
    masses = np.maximum(tilted_law(values, points, start)[0], 0.0)
    first, last = max(start, low), min(start + points, low + length)
    return Marginal(scores.names[0], first, masses[first - start : last - start], scores.lattice.steps[0])


def _usual(joint: Joint, scores: Scores, extent: Extent) -> tuple[int, int]:
    """Returns the first point and the length of a window around the mean with all of the law but a wrapped rest."""
    flat = scores.indices[:, 0]

    def cumulant_at(tilt: float) -> Cumulant:
        return joint.total(Cumulants(flat, tilt))

    middle, length = Tilt(0.0, cumulant_at(0.0)), extent.high[0] - extent.low[0] + 1
    points, _ = circle(cumulant_at, middle, 0, length)
    return (extent.low[0], length + length % 2) if points >= length else (round(middle.here.mean) - points // 2, points)


def law_of_counted(joint: Joint, scores: IntArray, counts: IntArray, subject: Subject) -> Law:
    """Returns the law of the answer given each secret of the `subject`, the possible numbers in rising order.

    TooLarge where answer and number together have too many values.

    Args:
        joint: The law of the records.
        scores: What a record adds to the answer (slots, axes).
        counts: What a record adds to the number (slots,).
        subject: The people, whose secret is the number.
    """
    both = np.column_stack([scores, counts])
    box = joint.total(Extents(both))
    copied = _copied(joint, scores, counts)
    cells = len(subject.secrets) * prod(high - low + 1 for low, high in zip(box.low[:-1], box.high[:-1], strict=True))
    # The case of a number of the ill, as the secret, beside an answer about incomes: a box of both.
    if cells > allowed(MOST_SECRET_CELLS):
        size = f"{cells:.2g} values of the answer and of {subject.what} together"
        instead = or_more("use any member V or all members V, or fewer people", enough(cells, MOST_SECRET_CELLS))
        raise TooLarge("the law of the secret", size, instead, MOST_SECRET_CELLS)
    # The case of an answer that is the number itself, as a count of the ill: no second coordinate is needed.
    if copied:
        return _known(joint, scores, copied, len(subject.secrets))
    grid = joint.total(Coefficients(both))
    mantissa, exponent = grid.split()
    rows = np.flatnonzero(mantissa.reshape(-1, mantissa.shape[-1]).any(axis=0))
    start = grid.start[:-1]
    slices = [ScaledGrid(start, mantissa[..., row], exponent[..., row], grid.roundings) for row in rows.tolist()]
    law = law_of(slices)
    prior = subject.log_prior.reshape(-1, *(1,) * (law.relative.ndim - 1))
    depth = float(np.max(np.abs(prior)))
    return replace(law, relative=law.relative - prior, error=law.error + (grid.roundings + 8 * depth + 8) * UNIT)


def _copied(joint: Joint, scores: IntArray, counts: IntArray) -> int:
    """Returns 1 where one answer rises with the number, whatever the records, -1 where it falls; else 0."""
    if scores.shape[1] > 1:
        return 0
    first, ratios = 0, set()
    for stratum in joint.strata():
        own = slice(first, first := first + len(stratum.values))
        moves = zip((scores[own, 0] - scores[own, 0][0]).tolist(), (counts[own] - counts[own][0]).tolist(), strict=True)
        ratios |= {_ratio(move, count) for move, count in moves if move or count}
    return int(np.sign(next(iter(ratios)))) if len(ratios) == 1 else 0


def _ratio(move: int, count: int) -> float:
    """Returns how far the answer moves for each step of the number; 0 where the number stays."""
    return move / count if count else 0.0


def _known(joint: Joint, scores: IntArray, rising: int, secrets: int) -> Law:
    """Returns the law given each number where every number has one answer: certain, at its own place."""
    grid = joint.total(Coefficients(scores))
    points = np.flatnonzero(grid.mantissa)
    assert len(points) == secrets
    relative = np.full((secrets, grid.mantissa.size), -np.inf)
    relative[np.arange(secrets), points[::rising]] = 0.0
    return Law(grid.start, np.zeros(grid.mantissa.size), relative, 0.0)
