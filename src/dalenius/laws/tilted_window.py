"""The law of a long sum on a window around its usual answers, by tilted transforms (Theory §22)."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT
from dalenius.laws.characteristic import Cumulant, Falls, Values, least_falls, log_bound
from dalenius.laws.generating_function_algebra import Extent
from dalenius.laws.law import Window
from dalenius.laws.tilting import (
    LARGEST_DOUBT,
    LARGEST_TILT,
    RAREST,
    Best,
    Tilt,
    WantedWindow,
    circle,
    rarity_of,
    sweep,
    totals,
)

TILT_DEPTH: Final = 90.0
"""Nats: at most e^-90 = 8e-40 of each secret's law is beyond either end of the window."""
_SILENT: Final = -48.0
"""Least log |φ| of a frequency that is evaluated; the share of the others is counted."""
_WRITTEN: Final = 4 * UNIT
"""Relative error of one group's weights."""

_Sampled: TypeAlias = Callable[[float, int, IntArray], Iterable[Sequence[Values]]]
"""Returns, for every subject, the transforms given each secret at a tilt, on M points, at some frequencies."""
_Offer: TypeAlias = tuple[Tilt, Sequence[Values], int, float, IntArray, float]
"""Arguments of `Best.offer`."""


@final
@dataclass(frozen=True)
class TiltedSums:
    """The sum, as transforms see it.

    Args:
        cumulant_at: The cumulant of the whole sum at a tilt.
        cumulants_at: For every subject, the cumulants given each of its secrets at a tilt.
        moduli_at: For every subject, the c_d given each of its secrets at a tilt.
        evaluate: Computes the characteristic functions at a tilt, for a period and frequencies.
        groups: How many groups the sum is over, for roundings.
        spread: How far, at most, a secret may move the sum, in lattice steps.
    """

    cumulant_at: Callable[[float], Cumulant]
    cumulants_at: Callable[[float], Iterable[Sequence[Cumulant]]]
    moduli_at: Callable[[float], Iterable[Sequence[Falls]]]
    evaluate: _Sampled
    groups: int
    spread: int


@final
@dataclass(frozen=True)
class _End:
    """An end of the window: the last point inside, and by subject and secret a bound of the mass beyond it."""

    point: int
    beyond: tuple[tuple[float, ...], ...]


def windows_by_tilting(sums: TiltedSums, wanted: Sequence[WantedWindow]) -> Iterator[Window]:
    """Yields every subject's law on a window that all share, one after another: their ingredients are short.

    Args:
        sums: The sum, as transforms see it.
        wanted: The subjects' laws that are wanted.
    """
    ends = [_end(sums, wanted, sign) for sign in (-1, 1)]
    low, high = (end.point for end in ends)
    clipped = [replace(each, extents=tuple(_within(own, low, high) for own in each.extents)) for each in wanted]
    offers: list[list[_Offer]] = [[] for _ in wanted]
    hull = _hull([own for each in wanted for own in each.extents])
    # Because a tilt resolves some standard deviations around its mean, the last mean may be two from a window's end,
    # unless the law itself ends there.
    near = tuple(0.0 if mine == true else 2.0 for mine, true in ((low, hull.low[0]), (high, hull.high[0])))
    cosines: dict[int, dict[int, Array]] = {}
    for tilt in sweep(sums.cumulant_at, low, high, (near[0], near[1])):
        points, outside = circle(sums.cumulant_at, tilt, sums.spread, hull.high[0] - hull.low[0])
        falls = least_falls([own for each in sums.moduli_at(tilt.theta) for own in each])
        bound = log_bound(falls, points, cosines.setdefault(points, {}))
        loud = np.flatnonzero(bound > _SILENT)
        silent = 2 * float(np.sum(np.exp(bound[bound <= _SILENT]))) / points * (1 + points * UNIT)
        rounded = _rounded(sums, tilt)
        for own, each, elements in zip(offers, wanted, sums.evaluate(tilt.theta, points, loud), strict=True):
            wrapped = math.exp(min(outside + rarity_of(tilt, each, elements), LARGEST_DOUBT))
            own.append((tilt, elements, points, wrapped + silent, loud, rounded))
    lost = [
        tuple(sum(beyond) for beyond in zip(*(end.beyond[place] for end in ends), strict=True))
        for place in range(len(wanted))
    ]
    every = hull.low[0], hull.high[0]
    untilted = totals(sums.evaluate(0.0, 2, np.zeros(1, dtype=np.int64)))
    for each, own, beyond, full_law in zip(clipped, offers, lost, untilted, strict=True):
        best = Best(each, full_law)
        for offer in own:
            best.offer(*offer)
        own.clear()
        yield Window(best.law(), beyond, every)


def _rounded(sums: TiltedSums, tilt: Tilt) -> float:
    """Returns by how many nats the tilted law may be off, if groups' weights w are known to a factor 1 ± η.

    η is some roundings. A group's log-mass changes by Σ_i (q_i - w_i)η_i, q the tilted weights: at most η√(2D(q‖w))
    (Pinsker), and all by η√(2·groups·D) (Cauchy and Schwarz), D of the whole law, θ·mean - K(θ).
    """
    divergence = max(tilt.theta * tilt.here.mean - tilt.here.log_mass, 0.0)
    return _WRITTEN * (1 + math.sqrt(2 * sums.groups * divergence))


def _end(sums: TiltedSums, wanted: Sequence[WantedWindow], sign: int) -> _End:
    """Finds an end by Chernoff's bound: the least v of several θ.

    The bound is Pr[S > v | s] <= e^{K(θ|s) - θ(v+1)} at every θ > 0.
    """
    here = sums.cumulant_at(0.0)
    most = max(sign * _last(own, sign) for each in wanted for own in each.extents)
    normal = math.sqrt(2 * TILT_DEPTH / max(here.variance, RAREST))
    nudges = [min(normal * 2.0**-each, LARGEST_TILT) for each in range(13)]
    reached = {nudge: (sums.cumulant_at(sign * nudge).log_mass + TILT_DEPTH) / nudge for nudge in nudges}
    near = min(nudges, key=lambda nudge: (reached[nudge], nudge))
    for finer in (0.6, 0.75, 0.87, 1.15, 1.3, 1.6):
        if (nudge := near * finer) <= LARGEST_TILT:
            reached[nudge] = (sums.cumulant_at(sign * nudge).log_mass + TILT_DEPTH) / nudge
    theta = min(reached, key=lambda nudge: (reached[nudge], nudge))
    logs = [[own.log_mass for own in each] for each in sums.cumulants_at(sign * theta)]
    last = min(math.ceil((max(map(max, logs)) + TILT_DEPTH) / theta) + 1, most)
    beyond = []
    for own, each in zip(logs, wanted, strict=True):
        found = []
        for log_mass, extent in zip(own, each.extents, strict=True):
            # Because the cumulants of one group may be off by thousands of roundings; in nats.
            unsure = 1e-12 * (sums.groups + 1) + 64 * UNIT * (abs(log_mass) + abs(theta * last))
            left = 0.0 if last >= sign * _last(extent, sign) else math.exp(log_mass - theta * (last + 1) + unsure)
            found.append(left)
        beyond.append(tuple(found))
    return _End(sign * last, tuple(beyond))


def _last(extent: Extent, sign: int) -> int:
    return extent.high[0] if sign > 0 else extent.low[0]


def _within(extent: Extent, low: int, high: int) -> Extent:
    return Extent((max(extent.low[0], low),), (min(extent.high[0], high),))


def _hull(extents: Sequence[Extent]) -> Extent:
    return Extent((min(each.low[0] for each in extents),), (max(each.high[0] for each in extents),))
