"""The loss of one output: quasi-convex functions of the posterior, read from the likelihoods W(y|·) of an output y.

A mixture of outputs leaks no more than the one of them that leaks most. So a loss at mixtures of given likelihoods is
at most its maximum over these.

An output has likelihood 3/4 if a fair bit is 0, and 1/4 if it is 1. The probability of a 0 rises by a factor 1.5, the
odds by 3. The posterior (3/4, 1/4) has a relative entropy of log 2 less its own entropy of .5623.

>>> logs, prior = np.log([[0.75], [0.25]]), np.log([0.5, 0.5])
>>> [round(float(loss.at(logs)[0]), 4) for loss in (Gain(prior), LogRatio(prior), PosteriorDivergence(prior))]
[0.4055, 1.0986, 0.1308]
"""

import abc
from collections.abc import Sequence
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bisection import bisected_all
from dalenius.bounds import UNIT, Enclosure
from dalenius.laws.integrals.convex_functionals import Information, mean_excess
from dalenius.laws.integrals.functionals_over_outputs import over_reals
from dalenius.laws.integrals.gaussian_likelihood_enclosures import GaussianLine
from dalenius.laws.integrals.gaussian_rule import mean_gain
from dalenius.laws.integrals.laplace_cells import gain_over_cell
from dalenius.laws.law import Law, both_ways, log_mix

_ROUNDED: Final = 64 * UNIT
# Because 72 halvings of 1600 nats leave 3e-19, below the rounding of a log of odds.
_FARTHEST: Final = 800.0
"""Log-odds of a place in a cell beyond which the place is the cell's end."""
_HALVINGS: Final = 72


class PointwiseLoss(abc.ABC):
    """A loss of one output, in nats.

    `logs` are everywhere log W(y|s) (secrets, ..), up to a term common to all secrets; log_prior (secrets,):
    log-probabilities of the secrets.
    """

    def __init__(self, log_prior: Array) -> None:
        self.log_prior = log_prior

    @abc.abstractmethod
    def at(self, logs: Array) -> Array:
        """Returns the loss (..), at least 0, at each output that can occur, from `logs` (secrets, ..)."""

    @property
    def most(self) -> float:
        """An upper bound of every loss; by default the loss where the rarest secret is certain, rounded up."""
        return abs(float(np.min(self.log_prior))) * (1 + 4 * UNIT)

    @abc.abstractmethod
    def doubt(self, loss: Array, error: Array | float) -> Array:
        """Returns how far a computed `loss` may be off if every log is off by at most `error` nats, and rounded."""

    @abc.abstractmethod
    def least_over(self, corners: Array, bases: Sequence[int] | None = None) -> Array:
        """Bounds from below the loss (..) at all mixtures of likelihoods `corners` (secrets, corners, ..).

        `bases` are the corners from which the bound is made; all where None.
        """

    @abc.abstractmethod
    def beyond(self, left: Array, right: Array, level: Array) -> tuple[Array, Array]:
        """Returns the parts of segments on which the loss is above `level` (cells,), as two log-odds of θ.

        The likelihoods of a segment are (1 - θ)·left + θ·right, of logs `left` and `right` (secrets, cells). The loss
        is above the level below the first log-odds and above the second, -inf and inf where there is no such part.
        """

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array] | None:
        """Returns ∫ W(y)·loss between two knots of Laplace noise, per unit of 2b, with a bound on its error.

        `left`, `right` (secrets, cells) and `decay` are as in `Functional.over_cell`. None where only the loss's
        bounds are known.
        """
        return None

    def over_boxes(self, law: Law, decays: Sequence[float]) -> Enclosure | None:
        """Returns ∫ W(y)·loss over all outputs of Laplace noise on several axes; None where only bounds are known.

        `law` is smoothed along every axis, and `decays` has each axis's step over its scale.
        """
        return None

    def over_line(self, line: GaussianLine) -> Enclosure | None:
        """Returns ∫ W(y)·loss over the outputs of Gaussian noise, the `line`; None where only bounds are known."""
        return None

    def mixed(self, logs: Array) -> Array:
        """Returns log W(y) (..), the mixture of the likelihoods `logs` (secrets, ..)."""
        return log_mix(self.log_prior, logs)


class RatioLoss(PointwiseLoss, abc.ABC):
    """The largest of several log-ratios of two likelihoods, each a Möbius function along a segment, so monotone."""

    @abc.abstractmethod
    def rows(self, logs: Array) -> Array:
        """Returns all likelihoods that occur in a ratio, (rows, ..), from `logs` (secrets, ..)."""

    @abc.abstractmethod
    def widest(self, rows: Array) -> tuple[IntArray, IntArray]:
        """Returns numerator and denominator, as `rows`, of a ratio that is the largest at each output, (..)."""

    @property
    @abc.abstractmethod
    def ratios(self) -> Sequence[tuple[int, int]]:
        """All ratios, as pairs of rows."""

    def at(self, logs: Array) -> Array:
        rows = self.rows(logs)
        return np.maximum(_log_ratio(*(_picked(rows, each) for each in self.widest(rows))), 0.0)

    def doubt(self, loss: Array, error: Array | float) -> Array:
        return np.asarray(2 * np.asarray(error) + _ROUNDED * (1 + np.where(np.isfinite(loss), loss, 0.0)))

    def least_over(self, corners: Array, bases: Sequence[int] | None = None) -> Array:
        """Returns the best bound (..) from the largest ratio at each of `bases`.

        At a mixture a ratio is at least its least at the `corners`.
        """
        rows = self.rows(corners)
        above, below = self.widest(rows)
        found = np.zeros(corners.shape[2:])
        for corner in range(corners.shape[1]) if bases is None else bases:
            ratios = _log_ratio(*(_picked(rows, each[corner][None]) for each in (above, below)))
            found = np.maximum(found, np.min(ratios, axis=0))
        return found

    def beyond(self, left: Array, right: Array, level: Array) -> tuple[Array, Array]:
        """Returns the two log-odds of `PointwiseLoss.beyond` for `left`, `right` and `level`, in closed form.

        Where all likelihoods are (1 - θ)·left + θ·right, each condition numerator > e^level · denominator is linear
        in θ, and cuts off one side (Result 3.5).
        """
        starts, ends = self.rows(left), self.rows(right)
        until, since = np.full(len(level), -np.inf), np.full(len(level), np.inf)
        for above, below in self.ratios:
            at_start, first = _difference(starts[above], starts[below] + level)
            at_end, last = _difference(ends[above], ends[below] + level)
            with np.errstate(invalid="ignore"):
                crossing = first - last
            until = np.where(at_start & ~at_end, np.fmax(until, crossing), until)
            since = np.where(~at_start & at_end, np.fmin(since, crossing), since)
            # Because a ratio is monotone, it is above the level throughout if it is so at both ends.
            until = np.where(at_start & at_end, np.inf, until)
        return until, since


@final
class Gain(RatioLoss):
    """The loss max_s log W(y|s)/W(y): the most that the output raises the probability of any secret (IP Def 3)."""

    def rows(self, logs: Array) -> Array:
        return np.concatenate([logs, self.mixed(logs)[None]])

    def widest(self, rows: Array) -> tuple[IntArray, IntArray]:
        above = np.argmax(rows[:-1], axis=0)
        return above, np.full(above.shape, len(rows) - 1)

    @property
    def ratios(self) -> Sequence[tuple[int, int]]:
        last = len(self.log_prior)
        return [(secret, last) for secret in range(last)]

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        """Integrates secret by secret where each is ahead: `left`, `right` (secrets, cells), `decay` in b."""
        return gain_over_cell(self.log_prior, left, right, decay)

    def over_line(self, line: GaussianLine) -> Enclosure | None:
        """Encloses the mean over `line`: a largest log-ratio has at least the mean of the ratios' mean."""
        least = Information(self.log_prior).over_line(line)
        found = mean_gain(line, self.log_prior, least.lower)
        return None if found is None else Enclosure(max(found.lower, least.lower), found.upper)


@final
class Shift(RatioLoss):
    """The loss max_s |log W(y|s)/W(y)|: the most that the output moves the chance of any secret (IDP Lemma 4)."""

    @property
    def most(self) -> float:
        """Infinity, because an output may rule a secret out."""
        return np.inf

    def rows(self, logs: Array) -> Array:
        return np.concatenate([logs, self.mixed(logs)[None]])

    def widest(self, rows: Array) -> tuple[IntArray, IntArray]:
        above, below, last = np.argmax(rows[:-1], axis=0), np.argmin(rows[:-1], axis=0), len(rows) - 1
        raised = _log_ratio(_picked(rows, above), rows[-1]) >= _log_ratio(rows[-1], _picked(rows, below))
        return np.where(raised, above, last), np.where(raised, last, below)

    @property
    def ratios(self) -> Sequence[tuple[int, int]]:
        last = len(self.log_prior)
        return [pair for secret in range(last) for pair in ((secret, last), (last, secret))]


@final
class LogRatio(RatioLoss):
    """The loss max log W(y|s)/W(y|s') over the pairs to keep apart, in either order; all where None."""

    def __init__(self, log_prior: Array, pairs: Sequence[tuple[int, int]] | None = None) -> None:
        super().__init__(log_prior)
        self.pairs = pairs

    @property
    def most(self) -> float:
        """Infinity, because an output may be possible given one secret only, as without noise."""
        return np.inf

    def rows(self, logs: Array) -> Array:
        return logs

    def widest(self, rows: Array) -> tuple[IntArray, IntArray]:
        """Returns, for all pairs, the largest of `rows` (secrets, ..) over the least; for some, the best pair."""
        if self.pairs is None:
            return np.argmax(rows, axis=0), np.argmin(rows, axis=0)
        best = np.full(rows.shape[1:], -np.inf)
        above, below = np.zeros(best.shape, dtype=np.int64), np.zeros(best.shape, dtype=np.int64)
        for one, other in self.ratios:
            ratio = _log_ratio(rows[one], rows[other])
            better = ratio > best
            best = np.where(better, ratio, best)
            above, below = np.where(better, one, above), np.where(better, other, below)
        return above, below

    @property
    def ratios(self) -> Sequence[tuple[int, int]]:
        return both_ways(self.pairs, len(self.log_prior))


@final
class PosteriorDivergence(PointwiseLoss):
    """The loss D(S | Y=y ‖ S), the relative entropy between the posterior and the prior: convex in the posterior."""

    def at(self, logs: Array) -> Array:
        return mean_excess(self.log_prior, self._gain(logs))[0]

    def doubt(self, loss: Array, error: Array | float) -> Array:
        # Because E|r log r| is at most D + 2/e, as r log r >= -1/e, and at most D + E|r - 1| <= D + √2D (Pinsker); an
        # error e of every log W moves log r by at most 2e.
        moved = 2 * np.asarray(error)
        size = loss + np.minimum(np.sqrt(2 * loss), 0.74)
        return np.asarray(1.01 * moved * size + 4 * moved**2 + 512 * UNIT * (loss + moved))

    def least_over(self, corners: Array, bases: Sequence[int] | None = None) -> Array:
        """Returns the best bound (..) of the tangents at `bases`: each is below the loss, and least at `corners`."""
        gains = self._gain(corners)
        shape = (-1,) + (1,) * (gains.ndim - 1)
        posterior = np.exp(np.minimum(self.log_prior.reshape(shape) + gains, 0.0))
        found = np.zeros(corners.shape[2:])
        for corner in range(corners.shape[1]) if bases is None else bases:
            slopes = gains[:, corner][:, None]
            with np.errstate(invalid="ignore"):
                terms = np.where(posterior > 0, posterior * slopes, 0.0)
                tangents = np.sum(terms, axis=0)
                rounded = 64 * UNIT * len(gains) * np.sum(np.abs(terms), axis=0)
                lowest = np.min(tangents - rounded, axis=0)
            found = np.maximum(found, np.where(np.isnan(lowest), 0.0, lowest))
        return found

    def beyond(self, left: Array, right: Array, level: Array) -> tuple[Array, Array]:
        """Finds the two log-odds of `PointwiseLoss.beyond` for `left`, `right` and `level`, by bisection.

        It begins at a place at which the loss is not above the level. Where none is found, everything counts as
        above: the loss is least at the end of a bisection by its slope, to rounding, which `doubt` counts.
        """
        start, end = self.at(left) > level, self.at(right) > level
        inner = np.where(~start, -_FARTHEST, _FARTHEST)
        nowhere = np.zeros(len(level), dtype=bool)
        if len(both := np.flatnonzero(start & end)):
            inner[both] = self._lowest(left[:, both], right[:, both])
            nowhere[both] = self._along(left[:, both], right[:, both], inner[both]) > level[both]
        # Because each halving costs as much for few edges as for many, those of both sides are found together.
        first, last = np.flatnonzero(start & ~nowhere), np.flatnonzero(end & ~nowhere)
        sides = np.concatenate([first, last])
        outer = np.repeat([-_FARTHEST, _FARTHEST], [len(first), len(last)])
        found = self._edges(left[:, sides], right[:, sides], level[sides], inner[sides], outer)
        until, since = np.where(nowhere, np.inf, -np.inf), np.full(len(level), np.inf)
        until[first], since[last] = found[: len(first)], found[len(first) :]
        return until, since

    def over_cell(self, left: Array, right: Array, decay: float) -> tuple[Array, Array]:
        return Information(self.log_prior).over_cell(left, right, decay)

    def over_line(self, line: GaussianLine) -> Enclosure:
        return Information(self.log_prior).over_line(line)

    def over_boxes(self, law: Law, decays: Sequence[float]) -> Enclosure:
        return over_reals(Information(self.log_prior), law, decays)

    def _edges(self, left: Array, right: Array, level: Array, inner: Array, outer: Array) -> Array:
        """Bisects between a place not above the level and an end of the cell that is."""
        if not len(level):
            return outer
        return bisected_all(lambda place: ~(self._along(left, right, place) > level), inner, outer, _HALVINGS)[1]

    def _lowest(self, left: Array, right: Array) -> Array:
        """Returns the log-odds of θ at which the relative entropy, convex along the segment, is least.

        There its slope, the posterior's rise times the log-ratios, turns.
        """
        shaped = self.log_prior[:, None]
        rise = np.exp(shaped + self._gain(right)) - np.exp(shaped + self._gain(left))

        def falls(place: Array) -> NDArray[np.bool_]:
            # Because a secret that is possible at neither end has no rise, and a log-ratio of -inf.
            with np.errstate(invalid="ignore"):
                gains = np.where(rise != 0, rise * self._gain(_combined(left, right, place)), 0.0)
            return np.asarray(~(np.sum(gains, axis=0) > 0))

        low, high = bisected_all(
            falls, np.full(left.shape[1], -_FARTHEST), np.full(left.shape[1], _FARTHEST), _HALVINGS
        )
        return (low + high) / 2

    def _along(self, left: Array, right: Array, place: Array) -> Array:
        return self.at(_combined(left, right, place))

    def _gain(self, logs: Array) -> Array:
        """Returns log W(y|s)/W(y). Any number will do at outputs that cannot occur, except NaN."""
        mixed = self.mixed(logs)
        there = np.isfinite(mixed)
        return np.asarray(np.where(there, logs - np.where(there, mixed, 0.0), 0.0))


def _combined(left: Array, right: Array, log_odds: Array) -> Array:
    """Returns the log of (1 - θ)·left + θ·right."""
    return np.asarray(np.logaddexp(left - np.logaddexp(0.0, log_odds), right - np.logaddexp(0.0, -log_odds)))


def _log_ratio(above: Array, below: Array) -> Array:
    """Returns the log-ratio: -inf where the numerator is impossible, inf where only the denominator is."""
    there = above > -np.inf
    return np.asarray(np.where(there, np.where(there, above, 0.0) - below, -np.inf))


def _difference(above: Array, below: Array) -> tuple[NDArray[np.bool_], Array]:
    """Says whether e^above > e^below, and returns the log of how far they lie apart."""
    top = np.maximum(above, below)
    there = top > -np.inf
    gap = np.where(there, np.minimum(above, below) - np.where(there, top, 0.0), 0.0)
    with np.errstate(divide="ignore"):
        return above > below, np.asarray(top + np.log(-np.expm1(gap)))


def _picked(rows: Array, places: IntArray) -> Array:
    return np.asarray(np.take_along_axis(rows, places[None], axis=0)[0])
