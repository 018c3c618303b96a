"""The shortcuts of one law of very many records: limits at ±∞, and a person's own group first."""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import Final, final

from dalenius.channel.channel import Channel, Shortcut
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.noise import Noise
from dalenius.ratios.long_channel import long_sum
from dalenius.ratios.own_group_suprema import Alone, alone_in, firsts_alike, group_first, is_many, known_far_out

_FIRST: Final = "; suprema by the group alone where the rest cannot add to it"


def shortcuts(world: RecordWorld, engine: str | None) -> tuple[Shortcut, ...]:
    """In the order in which they are tried; engine: the one that the user names, which rules the first out."""
    long = long_sum(world, engine)
    return (GroupsFirst(world),) if long is None else (long, GroupsFirst(world))


@final
class GroupsFirst(Shortcut):
    """Of very many independent groups the person's own first; of people of whom answers say as much as of another, only
    that other's (Results 20.1 to 20.4)."""

    def __init__(self, world: RecordWorld) -> None:
        self._world = world

    def more(self, axes: tuple[int, ...]) -> str:
        return _FIRST if axes in self._alone else ""

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        parts = [(each, self._alone[each.axes]) for each in self._world.components if each.axes in self._alone]
        found = {each.axes: own for each, own in parts if known_far_out(noise.on(each.axes), each.whole.lattice)}
        return self._by_group(noise, found) if found else None

    def _by_group(self, noise: Noise, found: dict[tuple[int, ...], list[Alone]]) -> Iterator[Channel]:
        world, firsts = self._world, firsts_alike([(noise.on(axes), own) for axes, own in found.items()])
        for component in world.components:
            if component.axes not in found:
                yield from world.channels_of(noise, component)
            for part in found.get(component.axes, ()):
                subject = part.answer.subject
                if subject.person in firsts:
                    whole = partial(world.whole_of, component, noise)
                    yield group_first(part, noise, world.secrets.pairs_of(subject), whole)

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
