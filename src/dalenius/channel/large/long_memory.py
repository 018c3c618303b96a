"""The search for the record of a slowly forgetting chain about which outputs say most (Results 20.47 and 20.48).

Windows of a chain that forgets quickly take one record for all that are far from either end. Where a chain stays
as it is for hundreds of records, nearly every record has a law of its own. Some are evaluated, in windows of
their own, and those between are bounded.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from math import exp, expm1, inf, log1p
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.bounds import Enclosure
from dalenius.channel.answer_window_channel import WindowChannel
from dalenius.channel.channel import Channel
from dalenius.channel.large.channel_of_one_class import channel_of_one_class
from dalenius.channel.large.largest_place import largest_place, stretches_of
from dalenius.channel.large.long_channel import LongRecords, LongSum, places_of
from dalenius.channel.large.output_limits import Ends
from dalenius.channel.large.searched_records import Between, Doubt, Read, SearchedRecords
from dalenius.channel.large.window_likelihoods import WindowLikelihoods
from dalenius.channel.large.world_of_records import WorldOfRecords
from dalenius.channel.leakage import Found, worst_of
from dalenius.channel.likelihoods import with_class_error
from dalenius.channel.secrets import at_stage, window_at_stage
from dalenius.channel.shortcut import Shortcut
from dalenius.joints.chosen_windows import ChosenWindows, Stretch
from dalenius.joints.limits import MOST_CLASSES, MOST_EVALUATED
from dalenius.joints.repeating_chain import RepeatingChain
from dalenius.joints.sum_window import SumWindow
from dalenius.laws.law import Law
from dalenius.noise import Noise

_UNKNOWN: Final = Enclosure(0.0, inf)
"""The leakage of a record that has no window."""


@final
@dataclass(frozen=True, eq=False)
class _Reached:
    """What the bound of a stretch needs of a record that was evaluated.

    Args:
        tops: The largest share of likelihoods that masses of 1, read from each tilt, make up, among the outputs of each
            tilt (k, T, T).
        squares: The mean over outputs of the product of two such shares (k, T, T).
        logs: Log-likelihoods (values, outputs), in single precision; None where the prior never changes.
        lost: The probability outside of its window.
        beyond: The nats by which the mass outside may raise any log-likelihood.
    """

    tops: Array
    squares: Array
    logs: np.ndarray | None
    lost: float
    beyond: float


@final
class LongMemory(Shortcut):
    """One chain that forgets slowly, under one sum."""

    def __init__(self, world: WorldOfRecords, long: LongSum, ends: Ends, chain: RepeatingChain) -> None:
        self._world, self._long, self._ends, self._chain = world, long, ends, chain
        self._searches: dict[Noise, RecordSearch] = {}
        self._windows: dict[float, ChosenWindows | None] = {}

    @property
    def engine(self) -> tuple[str, str] | None:
        if not any(self._windows.values()):
            return None
        return "window", f"{self._long.answers:,} answers: windows of some records, and bounds between (Result 20.47)"

    @property
    def is_quick(self) -> bool:
        return self._long.is_quick

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        if not noise.shape.exponential or self.windows(0.0) is None:
            return None
        if noise not in self._searches:
            self._searches = {noise: RecordSearch(self, noise)}
        search = self._searches[noise]
        if self._world.secrets.stage is not None:
            return iter([SearchedRecords(None, search)])
        return iter([SearchedRecords(bounded, search) for bounded in self._long.records(noise)])

    def windows(self, rate: float) -> ChosenWindows | None:
        """Returns the windows for noise of that rate, in nats for each step; 0 for those about the mean."""
        if rate not in self._windows:
            # Because a search for a scale asks for many.
            kept = self._windows.get(0.0)
            self._windows = {} if 0.0 not in self._windows else {0.0: kept}
            self._windows[rate] = ChosenWindows.of(self._chain, rate)
        return self._windows[rate]

    @property
    def parts(self) -> tuple[WorldOfRecords, LongSum, Ends, RepeatingChain]:
        return self._world, self._long, self._ends, self._chain


@final
class RecordSearch:
    """The records of one chain under one noise."""

    def __init__(self, memory: LongMemory, noise: Noise) -> None:
        self._memory, self._noise = memory, noise
        self._world, self._long, self._ends, self._chain = memory.parts
        self._mechanism = noise.mechanism(self._world.scores.lattice)
        self._rate = float(self._world.scores.lattice.steps[0]) * self._chain.stride / noise.known_scale()

    def largest(self, read: Read, between: Between, average: bool) -> list[Found]:
        """Encloses the largest of several quantities over all secret records.

        Args:
            read: Encloses the quantities of one record, from its channel.
            between: Bounds those of records between two others.
            average: Whether the quantities are averages over outputs.
        """
        windows = self._memory.windows(0.0 if average else self._rate)
        if windows is None:
            return [Found(each.value.__class__(0.0, inf)) for each in ()]
        one = _OneSearch(self, windows, average)
        if self._world.firsts is not None and len(self._world.firsts) <= MOST_CLASSES and not self._every:
            places = places_of(self._ends, self._world.firsts).tolist()
            return [worst_of(every) for every in zip(*one.read_all(places, read), strict=True)]
        step = self._chain.period
        return largest_place(
            stretches_of(self._chain.n, step),
            lambda places: one.read_all(places, read),
            lambda stretch, left, right: one.at_most(stretch, left, right, between),
            MOST_EVALUATED,
        )

    @property
    def _every(self) -> bool:
        return self._world.secrets.people is None

    def channel(self, place: int, window: SumWindow, row: int, law: Law | None) -> WindowChannel:
        """Makes the channel of one record; law: the likelihoods of all outputs, None for averages alone."""
        subject, stage = self._world.joint.subject_of(self._ends.people[place], single=True), self._world.secrets.stage
        about = window.window(row)
        if stage is not None:
            about = window_at_stage(subject, about, stage)
            subject, law = at_stage(subject, window.law(row) if law is None else law, stage)[0], (
                None if law is None else at_stage(subject, law, stage)[1]
            )
        return channel_of_one_class(
            subject,
            self._mechanism,
            self._long.spreads[int(self._ends.stratum[place])],
            self._world.scores.names,
            self._world.secrets.pairs_of(subject),
            None if law is None else partial(with_class_error, law, subject),
            lambda: about,
            lambda: next(iter(self._long.records(self._noise, place))),
        )

    def likelihoods(self, window: SumWindow, average: bool) -> Iterator[Law]:
        """Yields the likelihoods of all classes of a window: on the window alone, or at all outputs."""
        rows = range(len(window.places))
        if not average:
            yield from WindowLikelihoods(window, self._mechanism, self._rate).each(rows)
            return
        for row in rows:
            yield self._mechanism.likelihood(window.window(row).law)

    @property
    def rate(self) -> float:
        """The noise's fall in nats for each step of the chain's sum."""
        return self._rate

    @property
    def parts(self) -> tuple[WorldOfRecords, Ends, RepeatingChain]:
        return self._world, self._ends, self._chain

    def smoothed(self, law: Law) -> Array:
        """Returns the log-likelihoods of a law (values, outputs)."""
        found = self._mechanism.likelihood(law)
        return np.asarray(found.base + found.relative)


@final
class _OneSearch:
    """One search: the records that it evaluated, and the bounds of those between."""

    def __init__(self, search: RecordSearch, windows: ChosenWindows, average: bool) -> None:
        self._search, self._windows, self._average = search, windows, average
        self._world, self._ends, self._chain = search.parts
        self._reached: dict[int, _Reached] = {}
        self._unit: Array | None = None

    def read_all(self, places: Sequence[int], read: Read) -> list[list[Found]]:
        """Evaluates the records at these places."""
        found = []
        size = max(1, (1 << 22) // (self._windows.points * self._chain.states))
        for start in range(0, len(places), size):
            some = tuple(places[start : start + size])
            window = self._windows.window(some)
            if window is None:
                return [[Found(_UNKNOWN)] * 3 for _ in places]
            for row, (place, law) in enumerate(
                zip(some, self._search.likelihoods(window, self._average), strict=True)
            ):
                self._reached[place] = self._reach(window, row, law)
                channel = self._search.channel(place, window, row, None if self._average else law)
                found.append(list(read(channel)))
        return found

    def _reach(self, window: SumWindow, row: int, law: Law) -> _Reached:
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
        lost = float(np.sum(window.window(row).lost))
        beyond = 0.0 if self._average else window.beyond(window.law(row), row, rate)
        return _Reached(tops, squares, logs.astype(np.float32) if self._moves else None, lost, beyond)

    def _units(self, window: SumWindow, row: int) -> Array:
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
    def _chances(self) -> Array:
        return np.exp(self._ends.log_marginals)

    @cached_property
    def _moves(self) -> bool:
        return bool(np.ptp(self._ends.log_marginals[:, self._ends.possible.all(axis=0)], axis=0).max(initial=0) > 1e-10)

    def at_most(self, stretch: Stretch, left: Sequence[Found], right: Sequence[Found], between: Between) -> list[float]:
        """Bounds the quantities of all records inside a stretch."""
        doubts = self._doubts(stretch)
        if doubts is None:
            return [inf] * len(left)
        both = [between(found, doubt) for found, doubt in zip((left, right), doubts, strict=True)]
        return [max(pair) for pair in zip(*both, strict=True)]

    def _doubts(self, stretch: Stretch) -> tuple[Doubt, Doubt] | None:
        """Bounds how far laws inside a stretch are from mixtures of its ends'; None where nothing is known."""
        inside = slice(stretch.first, stretch.last + 1, stretch.step)
        possible, chances = self._chain.possible[inside], self._chances[inside]
        if not (possible == possible[0]).all():
            return None
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
        apart = np.zeros(len(least))
        if one.logs is not None and other.logs is not None:
            apart = np.max(np.abs(one.logs - other.logs), axis=1) * (1 + 1e-6) + 1e-5
        others = uneven * np.expm1(apart) + off + 4 * max(one.beyond, other.beyond) + 1e-13
        total = float(np.max(share + others))
        # Because what lies outside is then at most twice as much as given the ends.
        if not total < 0.5:
            return None
        likelihood = -log1p(-total)
        usual = float(np.max(np.sqrt(np.max(squares, axis=0)) + others)) * likelihood / total
        stage = 2.0 if self._world.secrets.stage is not None else 0.0
        lost = 2 * max(one.lost, other.lost)
        found = [
            Doubt(likelihood + stage * most, usual + stage * most, most, lost)
            for most in (float(each.max()) for each in shift)
        ]
        return found[0], found[1]


def long_memory(world: WorldOfRecords, long: LongSum) -> LongMemory | None:
    """Returns the shortcut of `world` for a chain that may forget slowly, for the sum `long`; None for others."""
    ends = long.parts[0]
    # Because windows have a class for each record of fewer.
    if len(long.parts) > 1 or len(ends) <= MOST_CLASSES:
        return None
    chain = ends.repeating
    return None if chain is None or not chain.repeats else LongMemory(world, long, ends, chain)
