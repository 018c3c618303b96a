"""A chain with some records that may be known: lower ends by sets, and an upper end (Result 7.16)."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from math import inf
from typing import Final, final

import numpy as np

from dalenius.arrays import Array
from dalenius.channel import Release
from dalenius.channel.leakage import Largest
from dalenius.channel.record_world import RecordWorld
from dalenius.joints import chain_of
from dalenius.knowledge.chain_fractions import ChainFractions, KnownSet, Side
from dalenius.knowledge.chain_outsides import Outside, Outsides, TooMany
from dalenius.knowledge.chain_sets import ChainSets
from dalenius.knowledge.coins import SLACK, Views, WorstTerms
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView, WorstView, worst_of_views
from dalenius.knowledge.lattice_noise import LatticeNoise, lattice_noise
from dalenius.knowledge.stretch_coins import coin_bounds

# Sets whose channel is made: of those that seem worst, where not all are gone through, and where all are.
_TRIED: Final = 3
_CLOSELY: Final = 12
# Numbers in the laws of all windows' sets, some seconds.
_MOST_NUMBERS: Final = 60_000_000


def along_chain(release: Release, world: RecordWorld, known: int, reading: CurveReading) -> WorstView | None:
    """Finds the worst over every set of known other records of a chain, and all values of theirs.

    Args:
        release: The query, the noise and whose records are secrets.
        world: The chain, and the scores of its values.
        known: How many other records may be known, at most.
        reading: The number that is read from δ.

    Returns:
        The worst view; None for a chain whose steps differ, or are partly impossible, for an answer that is no one sum,
        and for noise of which no law on a lattice is known.
    """
    axes = np.flatnonzero(np.ptp(world.scores.indices, axis=0))
    if len(axes) != 1 or not (world.scores.additive and release.noise.shape.additive):
        return None
    axis = int(axes[0])
    people = release.secrets.firsts(world.joint)
    chain = _chain(world, axis, known, people is None)
    noise = lattice_noise(release.noise, float(world.scores.lattice.steps[axis]))
    if chain is None or noise is None:
        return None
    sets = ChainSets(chain, release, world, axis, people)
    search = _Search(chain, _outsides(chain, people), sets, reading, noise)
    search.look()
    found = Largest[KnowingView]()
    # What a law on the lattice says of a set is an upper end; the set's own channel is the lower one.
    for read, (person, others) in sorted(search.found, key=lambda each: -each[0])[:_CLOSELY]:
        if read <= found.lower + 4 * SLACK:
            break
        view = sets.view(person, others)
        found.add(reading.at(view, found.lower), view)
    worst = worst_of_views(found)
    return replace(worst, upper=max(worst.lower, search.most), exact=search.exact)


@final
class _Search:
    """A search for the worst known set: first among likely ones, then window by window, where a bound leaves any.

    found: readings of a law on the lattice, and the sets; most: what no reading exceeds; exact: whether all sets that
    may be worse were gone through.
    """

    def __init__(
        self, chain: ChainFractions, outsides: Outsides, sets: ChainSets, reading: CurveReading, noise: LatticeNoise
    ) -> None:
        self._chain, self._outsides, self._sets = chain, outsides, sets
        self._reading, self._noise = reading, noise
        self.found, self.most, self.exact = list[tuple[float, KnownSet]](), 0.0, True

    def look(self) -> None:
        """Searches."""
        bounds = [] if self._chain.few_sets else _bounds(self._chain)
        if bounds:
            self._improve()
        self.most = max((read for read, _ in self.found), default=0.0)
        searched = self._chain.few_sets or self._outsides.listed()
        left = np.array(self._windows(bounds) if searched else range(len(self._chain.views[0])), dtype=np.int64)
        if len(left):
            rest = [each.some(left) for each in bounds]
            self.most = max(self.most, self._reading.of_bound(partial(self._noise.delta, rest)))
            self.exact = False

    def _improve(self) -> None:
        tried = [(self._sets.reading(*each, self._reading, self._noise), each) for each in self._likely()]
        for read, each in sorted(tried, key=lambda each: -each[0])[:_TRIED]:
            self.found.append((read, each))
            person, known, better = self._sets.improved(*each, self._reading, self._noise)
            self.found.append((better, (person, known)))

    def _likely(self) -> Iterator[KnownSet]:
        return self._sets.bad_ones(self._reading, self._noise)

    def _windows(self, bounds: Sequence[WorstTerms]) -> list[int]:
        """Goes through the sets of windows in the order of a bound; returns the views that are too many."""
        chain, done = self._chain, 0
        views, whose = chain.views
        rough, looked, left = self._rough(bounds, views), self.most, list[int]()
        for place in np.argsort(-rough, kind="stable"):
            # A set has been found since that rules out more.
            if self.most > looked * 1.05:
                rough, looked = np.minimum(rough, self._rough(bounds, views)), self.most
            epsilon, most = self._reading.threshold(self.most)
            if epsilon == inf or rough[place] <= most:
                continue
            window = chain.windows[whose[place]]
            try:
                outside = self._outside(window, done)
            except TooMany:
                left.append(int(place))
                continue
            done += outside.laws.size
            self._worst_of(views.beside(int(place), outside.laws), outside, window)
        return left

    def _outside(self, window: tuple[Side, Side], done: int) -> Outside:
        # A record that is told is not known: what lies beyond depends on it.
        if window[0].told or window[1].told or done > _MOST_NUMBERS:
            raise TooMany
        return self._outsides.of(*window)

    def _worst_of(self, views: Views, outside: Outside, window: tuple[Side, Side]) -> None:
        """Keeps the worst set of a window, if it is worse than what was found."""
        epsilon, most = self._reading.threshold(self.most)
        deltas = self._noise.deltas(views)(np.full(len(views), epsilon))
        worse = np.flatnonzero(deltas > most)
        if len(worse):
            some = views.some(worse)
            read = self._reading.of_each(self._noise.deltas(some), len(some))
            row = int(np.argmax(read))
            self.most = max(self.most, float(read[row]))
            self.found.append((float(read[row]), outside.known_set(int(worse[row]), *window)))

    def _rough(self, bounds: Sequence[WorstTerms], views: Views) -> Array:
        """The δ of each view at most, at the ε at which it is compared."""
        epsilon, most = self._reading.threshold(self.most)
        if epsilon == inf:
            return np.zeros(len(views))
        rough = self._noise.deltas(views)(np.full(len(views), epsilon))
        for bound in bounds:
            close = np.flatnonzero(rough > most)
            found = bound.some(close).each(epsilon - self._noise.shift, self._noise.law, most / self._noise.factor)
            rough[close] = np.minimum(rough[close], self._noise.factor * found)
        return rough


@lru_cache(maxsize=8)
def _chain(world: RecordWorld, axis: int, known: int, everybody: bool) -> ChainFractions | None:
    chain = chain_of(world.joint)
    if chain is None or chain.even is None:
        return None
    initial, step = chain.even
    # A step that is impossible: what is told at a window's end may rule out a value.
    if not (step > 0).all():
        return None
    return ChainFractions(len(chain), initial, step, world.scores.indices[:, axis], known, everybody)


@lru_cache(maxsize=4)
def _outsides(chain: ChainFractions, people: frozenset[int] | None) -> Outsides:
    return Outsides(chain, people)


@lru_cache(maxsize=8)
def _bounds(chain: ChainFractions) -> list[WorstTerms]:
    return coin_bounds(chain)
