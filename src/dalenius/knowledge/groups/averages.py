"""Averages over what is known of independent groups: every set of known records, and all their values, by how likely.

The answer is a sum, of which the own group and each other one have their part. Of exchangeable members which are known
does not matter, only how many; of groups alike only how many have each such set. For groups other than one's own more
knowledge is never worth less (their records are independent of the own group's, and a divergence is jointly convex): as
many of their records are known as may be. Where noise shifts with the answer, so does the output with what known
records add, and only the law of what is left matters.
"""

from collections.abc import Iterator, Sequence
from itertools import islice
from math import lgamma
from typing import Final, final

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.joints.groups.block import Block, Member
from dalenius.knowledge.average import Average, Weighed
from dalenius.knowledge.groups.groups import Own
from dalenius.knowledge.groups.others import MOST_VALUES, Chosen, Others, log_probability, too_many
from dalenius.knowledge.groups.patterns import GroupKind, Pattern, group_kinds
from dalenius.knowledge.worst import is_asked

MOST_IN_ALL: Final = 1 << 14
MOST_CELLS: Final = 1 << 25
"""Likelihoods given all of these."""


def averages(release: Release, world: RecordWorld, known: int) -> Iterator[Average] | None:
    """One for each person asked about and set of at most `known` other records that may be the worst; None where the
    records are no product of groups given as tables. TooLarge where there are too many."""
    kinds = group_kinds(world.joint, world.scores.indices, known)
    return None if kinds is None else _Averages(release, world, kinds, known).every()


@final
class _Averages:
    """Of one number of known records, at most."""

    def __init__(self, release: Release, world: RecordWorld, kinds: Sequence[GroupKind], known: int) -> None:
        self._release, self._world, self._kinds, self._known = release, world, kinds, known
        self._looked = 0
        self._others = Others(world, kinds, release.noise.additive)

    def every(self) -> Iterator[Average]:
        for place, kind in enumerate(self._kinds):
            for positions in dict.fromkeys(frozenset(pattern.known) for pattern in kind.patterns):
                patterns = [pattern for pattern in kind.patterns if set(pattern.known) == positions]
                for whose in dict.fromkeys(m.positions for p in patterns for m in p.block.members):
                    owns = [own for own in self._owns(place, patterns, whose) if len(own.member.slots) > 1]
                    if owns and owns[0].people and is_asked(self._release, self._world, owns[0].people[0]):
                        yield from self._of_all(owns, len(positions))

    def _of_all(self, owns: Sequence[Own], own_known: int) -> Iterator[Average]:
        """Of every allocation of what else may be known to other groups."""
        chosen = list(islice(self._others.allocations(owns[0].place, self._known - own_known), MOST_IN_ALL))
        for each in chosen if self._looked + len(chosen) < MOST_IN_ALL else ():
            average = self._average(owns, each, own_known)
            self._looked += len(average.every)
            yield average
        if self._looked + len(chosen) >= MOST_IN_ALL:
            raise too_many(self._looked + len(chosen))

    def _owns(self, place: int, patterns: Sequence[Pattern], whose: tuple[int, ...]) -> Iterator[Own]:
        for pattern in patterns:
            for member in pattern.block.members:
                if member.positions == whose:
                    yield Own(place, self._kinds[place], pattern, member)

    def _average(self, owns: Sequence[Own], chosen: Chosen, own_known: int) -> Average:
        others = self._others.values(owns[0].place, chosen)
        if len(owns) * len(others) > MOST_VALUES:
            raise too_many(len(owns) * len(others))
        every = []
        for own in owns:
            log_pattern = log_probability(own.kind.patterns[0].block, own.pattern)
            before = dict(zip(*_prior(own.kind.patterns[0].block, own.member), strict=True))
            given = dict(zip(own.member.slots, own.member.log_prior.tolist(), strict=True))
            weights = [log_pattern + given[slot] - before[slot] for slot in own.member.slots]
            for (powers, shift), log_weight in others.items():
                view = own.beside(self._release, self._world, self._others.rest(powers, shift))
                if view.channel.likelihood.relative.size * len(owns) * len(others) > MOST_CELLS:
                    raise too_many(len(owns) * len(others))
                every.append(Weighed(view, {s: w + log_weight for s, w in zip(own.secrets, weights, strict=True)}))
        depth = max(abs(weight) for each in every for weight in each.log_weights.values())
        groups = sum(kind.groups for kind in self._kinds)
        error = (256 + 16 * depth + 32 * (abs(lgamma(groups + 1.0)) + 1)) * UNIT
        return Average(every, own_known + sum(len(positions) * n for _, positions, n in chosen), error)


def _prior(block: Block, member: Member) -> tuple[Sequence[int], Sequence[float]]:
    """The slots and log-probabilities of that member where nothing is known."""
    plain = next(each for each in block.members if member.positions[0] in each.positions)
    return plain.slots, plain.log_prior.tolist()
