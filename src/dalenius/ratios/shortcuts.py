"""The shortcuts of one law of very many records: limits at ±∞, and a person's own group first.

In a register of 10^6 people in households, what leaks of a person is decided by the household first (`GroupsFirst`); a
chain of 10^5 days is one group, and its outermost outputs are looked at (`long_channel.LongSum`).
"""

from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property, partial
from typing import Final, final

from dalenius.channel.channel import Channel, Shortcut
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.noise import Noise, noise_on
from dalenius.ratios.long_channel import long_sum
from dalenius.ratios.own_group_suprema import OwnGroup, firsts_alike, group_first, is_many, known_far_out, own_groups_in

_FIRST: Final = "; suprema by the group alone where the rest cannot add to it"


def shortcuts(world: RecordWorld, engine: str | None) -> tuple[Shortcut, ...]:
    """In the order in which they are tried; engine: the one that the user names, which rules the first out."""
    long = long_sum(world, engine)
    return (GroupsFirst(world),) if long is None else (long, GroupsFirst(world))


@final
class GroupsFirst(Shortcut):
    """Of very many independent groups the person's own first; of people of whom answers say as much as of another, only
    that other's (Results 20.1 to 20.4).

    Where the noise's limits far out are not known, or nothing has very many groups, nothing is done here and laws are
    computed as planned.
    """

    def __init__(self, world: RecordWorld) -> None:
        self._world = world

    def more(self, axes: tuple[int, ...]) -> str:
        return _FIRST if axes in self._own_groups else ""

    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of the parts of the answer with very many groups, group first; None where no part is such, or none with
        such noise."""
        parts = [
            (each, self._own_groups[each.axes]) for each in self._world.components if each.axes in self._own_groups
        ]
        # A kernel's noise has no outputs at infinity; then there is no lower end.
        found = {
            each.axes: own for each, own in parts if known_far_out(noise_on(noise, each.axes), each.all_scores.lattice)
        }
        return self._by_group(noise, found) if found else None

    def _by_group(self, noise: Noise, found: dict[tuple[int, ...], list[OwnGroup]]) -> Iterator[Channel]:
        """The channels, part by part of the answer: by the group first, or as planned where that is not known."""
        world, firsts = self._world, firsts_alike([(noise_on(noise, axes), own) for axes, own in found.items()])
        for component in world.components:
            # Another part of the same answer may be of few groups, and has its law.
            if component.axes not in found:
                yield from world.channels_of(noise, component)
            for part in found.get(component.axes, ()):
                subject = part.answer.subject
                # Of ten thousand like couples one is looked at, and named by its first person.
                if subject.person in firsts:
                    whole = partial(world.whole_of, component, noise)
                    yield group_first(part, noise, world.secrets.pairs_of(subject), whole)

    @cached_property
    def _own_groups(self) -> dict[tuple[int, ...], list[OwnGroup]]:
        """By the coordinates of a part of the answer what one group of each type adds, where there are very many."""
        found = {}
        for component in self._world.components if self._world.is_plain else ():
            of_groups = component.of_groups
            if of_groups is not None and is_many(of_groups):
                # A group so large that its own law is refused, as a village of one component: then no group is first.
                with suppress(TooLarge):
                    found[component.axes] = own_groups_in(of_groups, self._world.firsts)
        return found
