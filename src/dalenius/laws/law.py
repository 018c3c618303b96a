"""Laws of one answer given each secret, on a lattice box, in logs."""

import abc
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT

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
        return tuple(self.base.shape)

    @property
    def secrets(self) -> int:
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
    """log sum exp of a short vector of logs; -inf entries are zeros."""
    top = float(logs.max())
    return top + float(np.log(np.exp(logs - top).sum())) if top > -np.inf else top


class Piece(abc.ABC):
    """An interval of the outputs on a line.

    seen: the law at some of its outputs; hull: likelihoods of which those at every output of it are mixtures, up to
    hull.error. So the supremum of a quasi-convex function of the posterior lies between its maxima over the two.
    """

    seen: Law
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
    with np.errstate(invalid="ignore"):
        apart = np.where(law.floor > -np.inf, law.floor - law.relative, -np.inf)
    return replace(law, floor=None, error=law.error + float(np.logaddexp(0.0, np.max(apart))))
