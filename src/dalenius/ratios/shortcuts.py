"""The shortcuts of one law of very many records: all pairs of a chain, limits at ±∞, and a person's own group first."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property, partial
from typing import Final, final

import numpy as np

from dalenius.channel.channel import Channel, Shortcut
from dalenius.channel.record_channels import RecordWorld
from dalenius.errors import TooLarge
from dalenius.noise import Noise
from dalenius.ratios.chain_pairs import ChainPairs, ManyPairs, pairs_of
from dalenius.ratios.group_first import Alike, Alone, alone_in, group_first, is_many, known_far_out
from dalenius.ratios.long_channel import long_sum

FEW: Final = 64
FIRST: Final = "; suprema by the group alone where the rest cannot add to it"


def shortcuts(world: RecordWorld, engine: str | None) -> tuple[Shortcut, ...]:
    """In the order in which they are tried; engine: the one asked for, which rules most of them out."""
    pairs = _pairs(world, engine)
    long = long_sum(world, engine)
    found: list[Shortcut] = [] if pairs is None else [PairsOfChain(world, pairs)]
    return (*found, *([] if long is None else [long]), GroupsFirst(world))


def _pairs(world: RecordWorld, engine: str | None) -> ChainPairs | None:
    """Every pair of a long chain, where what outputs make of them is known in closed form."""
    quantity, chain = world.secrets, world.joint.chain
    if (
        quantity.size != 2
        or quantity.function
        or quantity.groups
        or quantity.pairs
        or quantity.people
        or engine
        or chain is None
    ):
        return None
    plain = len(world.scores.indices) == 2 and world.scores.lattice.axes == 1 and world.scores.additive
    # Records of a chain, from which and up to which all pairs are looked at together.
    return pairs_of(chain) if plain and FEW < len(chain) <= 2000 else None


@final
class PairsOfChain(Shortcut):
    """All pairs of records of a chain at once (Result 4.4)."""

    def __init__(self, world: RecordWorld, pairs: ChainPairs) -> None:
        self._world, self._pairs = world, pairs
        size = f"every pair of {len(pairs):,} records"
        wanted = "ask for inferential or information privacy of laplace or geometric noise"
        self.refused = TooLarge("secrets.size = 2", size, wanted)

    @property
    def engine(self) -> tuple[str, str]:
        return "closed form", "every pair of a chain: extremes lie at the answers' ends"

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        return self._together(noise) if noise.exponential else None

    def _together(self, noise: Noise) -> Iterator[Channel]:
        scores = self._world.scores
        if not np.ptp(scores.indices):
            return
        zero, one = (score for (score,) in scores.exact)
        rate = float(abs(one - zero)) / noise.known_scale()
        (stratum,) = self._world.joint.strata()
        low, high = stratum.values
        least, most = (noise.output([int(row[0]) * len(self._pairs)], scores.lattice)[0] for row in scores.indices)
        yield ManyPairs(self._pairs, rate, (low, high), (least, most), scores.names[0])


@final
class GroupsFirst(Shortcut):
    """Of very many independent groups the person's own first; of people of whom answers say as much as of another, only
    that other's (Results 20.1 to 20.4)."""

    def __init__(self, world: RecordWorld) -> None:
        self._world = world

    def more(self, axes: tuple[int, ...]) -> str:
        return FIRST if axes in self._alone else ""

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        parts = [(each, self._alone[each.axes]) for each in self._world.components if each.axes in self._alone]
        found = {each.axes: own for each, own in parts if known_far_out(noise.on(each.axes), each.whole.lattice)}
        return self._by_group(noise, found) if found else None

    def _by_group(self, noise: Noise, found: dict[tuple[int, ...], list[Alone]]) -> Iterator[Channel]:
        world, alike = self._world, Alike.of([(noise.on(axes), own) for axes, own in found.items()])
        made = {
            part.answer.subject.person: group_first(
                part, noise, world.secrets.pairs_of(part.answer.subject), partial(world.whole_of, component, noise)
            )
            for component in world.components
            for part in found.get(component.axes, ())
            if alike.parts[part.answer.subject.person] == part.answer.subject.person
        }
        for component in world.components:
            if component.axes not in found:
                yield from world.channels_of(noise, component)
            for part in found.get(component.axes, ()):
                person = part.answer.subject.person
                if person in made:
                    first = alike.groups[person]
                    yield made[person] if first == person else replace(made[person], like=made[first])

    @cached_property
    def _alone(self) -> dict[tuple[int, ...], list[Alone]]:
        """By the coordinates of a part of the answer what one group of each type adds, where there are very many."""
        found = {}
        for component in self._world.components if self._world.is_plain else ():
            of_groups = component.of_groups
            if of_groups is not None and is_many(of_groups):
                with suppress(TooLarge):
                    found[component.axes] = alone_in(of_groups, self._world.firsts)
        return found
