"""A chain of which some records may be known: lower ends by sets, and an upper end (Result 7.16)."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache, partial
from typing import Final

import numpy as np

from dalenius.channel import Release
from dalenius.channel.leakage import Largest
from dalenius.channel.record_world import RecordWorld
from dalenius.joints import chain_of
from dalenius.knowledge.chain_fractions import ChainFractions, KnownSet
from dalenius.knowledge.chain_sets import ChainSets
from dalenius.knowledge.coins import SLACK, Views, WorstTerms
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView, WorstView, worst_of_views
from dalenius.knowledge.lattice_noise import LatticeNoise, lattice_noise
from dalenius.knowledge.stretch_coins import coin_bounds

# Sets whose channel is made: of those that seem worst, where not all are gone through, and where all are.
_TRIED: Final = 2
_CLOSELY: Final = 12


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
    chain = _chain(world, axis, known)
    noise = lattice_noise(release.noise, float(world.scores.lattice.steps[axis]))
    if chain is None or noise is None:
        return None
    people = release.secrets.firsts(world.joint)
    sets = ChainSets(chain, release, world, axis, people)
    if (every := _every_set(chain, people)) is not None:
        return _of_every_set(*every, sets, reading, noise)
    most = reading.of_bound(partial(noise.delta, _bounds(chain)))
    tried = list(sets.bad_ones(reading, noise))
    tried.sort(key=lambda each: -sets.reading(each[0], each[1], reading, noise))
    found = Largest[KnowingView]()
    for person, others in tried[:_TRIED]:
        view = sets.view(person, others)
        found.add(reading.at(view, found.lower), view)
    worst = worst_of_views(found)
    return replace(worst, upper=max(worst.lower, most), exact=False)


def _of_every_set(
    views: Views, known_sets: Sequence[KnownSet], sets: ChainSets, reading: CurveReading, noise: LatticeNoise
) -> WorstView:
    """The worst of all sets: their channels are made in the order of what a law on the lattice says of each at most."""
    read = reading.of_each(noise.deltas(views), len(views))
    order, found, most = np.argsort(-read, kind="stable"), Largest[KnowingView](), 0.0
    for number, place in enumerate(order):
        # No set further on may have more to read; or there are many, and their bound is all that is said.
        if number == _CLOSELY or read[place] <= found.lower + 4 * SLACK:
            most = float(read[place])
            break
        view = sets.view(*known_sets[place])
        found.add(reading.at(view, found.lower), view)
    worst = worst_of_views(found)
    return replace(worst, upper=max(worst.upper, most))


@lru_cache(maxsize=8)
def _chain(world: RecordWorld, axis: int, known: int) -> ChainFractions | None:
    chain = chain_of(world.joint)
    if chain is None or chain.even is None:
        return None
    initial, step = chain.even
    # A step that is impossible: what is told at a window's end may rule out a value.
    if not (step > 0).all():
        return None
    return ChainFractions(len(chain), initial, step, world.scores.indices[:, axis], known)


@lru_cache(maxsize=8)
def _every_set(chain: ChainFractions, people: frozenset[int] | None) -> tuple[Views, list[KnownSet]] | None:
    return chain.every_set(people)


@lru_cache(maxsize=8)
def _bounds(chain: ChainFractions) -> list[WorstTerms]:
    return coin_bounds(chain)
