"""The least δ of a group under any law of its set: by thresholds where likelihood ratios rise (Result 21.32)."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from math import inf, sqrt
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.channel import Channel
from dalenius.channel.credal.attained import Attained
from dalenius.channel.credal.group import CredalGroup
from dalenius.channel.pairwise.channel import apart_delta, share_above
from dalenius.channel.witness import Found, Witness
from dalenius.errors import TooLarge
from dalenius.joints.groups.block import Member
from dalenius.laws.credal.thresholds import Contrast, Thresholds, grid
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise
from dalenius.noise.gaussian_scale import gaussian_delta
from dalenius.special import ndtr

SAME: Final = 1e-12
"""Ratios this close, relatively, are in either order; so much more a better test may find."""
FAR: Final = 9.0
"""Standard deviations beyond the answers, where a cell of thresholds ends."""
STEEPEST: Final = 0.25
"""More than the largest slope of the standard normal density, e^{-1/2}/√2π."""
FARTHEST: Final = 600.0
HALVINGS: Final = 60


@final
@dataclass(frozen=True)
class Deltas:
    """Of one class of members of a group under a noise; kind: what is told apart: `ratio`, two secrets; `raised`, a
    secret from all, or `lowered`, the reverse. most: of the log-ratios of the same kind, and deepest: of any two of the
    group's answers, from above, in nats. attained: what laws of the set leak beside other groups."""

    group: CredalGroup
    member: Member
    noise: Noise
    kind: str
    most: float
    deepest: float
    attained: Attained

    def delta(self, epsilon: float, worth: float) -> Enclosure:
        """The largest of the sum over y of max(one - e^ε other, 0) over all laws of the set and of all other groups.
        Beside others the lower end is 0: see `attained_delta`."""
        upper = self._coarse(epsilon)
        if not self.thresholds or upper == 0:
            return Enclosure(0.0, upper)
        found = [each.delta(epsilon, worth) for each in self.thresholds]
        lower, most = (max(column) for column in zip(*found, strict=True))
        upper = min(upper, most + SAME)
        lower = max(lower * (1 - 64 * UNIT) - 64 * UNIT, 0.0) if self.group.alone else 0.0
        return Enclosure(min(lower, upper), upper)

    def epsilon(self, delta: float) -> Found:
        """The least ε at which that is at most delta."""
        if self._coarse(0.0) <= delta:
            return Found(Enclosure(0.0, 0.0))
        upper, lower = self._least(delta), 0.0
        if self.thresholds:
            found = [each.epsilon(delta - SAME * min(delta, 1.0)) for each in self.thresholds]
            upper = min(upper, max(high for _, high in found))
            lower = max(low for low, _ in found) if self.group.alone else 0.0
        lower = max(lower * (1 - 64 * UNIT) - 1e-9, 0.0)
        subject = self.group.subject(self.member)
        return Found(Enclosure(min(lower, upper), upper), Witness(subject.person, subject.who) if upper else None)

    def attained_delta(self, epsilon: float) -> float:
        """No more than some law of the set needs, beside all other groups."""
        of_ratio = self.kind == "ratio"
        channels = self._exact(epsilon)
        found = [(each.profile(epsilon) if of_ratio else each.raising(epsilon)).lower for each in channels]
        return max(max(found, default=0.0) - self.attained.slack, 0.0)

    def attained_epsilon(self, delta: float, near: float) -> float:
        """The same of an epsilon; near: about as much."""
        needed = delta + self.attained.slack
        return max((self._least_of(each, needed).value.lower for each in self._exact(near)), default=0.0)

    def _least_of(self, channel: Channel, delta: float) -> Found:
        if self.kind == "ratio":
            return channel.ratio_at(delta)
        return channel.raised_at(delta) if self.kind == "raised" else channel.lowered_at(delta)

    def _exact(self, epsilon: float) -> Iterator[Channel]:
        """Of the law that leaks most alone, or of the middle one where no tests are known."""
        sides = [each.worst(epsilon) for each in self.thresholds]
        law = max(sides, key=lambda side: side[0])[1] if sides else self.group.box.point
        with suppress(TooLarge):
            for channels in self.attained.channels(self.group, self.member, law, self.noise):
                yield from channels

    def _coarse(self, epsilon: float) -> float:
        """No more than what the group's answers farthest apart, or laws that differ by `most`, tell."""
        if self.noise.gaussian_deviation:
            distance = sqrt(float((self.group.ranges**2).sum()))
            return min(gaussian_delta(distance, self.noise.gaussian_deviation, epsilon) * (1 + SAME), 1.0)
        if self.most == inf:
            return 1.0
        whole = apart_delta(self.deepest, epsilon)
        own = apart_delta(self.most, epsilon) if self.kind == "ratio" else share_above(self.most, epsilon)
        return min(own, whole)

    def _least(self, delta: float) -> float:
        low, high = 0.0, 1.0
        while self._coarse(high) > delta:
            low, high = high, 2 * high
            if high > FARTHEST:
                return inf
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if self._coarse(middle) > delta else (low, middle)
        return high

    @cached_property
    def thresholds(self) -> tuple[Thresholds, ...]:
        """Those among rising and those among falling likelihood ratios; none where some ratio is neither, or the group
        moves several coordinates."""
        axes = np.flatnonzero(self.group.ranges > 0)
        if len(axes) != 1 or self.noise.adds_nothing:
            return ()
        column = self.group.answers[:, axes[0]].astype(np.float64)
        answers, place = np.unique(column, return_inverse=True)
        rising, falling = list[Contrast](), list[Contrast]()
        for one, other in self._hypotheses:
            order = _order(one, other, place.ravel())
            if order is None:
                return ()
            (rising if order else falling).append(self._contrast(one, other, place.ravel(), len(answers)))
        above, beyond, bend = self._noise_along(int(axes[0]))
        sides = [(rising, answers), ([each.mirrored() for each in falling], -answers[::-1])]
        return tuple(
            Thresholds(self.group.box, each, own, above, grid(own, beyond) if bend is not None else _between(own), bend)
            for each, own in sides
            if each
        )

    @property
    def _hypotheses(self) -> Iterator[tuple[Array, Array]]:
        """The chances of both given each row (rows,)."""
        given = self.group.given(self.member)
        if self.kind == "ratio":
            yield from ((given[s], given[t]) for s, t in self.group.pairs_of(self.member))
            return
        everything = given.sum(axis=0)
        for each in given:
            yield (each, everything) if self.kind == "raised" else (everything, each)

    def _contrast(self, one: Array, other: Array, place: IntArray, count: int) -> Contrast:
        where = np.arange(count)[:, None] == place
        over, under = self.group.by_entry(where * one), self.group.by_entry(where * other)
        return Contrast(over, under, over.sum(axis=0), under.sum(axis=0))

    def _noise_along(self, axis: int) -> tuple[Callable[[Array], Array], float, float | None]:
        """Pr[noise > x steps], how far beyond the answers thresholds count, and the largest slope of its density; None
        where outputs are on the lattice."""
        step = float(self.group.steps[axis])
        if self.noise.gaussian_deviation:
            scale = self.noise.gaussian_deviation / step
            return lambda x: np.asarray(ndtr(-x / scale)), FAR * scale, STEEPEST / scale**2
        rate = step / self.noise.known_scale()
        if not self.noise.needs_lattice:
            return (
                lambda x: np.where(x > 0, np.exp(-rate * np.abs(x)) / 2, 1 - np.exp(-rate * np.abs(x)) / 2),
                0.0,
                True,
            )
        both = 1 + np.exp(-rate)
        return (
            lambda x: np.where(x > 0, np.exp(-rate * (x + 0.5)) / both, 1 - np.exp(-rate * (0.5 - x)) / both),
            0.0,
            None,
        )


def _between(answers: Array) -> Array:
    """Thresholds between the points of the lattice."""
    return np.arange(answers[0] - 0.5, answers[-1] + 1)


def _order(one: Array, other: Array, place: IntArray) -> bool | None:
    """Whether one's share of both rises with the answer (True), or falls (False); None where it does neither."""
    both = one + other
    there = both > 0
    share, own = one[there] / both[there], place[there]
    count = int(place.max()) + 1
    least, most = np.full(count, inf), np.full(count, -inf)
    np.minimum.at(least, own, share)
    np.maximum.at(most, own, share)
    found = np.flatnonzero(most >= 0)
    least, most = least[found], most[found]
    if (np.maximum.accumulate(most)[:-1] <= least[1:] + SAME).all():
        return True
    return False if (np.minimum.accumulate(least)[:-1] >= most[1:] - SAME).all() else None
