"""The channel of all nodes of a large network under exponential noise, by bounds of every class and laws of few.

Thousands of nodes that differ have as many laws. So what each class of nodes leaks at most is bounded for all at once
(`ranked_nodes` for suprema, `node_averages` for averages), and laws are made of those only that may leak most.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import inf
from typing import Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.bounds import Enclosure, largest
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.channel import Channel, RatioName, TailName
from dalenius.channel.large.largest_class import information_at_most, largest_of
from dalenius.channel.large.long_records import LongRecords
from dalenius.channel.large.node_averages import NodeAverages
from dalenius.channel.large.ranked_nodes import Ranked
from dalenius.channel.leakage import Divergence, Found, Leakage, Movement, SubjectTail, largest_tail, worst, worst_of

_Read: TypeAlias = Callable[[Channel], list[Found]]
_Bound: TypeAlias = Callable[[IntArray, float], tuple[Array, NDArray[np.bool_]]]
"""From some classes and what the best is known to leak: bounds by which these are ordered, and which may be above."""

_TIED: Final = 1e-9
"""Classes that leak no more than the best by so much, relatively, are not looked at: their bounds count."""
_NOTHING: Final = 1e-11
"""Nats that count as tied where the best leaks next to nothing."""
_MANY: Final = 48
"""How many classes get laws before bounds are made closer."""
_FAR_BELOW: Final = 0.25
"""Share of a δ that is asked for, up to which bounds serve."""
_FEW: Final = 8
"""The least number of classes whose laws are made together."""


@final
@dataclass(frozen=True, eq=False)
class WindowedNodes(Channel):
    """The channel of all nodes under exponential noise.

    Args:
        ranked: Bounds of each class.
        close: Makes closer ones.
        averages: Makes what bounds averages over outputs; None where it takes too much memory.
        shown: The classes that have secrets.
        made: Makes the channels of some classes.
        every: Makes the channels of all classes.
        neighbours_of: Computes `Channel.neighbours`.
        limits: The limits at ±∞, which are read for suprema where no window tells them; None where windows do.
    """

    ranked: Ranked
    close: Callable[[], Ranked | None]
    averages: Callable[[], NodeAverages | None]
    shown: Sequence[int]
    made: Callable[[Sequence[int]], Iterator[WindowChannel]]
    every: Callable[[], Iterator[WindowChannel]]
    neighbours_of: Callable[[], Found]
    limits: LongRecords | None = None

    def singly(self, quantity: str) -> Iterator[Channel]:
        yield from self.every()

    def neighbours(self) -> Found:
        return self.neighbours_of()

    def ratio(self) -> Found:
        if self.limits is not None:
            return self.limits.ratio()
        return self._largest(("ratio",), lambda channel: [channel.ratio()])[0]

    def movement(self, lowering: float = 1.0) -> Movement:
        """Returns how far beliefs move, in nats; `lowering` is the factor of log(prior/posterior), as in `Channel`."""
        if self.limits is not None:
            return self.limits.movement(lowering)

        def read(channel: Channel) -> list[Found]:
            found = channel.movement(lowering)
            return [found.raised, found.lowered]

        raised, lowered = self._largest(("raised", "lowered"), read, 2 if lowering else 1)
        return Movement.of(raised, lowered, lowering)

    def divergence(self) -> Divergence:
        if self.limits is not None:
            return self.limits.divergence()
        return Divergence(*self._largest(("forward", "reverse"), lambda channel: list(channel.divergence())))

    def information(self) -> Found:
        """I(S; Y), in nats."""
        if self.limits is not None:
            return largest_of(self.every(), information_at_most, lambda channel: [channel.information()])[0]
        return self._largest(("information",), lambda channel: [channel.information()])[0]

    def least_epsilon(self, of: RatioName, delta: float) -> Found:
        averages = self._averages
        if averages is None:
            return worst_of(each.least_epsilon(of, delta) for each in self.every())
        found = list[Found]()

        def read(channel: Channel) -> float:
            found.append(channel.least_epsilon(of, delta))
            return found[-1].value.lower

        def bound(classes: IntArray, best: float) -> tuple[Array, NDArray[np.bool_]]:
            bounds = averages.leads(classes, of, _conceded(best))
            return bounds, bounds > delta

        best = self._search(read, bound)
        return _at_least(worst_of(found), _conceded(best))

    def least_delta(self, of: RatioName, epsilon: float, least: float = 0.0, bound: float | None = None) -> Enclosure:
        averages = self._averages
        if averages is None:
            return Channel.least_delta(self, of, epsilon, least, bound)
        classes = self._classes
        bounds = averages.leads(classes, of, epsilon)
        found = Enclosure(0.0, float(bounds.max(initial=0.0)))
        # Because it is only asked whether it is more than another's, or roughly how far it is from the bound.
        if found.upper <= max(least, 0.0 if bound is None else _FAR_BELOW * bound):
            return found
        total = Enclosure(0.0, 0.0)

        def read(channel: Channel) -> float:
            nonlocal total
            total = largest(total, channel.least_delta(of, epsilon, max(least, total.lower), bound))
            return total.lower

        def above(rows: IntArray, best: float) -> tuple[Array, NDArray[np.bool_]]:
            # Because one class above the bound is an answer.
            if bound is not None and best > bound:
                return np.zeros(len(rows)), np.zeros(len(rows), dtype=np.bool_)
            own = bounds[np.searchsorted(classes, rows)]
            return own, own > max(best * (1 + _TIED), least)

        best = self._search(read, above)
        if bound is not None and best > bound:
            return Enclosure(total.lower, max(total.upper, found.upper))
        return Enclosure(total.lower, max(total.upper, min(max(best * (1 + _TIED), least), found.upper)))

    def tail(self, of: TailName = "gain") -> SubjectTail:
        tails = list[SubjectTail]()

        def read(channel: Channel) -> float:
            tails.append(channel.tail(of))
            return tails[-1].law.quantile(_LIKELY).lower

        if not self._by_quantile(read, of, _LIKELY):
            return Channel.tail(self, of)
        found = largest_tail(tails)
        assert found is not None
        return found

    def quantile(self, of: TailName, delta: float) -> Found:
        found = list[Found]()

        def read(channel: Channel) -> float:
            tail = channel.tail(of)
            found.append(Found(tail.law.quantile(delta), tail.witness))
            return found[-1].value.lower

        if not self._by_quantile(read, of, delta):
            return Channel.quantile(self, of, delta)
        total = worst_of(found)
        return _at_least(total, _conceded(total.value.lower))

    def chance(self, of: TailName, level: float) -> Enclosure:
        averages = self._averages
        if averages is None:
            return Channel.chance(self, of, level)
        total = Enclosure(0.0, 0.0)

        def read(channel: Channel) -> float:
            nonlocal total
            total = largest(total, channel.tail(of).law.chance(level))
            return total.lower

        def bound(classes: IntArray, best: float) -> tuple[Array, NDArray[np.bool_]]:
            bounds = averages.chances(classes, of, level)
            return bounds, bounds > best * (1 + _TIED)

        best = self._search(read, bound)
        return Enclosure(total.lower, max(total.upper, best * (1 + _TIED)))

    def largest_average(
        self, quantity: str, read: Callable[[Channel], Leakage], forms: Callable[[Array], Array] | None = None
    ) -> Leakage:
        averages = self._averages
        if averages is None or forms is None:
            return worst(read(each) for each in self.every())
        found, classes = list[Leakage](), self._classes
        most = np.log1p(averages.gains(classes, forms(averages.log_prior[classes]))) * (1 + _TIED / 4)

        def one(channel: Channel) -> float:
            found.append(read(channel))
            return found[-1].lower

        def bound(rows: IntArray, best: float) -> tuple[Array, NDArray[np.bool_]]:
            own = most[np.searchsorted(classes, rows)]
            return own, own > _conceded(best)

        best = self._search(one, bound)
        total = worst(found)
        return Leakage(total.lower, max(total.upper, _conceded(best)), total.witness, total.companions)

    @cached_property
    def _classes(self) -> IntArray:
        return np.sort(np.array(self.shown, dtype=np.int64))

    @cached_property
    def _averages(self) -> NodeAverages | None:
        return self.averages()

    def _by_quantile(self, read: Callable[[Channel], float], of: TailName, delta: float) -> bool:
        """Reads the classes that may have the largest quantile; False where nothing bounds these."""
        averages = self._averages
        if averages is None:
            return False

        def bound(classes: IntArray, best: float) -> tuple[Array, NDArray[np.bool_]]:
            bounds = averages.quantiles(classes, of, delta)
            return bounds, bounds > _conceded(best)

        self._search(read, bound)
        return True

    def _search(self, read: Callable[[Channel], float], bound: _Bound) -> float:
        """Reads classes until no other may leak more than the best: returns what that is known to leak.

        Args:
            read: Returns what a class is known to leak.
            bound: Bounds classes.
        """
        left = self._classes
        best, evaluated = 0.0, 0
        batch = np.array(self._first[:_FEW], dtype=np.int64)
        while len(batch):
            for channel in self.made(batch.tolist()):
                best = max(best, read(channel))
            evaluated += len(batch)
            left = left[~np.isin(left, batch)]
            bounds, above = bound(left, best)
            left, bounds = left[above], bounds[above]
            batch = left[np.argsort(-bounds, kind="stable")[: max(_FEW, evaluated)]]
        return best

    @cached_property
    def _first(self) -> tuple[int, ...]:
        """Classes that may leak most, by any quantity: they are looked at first, together."""
        shown = np.array(self.shown)
        found = [shown[np.argsort(-own[shown], kind="stable")[:2]] for own in self.ranked.most.values()]
        return tuple(dict.fromkeys(np.concatenate(found).tolist()))

    def _largest(self, names: Sequence[str], read: _Read, wanted: int | None = None) -> list[Found]:
        """Encloses the largest of several quantities over all classes. A class is passed over where its bounds are at
        most what another is known to leak, or so little more that they count instead; only the first `wanted`
        quantities are searched for."""
        shown, ranked = np.array(self.shown), self.ranked
        tops = np.stack([ranked.most[name][shown] for name in names])
        left, best = np.ones(len(shown), dtype=np.bool_), np.full(len(names), -inf)
        row_of = {number: row for row, number in enumerate(self.shown)}
        found, batch, evaluated = list[list[Found]](), [row_of[number] for number in self._first], 0
        while batch:
            for channel in self.made([self.shown[row] for row in batch]):
                found.append(read(channel))
                best = np.maximum(best, [each.value.lower for each in found[-1]])
            left[batch] = False
            evaluated += len(batch)
            if evaluated >= _MANY and ranked is self.ranked and (closer := self.close()) is not None:
                ranked = closer
                tops = np.minimum(tops, np.stack([ranked.most[name][shown] for name in names]))
            excess = (tops - (best * (1 + _TIED))[:, None])[:wanted]
            open_ = left & (excess > 0).any(axis=0)
            order = np.argsort(-excess.max(axis=0, where=open_[None], initial=-inf), kind="stable")
            batch = [row for row in order[: max(_FEW, evaluated)].tolist() if open_[row]]
        rest = tops[:, left].max(axis=1, initial=0.0)
        return [_at_least(worst_of(each), most) for each, most in zip(zip(*found, strict=True), rest, strict=True)]


_LIKELY: Final = 1e-6
"""The probability whose quantiles `largest_tail` compares."""


def _conceded(best: float) -> float:
    """Returns the value up to which a quantity counts as no more than `best`, in nats."""
    return best * (1 + _TIED) + _NOTHING


def _at_least(found: Found, most: float) -> Found:
    """Raises the upper end to `most`, since a class that was passed over may reach it."""
    return Found(Enclosure(found.value.lower, max(found.value.upper, float(most))), found.witness)
