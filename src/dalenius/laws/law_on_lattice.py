"""Lattices of answers in the query's unit, the sums that records' scores can make on one, and the laws of one answer
given each secret, in logs: on a box of a lattice, on a line of outputs, or on a window around where the answer usually
lies."""

import abc
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import reduce
from itertools import combinations
from math import gcd, inf, lcm, log1p
from typing import Final, Literal, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.errors import InputError

Array: TypeAlias = NDArray[np.float64]
IntArray: TypeAlias = NDArray[np.int64]


@final
@dataclass(frozen=True)
class Law:
    """log Pr[answer = v | s] = base(v) + relative(s, v), for every secret s and every v of a lattice box.

    The part all secrets share is kept separate: at a million people log-probabilities reach -1e6, where a double
    resolves 1e-10 only, while what a leakage reads is the difference between secrets.

    start: the box's lowest lattice index, one integer per axis.
    base: (*box); relative: (secrets, *box), -inf where the mass is zero.
    error: |computed - true| of every entry of `relative` at most this, in nats.
    floor: None, or logs (*box) on the scale of `base`: an upper bound on each point's unresolved mass, beyond `error`.
    points: None, or the outputs of a box of one axis, where they are no lattice points.
    line: None, or all real outputs, of which the box holds some only.
    answers: None, or the law of the exact answer on the same box, where not all outputs are told by a point of it.

    A bit that is reported as it is with probability 3/4, and what is reported if it is 1 with probability .1:

    >>> law = Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0)
    >>> np.exp(law.with_mixture(np.log([0.9, 0.1])).log_mass()[-1]).round(6).tolist()
    [0.7, 0.3]
    """

    start: tuple[int, ...]
    base: Array
    relative: Array
    error: float
    floor: Array | None = None
    points: Array | None = None
    line: "Line | None" = None
    answers: "Law | None" = None

    @property
    def box(self) -> tuple[int, ...]:
        """How many lattice points it has along each axis."""
        return tuple(self.base.shape)

    @property
    def secrets(self) -> int:
        """How many secrets there are."""
        return int(self.relative.shape[0])

    @property
    def key(self) -> tuple[object, ...]:
        """Of its numbers: two laws of the same are one, where neither has outputs of its own."""
        floor = None if self.floor is None else self.floor.tobytes()
        return (self.start, self.box, self.error, self.base.tobytes(), self.relative.tobytes(), floor)

    def log_mass(self) -> Array:
        """(secrets, *box), natural logs."""
        logs: Array = self.base + self.relative
        return logs

    def with_mixture(self, log_prior: Array) -> "Law":
        """The law with one more row, the last: the prior-weighted mixture of the others."""
        mixed = log_mix(log_prior, self.relative)
        # A point that no secret allows has a log of -inf, which is exact and counts as no depth.
        deepest = float(np.max(np.abs(mixed), where=np.isfinite(mixed), initial=0.0))
        rounding = (2 * self.secrets + 4 * deepest + 8) * UNIT
        line = None if self.line is None else self.line.with_mixture(log_prior)
        relative = np.concatenate([self.relative, mixed[None]])
        answers = None if self.answers is None else self.answers.with_mixture(log_prior)
        return replace(self, relative=relative, error=self.error + rounding, line=line, answers=answers)


def log_mix(log_prior: Array, relative: Array) -> Array:
    """log of the prior-weighted mixture over secrets; shape (*box)."""
    shaped = log_prior.reshape((-1,) + (1,) * (relative.ndim - 1))
    mixed: Array = np.logaddexp.reduce(shaped + relative, axis=0)
    return mixed


def log_sum(logs: Array) -> float:
    """log sum exp of a vector of logs, of which -inf are zeros; -inf for none."""
    # No terms, or zeros only: e.g. a guess that gains nothing whatever the secret.
    top = float(np.max(logs, initial=-np.inf))
    return top + float(np.log(np.exp(logs - top).sum())) if top > -np.inf else top


class Piece(abc.ABC):
    """An interval of the outputs on a line.

    sampled: the law at some of its outputs; hull: likelihoods of which those at every output of it are mixtures, up to
    hull.error. So the supremum of a quasi-convex function of the posterior lies between its maxima over the two.
    """

    sampled: Law
    hull: Law

    @abc.abstractmethod
    def parts(self) -> Sequence["Piece"]:
        """The same interval cut into several, with tighter hulls; none where no double lies in between."""


class Line(abc.ABC):
    """All real outputs of a noise for which no finite set of them decides the suprema."""

    hull: Law
    """Likelihoods of which those at every output are a mixture."""

    @abc.abstractmethod
    def counting(self, error: float) -> "Line":
        """The same line, every log-likelihood known to so many nats less."""

    @abc.abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """Intervals that cover the line."""

    @abc.abstractmethod
    def with_mixture(self, log_prior: Array) -> "Line":
        """The line with one more row, the last: the prior-weighted mixture of the others."""


def without_floor(law: Law) -> Law:
    """The law with unresolved mass counted in `error`: infinite where a mass of 0 may be positive."""
    if law.floor is None:
        return law
    return replace(law, floor=None, error=law.error + float(np.logaddexp(0.0, np.max(above(law.floor, law.relative)))))


def above(floor: Array, logs: Array) -> Array:
    """How far, in nats, unresolved mass is above these logs; infinite where it may be all there is."""
    # -inf less -inf: nothing unresolved at a point of mass 0, where nothing is above anything.
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(floor > -np.inf, floor - logs, -np.inf))


@final
@dataclass(frozen=True)
class Window:
    """log Pr[answer = v | s] for every secret s and every v of a window; nothing but a bound is known outside.

    Not a law: its masses add up to less than 1, and outside of it anything may leak. So it is none of `Law`, and what
    reads one counts `lost`.

    law: on the window, of which the masses are those of the answer's, not divided by their sum.
    lost: by secret, at most so much of its probability is outside. extent: the least and the greatest lattice index of
    an answer; at a window's end that is the extent's, nothing is.

    Three answers out of 101, one in a million outside; all outputs from 11 up, and down, look alike:

    >>> law = Law((10,), np.zeros(3), np.log([[0.3, 0.4, 0.3]]), error=0.0)
    >>> round(Window(law, (1e-6,), (0, 100)).doubt(11, 11), 9)  # log(1 + 2 · 2e-6/.7)
    5.714e-06
    """

    law: Law
    lost: tuple[float, ...]
    extent: tuple[int, int]

    @property
    def ends(self) -> tuple[int, int]:
        """Its first and its last lattice index."""
        return self.law.start[0], self.law.start[0] + self.law.box[0] - 1

    def doubt(self, low: int, high: int) -> float:
        """By how many nats what is outside raises the log-probability of any output, given any secret, under noise for
        which all answers beyond these two are alike (`Noise.alike_beyond`, Result 20.17). Infinite where they are not
        in the window."""
        # A side on which the window reaches the extent's end is closed: nothing is beyond it.
        first, last = self.ends
        logs = self.law.log_mass() - self.law.error
        sides = (
            (first > self.extent[0], logs[:, : max(low - first + 1, 0)]),
            (last < self.extent[1], logs[:, max(high - first, 0) :]),
        )
        shares = [self._share(tail) for open_, tail in sides if open_]
        return log1p(max(shares, default=0.0) * len(shares))

    def _share(self, tail: Array) -> float:
        """Twice what each secret may have outside, over its probability in part of the window: the most."""
        # A secret with nothing lost has no share, even where its mass in this part underflows to 0.
        # Nats: more than sums of a window's logs are off by.
        masses = np.exp(np.logaddexp.reduce(tail, axis=1, initial=-inf) - 1e-6)
        shares = [
            2 * lost / own if own > 0 else inf for own, lost in zip(masses.tolist(), self.lost, strict=True) if lost
        ]
        return max(shares, default=0.0)


def both_ways(pairs: Sequence[tuple[int, int]] | None, count: int) -> list[tuple[int, int]]:
    """Each pair of secrets in one order and then in the other; None: all pairs of so many."""
    given = pairs if pairs is not None else [(i, j) for i in range(count) for j in range(i)]
    return [ordered for one, other in given for ordered in ((one, other), (other, one))]


# Up to 2^53 every whole number is a double, and so is the difference of two indices of 2^52.
LARGEST_INDEX = 2**52


@final
@dataclass(frozen=True)
class Lattice:
    """One step per coordinate of the answer, in the query's own unit."""

    steps: tuple[Fraction, ...]

    @property
    def axes(self) -> int:
        return len(self.steps)

    def indices(self, scores: Sequence[Sequence[Fraction]]) -> np.ndarray:
        """Scores (rows, axes) as integer numbers of steps. InputError where a score is off the lattice or past 2^52."""
        rows = [[_index(score, step) for score, step in zip(row, self.steps, strict=True)] for row in scores]
        return np.array(rows, dtype=np.int64).reshape(len(rows), self.axes)

    def point(self, index: Sequence[int]) -> tuple[float, ...]:
        """The answer at an index, in the query's own unit."""
        return tuple(float(int(i) * step) for i, step in zip(index, self.steps, strict=True))

    def restricted(self, axes: Sequence[int]) -> "Lattice":
        """The lattice of some coordinates only, in the order of `axes`."""
        return Lattice(tuple(self.steps[axis] for axis in axes))


def lattice_of(scores: Sequence[Sequence[Fraction]]) -> Lattice:
    """The coarsest lattice through 0 that holds every score (rows, axes); integers stay on the integer lattice.

    >>> lattice_of([[Fraction(1, 2)], [Fraction(1, 3)]])
    Lattice(steps=(Fraction(1, 6),))
    """
    return Lattice(tuple(_step(column) for column in zip(*scores, strict=True)))


def index_of(value: float, step: Fraction) -> int | None:
    """The lattice index of a number in the query's unit, taken as the decimal it is written as or, where no decimal is
    exact, as for 1/3, as the double next to a lattice point. None off the lattice."""
    # A user types 0.1 and means one tenth, not the double beside it.
    exact = Fraction(str(value))
    index = round(exact / step)
    return index if index * step == exact or float(index * step) == value else None


def _step(scores: Sequence[Fraction]) -> Fraction:
    """The lattice step of one coordinate's scores, in the query's unit."""
    # Whole scores stay on the whole numbers even where all are even: users read outputs as counts, and geometric
    # noise of that lattice is what they asked for.
    if all(score.denominator == 1 for score in scores):
        return Fraction(1)
    # gcd of fractions a_i/b_i is gcd(a_i)/lcm(b_i) in lowest terms.
    return Fraction(reduce(gcd, (s.numerator for s in scores)), reduce(lcm, (s.denominator for s in scores)))


def _index(score: Fraction, step: Fraction) -> int:
    # A score beyond a double's whole numbers, such as an identifier that was summed by mistake, is refused here.
    ratio = score / step
    if ratio.denominator != 1 or abs(ratio.numerator) > LARGEST_INDEX:
        raise InputError("query", str(score), f"a score that is at most 2^52 whole steps of {step}")
    return ratio.numerator


MOST_LISTED: Final = 2**22

Combine: TypeAlias = Literal["sum", "max", "min"]
Sums: TypeAlias = range | IntArray
"""An arithmetic progression, however long, or all numbers in ascending order."""


def neutral(combine: Combine, scores: Collection[Fraction]) -> Fraction:
    """A score for records outside the query: with a record that has one of these scores, it leaves the answer as is."""
    if combine == "sum":
        return Fraction(0)
    return min(scores) if combine == "max" else max(scores)


def combined(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """The answers of records' scores: (rows, records, axes) -> (rows, axes)."""
    return np.stack([_one(scores[:, :, axis], how) for axis, how in enumerate(combine)], axis=1)


def _one(scores: IntArray, how: Combine) -> IntArray:
    if how == "sum":
        return np.asarray(scores.sum(axis=1))
    return np.asarray(scores.max(axis=1) if how == "max" else scores.min(axis=1))


def extreme_axes(combine: Sequence[Combine]) -> list[int]:
    """The axes that are not sums."""
    return [axis for axis, how in enumerate(combine) if how != "sum"]


def upwards(scores: IntArray, combine: Sequence[Combine]) -> IntArray:
    """Scores (slots, axes) with the minima's turned round, since min x = -max -x: every extreme is a maximum."""
    return scores * np.array([-1 if how == "min" else 1 for how in combine], dtype=np.int64)


def attainable_sums(choices: Sequence[tuple[IntArray, int]], combine: Combine, least: int | None = None) -> Sums | None:
    """The attainable values, for choices of a set and how many times a number is taken from it. Extremes are maxima
    here (see `upwards`), `least` over no records. None where there are too many to list.

    Three records of 0 or 5, and one of 0 or 2:

    >>> attainable_sums([(np.array([0, 5]), 3), (np.array([0, 2]), 1)], "sum").tolist()
    [0, 2, 5, 7, 10, 12, 15, 17]
    """
    if combine == "sum":
        return _sums_of(choices)
    # Of extremes repetition does not matter: ten thousand records attain the maxima that one of each set does, but none
    # below the largest of the sets' least scores.
    listed = [np.unique(numbers) for numbers, times in choices if times]
    floor = max((int(numbers[0]) for numbers in listed), default=least)
    found = np.unique(np.concatenate([*listed, np.array([] if floor is None else [floor], dtype=np.int64)]))
    return found if floor is None else found[found >= floor]


def _sums_of(choices: Iterable[tuple[IntArray, int]]) -> Sums | None:
    """All sums of so many numbers of each set; None where there are too many to list."""
    found: Sums = range(1)
    # Narrow steps first: what fills the gaps of a wider one leaves a progression.
    for each in sorted((_repeated(numbers, times) for numbers, times in choices if times), key=_order):
        made = None if each is None else _added(found, each)
        if made is None:
            return None
        found = made
    return found


def sums_within(sums: Sums, low: int, high: int) -> IntArray | None:
    """The sums from low to high; None where there are too many to list."""
    if isinstance(sums, range):
        first = max(0, -((sums.start - low) // sums.step))
        last = min(len(sums) - 1, (high - sums.start) // sums.step)
        if last - first + 1 > MOST_LISTED:
            return None
        return np.arange(first, last + 1, dtype=np.int64) * sums.step + sums.start
    return sums[(sums >= low) & (sums <= high)]


def _order(sums: Sums | None) -> tuple[int, int]:
    return (0, sums.step) if isinstance(sums, range) else (1, 0)


def _repeated(numbers: IntArray, times: int) -> Sums | None:
    """The sums of so many numbers of one set, each taken as often as wanted; None where there are too many to list."""
    distinct = [int(number) for number in np.unique(numbers)]
    least, widest = distinct[0], distinct[-1] - distinct[0]
    step = gcd(*(number - least for number in distinct)) or 1
    # Evenly spaced scores, as bits and ratings are: their sums are evenly spaced, without gaps.
    if widest == step * (len(distinct) - 1):
        return range(times * least, times * distinct[-1] + 1, step)
    # Scores with gaps, such as prices of 1, 2 and 10: the sums near either end have gaps too, and are listed.
    found: Sums = np.zeros(1, dtype=np.int64)
    work = 0
    for _ in range(times):
        made = _added(found, np.array(distinct, dtype=np.int64))
        work += len(found) * len(distinct)
        if made is None or work > MOST_LISTED:
            return None
        found = made
    return found


def _added(one: Sums, other: Sums) -> Sums | None:
    """All sums of a number of each; None where there are too many to list."""
    if isinstance(one, range) and isinstance(other, range):
        # Ten thousand equal records make a progression of ten thousand sums: it is kept as a range, so that 3·10⁸
        # people cost no list.
        for fine, coarse in ((one, other), (other, one)):
            if len(coarse) == 1 or (coarse.step % fine.step == 0 and coarse.step <= fine.step * len(fine)):
                return range(fine.start + coarse.start, fine[-1] + coarse[-1] + 1, fine.step)
    # Scores with no common structure (incomes to the cent): the sums are as good as all lattice points, and the
    # caller bounds.
    if len(one) * len(other) > MOST_LISTED:
        return None
    return np.unique(np.add.outer(np.array(one, dtype=np.int64), np.array(other, dtype=np.int64)))


def differences(numbers: IntArray) -> list[tuple[int, int]]:
    """All pairs of different numbers, each once, the lesser first."""
    return list(combinations([int(number) for number in np.unique(numbers)], 2))
