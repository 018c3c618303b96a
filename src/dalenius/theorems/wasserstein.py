"""The Wasserstein mechanism: noise for how far the answer's law itself moves (Song, Wang, Chaudhuri 2017; Theory §5).

Its scale is W∞/ε. Take two people who are alike with probability .9, and count how many are ill. Given that one is ill,
the count is 1 or 2 with .1 and .9; given that one is well, 0 or 1 with .9 and .1. Paired by quantiles the two are up to
2 apart: scale 2/ε, as for a whole pair.

>>> from dalenius.models import Table
>>> from dalenius.queries import Count
>>> pair = Table(records=((0, 0), (0, 1), (1, 0), (1, 1)), probabilities=(0.45, 0.05, 0.05, 0.45))
>>> wasserstein_bounds(next(Release(pair, Count(), NoNoise()).channels()).likelihood, 0, 1, people=2)
(2, 2)
"""

from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array
from dalenius.bounds import UNIT
from dalenius.calibration.method_base import Calibration, Method, check, judged, scale_hiding
from dalenius.channel import FiniteChannel, Release
from dalenius.errors import InputError
from dalenius.joints import count_people
from dalenius.laws.law import Law
from dalenius.noise import Noise, NoNoise
from dalenius.notions import Notion

_SETTLED: tuple[float, ...] = (0.0, 1e-12, 1e-11, 1e-10, 1e-9)
"""The relative increases of the noise after which doubles can verify what holds with equality."""


@final
class WassersteinMethod(Method):
    """The scale W∞/ε, W∞ = worst sup_u |F_s⁻¹(u) - F_s'⁻¹(u)| over the laws of the answer given two values.

    It is always sound: draw the two answers at the same quantile u. They never differ by more than W∞, so noise of
    scale W∞/ε makes any output at most e^ε times likelier given one than given the other. On a line no coupling does
    better.

    W∞ <= d just where F_s(x) <= F_s'(x + d) and F_s'(x) <= F_s(x + d) for all x; each is read off whichever tail the
    two are in, where masses are relatively accurate. Where equality makes it a matter of rounding, the larger distance
    counts, unless the leakage itself, computed at the smaller one, keeps the promise.
    """

    name: ClassVar[str] = "wasserstein"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        least, most = furthest_pair(release, notion, self.name)
        why = "given any two values of a record, the answers can be paired so that no pair is more than {} apart"
        for noise in _settling(release, notion, least) if least < most else ():
            if notion.leakage(release.with_noise(noise)).upper <= epsilon:
                said = why.format(f"{float(least):g}") + ", but for rounding, and the leakage was computed"
                return judged(self.name, True, said, release, notion, noise)
        noise = release.noise.with_scale(scale_hiding(release, most, notion)) if most else NoNoise()
        return judged(self.name, True, why.format(f"{float(most):g}"), release, notion, noise)


def furthest_pair(release: Release, notion: Notion, method: str) -> tuple[Fraction, Fraction]:
    """Bounds W∞ over all pairs of secrets that `notion` is about, in the unit of the `release`'s query.

    InputError for `method` where the answers of a group are a vector.
    """
    people = count_people(release.worlds.joints[0])
    every_pair = notion.properties.linear != "pairs"
    least = most = Fraction(0)
    for channel in release.with_noise(NoNoise()).channels():
        # Because a histogram is a vector, and vectors have no quantiles to pair.
        if channel.lattice.axes > 1:
            wanted = "an answer of one number for each group of records (quantiles are of numbers)"
            raise InputError("method", method, wanted)
        for one, other in _pairs(channel, every_pair):
            between = wasserstein_bounds(channel.likelihood, one, other, people)
            step = channel.lattice.steps[0]
            least, most = max(least, between[0] * step), max(most, between[1] * step)
    return least, most


def _pairs(channel: FiniteChannel, every: bool) -> Iterator[tuple[int, int]]:
    """Yields the places of the two secrets of each pair; every: all pairs, not only those not to be distinguished."""
    if every or channel.pairs is None:
        yield from combinations(range(len(channel.secrets)), 2)
    else:
        yield from channel.pairs


def _settling(release: Release, notion: Notion, distance: Fraction) -> Iterator[Noise]:
    """Yields noises that may keep the promise though rounding leaves W∞ open, the least first."""
    if not distance:  # equal laws, but for rounding: the exact answer may do
        yield NoNoise()
        return
    for more in _SETTLED:
        yield release.noise.with_scale(scale_hiding(release, distance * (1 + Fraction(more)), notion))


@final
@dataclass(frozen=True)
class _Tails:
    """The log-probabilities (points,) of at most x and of at least x, each from below and from above."""

    at_most: tuple[Array, Array]
    at_least: tuple[Array, Array]


def wasserstein_bounds(law: Law, one: int, other: int, people: int) -> tuple[int, int]:
    """Bounds W∞ between two secrets' laws, in steps: the least that rounding allows, the least that is certain.

    The truth is the first unless masses that are equal up to the law's error differ.

    Args:
        law: The law of the exact answer.
        one: The place of one secret.
        other: The place of the other.
        people: How many people the law sums over, which decides its rounding.
    """
    tails = [_tails(law, secret, people) for secret in (one, other)]
    # The ends are exact where every mass is resolved: nothing lies below or above them.
    ranges = [_range(law, secret) for secret in (one, other)]
    ends = max(abs(a - b) for a, b in zip(*ranges, strict=True)) if law.floor is None else 0
    largest = max(ranges[0][1] - ranges[1][0], ranges[1][1] - ranges[0][0], 0)

    def possible(distance: int) -> bool:
        return not any(_exceeds(a, b, distance).any() for a, b in ((tails[0], tails[1]), (tails[1], tails[0])))

    def sure(distance: int) -> bool:
        return all(_keeps(a, b, distance).all() for a, b in ((tails[0], tails[1]), (tails[1], tails[0])))

    # Because both hold from some distance on, at the latest from the largest on.
    least = ends + bisect_left(range(ends, largest), True, key=possible)
    return least, least + bisect_left(range(least, largest), True, key=sure)


def _range(law: Law, secret: int) -> tuple[int, int]:
    # Because masses below what is resolved may lie anywhere, the range is then the whole lattice.
    if law.floor is not None:
        return 0, len(law.base) - 1
    places = np.flatnonzero(law.relative[secret] > -np.inf)
    return int(places[0]), int(places[-1])


def _tails(law: Law, secret: int, people: int) -> _Tails:
    """Returns the tails; the common part of the logs is a sum over people, rounded each time."""
    logs = law.base + law.relative[secret]
    doubt = law.error + (64 + 16 * people + 8 * float(np.max(np.abs(law.base)))) * UNIT
    missing = np.full(logs.shape, -np.inf) if law.floor is None else law.base + law.floor
    high = np.logaddexp(logs, missing)
    at_most = [np.logaddexp.accumulate(each) for each in (logs, high)]
    at_least = [np.logaddexp.accumulate(each[::-1])[::-1] for each in (logs, high)]
    doubt += 4 * len(logs) * UNIT
    return _Tails((at_most[0] - doubt, at_most[1] + doubt), (at_least[0] - doubt, at_least[1] + doubt))


def _exceeds(one: _Tails, other: _Tails, distance: int) -> NDArray[np.bool_]:
    """Says where Pr[one <= x] > Pr[other <= x + distance] for certain."""
    below = _at(other.at_most[1], distance, 0.0)
    # In terms of upper tails this is Pr[one > x] < Pr[other > x + distance].
    above = _at(other.at_least[0], distance + 1, -np.inf)
    return np.asarray((one.at_most[0] > below) | (_at(one.at_least[1], 1, -np.inf) < above))


def _keeps(one: _Tails, other: _Tails, distance: int) -> NDArray[np.bool_]:
    """Says where Pr[one <= x] <= Pr[other <= x + distance] for certain."""
    below = _at(other.at_most[0], distance, 0.0)
    above = _at(other.at_least[1], distance + 1, -np.inf)
    return np.asarray((one.at_most[1] <= below) | (_at(one.at_least[0], 1, -np.inf) >= above))


def _at(logs: Array, ahead: int, beyond: float) -> Array:
    """Returns the entries `ahead` places further on; `beyond` past the end."""
    return np.append(logs[ahead:], np.full(min(ahead, len(logs)), beyond))
