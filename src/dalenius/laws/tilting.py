"""The law of a sum over many groups, tails included, by a sweep of tilted FFTs (Theory §4).

law_θ(v) ∝ law(v)·e^{θv} factorises over groups exactly as the law does. One FFT is accurate to 1e-16 of its own peak
only, so the tilt is swept until every v has been near a peak; each v is taken from the tilt that serves it best.

With very many groups a window around the mean is enough (Theory §15, Results 20.10 to 20.12). All but e^-90 of the
law is within some 13 standard deviations of its mean: Chernoff bounds the rest. A few tilts, and not as many as the
range has standard deviations, resolve the inside. Nearly all frequencies of a tilt have a characteristic function of
0 to every digit: these are bounded, and only the others evaluated.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.characteristic import Cumulant, Values, tilted_law
from dalenius.laws.generating_function_algebra import Extent
from dalenius.laws.law import Law
from dalenius.laws.progressions import Progression

if TYPE_CHECKING:
    from dalenius.laws.sums_near_ends import NearEnds

_At: TypeAlias = Callable[[float], Cumulant]
"""Returns the cumulants of the whole sum at a tilt."""
Evaluate: TypeAlias = Callable[[float, int], Iterable[Sequence[Values]]]
"""Returns, for every subject, the transforms given each of its secrets, at a tilt, on M points."""

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
    """A tilt θ per lattice step, and the whole sum's cumulants at it."""

    theta: float
    here: Cumulant


def sweep(cumulant_at: _At, low: int, high: int, near: tuple[float, float] = (0.0, 0.0)) -> Iterator[Tilt]:
    """Yields tilts whose means go from about `low` to about `high`, STRIDE standard deviations apart.

    Args:
        cumulant_at: The cumulants of the whole sum at a tilt.
        low: The first lattice index.
        high: The last lattice index.
        near: Within how many standard deviations of either end the last mean may be.
    """
    middle = Tilt(0.0, cumulant_at(0.0))
    downwards = list(_march(cumulant_at, middle, -1, low, near[0]))
    yield from reversed(downwards)
    yield middle
    yield from _march(cumulant_at, middle, 1, high, near[1])


def _march(cumulant_at: _At, start: Tilt, sign: int, end: int, near: float) -> Iterator[Tilt]:
    """Yields tilts after `start`, upwards or downwards, until the mean is next to `end`."""
    tilt = start
    while (
        sign * (end - tilt.here.mean) > max(0.05, near * np.sqrt(tilt.here.variance)) and abs(tilt.theta) < LARGEST_TILT
    ):
        # Because the tilted law is nearly a point at both ends of the range, and its variance nearly 0: steps in θ stay
        # bounded there.
        step = STRIDE / max(np.sqrt(tilt.here.variance), STRIDE / 5)
        following = Tilt(tilt.theta + sign * step, cumulant_at(tilt.theta + sign * step))
        # So that no point is far from every peak: the variance changes along the way (rare cases are Poisson-like), and
        # a stride that turns out too long is halved.
        while _far(tilt, following):
            step /= 2
            following = Tilt(tilt.theta + sign * step, cumulant_at(tilt.theta + sign * step))
        tilt = following
        yield tilt


def _far(one: Tilt, other: Tilt) -> bool:
    """Says whether points between the two means are too far from both peaks."""
    deviation = np.sqrt(min(one.here.variance, other.here.variance))
    moved = abs(other.here.mean - one.here.mean)
    return bool(moved > 1.7 * STRIDE * deviation and moved > 2.0 and abs(one.theta - other.theta) > 1e-9)


@final
@dataclass(frozen=True)
class WantedWindow:
    """The laws that one subject needs.

    Args:
        extents: By secret, the range of the sum.
        log_prior: The secrets' log-probabilities (secrets,).
        progressions: By secret, the lattice on which the sum lies; empty: every whole number.
        ends: By secret, the sums that can occur near the least and the greatest; empty: every one.
    """

    extents: tuple[Extent, ...]
    log_prior: Array
    progressions: tuple[Progression, ...] = ()
    ends: tuple["NearEnds", ...] = ()


def laws_by_tilting(cumulant_at: _At, evaluate: Evaluate, wanted: Sequence[WantedWindow], spread: int) -> list[Law]:
    """Returns every subject's laws, each on the box that holds it.

    A thousand fair coins: the mass at 0 is 2^-1000 = e^-693.15, of which one untilted FFT would know no digit.

    >>> from dalenius.laws.characteristic import Cumulants, Evaluations
    >>> scores, rows = np.array([0, 1]), np.eye(2, dtype=np.int64)
    >>> coins = lambda algebra: algebra.product([algebra.mean(np.log([0.5, 0.5]), scores, rows)], [1000])
    >>> wanted = [WantedWindow((Extent((0,), (1000,)),), np.zeros(1))]
    >>> at, of = (lambda t: coins(Cumulants(scores, t))), (lambda t, m: [[coins(Evaluations(scores, t, m, {}))]])
    >>> laws_by_tilting(at, of, wanted, spread=0)[0].log_mass()[0, [0, 500]].round(4).tolist()
    [-693.1472, -3.6799]

    Args:
        cumulant_at: The cumulants of the whole sum at a tilt.
        evaluate: For every subject, the transforms given each of its secrets, at a tilt, on M points.
        wanted: The laws that each subject needs.
        spread: How far, at most, a secret may move the sum, in lattice steps.
    """
    best = [Best(each, own) for each, own in zip(wanted, totals(evaluate(0.0, 2)), strict=True)]
    low, high = min(each.low for each in best), max(each.high for each in best)
    for tilt in sweep(cumulant_at, low, high):
        points, outside = circle(cumulant_at, tilt, spread, high - low)
        for one, each, elements in zip(best, wanted, evaluate(tilt.theta, points), strict=True):
            # Because the rarity of a secret may be beyond doubles, and so may the tail: these are logs.
            rare = rarity_of(tilt, each, elements)
            # Because e^-50 is nothing beside the roundings of a transform.
            if outside + rare > -50.0:
                outside = _log_outside(cumulant_at, tilt, points, high - low)
            wrapped = outside + rare
            one.offer(tilt, elements, points, math.exp(min(wrapped, LARGEST_DOUBT)))
    return [one.law() for one in best]


def totals(untilted: Iterable[Sequence[Values]]) -> list[list[Fraction]]:
    """Returns, by subject and secret, the log of the sum of their law as computed; untilted: their transforms.

    It is 0 but for the roundings of weights, which are taken to the power of as many groups as there are. Divided by
    it the law is that of weights that add up to 1, each as near to its own as it was.
    """
    return [[element.log_mass for element in elements] for elements in untilted]


def rarity_of(tilt: Tilt, wanted: WantedWindow, elements: Sequence[Values]) -> float:
    """Returns an upper bound of log 1/Pr[s] of the rarest secret, under the tilted law.

    Pr[tail | s] <= Pr[tail] / Pr[s], all under the tilted law.

    Args:
        tilt: The tilt of the sum, with its cumulants.
        wanted: The subject's laws, with its prior.
        elements: Its transforms at the tilt, one for each secret.
    """
    masses = wanted.log_prior + np.array([float(element.log_mass) for element in elements])
    return float(tilt.here.log_mass - masses.min()) + 1e-6


def circle(cumulant_at: _At, tilt: Tilt, spread: int, extent: int) -> tuple[int, float]:
    """Returns how many points the circle of a tilt has, and the log of the mass that wraps around it: at most 1e-24.

    Args:
        cumulant_at: The cumulants of the whole sum at a tilt.
        tilt: The tilt of the sum, with its cumulants.
        spread: How far, at most, a secret may move the sum, in lattice steps.
        extent: The length of the sum's range, in lattice steps.
    """
    points = _circle_size(2 * (REACH * math.sqrt(tilt.here.variance) + 2 * spread + 16))
    # Because e^-60 is well below the mass that may wrap, the search for a bound ends there on each side.
    while (outside := _log_outside(cumulant_at, tilt, points, extent, -60.0)) > math.log(1e-24):
        points *= 2
    return points, outside


def _circle_size(least: float) -> int:
    """Returns the next 2^k or 3·2^(k-1): few sizes, so that tilts share their roots of unity."""
    power = 1 << math.ceil(math.log2(least))
    return power * 3 // 4 if power * 3 // 4 >= least else power


def _log_outside(cumulant_at: _At, tilt: Tilt, points: int, extent: int, enough: float = -math.inf) -> float:
    """Returns Chernoff's bound: the log of how much of the tilted law lies outside the window of M points.

    On each side no bound better than `enough` is sought.
    """
    # The case in which the whole range fits on the circle, as for a hundred people with a bit each: nothing can wrap.
    if points > extent:
        return -math.inf
    here, half = tilt.here, points / 2 - 1
    # Because any nudge bounds the tail: those in variances serve where the tilted law is near Gaussian, those in
    # logarithms where it is near Poisson, as it is at both ends of the range.
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
    """The masses at every point from the tilt with the least relative error there."""

    def __init__(self, wanted: WantedWindow, totals: Sequence[Fraction]) -> None:
        """Prepares the points. totals: by secret, the log that its law is divided by."""
        self.totals, extents = totals, wanted.extents
        self.low = min(extent.low[0] for extent in extents)
        self.high = max(extent.high[0] for extent in extents)
        shape = (len(extents), self.high - self.low + 1)
        points = np.arange(self.low, self.high + 1)
        self.possible = np.array([(points >= e.low[0]) & (points <= e.high[0]) for e in extents])
        # Because a transform is accurate to its peak's roundings only: it is told that nothing is off the sum's
        # lattice, nor in a gap near an end.
        for place, progression in enumerate(wanted.progressions):
            self.possible[place] &= progression.holds(points)
        for place, ends in enumerate(wanted.ends):
            self.possible[place] &= ends.holds(points)
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
        """Takes the masses of one tilt at every point that it serves better than the tilts before.

        Args:
            tilt: The tilt of the sum, with its cumulants.
            elements: The transforms at the tilt, one for each secret.
            points: M, the period of the circle.
            wrapped: A bound of the mass that is missing of, or added to, each tilted mass.
            frequencies: Which of 0 .. M/2 were evaluated; all where None (see `Evaluations`).
            rounded: By how many nats, at most, the whole tilted law may be off.
        """
        # Because a tilt resolves what is next to its mean, it is used for 5 standard deviations on either side.
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
        """Takes masses (secrets, points) ± error (secrets, 1), relative to base(v) + offset(s), off by `rounded`."""
        possible = self.possible[:, near]
        # Because a mass next to its own error may be anything, 0 included: its log is unknown from this tilt.
        unknown = np.full(masses.shape, np.inf)
        relative_error = np.divide(error, masses - error, out=unknown, where=masses > 2 * error) + rounded
        if not possible.all():
            relative_error = np.where(possible, relative_error, 0.0)
        doubt = np.minimum(relative_error, 1.0).sum(axis=0)
        # So that errors two secrets share cancel, their ratio at a point comes from one tilt: the sum over secrets
        # decides, not each secret for itself.
        better = np.flatnonzero(doubt < self.doubt[near])
        # Because nothing is left unresolved where some tilt is good, no bound is asked for.
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
        """Returns the law; a mass that no tilt resolves is 0, with its lowest upper bound as unresolved mass."""
        worst = float(self.error.max())
        # The case in which no point's error exceeds 1e-5: all points are resolved, with the largest as the law's error.
        solid = self.error <= (worst if worst <= 1e-5 else _GOOD)
        error = float(np.max(self.error, where=solid, initial=0.0)) * 1.01
        # Because the scale of a tilt is that of the first secret: where only much rarer ones have mass it is no scale.
        top = np.max(np.where(solid, self.relative, -np.inf), axis=0)
        # Because more than 300 nats from a point's masses these are a better scale than the tilt is.
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
