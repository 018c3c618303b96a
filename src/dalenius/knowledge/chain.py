"""Background knowledge around one record of a homogeneous Markov chain: the next known record on either side.

Result 7.7. Given the nearest known record on a side, the records beyond it are independent of the one in the middle:
unknown, they add randomness to the sum, and known, none. So the known sets that matter are, on each side, a distance
a >= 1 with the value known there, or nothing up to the chain's end; and as all steps have one matrix, the laws depend
on distances, not on places.

Past `reach` a side is *far*. Revealing the record at distance L = reach as well makes W(y|s) and W(y|s') sums over its
value x of Pr[x|s] W(y|s, x), whose ratio is at most the largest ratio of two terms of the same x: the ratio of the W is
that of a set within reach, and log Pr[x|s]/Pr[x|s'] is at most the projective diameter of P^L,

    max log P^L(x,s) P^L(z,s') / (P^L(x,s') P^L(z,s)),

whatever is known further on. It falls geometrically in L.

Take a homogeneous chain of 30 days with transition [[0.9, 0.1], [0.2, 0.8]], begun as in the long run and counted
through Laplace(1). It leaks 4.322 nats of day 8 to an adversary who knows that days 1 and 15 are 0, and at most 4.154
nats of any day to one who knows no day. The diameter falls from log 36 in one step to 0.126 in ten; 49 days on, twice
what is left of it is 2.3e-7 nats:

>>> initial, step = np.array([2 / 3, 1 / 3]), np.array([[0.9, 0.1], [0.2, 0.8]])
>>> chain = Segments(400, initial, step, np.array([0, 1]))
>>> chain.reach, f"{chain.beyond:.1e}"
(49, '2.3e-07')
>>> round(_diameter(step), 6), round(_diameter(step @ step), 6)
(3.583519, 2.248921)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import inf, log
from typing import Any, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.channel.leakage import Leakage, Witness, worst
from dalenius.fields import RecordValue
from dalenius.joints import Joint, chain_of
from dalenius.knowledge.any_records import Separation, ValuePairs, worst_sets
from dalenius.knowledge.limits import MOST_CHAIN_CELLS
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.noise import Noise
from dalenius.queries import Scores

_Masses: TypeAlias = Array
"""Doubles, or long doubles where probabilities are too small for doubles."""


@final
@dataclass(frozen=True)
class _Side:
    """The records on one side of the one in the middle.

    Attributes:
        reach: How many records; the furthest is known, unless `known` is None.
        known: The state of the furthest; None where all up to the chain's end are open.
        masses: For each value of the record in the middle, those of the unknown records' sum, less as many times the
            least score (states, sums); times a probability, and for a whole set up to one factor.
    """

    reach: int
    known: int | None
    masses: _Masses

    @property
    def unknown(self) -> int:
        """The number of records of the side that are unknown: all, or all but the furthest."""
        return self.reach if self.known is None else self.reach - 1


@final
@dataclass(frozen=True)
class Batch:
    """All known sets with one left side.

    Attributes:
        left: The left side.
        rights: The right sides.
        law: The law of the unknown records' sum, given each (right side, value) in turn.
        rows: The row of the law, or -1 where the value is impossible (rights, values).
    """

    left: _Side
    rights: tuple[_Side, ...]
    law: Law
    rows: IntArray


@final
class Segments:
    """The known sets around one record of a homogeneous chain.

    Args:
        n: The number of records.
        initial: The law of the first record (k,).
        step: The transition matrix (k, k), all of it positive.
        scores: The values' scores (k,), in lattice steps.

    Attributes:
        reach: The largest distance of known records that is enumerated, 0 for none.
    """

    def __init__(self, n: int, initial: Array, step: Array, scores: IntArray) -> None:
        self._n = n
        self._scores = scores - scores.min()
        least = log(float(min(step.min(), initial[initial > 0].min())))
        self.reach, self._diameter_left = self._furthest(step, least, np.float64)
        longer = self._furthest(step, least, np.longdouble)
        wide = longer[0] > self.reach
        # Where rare steps make doubles too small after a few records, long doubles reach further; else doubles are
        # quicker.
        if wide:
            self.reach, self._diameter_left = longer
        kind: Any = np.longdouble if wide else np.float64
        self._initial, self._step = initial.astype(kind), step.astype(kind)

    def _furthest(self, step: Array, least: float, kind: Any) -> tuple[int, float]:
        """Returns the reach, no more than needed or than time and the range of numbers allow; and the diameter."""
        k, width = len(step), max(int(self._scores.max()), 1)
        # With many values, or scores far apart, the reach is short: sets and sums grow with its cube.
        quick = (MOST_CHAIN_CELLS / (2 * width * k * (k + 1) ** 2)) ** (1 / 3)
        # The least probability of a stretch on both sides must be a normal number of that kind.
        ranged = (-float(np.log(np.finfo(kind).tiny)) - 40) / (2 * -least) if least < 0 else inf
        power, reach, diameter = np.eye(k), 0, inf
        # A projective diameter that is negligible.
        while reach < min(self._n - 1, quick, ranged - 3) and diameter > 4e-15:
            power = power @ step
            reach, diameter = reach + 1, _diameter(power)
        return reach, diameter + (4 * (reach * (k + 1) + 8) - 8 * least) * UNIT

    @property
    def beyond(self) -> float:
        """The most, in nats, that sets reaching further on both sides leak in excess of the enumerated ones."""
        # A chain that ends within reach has no set that goes further.
        return 2 * self._diameter_left if self._n - 1 > self.reach else 0.0

    def batches(self) -> Iterator[Batch]:
        """Yields every known set within reach, once."""
        # For a = 1, 2, ..: (k, k, sums), Pr[X_a = t, sum of X_1 to X_(a-1) = v | X_0 = x].
        powers = list(self._grown(self._step[:, :, None], "xs,stv->xtv", self.reach))
        # For m = 0, 1, ..: (k, sums), Pr[X_m = s, sum of X_0 to X_(m-1) = v]; Pr[sum of X_1 to X_m = v | X_0 = s].
        before = self._grown(self._initial[:, None], "ts,tv->sv", self.reach + 1)
        after = self._grown(np.ones((len(self._step), 1), dtype=self._step.dtype), "st,tv->sv", self.reach + 1)
        lefts = [_Side(a, x, masses[x]) for a, masses in enumerate(powers, 1) for x in range(len(self._step))]
        rights = [_Side(b, z, masses[:, z]) for b, masses in enumerate(powers, 1) for z in range(len(self._step))]
        lefts += [_Side(m, None, masses) for m, masses in enumerate(before)]
        rights += [_Side(m, None, masses) for m, masses in enumerate(after)]
        for left in lefts:
            fitting = tuple(right for right in rights if self._fits(left, right))
            if fitting:
                yield self._batch(left, fitting)

    def _fits(self, left: _Side, right: _Side) -> bool:
        """Says whether some record has such sides; the known one on the left may have to be the chain's first."""
        reach = left.reach + right.reach
        # Nobody is known: the two sides are all of the chain.
        if left.known is None and right.known is None:
            return reach == self._n - 1
        # Where the known record on the left is the chain's first, it must be able to have that value.
        first = left.known is not None and reach == self._n - 1
        return reach <= self._n - 1 and not (first and self._initial[left.known] == 0)

    def place(self, left: _Side, right: _Side) -> int:
        """Returns the place, from 0, of the first record whose two sides are `left` and `right`."""
        # Unknown up to the end: the place is counted from there.
        if right.known is None:
            return self._n - 1 - right.reach
        # A value that the first record cannot have is known of the second one at the earliest.
        first = left.known is not None and self._initial[left.known] == 0
        return left.reach + int(first)

    def _grown(self, masses: _Masses, along: str, times: int) -> Iterator[_Masses]:
        """Yields the masses, then with one more record each time, whose own score is added to the sums.

        Args:
            masses: The masses to begin with.
            along: The indices of a sum of products, for the step and for the masses.
            times: How many times a record is added.
        """
        for _ in range(times):
            yield masses
            masses = np.einsum(along, self._step, self._added(masses))

    def _added(self, masses: _Masses) -> _Masses:
        """Adds each value's own score to the sums: (states, .., sums) -> (states, .., more sums)."""
        length = masses.shape[-1]
        moved = np.zeros((*masses.shape[:-1], length + int(self._scores.max())), dtype=masses.dtype)
        for state, score in enumerate(self._scores):
            moved[state, ..., score : score + length] = masses[state]
        return moved

    def _batch(self, left: _Side, rights: tuple[_Side, ...]) -> Batch:
        """Returns all sets with this left side, and the law of the unknown records' sum given each set and value."""
        own = self._added(left.masses)
        longest = max(right.masses.shape[1] for right in rights)
        padded = np.zeros((len(rights), len(own), longest), dtype=own.dtype)
        # Right sides of different reach have sums of different length: the shorter end in zeros.
        for row, right in zip(padded, rights, strict=True):
            row[:, : right.masses.shape[1]] = right.masses
        joined = np.stack([padded[:, state] @ _shifts(masses, longest) for state, masses in enumerate(own)], axis=1)
        total = joined.sum(axis=2, keepdims=True)
        with np.errstate(divide="ignore"):
            logs = np.log(joined / np.where(total > 0, total, 1)).astype(np.float64)
        rows = np.where(total[..., 0] > 0, np.arange(total.size).reshape(total.shape[:2]), -1)
        roundings = (2 * self.reach + 4) * (len(own) + 4) + 3 * joined.shape[2] + 64
        deepest = float(np.max(np.abs(logs), where=logs > -inf, initial=0.0))
        error = 2 * (roundings + deepest) * UNIT
        law = Law((0,), np.zeros(joined.shape[2]), logs.reshape(-1, joined.shape[2]), error)
        return Batch(left, rights, law, rows)


def _shifts(masses: _Masses, count: int) -> _Masses:
    """Returns a matrix whose row j is the masses shifted by j: a product with it is a convolution."""
    shifted = np.zeros((count, len(masses) + count - 1), dtype=masses.dtype)
    for place, row in enumerate(shifted):
        row[place : place + len(masses)] = masses
    return shifted


def _diameter(power: Array) -> float:
    """Returns the projective diameter: the largest log of a cross-ratio of two rows and two columns, in nats."""
    logs = np.log(power)
    ratios = logs[:, :, None] - logs[:, None, :]
    return float(np.max(ratios.max(axis=0) - ratios.min(axis=0)))


def along_a_chain(joint: Joint, scores: Scores, noise: Noise, pairs: ValuePairs) -> Leakage | None:
    """Finds the worst record of a homogeneous chain with positive transition probabilities, in nats.

    A known set attains the lower end. None for any other chain, answer or noise.

    Args:
        joint: The law of the records.
        scores: The query's scores.
        noise: The noise of the whole answer.
        pairs: The pairs of values that must not be distinguished; None for all.
    """
    axes = np.flatnonzero(np.ptp(scores.indices, axis=0))
    chain = chain_of(joint)
    # Days and nights with steps of their own, an answer of two counts, or Gaussian noise.
    if chain is None or chain.even is None or len(axes) != 1 or noise.shape.light_tailed:
        return None
    initial, step = chain.even
    # If nobody can fall ill again, a known record may rule values out, and the diameter is infinite.
    if not (step > 0).all():
        return None
    own = scores.indices[:, axes[0]]
    segments = Segments(len(chain), initial, step, own)
    # A single record, or steps so rare that not one distance is within the range of the numbers.
    if segments.reach < 1:
        return None
    lattice = scores.lattice.restricted(axes.tolist())
    values = joint.strata()[0].values
    lower, upper, near = 0.0, 0.0, list[Leakage]()
    for batch in segments.batches():
        likelihood = noise.on(axes.tolist()).mechanism(lattice).likelihood(batch.law)
        for found in worst_sets(likelihood, batch.rows, values, pairs):
            lower, upper = max(lower, found.value.lower), max(upper, found.value.upper)
            # Most sets leak less than one before: no witness is made of them.
            if found.value.upper >= lower:
                witness = _witness(joint, segments, batch, found, values, own, lattice)
                near.append(Leakage(found.value.lower, found.value.upper, witness))
    return Leakage(lower, upper + segments.beyond, worst(near).witness)


def _witness(
    joint: Joint,
    segments: Segments,
    batch: Batch,
    found: Separation,
    values: Sequence[RecordValue],
    scores: IntArray,
    lattice: Lattice,
) -> Witness:
    """Returns the witness; its output is the sum between the known records on both sides, or the chain's ends."""
    left, right = batch.left, batch.rights[found.set]
    place = segments.place(left, right)
    ends = {place - left.reach: left.known, place + right.reach: right.known}
    known = {at: state for at, state in ends.items() if state is not None}
    least = int(scores.min()) * (left.unknown + 1 + right.unknown)
    total = found.output + least + sum(int(scores[state]) for state in known.values())
    return Witness(
        person=place + 1,
        who=joint.subject_of(place + 1).who,
        secret=values[found.secret],
        against=values[found.against],
        output=lattice.point([total]),
        known={at + 1: values[state] for at, state in known.items()},
    )
