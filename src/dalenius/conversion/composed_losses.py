"""The δ of many answers together, from the losses of each: enclosed down to 1e-40, and from above to 1e-300.

The losses of independent answers add up, and so their law is a convolution, here by Fourier transforms. A transform's
errors are absolute, and a small δ is far out in the tail. So every mass at x is first multiplied by e^{θx − κ(θ)}, with
θ such that the tail becomes the middle (an exponential tilt), and divided by it afterwards. Errors are then relative to

    e^{κ(θ) − θε},    κ(θ) = Σ over the answers of log E e^{θx},

which is what Chernoff's bound allows at ε, and not much above δ. Counted are the transform's roundings, what lies
beyond its window, and, from below, how far the grid may have moved the sum of all losses (Bernstein's inequality).

A hundred answers with Laplace noise of ε = .1:

>>> from dalenius.conversion.answer_losses import laplace, losses_of
>>> made = ComposedLosses(((losses_of(laplace(0.1), 1.0, False, 0.0125), 100),))
>>> low, high = made.ends(np.array([1.0, 4.0]))
>>> low.round(5).tolist(), high.round(5).tolist()
([0.10303, 1e-05], [0.12127, 3e-05])
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from math import ceil, exp, expm1, floor, fsum, inf, log, log1p, log2, sqrt
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.conversion.answer_losses import AnswerLosses
from dalenius.conversion.limits import LARGEST_TRANSFORM, MOST_TILTS
from dalenius.conversion.profile import DeltaEnds

_QUICK: Final = 1 << 17
"""The points of a transform that takes some milliseconds."""
_OUTSIDE: Final = 60.0
"""Minus the log of the tilted mass outside the window."""
_STEP: Final = 3.0
"""The most standard deviations between the middles of two tilts."""
_GROWTH: Final = 6.0
"""The nats by which errors may grow, relatively to δ, between the middles of two tilts."""
_ENCLOSED: Final = 92.0
"""Minus the log of the δ down to which it is enclosed; below, it is bounded by the moments alone."""
_FAINT: Final = 1e-3
"""The chance, as a share of δ, that the grid moved the sum of all losses farther than is counted."""
_NEGLIGIBLE: Final = 600.0
"""The nats below the largest of a law's tilted masses from which on a mass is left out."""
_STARTS: Final = 12.0
"""The deviations below the mean at which the rows of a table begin."""
_LEAST_LOG: Final = 690.0
"""Minus the log of the δ at which a table ends."""
_AT_ONCE: Final = 50.0
"""The nats within which δ is summed with one scale."""
_SHORT: Final = 24
"""The most masses of a law, as of a small Laplace loss, that are summed one by one."""
_MANY: Final = 1_000_000
"""The number of answers from which on a transform's error would count for too much."""
_ROUNDED: Final = 32 * UNIT
"""A bound on the relative error of a mass of one answer."""


@final
@dataclass(frozen=True, eq=False)
class _Tilt:
    """A tilted law in its window.

    theta: the tilt; start: κ′(θ), from which on it serves; log_scale: κ(θ); losses, masses (n,): the law; error: the
    sum of all errors of these masses.
    """

    theta: float
    start: float
    log_scale: float
    losses: Array
    masses: Array
    error: float


@final
@dataclass(frozen=True, eq=False)
class ComposedLosses:
    """The losses of many answers together; each: laws of losses on one grid, and how often each is drawn."""

    each: tuple[tuple[AnswerLosses, int], ...]

    @property
    def last(self) -> float:
        """The largest sum of losses that is not infinite, in nats."""
        return fsum(float(law.losses[-1]) * count for law, count in self.each)

    @cached_property
    def beyond(self) -> float:
        """The mass at infinity."""
        return -expm1(fsum(count * log1p(-law.beyond) for law, count in self.each)) * (1 + 64 * UNIT)

    @cached_property
    def mean(self) -> float:
        """The mean of the sum of all losses that are finite, in nats."""
        return self._moments(0.0)[1]

    @property
    def enclosed_to(self) -> float:
        """The ε from which on δ is bounded by moments alone, or is next to nothing."""
        theta = self._tilts[-1].theta
        scale, mean, variance = self._moments(theta)
        deviation = sqrt(max(variance, 0.0))
        near = mean + deviation >= self.last - self._interval / 2
        return self.last if near else mean + (0.0 if scale - theta * mean < -_ENCLOSED else deviation)

    @property
    def near_one(self) -> float:
        """An ε below which δ is all but 1 or all that it is at 0: some deviations below the mean."""
        _, mean, variance = self._moments(0.0)
        return mean - _STARTS * sqrt(max(variance, 0.0))

    @cached_property
    def faint(self) -> float:
        """An ε at which the moments allow next to nothing; at most the largest sum of losses."""
        return min(self.last, min((scale + _LEAST_LOG) / theta for theta, scale in self._chernoff))

    def ends(self, epsilons: Array) -> DeltaEnds:
        """Returns δ, from below and above, at each of the `epsilons` (nats), which are at least 0 and rising."""
        sizes = self._of(epsilons)
        high = np.minimum(sizes[1] + self.beyond, 1.0)
        return self._moved_back(epsilons, sizes[0]), np.minimum(high, self._by_moments(epsilons) + self.beyond)

    def _moved_back(self, epsilons: Array, low: Array) -> Array:
        """Returns δ from below: that of the grid's losses, less what these may be too large."""
        variance = fsum(count * law.spread for law, count in self.each)
        drift = fsum(count * law.drift for law, count in self.each)
        most = fsum(float(count) for law, count in self.each if law.spread) * self._interval
        chance = np.maximum(low, 1e-300) * _FAINT
        nats = -np.log(chance)
        third = self._interval * nats / 3
        moved = np.minimum(third + np.sqrt(np.square(third) + 2 * variance * nats), most) if variance else 0.0 * nats
        raised = fsum(count * law.raised for law, count in self.each) * (1 + 8 * UNIT)
        found = self._of(epsilons + moved + drift)[0] - chance * bool(variance) - raised
        return np.asarray(np.maximum(found, 0.0))

    def _of(self, epsilons: Array) -> DeltaEnds:
        """Returns δ of the grid's finite losses, enclosed."""
        low, high = np.zeros(epsilons.shape), np.ones(epsilons.shape)
        starts = np.array([tilt.start for tilt in self._tilts])
        which = np.clip(np.searchsorted(starts, epsilons, side="right") - 1, 0, len(starts) - 1)
        for number in np.unique(which).tolist():
            own = which == number
            low[own], high[own] = self._by_tilt(self._tilts[number], epsilons[own])
        return low, np.minimum(high, 1.0)

    def _by_tilt(self, tilt: _Tilt, epsilons: Array) -> DeltaEnds:
        """Returns Σ over x > ε of the masses times 1 − e^{ε − x}, without the tilt."""
        found = np.zeros((2, *epsilons.shape))
        # Because e^ε may be beyond doubles, those near each other are taken at once.
        groups = np.floor((epsilons - epsilons.min()) / _AT_ONCE)
        for group in np.unique(groups).tolist():
            own = groups == group
            found[:, own] = self._near(tilt, epsilons[own])
        return found[0], found[1]

    def _near(self, tilt: _Tilt, epsilons: Array) -> DeltaEnds:
        least = float(epsilons.min())
        kept = tilt.losses > least
        x, masses = tilt.losses[kept], tilt.masses[kept]
        weights = masses * np.exp(-tilt.theta * (x - least))
        # Sums from the right, of the masses and of the neighbour's.
        ones = np.append(np.cumsum(weights[::-1])[::-1], 0.0)
        others = np.append(np.cumsum((weights * np.exp(least - x))[::-1])[::-1], 0.0)
        place = np.searchsorted(x, epsilons, side="right")
        found = ones[place] - np.exp(epsilons - least) * others[place]
        off = tilt.error * np.exp(-tilt.theta * (epsilons - least)) + 64 * UNIT * np.sqrt(len(x)) * ones[place]
        scale = exp(min(tilt.log_scale - tilt.theta * least, 0.0 if tilt.theta else 1e-9))
        share = 2 * self._count * _ROUNDED
        return np.maximum(found - off, 0.0) * scale * (1 - share), (np.maximum(found, 0.0) + off) * scale * (1 + share)

    def _by_moments(self, epsilons: Array) -> Array:
        """Returns Chernoff's bound: (1 − e^{ε−x})⁺ <= c e^{θ(x−ε)} with c = θ^θ/(1+θ)^{1+θ}."""
        found = np.ones(epsilons.shape)
        for theta, scale in self._chernoff:
            constant = theta * log(theta) - (1 + theta) * log1p(theta)
            logs = constant + scale - theta * epsilons + self._count * _ROUNDED + 64 * UNIT * (1 + theta * epsilons)
            found = np.minimum(found, np.exp(np.minimum(logs, 0.0)) * (1 + 8 * UNIT) + 5e-324)
        return found

    @cached_property
    def _chernoff(self) -> list[tuple[float, float]]:
        """The tilts θ, and κ at each."""
        deviation = sqrt(max(self._moments(0.0)[2], self._interval**2))
        return [(theta, self._moments(theta)[0]) for theta in (np.geomspace(0.3, 100.0, 40) / deviation).tolist()]

    @cached_property
    def _tilts(self) -> list[_Tilt]:
        """The tilts one after another, each with its middle some deviations beyond the one before."""
        found, theta = list[_Tilt](), 0.0
        while True:
            scale, mean, variance = self._moments(theta)
            window = self._window(theta, scale, mean, variance)
            # Beyond, the moments alone bound δ, as for a law with a heavy tail, tilted so that it is all tail.
            if found and window[1] - window[0] > LARGEST_TRANSFORM:
                return found
            found.append(self._tilted(theta, scale, mean, window))
            deviation = sqrt(max(variance, 0.0))
            done = theta and scale - theta * mean < -_ENCLOSED
            # If nearly all of the law is at its last point, there is nothing beyond.
            if done or mean + deviation >= self.last - self._interval / 2 or len(found) > MOST_TILTS:
                return found
            theta = self._next(theta, scale, mean, deviation)

    def _next(self, theta: float, scale: float, mean: float, deviation: float) -> float:
        """Returns the next tilt: so near that no error grows by more than _GROWTH nats between the two."""
        step = _STEP / max(deviation, self._interval)
        while True:
            there, at, _ = self._moments(theta + step)
            if (
                scale - theta * at - (there - (theta + step) * at) <= _GROWTH
                or step * max(deviation, self._interval) < 1e-2
            ):
                return theta + step
            step /= 2

    @property
    def _interval(self) -> float:
        return self.each[0][0].interval

    @property
    def _count(self) -> int:
        return sum(count for _, count in self.each)

    def _moments(self, theta: float) -> tuple[float, float, float]:
        """Returns κ(θ) and its two derivatives: the mean and the variance of the tilted sum."""
        sums = [_moments_of(law, theta) for law, _ in self.each]
        counts = [count for _, count in self.each]
        scale, mean, variance = (fsum(n * each[i] for n, each in zip(counts, sums, strict=True)) for i in range(3))
        return scale, mean, variance

    def _window(self, theta: float, scale: float, mean: float, variance: float) -> tuple[int, int]:
        """Returns two points with hardly any mass before the first or after the last, by Chernoff's bound."""
        deviation = max(sqrt(max(variance, 0.0)), self._interval)
        ends = []
        for side in (-1, 1):
            most = fsum(float(law.losses[0 if side < 0 else -1]) * count for law, count in self.each)
            best = abs(most - mean)
            for part in (0.03, 0.1, 0.3, 1.0, 4.0, 11.0):
                s = part / deviation
                there = self._moments(theta + side * s)[0]
                best = min(best, (there - scale - side * s * mean + _OUTSIDE) / s)
            ends.append(mean + side * best)
        return floor(ends[0] / self._interval) - 1, ceil(ends[1] / self._interval) + 1

    def _tilted(self, theta: float, scale: float, mean: float, window: tuple[int, int]) -> _Tilt:
        from scipy.fft import irfft, next_fast_len, rfft

        low, high = window
        points = next_fast_len(high - low + 1, real=True)
        start, logs = 0, np.zeros(points // 2 + 1, dtype=np.complex128)
        above, off = np.zeros(points // 2 + 1), np.zeros(points // 2 + 1)
        rounding = 4 * UNIT * log2(points + 2)
        for law, count in self.each:
            own, law_mean, _ = _moments_of(law, theta)
            weights, top = _weights(law, theta)
            weights *= exp(top - own)
            # So that phases stay small, each law is centred.
            centre = round(law_mean / self._interval)
            start += centre * count
            places = (law.first - centre + np.arange(len(weights))) % points
            # Because a transform's error counts once for each answer: a short law is summed as it is.
            if len(weights) <= _SHORT and count > _MANY:
                values, one = _summed(law.first - centre, weights, points), 16 * UNIT
            else:
                values, one = rfft(np.bincount(places, weights, minlength=points)), rounding
            size = np.abs(values)
            with np.errstate(divide="ignore"):
                own_logs = np.log(values + (size == 0) * 1e-300)
            logs += count * own_logs
            # Because |a^n − b^n| <= n |a − b| max^{n−1}, and likewise for products.
            above += count * np.log(size + one)
            off += count * (one + 8 * UNIT * np.abs(own_logs) * size) / (size + one)
        values = np.exp(np.maximum(logs.real, -745.0) + 1j * logs.imag)
        total = np.abs(values)
        # Because each cell's error is at most the mean of the errors of all frequencies; their sum is over all cells.
        error = 2 * float(np.sum(np.exp(np.minimum(above, 1.0)) * off))
        error += 2 * rounding * float(total.sum()) + 4 * exp(-_OUTSIDE)
        masses = np.roll(irfft(values, points), -((low - start) % points))[: high - low + 1]
        losses = np.asarray(np.arange(low, high + 1) * self._interval, dtype=np.float64)
        return _Tilt(theta, mean if theta else -inf, scale, losses, masses, error)


def _summed(first: int, weights: Array, points: int) -> NDArray[np.complex128]:
    """Returns the transform of a few masses at first, first + 1, .. (points // 2 + 1,)."""
    places = np.arange(points // 2 + 1)
    found = np.zeros(len(places), dtype=np.complex128)
    for number, weight in enumerate(weights.tolist(), first):
        # So that the angle is as exact as a double, it is taken in whole turns first.
        turns = (number * places % points) / points
        found += weight * np.exp(-2j * np.pi * turns)
    return found


def _moments_of(law: AnswerLosses, theta: float) -> tuple[float, float, float]:
    """Returns the log of E e^{θx} of one law, and the mean and the variance of the tilted one."""
    weights, top = _weights(law, theta)
    total = float(weights.sum())
    mean = float(weights @ law.losses) / total
    return top + log(total), mean, float(weights @ np.square(law.losses - mean)) / total


def _weights(law: AnswerLosses, theta: float) -> tuple[Array, float]:
    """Returns e^{θx} times the masses, as shares of the largest, and the log of that."""
    logs = law.logs + theta * law.losses
    top = float(logs.max())
    # Because numbers next to the least double are slow, and count for nothing.
    return np.exp(np.where(logs > top - _NEGLIGIBLE, logs - top, -inf)), top


def interval_of(sizes: Sequence[tuple[float, int]], steps: Sequence[float]) -> float:
    """Returns the grid's interval, in nats.

    It is a small share of the root of the mean square of all losses together, and of the smallest of one answer.

    Args:
        sizes: For each answer the root of its loss's mean square, in nats, and how often it is given.
        steps: Losses that should be on the grid.

    >>> interval_of([(0.001, 100_000)], [0.001])
    0.000125
    """
    every = sqrt(fsum(count * size**2 for size, count in sizes))
    least = min(size for size, _ in sizes)
    # So that it is as fine as a quick transform allows; at most an eighth of the smallest loss, unless transforms end.
    found = max(min(every / 1000, least / 8), min(least / 64, every / 1000), every * 24 / _QUICK)
    found = min(found, max(least / 8, every * 24 / (LARGEST_TRANSFORM / 4)), every / 100)
    step = min((each for each in steps if each > 0), default=0.0)
    return step / ceil(step / found) if step else found
