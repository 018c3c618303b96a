"""Lattices of answers in the query's unit, the sums that records' scores can make on one, and the laws of one answer
given each secret, in logs: on a box of a lattice, on a line of outputs, or on a window around where the answer usually
lies."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import inf, log1p
from typing import final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import UNIT


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

    def of(self, secrets: Sequence[int]) -> "Law":
        """The law given some secrets only, in this order: of its box and of the exact answer, not of its line."""
        answers = None if self.answers is None else self.answers.of(secrets)
        return replace(self, relative=self.relative[list(secrets)], answers=answers)

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
