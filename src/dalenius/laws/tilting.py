"""The law of a sum over many groups, tails included, by a sweep of tilted FFTs (Theory §4).

law_θ(v) ∝ law(v)·e^{θv} factorises over groups exactly as the law does. One FFT is accurate to 1e-16 of its own peak
only, so the tilt is swept until every v has been near a peak; each v is taken from the tilt that serves it best.

Of very many groups, on a window around the mean (Theory §15, Results 20.10 to 20.12). All but e^-90 of the law is
within some 13 standard deviations of its mean: Chernoff bounds the rest. A few tilts, and not as many as the range has
standard deviations, resolve what is inside. Of the frequencies of a tilt nearly all have a characteristic function of
0 to every digit: these are bounded, and only the others evaluated.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.characteristic import Cumulant, Values, tilted_law
from dalenius.laws.generating_function_algebra import Extent
from dalenius.laws.law import Law

_At: TypeAlias = Callable[[float], Cumulant]
"""The cumulants of the whole sum at a tilt."""
Evaluate: TypeAlias = Callable[[float, int], Iterable[Sequence[Values]]]
"""For every subject, the transforms given each of its secrets, at a tilt, on M points."""

RAREST = 1e-290  # a variance as good as none
STRIDE = 4.0  # tilted standard deviations from one tilt's peak to the next
REACH = 11.0  # half-width of one tilt's window, in standard deviations
_BLOCK = 1 << 14  # points looked at together: they stay in the cache
_GOOD = 1e-9  # a point with a larger relative error is unresolved mass
LARGEST_TILT = 745.0
LARGEST_DOUBT = 700.0  # log of a mass that may wrap: beyond it nothing is known, and doubles overflow


@final
@dataclass(frozen=True)
class Tilt:
    """θ per lattice step, and the whole sum's cumulants there."""

    theta: float
    here: Cumulant


def sweep(cumulant_at: _At, low: int, high: int, near: tuple[float, float] = (0.0, 0.0)) -> Iterator[Tilt]:
    """Tilts whose means go from about `low` to about `high`, STRIDE standard deviations apart; near: within how many
    of these of either end the last one may be."""
    middle = Tilt(0.0, cumulant_at(0.0))
    downwards = list(_march(cumulant_at, middle, -1, low, near[0]))
    yield from reversed(downwards)
    yield middle
    yield from _march(cumulant_at, middle, 1, high, near[1])


def _march(cumulant_at: _At, start: Tilt, sign: int, end: int, near: float) -> Iterator[Tilt]:
    """Tilts after `start`, upwards or downwards, until the mean is next to `end`."""
    tilt = start
    while (
        sign * (end - tilt.here.mean) > max(0.05, near * np.sqrt(tilt.here.variance)) and abs(tilt.theta) < LARGEST_TILT
    ):
        # At both ends of the range the tilted law is nearly a point, and its variance nearly 0: steps in θ stay
        # bounded there.
        step = STRIDE / max(np.sqrt(tilt.here.variance), STRIDE / 5)
        following = Tilt(tilt.theta + sign * step, cumulant_at(tilt.theta + sign * step))
        # The variance changes along the way (rare cases are Poisson-like): a stride that turns out too long is
        # halved, so that no point is far from every peak.
        while _far(tilt, following):
            step /= 2
            following = Tilt(tilt.theta + sign * step, cumulant_at(tilt.theta + sign * step))
        tilt = following
        yield tilt


def _far(one: Tilt, other: Tilt) -> bool:
    """Whether points between the two means are too far from both peaks."""
    deviation = np.sqrt(min(one.here.variance, other.here.variance))
    moved = abs(other.here.mean - one.here.mean)
    return bool(moved > 1.7 * STRIDE * deviation and moved > 2.0 and abs(one.theta - other.theta) > 1e-9)


@final
@dataclass(frozen=True)
class WantedWindow:
    """A subject's laws: where the sum lies given each secret, and the secrets' log-probabilities (secrets,)."""

    extents: tuple[Extent, ...]
    log_prior: Array


def laws_by_tilting(cumulant_at: _At, evaluate: Evaluate, wanted: Sequence[WantedWindow], spread: int) -> list[Law]:
    """Every subject's laws, each on the box that holds it; spread: how far, at most, a secret may move the sum.

    A thousand fair coins: the mass at 0 is 2^-1000 = e^-693.15, of which one untilted FFT would know no digit.

    >>> from dalenius.laws.characteristic import Cumulants, Evaluations
    >>> scores, rows = np.array([0, 1]), np.eye(2, dtype=np.int64)
    >>> coins = lambda algebra: algebra.product([algebra.mean(np.log([0.5, 0.5]), scores, rows)], [1000])
    >>> wanted = [WantedWindow((Extent((0,), (1000,)),), np.zeros(1))]
    >>> at, of = (lambda t: coins(Cumulants(scores, t))), (lambda t, m: [[coins(Evaluations(scores, t, m, {}))]])
    >>> laws_by_tilting(at, of, wanted, spread=0)[0].log_mass()[0, [0, 500]].round(4).tolist()
    [-693.1472, -3.6799]
    """
    best = [Best(each.extents, own) for each, own in zip(wanted, totals(evaluate(0.0, 2)), strict=True)]
    low, high = min(each.low for each in best), max(each.high for each in best)
    for tilt in sweep(cumulant_at, low, high):
        points, outside = circle(cumulant_at, tilt, spread, high - low)
        for one, each, elements in zip(best, wanted, evaluate(tilt.theta, points), strict=True):
            # In logs: the rarity of a secret may be beyond doubles, and so may the tail.
            rare = rarity_of(tilt, each, elements)
            # log of a mass that is nothing beside the roundings of a transform
            if outside + rare > -50.0:
                outside = _log_outside(cumulant_at, tilt, points, high - low)
            wrapped = outside + rare
            one.offer(tilt, elements, points, math.exp(min(wrapped, LARGEST_DOUBT)))
    return [one.law() for one in best]


def totals(untilted: Iterable[Sequence[Values]]) -> list[list[Fraction]]:
    """By subject and secret the log of what their law adds up to as it is computed; untilted: their transforms.

    It is 0 but for the roundings of weights, which are taken to the power of as many groups as there are: divided by it
    the law is that of weights that add up to 1, each as near to its own as it was."""
    return [[element.log_mass for element in elements] for elements in untilted]


def rarity_of(tilt: Tilt, wanted: WantedWindow, elements: Sequence[Values]) -> float:
    """log 1/Pr[s] of the rarest secret, at most: Pr[tail | s] <= Pr[tail] / Pr[s], all under the tilted law."""
    masses = wanted.log_prior + np.array([float(element.log_mass) for element in elements])
    return float(tilt.here.log_mass - masses.min()) + 1e-6


def circle(cumulant_at: _At, tilt: Tilt, spread: int, extent: int) -> tuple[int, float]:
    """How many points the circle of a tilt has, and the log of what wraps around it: WRAPPED at most."""
    points = _circle_size(2 * (REACH * math.sqrt(tilt.here.variance) + 2 * spread + 16))
    # log of a mass on one side, below WRAPPED
    # mass of one tilted law that may wrap around its window
    while (outside := _log_outside(cumulant_at, tilt, points, extent, -60.0)) > math.log(1e-24):
        points *= 2
    return points, outside


def _circle_size(least: float) -> int:
    """The next 2^k or 3·2^(k-1): few sizes, so that tilts share their roots of unity."""
    power = 1 << math.ceil(math.log2(least))
    return power * 3 // 4 if power * 3 // 4 >= least else power


def _log_outside(cumulant_at: _At, tilt: Tilt, points: int, extent: int, enough: float = -math.inf) -> float:
    """Chernoff: log of how much of the tilted law lies outside the window of M points; on each side no bound better
    than `enough` is sought."""
    # The whole range fits on the circle, as it does for a hundred people with a bit each: nothing can wrap.
    if points > extent:
        return -math.inf
    here, half = tilt.here, points / 2 - 1
    # Any nudge bounds the tail: those in variances serve where the tilted law is near Gaussian, those in logarithms
    # where it is near Poisson, as it is at both ends of the range.
    spread = max(here.variance, RAREST)
    normal = REACH / math.sqrt(spread), half / spread, 2 * half / spread
    poisson = math.log1p(half / spread)
    nudges = [min(each, LARGEST_TILT) for each in (*normal, poisson, poisson / 2, poisson / 4, poisson / 8)]
    tails = -math.inf
    for sign in (-1, 1):
        best = 0.0
        for nudge in nudges:
            there = cumulant_at(tilt.theta + sign * nudge)
            best = min(best, there.log_mass - here.log_mass - nudge * (sign * here.mean + half))
            if best <= enough:
                break
        tails = float(np.logaddexp(tails, best))
    return tails


class Best:
    """For every point, the masses from the tilt with the least relative error there."""

    def __init__(self, extents: Sequence[Extent], totals: Sequence[Fraction]) -> None:
        """totals: by secret, what its law is divided by (a log)."""
        self.totals = totals
        self.low = min(extent.low[0] for extent in extents)
        self.high = max(extent.high[0] for extent in extents)
        shape = (len(extents), self.high - self.low + 1)
        points = np.arange(self.low, self.high + 1)
        self.possible = np.array([(points >= e.low[0]) & (points <= e.high[0]) for e in extents])
        self.doubt = np.full(shape[1], np.inf)
        self.error = np.where(self.possible, np.inf, 0.0)
        self.base = np.zeros(shape[1])
        self.relative = np.full(shape, -np.inf)
        self.ceiling = np.full(shape[1], np.inf)

    def offer(
        self,
        tilt: Tilt,
        elements: Sequence[Values],
        points: int,
        wrapped: float,
        frequencies: IntArray | None = None,
        rounded: float = 0.0,
    ) -> None:
        """wrapped: at most so much is missing of, or added to, each tilted mass; frequencies: see `Evaluations`;
        rounded: by so many nats, at most, the whole tilted law may be off."""
        # half-width of the range one tilt is used for, in standard deviations
        core = min(int(5.0 * np.sqrt(tilt.here.variance)) + points // 64 + 8, points // 2 - 1)
        first = max(self.low, int(tilt.here.mean) - core)
        last = min(self.high, int(tilt.here.mean) + core)
        masses_of = [element.log_mass - total for element, total in zip(elements, self.totals, strict=True)]
        reference = masses_of[0]
        laws = [tilted_law(element, points, first, frequencies) for element in elements]
        error = np.array([bound + wrapped for _, bound in laws])[:, None]
        offset = np.array([float(mass - reference) for mass in masses_of])[:, None]
        for start in range(first, last + 1, _BLOCK):
            end = min(start + _BLOCK, last + 1)
            base = np.float64(reference - Fraction(tilt.theta) * start) - tilt.theta * np.arange(end - start)
            near = slice(start - self.low, end - self.low)
            masses = np.array([law[start - first : end - first] for law, _ in laws])
            self._take(near, np.where(self.possible[:, near], masses, 0.0), error, offset, base, rounded)

    def _take(self, near: slice, masses: Array, error: Array, offset: Array, base: Array, rounded: float) -> None:
        """masses (secrets, points) ± error (secrets, 1), relative to base(v) + offset(s), off by `rounded`."""
        possible = self.possible[:, near]
        # A mass next to its own error may be anything, 0 included: its log is unknown from this tilt.
        unknown = np.full(masses.shape, np.inf)
        relative_error = np.divide(error, masses - error, out=unknown, where=masses > 2 * error) + rounded
        if not possible.all():
            relative_error = np.where(possible, relative_error, 0.0)
        doubt = np.minimum(relative_error, 1.0).sum(axis=0)
        # The sum over secrets decides, not each secret for itself: a ratio of two secrets at a point comes from one
        # tilt, so that errors they share cancel.
        better = np.flatnonzero(doubt < self.doubt[near])
        # Where some tilt is good nothing is left unresolved, and no bound is asked for.
        unsure = np.flatnonzero(np.minimum(doubt, self.doubt[near]) > _GOOD)
        with np.errstate(divide="ignore"):
            most = np.log(np.maximum(masses[:, unsure], 0) + error) + offset
        lowest = base[unsure] + np.max(np.where(possible[:, unsure], most, -np.inf), axis=0)
        self.ceiling[unsure + near.start] = np.minimum(self.ceiling[unsure + near.start], lowest)
        place = better + near.start
        self.doubt[place] = doubt[better]
        self.base[place] = base[better]
        self.error[:, place] = relative_error[:, better]
        with np.errstate(divide="ignore"):
            self.relative[:, place] = np.log(np.maximum(masses[:, better], 0)) + offset

    def law(self) -> Law:
        """A mass that no tilt resolves is set to 0, with the lowest upper bound of any tilt as unresolved mass."""
        worst = float(self.error.max())
        # unless no point has a larger one: then all are resolved, with the largest as the law's error
        solid = self.error <= (worst if worst <= 1e-5 else _GOOD)
        error = float(np.max(self.error, where=solid, initial=0.0)) * 1.01
        # The scale of a tilt is that of the first secret: where only much rarer ones have mass it is no scale.
        top = np.max(np.where(solid, self.relative, -np.inf), axis=0)
        # nats from a point's masses past which they are a better scale than the tilt is
        far = np.where((np.abs(top) > 300.0) & np.isfinite(top), top, 0.0)
        error += 4 * UNIT * float(np.max(np.abs(far)))
        far = np.where(np.isfinite(top), far, -np.maximum(self.base, 0.0))  # no mass at all: any scale, but a double
        base, relative = self.base + far, self.relative - far
        if solid.all():
            return Law((self.low,), base, relative, error)
        solid_everywhere = solid.all(axis=0)
        empty = ~solid_everywhere & ~np.any(solid & self.possible, axis=0)
        base = np.where(empty, self.ceiling, base)
        floor = np.full(base.shape, -np.inf)
        floor[~solid_everywhere] = (self.ceiling - base)[~solid_everywhere]
        return Law((self.low,), base, np.where(solid, relative, -np.inf), error, floor)
