"""Suprema over outputs of many dependent records at once, from limits at ±∞ and a bound (Theory §20).

One record is ill with .1. Far outputs of the sum are one nat likelier given one value than given the other, and no
output is more (Result 20.24). Then the chance of being ill rises by 0.841435 nats at most, from .1 to .231969, and
falls by 0.934702, to .039269.

>>> one = np.array([[[0.0, -1.0]], [[-1.0, 0.0]]])  # log W(y|s) as y → -∞ and as y → ∞, given well and given ill
>>> bound = np.array([[[0.0, 1.0], [1.0, 0.0]]])
>>> suprema = Suprema(np.log([[0.9, 0.1]]), np.ones((1, 2), dtype=bool), one, bound, 0.0)
>>> (ratio, _), ((raised, _), (lowered, _)) = suprema.ratio(np.ones((2, 2), dtype=bool)), suprema.movement()
>>> [round(each.middle, 6) for each in (ratio, raised, lowered)]
[1.0, 0.841435, 0.934702]
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.quantities import backwards

_FAR: Final = 30.0
"""Nats beyond which a ratio is taken together with its weight, because it may overflow."""

_AT_ONCE: Final = 1 << 12
"""Most records whose gains are read at once: so many stay in a processor's cache."""
_At: TypeAlias = tuple[int, ...] | None
Bools: TypeAlias = NDArray[np.bool_]


@final
@dataclass(frozen=True, eq=False)
class Suprema:
    """The suprema of all records and all outputs. Every number is in nats.

    prior (records, k): logs, -inf where a value cannot occur; possible (records, k); ends (2, records, k), most
    (records, k, k), error: see `Outermost`. A place is that of the first record, then of its first values and end,
    that may attain the largest.
    """

    prior: Array
    possible: Bools
    ends: Array
    most: Array
    error: float

    def mixed(self, places: IntArray, most: int) -> "Suprema":
        """Returns the limits and bounds of secrets that several values of a record share, as one member's day does.

        The likelihood given a secret is the mixture of those given the values that have it (Result 20.50).

        Args:
            places: Which secret each value of a record has (records, k), by number.
            most: The number of secrets.
        """
        inside = self.possible[:, :, None] & (places[:, :, None] == np.arange(most))
        possible = inside.any(axis=1)
        prior = _mixed(np.where(inside, self.prior[:, :, None], -inf), axis=1)
        with np.errstate(invalid="ignore"):
            given = np.where(inside, self.prior[:, :, None] - prior[:, None, :], -inf)
            ends = _mixed(np.where(inside, given + self.ends[..., None], -inf), axis=2)
            # Because W(y|s) <= e^most W(y|s') for every s', W(y|a) is at most W(y|s') times this (records, a, k).
            times = _mixed(np.where(inside[:, :, :, None], given[..., None] + self.most[:, :, None, :], -inf), axis=1)
            # And so W(y|a)/W(y|b) is at most one over the mean of the inverse over s' that b has.
            spread = -_mixed(np.where(inside[:, None], given[:, None] - times[..., None], -inf), axis=2)
        apart = possible[:, :, None] & possible[:, None, :] & ~np.eye(most, dtype=np.bool_)
        deepest = float(np.max(np.abs(given), where=inside, initial=0.0))
        error = self.error + 8 * (self.prior.shape[1] + deepest) * UNIT + 8 * self._rounding
        spread = np.where(apart, spread * (1 + 8 * UNIT) + error, 0.0)
        return Suprema(prior, possible, np.where(possible, ends, 0.0), spread, error)

    def ratio(self, against: Bools) -> tuple[Enclosure, _At]:
        """Encloses log W(y|s)/W(y|s') over the pairs of `against`; at (record, s, s', end).

        `against` is (k, k) or (records, k, k).
        """
        # Because records with one possible value, and pairs that the spec does not hide, leak nothing.
        shown = self._pairs & against
        with np.errstate(invalid="ignore"):
            log_ratios = np.moveaxis(self.ends[:, :, :, None] - self.ends[:, :, None, :], 0, -1)
        # Because an output that rules out two values does not tell them apart.
        log_ratios = np.where(np.isnan(log_ratios), 0.0, log_ratios)
        return _largest(log_ratios, shown, float(np.max(self.most, where=shown, initial=0.0)), self.error)

    def movement(self) -> tuple[tuple[Enclosure, _At], tuple[Enclosure, _At]]:
        """Encloses the log of posterior over prior, and of prior over posterior; each at (record, s, end).

        The upper end has W(y|s')/W(y|s) at its own bound for every other value at once, which no output need attain
        if there are three values or more.
        """
        error, gain = self.error + self._rounding, self._gain
        raised = -_mixed(self._weights - np.where(self._both, self.most, 0.0))
        lowered = _mixed(self._weights + np.where(self._both, np.swapaxes(self.most, 1, 2), 0.0))
        tops = [float(np.max(each, where=self.possible, initial=0.0)) + self._rounding for each in (raised, lowered)]
        up, down = (_largest(side, self._several, top, error) for side, top in ((gain, tops[0]), (-gain, tops[1])))
        return up, down

    def divergence(self) -> tuple[tuple[Enclosure, _At], tuple[Enclosure, _At]]:
        """Encloses D(S|Y=y ‖ S) and its reverse; each at (record, end), in nats.

        The upper end is how far beliefs move; for few values it is that of the extreme likelihoods.
        """
        gains = np.moveaxis(np.where(self.possible[:, :, None], self._gain, 0.0), 2, 1)
        weights = np.exp(self.prior)[:, None, :]
        (up, down), found = self.movement(), []
        extreme = self._extreme
        for read, (bound, _) in ((_forward, up), (_backward, down)):
            value, size = _in_blocks(read, weights, gains)
            most = bound.upper
            # Because D is quasi-convex in the posterior: over all likelihoods that obey the bound it is largest at one
            # of those of which the others are mixtures.
            if extreme is not None:
                least, moved = _in_blocks(read, weights, extreme)
                most = min(most, float(np.max(least + self._slack(least, moved))))
            slack = np.where(np.isfinite(value), self._slack(value, size), 0.0)
            found.append(_largest(value, np.broadcast_to(self._leaks[:, None], value.shape), most, slack))
        return found[0], found[1]

    @cached_property
    def _both(self) -> Bools:
        return self.possible[:, :, None] & self.possible[:, None, :]

    @cached_property
    def _pairs(self) -> Bools:
        """The pairs of different possible values (records, k, k)."""
        return self._both & ~np.eye(self.possible.shape[1], dtype=np.bool_)

    @cached_property
    def _leaks(self) -> Bools:
        return np.asarray(self.possible.sum(axis=1) > 1)

    @cached_property
    def _several(self) -> Bools:
        """The possible values of records with several (records, k, m)."""
        return np.repeat((self.possible & self._leaks[:, None])[:, :, None], len(self.ends), axis=2)

    @property
    def _weights(self) -> Array:
        """The priors (records, 1, k)."""
        return self.prior[:, None, :]

    @cached_property
    def _gain(self) -> Array:
        """The logs log W(y|s)/W(y) (records, k, m)."""
        mixture = _mixed(np.moveaxis(self.prior + self.ends, 0, -1), axis=1)
        return np.moveaxis(self.ends, 0, -1) - mixture[:, None, :]

    @cached_property
    def _extreme(self) -> Array | None:
        """The logs log W(y|s)/W(y) (records, vertices, k) of the extreme likelihoods under the bound.

        All likelihoods that obey the bound are mixtures of these.
        """
        # Because with four values or more the extreme points are too many, and with an infinite bound some are at
        # infinity. With up to three values the likelihoods that obey the bound are mixtures of those at it next to one
        # value.
        if self.possible.shape[1] > 3 or not np.isfinite(self.most).all():
            return None
        above = np.where(self._both, np.swapaxes(self.most, 1, 2), 0.0)
        logs = np.concatenate([above.swapaxes(1, 2) * -1, above], axis=1)
        logs = np.where(self.possible[:, None, :], logs, 0.0)
        found = logs - _mixed(self._weights + logs)[:, :, None]
        return np.where(self.possible[:, None, :], found, 0.0)

    @cached_property
    def _rounding(self) -> float:
        """The nats by which sums of so many logs, as deep as these, may be off."""
        deepest = float(np.max(np.abs(self.prior), where=self.possible, initial=0.0))
        farthest = float(np.max(np.abs(self.most), where=np.isfinite(self.most), initial=0.0))
        return float(32 * (4 + self.prior.shape[1] + deepest + farthest) * UNIT)

    def _slack(self, value: Array, size: Array) -> Array:
        """Returns by how much a divergence may be off; size: the mean by which it moves with the log-ratios."""
        moved = 2 * (self.error + self._rounding)
        return np.asarray(1.01 * moved * size + 4 * moved**2 + 512 * UNIT * value)


def _largest(values: Array, shown: Bools, upper: float, error: float | Array) -> tuple[Enclosure, _At]:
    """Encloses the largest of values ± error (records, .., ends), where shown; and the first place that may have it."""
    # The case in which nobody has two values to tell apart: nothing leaks, and nobody is the witness.
    if not shown.any():
        return Enclosure(0.0, 0.0), None
    shown = shown if shown.ndim == values.ndim else np.repeat(shown[..., None], values.shape[-1], axis=-1)
    least = np.where(shown, values - error, -inf)
    lower = float(np.max(least))
    # So that every processor names the same record: the first of those that leak as much but for roundings.
    tied = shown & (values + error >= lower)
    place = tuple(int(i) for i in np.unravel_index(int(np.argmax(tied)), tied.shape))
    return Enclosure(max(lower, 0.0), max(upper, lower, 0.0)), place


def _mixed(logs: Array, axis: int = -1) -> Array:
    """Returns the log of the sum of e^logs along an axis."""
    return np.asarray(np.logaddexp.reduce(logs, axis=axis))


def _in_blocks(
    read: Callable[[Array, Array], tuple[Array, Array]], weights: Array, gains: Array
) -> tuple[Array, Array]:
    """Returns what `read` gives for all records' `weights` and `gains`, some records at once.

    Because arrays of a million would be mapped anew for every operation, they are read in blocks.
    """
    found = [
        read(weights[first : first + _AT_ONCE], gains[first : first + _AT_ONCE])
        for first in range(0, len(gains), _AT_ONCE)
    ]
    values, sizes = zip(*found, strict=True)
    return np.concatenate(values), np.concatenate(sizes)


def _forward(weights: Array, gains: Array) -> tuple[Array, Array]:
    """Returns Σ π (r log r - r + 1) and Σ π |r log r|, r = e^gain, over the last axis.

    Weights are prior probabilities, gains log W(y|s)/W(y) in nats. The second is by how much the first moves for each
    nat that the gains are off.
    """
    # Because e^-800 is 0 in doubles.
    gains = np.maximum(gains, -800.0)
    near = np.clip(gains, -_FAR, _FAR)
    ratio = np.exp(near)
    terms = weights * np.where(gains < -_FAR, 1 - np.exp(gains) * (1 - gains), ratio * backwards(-near))
    high = gains > _FAR
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        posterior = np.exp(np.where(high, np.log(weights) + gains, -inf))
        terms = np.where(high, posterior * (gains - 1) + weights, terms)
    size = np.where(high, posterior * gains, weights * np.abs(ratio * near))
    return terms.sum(axis=-1), size.sum(axis=-1)


def _backward(weights: Array, gains: Array) -> tuple[Array, Array]:
    """Returns Σ π (r - 1 - log r) and Σ π |r - 1|, over the last axis, the reverse of `_forward`.

    It is infinite where the output rules a value out.
    """
    high, near = gains > _FAR, np.minimum(gains, _FAR)
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        posterior = np.exp(np.where(high, np.log(weights) + gains, -inf))
        terms = np.where(high, posterior - weights * (1 + gains), weights * backwards(near))
    terms = np.where(gains == -inf, inf, terms)
    size = np.where(high, posterior, weights * np.abs(np.expm1(near)))
    return terms.sum(axis=-1), size.sum(axis=-1)
