"""Noise that suffices for every joint law with the same pair laws (Theory §15).

The comonotone bound where no joint law is known: every channel is already bounded so.
"""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise
from typing import ClassVar, Final, final

import numpy as np

from dalenius.bounds import Enclosure, largest
from dalenius.calibration.method import Calibration, Method, check, judged, scale_hiding
from dalenius.calibration.search import Curve, least_scale, least_scale_by_worst
from dalenius.channel import Release
from dalenius.channel.world import Pairs
from dalenius.laws.law import Array
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.ratios.pairs.comonotone import Bound
from dalenius.ratios.pairs.neighbourhood import MOST, Grid, Sum, quantiles
from dalenius.ratios.pairs.pairs import all_pairs

NOTHING: Final = Enclosure(0.0, 0.0)


def least_for_pairs(release: Release, epsilon: float, start: float) -> float:
    """The least scale at which no log-ratio of likelihoods exceeds epsilon, for all joint laws with the known pairs."""

    def leaked(scale: float) -> float:
        found = NOTHING
        for channel in release.with_noise(release.noise.with_scale(scale)).all_channels():
            found = largest(found, channel.ratio().value)
        return found.upper

    return least_scale(leaked, epsilon, start)


@final
class ComonotoneMethod(Method):
    """The least scale b at which log sup E_s[e^{-|y-S|/b}] - log inf E_s'[e^{-|y-S|/b}] <= ε for all y and any two
    values of a record, over all laws of the sum S of its own and its group's other scores that are below that of
    comonotone scores in convex order (Result 15.2): whatever the joint law with those pair laws, S has such a law.

    Sound wherever groups are independent of each other, of the vector of all outside them (E1). Where each record of a
    group has two scores, equally far apart, no less noise serves all joint laws with those pairs (Result 15.3). Never
    more than `group`.
    """

    name: ClassVar[str] = "comonotone"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        own, (group, size) = release.sensitivity, release.group_sensitivity
        if not own:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        why = (
            f"each record is independent of the vector of all outside its group of at most {size}, and no joint law "
            "with the same pair laws leaks more"
        )
        scale = most = scale_hiding(release, group, notion)
        if size > 1 and release.pairs_only:
            scale = min(most, least_for_pairs(release, epsilon, most))
        elif size > 1:
            bounds = _bounds(all_pairs(self.name, release, every=True), float(release.lattice.steps[0]))
            least = scale_hiding(release, own, notion)
            curves: list[Curve] = [partial(_leaked, each) for each in bounds]
            found = least_scale_by_worst(partial(_worst, curves), epsilon, most) if curves else least
            scale = min(most, max(least, found))
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))


def _worst(curves: list[Curve], scale: float) -> tuple[float, Curve]:
    found = [curve(scale) for curve in curves]
    worst = int(np.argmax(found))
    return found[worst], curves[worst]


def _leaked(bound: Bound, scale: float) -> float:
    return bound.at(scale).upper


def _bounds(types: list[Pairs], step: float) -> Iterator[Bound]:
    """One for each record, those of equal laws taken once."""
    seen = set()
    for pairs in types:
        unit = _unit(np.rint(pairs.points / step))
        ends = np.searchsorted(pairs.first, np.arange(len(pairs.move) + 1))
        for record, (begin, end) in enumerate(pairwise(ends)):
            laws = _laws(pairs, record, slice(begin, end), step)
            alike = tuple(part.tobytes() for law in laws for part in (law.points, law.masses))
            if alike not in seen:
                seen.add(alike)
                yield _bound(laws, pairs.times[begin:end].sum() <= 1, step, unit)


def _laws(pairs: Pairs, record: int, others: slice, step: float) -> list[Sum]:
    """Of the sum in lattice steps, given each of the record's values, all scores at the same quantile. Values count
    however rare they are; a padded one is the first."""
    steps, times = np.rint(pairs.points / step), pairs.times[others]
    start = float(steps[0] * times.sum())
    return [
        quantiles(times, steps, pairs.laws[others, secret]).summed(start + np.rint(pairs.scores[record, secret] / step))
        for secret in range(pairs.scores.shape[1])
    ]


def _unit(steps: Array) -> float:
    """Of which all sums of scores are whole multiples apart."""
    return float(np.gcd.reduce((steps - steps[0]).astype(np.int64))) or 1.0


def _bound(laws: list[Sum], alone: bool, step: float, unit: float) -> Bound:
    low = min(float(law.points[0]) for law in laws)
    width = round((max(float(law.points[-1]) for law in laws) - low) / unit)
    whole = width <= MOST
    unit = unit if whole else unit * width
    on = Grid(low * step, unit * step, width if whole else 1, 0.0, whole)
    return Bound(on, range(len(laws)), [Sum((law.points - low) / unit, law.masses) for law in laws], alone)
