"""The law of an answer given each secret, in logs, for every noise, notion and engine.

A law may be on a box of a lattice, on a line of outputs, or on a window around the usual answers. The part that all
secrets share is kept apart, because a leakage reads only differences between secrets.
"""

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
    """The law log Pr[answer = v | s] = base(v) + relative(s, v), for every secret s and every v of a lattice box.

    The part all secrets share is kept separate: at a million people log-probabilities reach -1e6, where a double
    resolves 1e-10 only, while a leakage reads the difference between secrets.

    A bit that is reported as it is with probability 3/4, and its report if it is 1 with probability .1:

    >>> law = Law((0,), np.zeros(2), np.log([[0.75, 0.25], [0.25, 0.75]]), error=0.0)
    >>> np.exp(law.with_mixture(np.log([0.9, 0.1])).log_mass()[-1]).round(6).tolist()
    [0.7, 0.3]

    Args:
        start: The box's lowest lattice index, one integer per axis.
        base: The part that all secrets share (*box), in nats.
        relative: The rest (secrets, *box), -inf where the mass is zero.
        error: A bound of |computed - true| of every entry of `relative`, in nats.
        floor: None, or logs (*box) on the scale of `base`: an upper bound on each point's unresolved mass, beyond
            `error`.
        points: None, or the outputs of a box of one axis, where they are no lattice points.
        line: None, or all real outputs, of which the box holds some only.
        answers: None, or the law of the exact answer on the same box, where a point of it does not tell all outputs.
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
        """The number of lattice points along each axis."""
        return tuple(self.base.shape)

    @property
    def secrets(self) -> int:
        """The number of secrets."""
        return int(self.relative.shape[0])

    @property
    def key(self) -> tuple[object, ...]:
        """A key of the law's numbers: two laws with equal keys are one, where neither has outputs of its own."""
        floor = None if self.floor is None else self.floor.tobytes()
        return (self.start, self.box, self.error, self.base.tobytes(), self.relative.tobytes(), floor)

    def log_mass(self) -> Array:
        """Returns the log-probabilities (secrets, *box), natural logs."""
        logs: Array = self.base + self.relative
        return logs

    def of(self, secrets: Sequence[int]) -> "Law":
        """Returns the law given `secrets` only, in this order. It is for laws without a line, which stays as it is."""
        answers = None if self.answers is None else self.answers.of(secrets)
        return replace(self, relative=self.relative[list(secrets)], answers=answers)

    def with_mixture(self, log_prior: Array) -> "Law":
        """Returns the law with one more row, the last: the mixture of the others by `log_prior` (secrets,)."""
        mixed = log_mix(log_prior, self.relative)
        # Because a point that no secret allows has a log of -inf, which is exact and counts as no depth.
        deepest = float(np.max(np.abs(mixed), where=np.isfinite(mixed), initial=0.0))
        rounding = (2 * self.secrets + 4 * deepest + 8) * UNIT
        line = None if self.line is None else self.line.with_mixture(log_prior)
        relative = np.concatenate([self.relative, mixed[None]])
        answers = None if self.answers is None else self.answers.with_mixture(log_prior)
        return replace(self, relative=relative, error=self.error + rounding, line=line, answers=answers)


def log_mix(log_prior: Array, relative: Array) -> Array:
    """Returns the log of the mixture over secrets (*box) of `relative` (secrets, *box), by `log_prior` (secrets,)."""
    shaped = log_prior.reshape((-1,) + (1,) * (relative.ndim - 1))
    mixed: Array = np.logaddexp.reduce(shaped + relative, axis=0)
    return mixed


def log_sum(logs: Array) -> float:
    """Returns log Σ e^logs for a vector `logs`, in which -inf stands for a zero; -inf for none."""
    # The case of no terms, or of zeros only, such as a guess that gains nothing whatever the secret.
    top = float(np.max(logs, initial=-np.inf))
    return top + float(np.log(np.exp(logs - top).sum())) if top > -np.inf else top


class Piece(abc.ABC):
    """An interval of the outputs on a line.

    `sampled` is the law at some of its outputs. `hull` has likelihoods of which those at every output of it are
    mixtures, up to hull.error. So the supremum of a quasi-convex function of the posterior lies between its maxima
    over the two.
    """

    sampled: Law
    hull: Law

    @abc.abstractmethod
    def parts(self) -> Sequence["Piece"]:
        """Cuts the interval into several, with tighter hulls; none where no double lies in between."""


class Line(abc.ABC):
    """All real outputs of a noise for which no finite set of them decides the suprema."""

    hull: Law
    """Likelihoods; those at every output are a mixture of these."""

    @abc.abstractmethod
    def counting(self, error: float) -> "Line":
        """Returns the line with every log-likelihood known to `error` nats less."""

    @abc.abstractmethod
    def pieces(self) -> Sequence[Piece]:
        """Returns intervals that cover the line."""

    @abc.abstractmethod
    def with_mixture(self, log_prior: Array) -> "Line":
        """Returns the line with one more row, the last: the mixture of the others by `log_prior` (secrets,)."""


def without_floor(law: Law) -> Law:
    """Returns `law` with unresolved mass counted in `error`: infinite where a mass of 0 may be positive."""
    if law.floor is None:
        return law
    return replace(law, floor=None, error=law.error + float(np.logaddexp(0.0, np.max(above(law.floor, law.relative)))))


def above(floor: Array, logs: Array) -> Array:
    """Returns how far, in nats, unresolved mass is above `logs` (secrets, *box); infinite if it may be all.

    `floor` (*box) has the logs of the unresolved mass, on the same scale.
    """
    # The case -inf less -inf: nothing unresolved at a point of mass 0, where nothing is above anything.
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(floor > -np.inf, floor - logs, -np.inf))


@final
@dataclass(frozen=True)
class Window:
    """The law log Pr[answer = v | s] for every v of a window; only a bound is known outside.

    It is not a law: its masses add up to less than 1, and outside of it anything may leak. So it is none of `Law`,
    and its readers count `lost`.

    Three answers out of 101, one in a million outside; all outputs from 11 up, and down, look alike:

    >>> law = Law((10,), np.zeros(3), np.log([[0.3, 0.4, 0.3]]), error=0.0)
    >>> round(Window(law, (1e-6,), (0, 100)).doubt(11, 11), 9)  # log(1 + 2 · 2e-6/.7)
    5.714e-06

    Args:
        law: The answer's masses on the window, not divided by their sum.
        lost: A bound, by secret, of the probability outside.
        extent: The least and the greatest lattice index of an answer. Nothing is outside at a window's end that is
            the extent's.
    """

    law: Law
    lost: tuple[float, ...]
    extent: tuple[int, int]

    @property
    def ends(self) -> tuple[int, int]:
        """The first and the last lattice index."""
        return self.law.start[0], self.law.start[0] + self.law.box[0] - 1

    def doubt(self, low: int, high: int) -> float:
        """Returns by how many nats the mass outside raises the log-probability of any output, given any secret.

        The noise is one for which all answers beyond the indices `low` and `high` are alike (`Noise.alike_beyond`,
        Result 20.17). Infinite where these are not in the window.
        """
        # Because nothing is beyond the extent's end, a side on which the window reaches it is closed.
        first, last = self.ends
        logs = self.law.log_mass() - self.law.error
        sides = (
            (first > self.extent[0], logs[:, : max(low - first + 1, 0)]),
            (last < self.extent[1], logs[:, max(high - first, 0) :]),
        )
        shares = [self._share(tail) for open_, tail in sides if open_]
        return log1p(max(shares, default=0.0) * len(shares))

    def _share(self, tail: Array) -> float:
        """Returns the most, over secrets, of twice the mass lost over the mass in part of the window."""
        # Because a secret with nothing lost has no share, even where its mass in this part underflows to 0.
        # Nats: more than the error of sums of a window's logs.
        masses = np.exp(np.logaddexp.reduce(tail, axis=1, initial=-inf) - 1e-6)
        shares = [
            2 * lost / own if own > 0 else inf for own, lost in zip(masses.tolist(), self.lost, strict=True) if lost
        ]
        return max(shares, default=0.0)


def both_ways(pairs: Sequence[tuple[int, int]] | None, count: int) -> list[tuple[int, int]]:
    """Returns each pair of secrets in one order and then in the other.

    `pairs` has indices of secrets; None: all pairs of `count` secrets.
    """
    given = pairs if pairs is not None else [(i, j) for i in range(count) for j in range(i)]
    return [ordered for one, other in given for ordered in ((one, other), (other, one))]
