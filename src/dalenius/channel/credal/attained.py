"""What some law of a set does leak with a delta, by the exact engine: a lower end for several groups (Result 21.45)."""

from collections.abc import Iterator, Sequence
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.channel import Channel
from dalenius.channel.credal.group import CredalGroup
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.secrets import Secrets
from dalenius.joints import CredalGroups
from dalenius.joints.groups.block import Member
from dalenius.laws.law import Array
from dalenius.noise import Noise
from dalenius.queries import Scores

KEPT: Final = 4
MOST_MIDDLES: Final = 200


@final
class Attained:
    """law: the set; every one of its groups but one has the law under which its own answer spreads least, or the one in
    the middle."""

    def __init__(self, law: CredalGroups, scores: Scores, secrets: Secrets) -> None:
        self._law, self._scores, self._secrets = law, scores, secrets
        self._worlds: dict[object, RecordWorld] = {}

    @property
    def slack(self) -> float:
        """By how much a probability of outputs may be off, as laws are in the set to a rounding of each group's."""
        return 64 * UNIT * (len(self._law.numbers) + 64)

    def channels(self, group: CredalGroup, member: Member, own: Array, noise: Noise) -> Iterator[list[Channel]]:
        """Of the member, where the first group of that type has its own law (m,): by what the others have."""
        place = group.place
        if not self._possible(place, own):
            return
        for others in self._others():
            if all(self._possible(i, each) for i, each in enumerate(others)):
                world = self._world(place, group.subject(member).person, own, others)
                yield list(world.every_channel(noise))

    def _possible(self, place: int, law: Array) -> bool:
        """Whether what is known of that block has a positive probability."""
        return bool(self._law.blocks[place].known_given @ law > 0)

    def _others(self) -> Iterator[tuple[Array, ...]]:
        yield tuple(self._narrowest(place) for place in range(len(self._law.blocks)))
        yield tuple(block.box.point for block in self._law.blocks)

    def _narrowest(self, place: int) -> Array:
        """The law of a group whose answer has the least variance, of those that are nearest to one answer."""
        block = self._law.blocks[place]
        answers = np.asarray(block.counts @ self._scores.indices[self._law.factors[place].slots], dtype=np.float64)
        middles = np.unique(np.concatenate([answers, (answers[:-1] + answers[1:]) / 2]), axis=0)
        middles = middles[:: 1 + len(middles) // MOST_MIDDLES]
        squares = ((answers[None] - middles[:, None]) ** 2).sum(axis=2)
        laws = np.concatenate([block.box.best(-block.by_entry(squares)), block.box.point[None]])
        least = np.round(np.array([self._variance(place, answers, law) for law in laws]), 12)
        return np.asarray(laws[int(np.argmin(least))])

    def _variance(self, place: int, answers: Array, law: Array) -> float:
        block = self._law.blocks[place]
        means, squares = (block.by_entry(each.T) @ law for each in (answers, answers**2))
        return float((squares - means**2).sum())

    def _world(self, place: int, person: int, own: Array, others: Sequence[Array]) -> RecordWorld:
        key = place, person, own.tobytes(), *(each.tobytes() for each in others)
        if key not in self._worlds:
            blocks, laws = [], []
            for i, block in enumerate(self._law.blocks):
                count = self._law.factors[i].count
                for number, law in ((1, own), (count - 1, others[i])) if i == place else ((count, others[i]),):
                    if number:
                        blocks.append(block.alike(number))
                        laws.append(law)
            joint = CredalGroups(blocks, self._law.numbers).at(laws)
            secrets = Secrets(people=(person,), pairs=self._secrets.pairs)
            if len(self._worlds) == KEPT:
                del self._worlds[next(iter(self._worlds))]
            self._worlds[key] = RecordWorld(joint, self._scores, secrets, None)
        return self._worlds[key]
