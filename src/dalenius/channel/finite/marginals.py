"""The law of one coordinate of the exact answer, given nothing: what a model expects before anything is released."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, final

import numpy as np

from dalenius.channel.finite.folding import Folding
from dalenius.joints import Joint, Subject
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Array, Law, log_mix
from dalenius.laws.transforms.characteristic import Cumulant, Cumulants, Evaluations, tilted_law
from dalenius.laws.transforms.ranges import Extent
from dalenius.laws.transforms.tilting import Tilt, circle
from dalenius.queries import Scores

WIDE: Final = 1 << 15
"""Answers from which only those near the mean are looked at: below it all of them take a millisecond."""
MOST_POINTS: Final = 1 << 22
"""Of a law that is computed for advice only."""


@final
@dataclass(frozen=True)
class Marginal:
    """The law of one coordinate of the exact answer: name; masses (points,) from the lattice index `start` on, in
    proportion to the probabilities; step: of the lattice."""

    name: str
    start: int
    masses: Array
    step: Fraction


def copies_of(marginals: Sequence[Marginal], folding: Folding, names: Sequence[str]) -> Iterator[Marginal]:
    """The laws of all coordinates from those of the distinct ones."""
    for name, copy in zip(names, folding.copies, strict=True):
        law = marginals[copy.axis]
        apart = int(copy.multiple * law.step / copy.step)
        masses = np.zeros((len(law.masses) - 1) * abs(apart) + 1)
        masses[:: abs(apart)] = law.masses if apart > 0 else law.masses[::-1]
        end = law.start if apart > 0 else law.start + len(law.masses) - 1
        yield Marginal(name, int(copy.of(end * law.step) / copy.step), masses, copy.step)


def marginals_of(subject: Subject, law: Law, lattice: Lattice, names: Sequence[str]) -> Iterator[Marginal]:
    """Each coordinate's own law, whatever the subject's secret."""
    masses = np.exp(law.base + log_mix(subject.log_prior, law.relative))
    for axis, (name, step) in enumerate(zip(names, lattice.steps, strict=True)):
        others = tuple(other for other in range(masses.ndim) if other != axis)
        yield Marginal(name, law.start[axis], np.asarray(np.sum(masses, axis=others)), step)


def marginal_of_sum(joint: Joint, scores: Scores, extent: Extent) -> Marginal | None:
    """The law of a single sum, given nothing, from one transform: probabilities to a double's absolute accuracy,
    which decide no privacy; of WIDE ranges only where it usually lies, as all else has less than such a probability.
    None for several coordinates, extremes, and sums that even so have too many points."""
    if not scores.additive or scores.lattice.axes > 1:
        return None
    flat, low, length = scores.indices[:, 0], extent.low[0], extent.high[0] - extent.low[0] + 1
    start, points = low, length + length % 2
    if length >= WIDE:
        start, points = _usual(joint, scores, extent)
    if points > MOST_POINTS:
        return None
    values = joint.total(Evaluations(flat, 0.0, points, {}))
    masses = np.maximum(tilted_law(values, points, start)[0], 0.0)
    first, last = max(start, low), min(start + points, low + length)
    return Marginal(scores.names[0], first, masses[first - start : last - start], scores.lattice.steps[0])


def _usual(joint: Joint, scores: Scores, extent: Extent) -> tuple[int, int]:
    """The first point, and how many, of a window around the mean with all of the law but what wraps around."""
    flat = scores.indices[:, 0]

    def cumulant_at(tilt: float) -> Cumulant:
        return joint.total(Cumulants(flat, tilt))

    middle, length = Tilt(0.0, cumulant_at(0.0)), extent.high[0] - extent.low[0] + 1
    points, _ = circle(cumulant_at, middle, 0, length)
    return (extent.low[0], length + length % 2) if points >= length else (round(middle.here.mean) - points // 2, points)
