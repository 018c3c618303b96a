"""The search for the record of a slowly forgetting chain about which outputs say most (Results 20.47 and 20.48).

Some records are evaluated, in windows of their own, and those between are bounded: the law of a record between two
others is nearly a mixture of theirs.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import exp, expm1, inf, log1p
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.large.channel_of_one_class import channel_of_one_class
from dalenius.channel.large.largest_place import largest_place, stretches_of
from dalenius.channel.large.long_channel import LongSum, places_of
from dalenius.channel.large.searched_records import Between, Doubt, Read
from dalenius.channel.large.window_likelihoods import WindowLikelihoods
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Found, worst_of
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.secrets import at_stage, window_at_stage
from dalenius.joints.chosen_places import ChosenPlaces
from dalenius.joints.chosen_windows import ChosenWindows, Stretch
from dalenius.joints.limits import MOST_CLASSES, MOST_EVALUATED, MOST_HELD
from dalenius.joints.sum_window import SumWindow
from dalenius.laws.law import Law
from dalenius.memory_budget import allowed
from dalenius.noise import Noise

_UNKNOWN: Final = Enclosure(0.0, inf)
"""The leakage of a record that has no window."""
_UNBOUNDED: Final = Doubt(inf, inf, inf, 1.0)
"""The doubt where nothing is known of records between."""


@final
@dataclass(frozen=True, eq=False)
class _Reached:
    """Numbers of an evaluated record that the bound of a stretch needs.

    Args:
        tops: The largest share of likelihoods that masses of 1, read from each tilt, make up, among the outputs of each
            tilt (k, T, T).
        squares: The mean over outputs of the product of two such shares (k, T, T).
        logs: Log-likelihoods (values, outputs), in single precision.
        beyond: The nats by which the mass outside may raise any log-likelihood, of any record with such a law inside.
    """

    tops: Array
    squares: Array
    logs: np.ndarray
    beyond: float


@final
class RecordSearch:
    """The records of one chain under one noise.

    Args:
        world: The chain's law, the query and the secrets.
        long: The sum over the chain.
        noise: The noise, which is exponential.
        mean: Windows of the law about its mean.
        tilted: Makes windows of the law for noise of a rate, in nats for each step of the chain's sum.
    """

    def __init__(
        self,
        world: WorldOfRecords,
        long: LongSum,
        noise: Noise,
        mean: ChosenWindows,
        tilted: Callable[[float], ChosenWindows | None],
    ) -> None:
        self.world, self.ends, self.chain = world, long.parts[0], mean.chain
        self._long, self._noise, self._mean, self._tilted = long, noise, mean, tilted
        self._mechanism = noise.mechanism(world.scores.lattice)
        self.rate = float(world.scores.lattice.steps[0]) * self.chain.stride / noise.known_scale()

    @property
    def values(self) -> int:
        """The number of values of a record; a member's day has no more."""
        return self.chain.states

    def tells_suprema(self) -> bool:
        """Whether the laws that noise of this rate can reach are known."""
        return self._tilted(self.rate) is not None

    def largest(self, read: Read, between: Between, average: bool) -> list[Found]:
        windows = self._mean if average else self._tilted(self.rate)
        assert windows is not None
        one = _OneSearch(self, windows, average)
        if self._some is not None:
            return [worst_of(every) for every in zip(*one.read_all(self._some, read), strict=True)]
        return largest_place(
            stretches_of((self.chain.n + 1) // 2 if self._mirrored else self.chain.n, self.chain.period),
            lambda places: one.read_all(places, read),
            partial(one.at_most, between),
            min(MOST_EVALUATED, int(allowed(MOST_HELD)) // (windows.points * self.chain.states)),
        )

    @property
    def _mirrored(self) -> bool:
        """Whether each record is known to be as exposed as the one as far from the other end."""
        people, joint = self.ends.people, self.world.joint
        return self.chain.period == 1 and joint.subject_of(people[-1]).person == people[0]

    @property
    def _some(self) -> list[int] | None:
        """The places of secret records, where the spec names some; None for all."""
        if self.world.secrets.people is None or self.world.firsts is None:
            return None
        return [int(place) for place in places_of(self.ends, self.world.firsts)]

    def each(self) -> Iterator[WindowChannel] | None:
        """Yields the channels of secret records, where the spec names some; None where it names none."""
        some, tilted = self._some, self._tilted(self.rate)
        if some is None or len(some) > MOST_CLASSES or tilted is None:
            return None
        return self._channels(some, tilted)

    def _channels(self, some: list[int], tilted: ChosenWindows) -> Iterator[WindowChannel]:
        for place in some:
            mean, window = self._mean.window((place,)), tilted.window((place,))
            assert mean is not None
            assert window is not None
            (law,) = self.likelihoods(window, average=False)
            yield self.channel(place, mean, 0, law)

    def channel(self, place: int, window: SumWindow[ChosenPlaces], row: int, law: Law | None) -> WindowChannel:
        """Makes the channel of one record.

        Args:
            place: The record's place, from 0.
            window: A window in which the record is a class.
            row: The number of the class.
            law: The likelihoods of all outputs; None for averages alone.
        """
        subject, stage = self.world.joint.subject_of(self.ends.people[place], single=True), self.world.secrets.stage
        about = window.window(row)
        if stage is not None:
            about = window_at_stage(subject, about, stage)
            subject, mixed = at_stage(subject, window.law(row) if law is None else law, stage)
            law = None if law is None else mixed
        return channel_of_one_class(
            subject,
            self._mechanism,
            self._long.spreads[int(self.ends.stratum[place])],
            self.world.scores.names,
            self.world.secrets.pairs_of(subject),
            None if law is None else partial(with_class_error, law, subject),
            lambda: about,
            lambda: next(iter(self._long.records(self._noise, place))),
        )

    def likelihoods(self, window: SumWindow[ChosenPlaces], average: bool) -> Iterator[Law]:
        """Yields the likelihoods of all classes of a window.

        Args:
            window: The window, in which each record is a class.
            average: Whether the likelihoods on the window alone will do, as for averages; else they are at all outputs.
        """
        rows = range(len(window.places))
        if not average:
            yield from WindowLikelihoods(window, self._mechanism, self.rate).each(rows)
            return
        for row in rows:
            yield self._mechanism.likelihood(window.window(row).law)

    def smoothed(self, law: Law) -> Array:
        """Returns the log-likelihoods of a `law` (values, outputs)."""
        found = self._mechanism.likelihood(law)
        return np.asarray(found.base + found.relative)


@final
class _OneSearch:
    """One search: the records that it evaluated, and the bounds of those between."""

    def __init__(self, search: RecordSearch, windows: ChosenWindows, average: bool) -> None:
        self._search, self._windows, self._average = search, windows, average
        self._chain = search.chain
        self._reached: dict[int, _Reached] = {}
        self._unit: Array | None = None

    def read_all(self, places: Sequence[int], read: Read) -> list[list[Found]]:
        """Evaluates records, and returns the quantities of each.

        Args:
            places: The records' places, from 0.
            read: Reads the quantities from the channel of one record.
        """
        found = []
        size = max(1, (1 << 22) // (self._windows.points * self._chain.states))
        for start in range(0, len(places), size):
            some = tuple(places[start : start + size])
            window = self._windows.window(some)
            if window is None:
                return [[Found(_UNKNOWN)] * 3 for _ in places]
            for row, (place, law) in enumerate(zip(some, self._search.likelihoods(window, self._average), strict=True)):
                self._reached[place] = self._reach(window, row, law)
                channel = self._search.channel(place, window, row, None if self._average else law)
                found.append(list(read(channel)))
        return found

    def _reach(self, window: SumWindow[ChosenPlaces], row: int, law: Law) -> _Reached:
        units, edges = self._units(window, row), list(self._windows.edges)
        logs, own = law.base + law.relative, np.flatnonzero(window.possible[row])
        states, many = self._chain.states, len(units)
        tops, squares = np.zeros((states, many, many)), np.zeros((states, many, many))
        starts = [min(each * self._chain.stride, logs.shape[1] - 1) for each in edges[:-1]]
        rate = self._search.rate
        for number, state in enumerate(own.tolist()):
            shares = np.exp(np.minimum(units - logs[number], 600.0)) * exp(law.error)
            tops[state] = np.maximum.reduceat(shares, starts, axis=1).T
            if self._average:
                weights = np.exp(logs[number] - np.max(logs[number]))
                weights[[0, -1]] *= 1 + 1 / rate
                weights *= rate / 2 / -expm1(-rate / 2) / weights.sum()
                # Because shares between two points of the lattice are no more than at one of them.
                wide = shares.copy()
                np.maximum(wide[:, 1:], shares[:, :-1], out=wide[:, 1:])
                np.maximum(wide[:, :-1], shares[:, 1:], out=wide[:, :-1])
                squares[state] = (wide * weights) @ wide.T
        beyond = 0.0 if self._average else window.beyond(window.law(row), row, rate) * self._rarest(window, row)
        return _Reached(tops, squares, logs.astype(np.float32), beyond)

    def _rarest(self, window: SumWindow[ChosenPlaces], row: int) -> float:
        """Returns the inverse of the least chance that a value has at any tilt which bounds what is outside."""
        own = window.possible[row]
        far = [each.shares[row, own] for each in window.segments if abs(each.tilt) >= self._search.rate]
        least = min((float(np.min(each + window.log_prior[row, own])) for each in far), default=0.0)
        return exp(min(-least, 700.0))

    def _units(self, window: SumWindow[ChosenPlaces], row: int) -> Array:
        """The logs of what a tilted probability of 1 at all sums of each tilt counts as, after the noise."""
        if self._unit is None:
            masses, edges = window.law(row), self._windows.edges
            apart = np.full((len(edges) - 1, *masses.box), -inf)
            stride = self._chain.stride
            for own, first, end in zip(apart, edges[:-1], edges[1:], strict=True):
                own[first * stride : (end - 1) * stride + 1 : stride] = 0.0
            spread = replace(masses, relative=apart, error=0.0, floor=None)
            self._unit = self._search.smoothed(spread)
        return self._unit

    @cached_property
    def _outside(self) -> Array:
        return self._windows.outside

    @cached_property
    def _chances(self) -> Array:
        return np.exp(self._search.ends.log_marginals)

    def at_most(self, between: Between, stretch: Stretch, left: Sequence[Found], right: Sequence[Found]) -> list[float]:
        """Bounds the quantities of all records inside a stretch.

        Args:
            between: Bounds quantities of the records inside, from those of one end.
            stretch: The records from one end to the other.
            left: The quantities of the first record.
            right: The quantities of the last record.
        """
        doubts = self._doubts(stretch)
        both = [between(found, doubt) for found, doubt in zip((left, right), doubts, strict=True)]
        return [max(pair) for pair in zip(*both, strict=True)]

    def _doubts(self, stretch: Stretch) -> tuple[Doubt, Doubt]:
        """Bounds how far laws inside a stretch are from mixtures of its ends'; infinite where nothing is known."""
        inside = slice(stretch.first, stretch.last + 1, stretch.step)
        possible, chances = self._chain.possible[inside], self._chances[inside]
        if not (possible == possible[0]).all():
            return _UNBOUNDED, _UNBOUNDED
        own = possible[0]
        chances = chances[:, own]
        least = chances.min(axis=0)
        one, other = self._reached[stretch.first], self._reached[stretch.last]
        masses = self._windows.bend(stretch)[:, own] / least
        share = np.max([np.einsum("sxt,ts->sx", each.tops[own], masses).max(axis=1) for each in (one, other)], axis=0)
        squares = [np.einsum("sxt,xs,ts->s", each.squares[own], masses, masses) for each in (one, other)]
        part = self._windows.mixed(stretch)[:, None]
        shift = np.abs(np.log(chances / chances[[0]])), np.abs(np.log(chances / chances[[-1]]))
        # Because mixtures of joint laws weigh those given a value by their own priors.
        uneven = np.max(part * np.abs(chances[0] / chances - 1), axis=0)
        off = np.max(np.abs((part * chances[0] + (1 - part) * chances[-1]) / chances - 1), axis=0)
        # The logs of likelihoods in single precision are off by so much.
        apart = np.max(np.abs(one.logs - other.logs), axis=1) + 2e-7 * float(np.max(np.abs(one.logs)))
        others = uneven * np.expm1(apart) + off + 1e-13
        # Because its tilted chances are at most 1, and its likelihoods at least half of the ends'.
        others = others + 4 * float(np.exp(np.max(shift))) * max(one.beyond, other.beyond)
        total = float(np.max(share + others))
        if not total < 0.5:
            return _UNBOUNDED, _UNBOUNDED
        likelihood = -log1p(-total)
        usual = float(np.max(np.sqrt(np.max(squares, axis=0)) + others)) * likelihood / total
        stage = 2.0 if self._search.world.secrets.stage is not None else 0.0
        # Because no value has a tilted chance above 1.
        lost = float(np.exp(self._outside).sum() / np.min(least))
        found = [
            Doubt(likelihood + stage * most, usual + stage * most, most, lost)
            for most in (float(each.max()) for each in shift)
        ]
        return found[0], found[1]
