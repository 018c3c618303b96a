"""Everybody's answers where every group has one of the extreme laws of its set: what a mechanism must hold against."""

from collections.abc import Iterator, Sequence
from functools import cached_property, reduce
from math import log, prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.credal.group import CredalGroup
from dalenius.errors import InputError, TooLarge
from dalenius.joints import CredalGroups
from dalenius.joints.groups.block import Member
from dalenius.laws.credal.edges import Edges
from dalenius.laws.credal.sums import ExtremeSums
from dalenius.laws.law import Array, IntArray

MOST_MASSES: Final = 6_000_000
"""Numbers in the laws of the sum."""
DEEPEST: Final = 300.0
"""Nats below which probabilities of answers are not to be multiplied in doubles."""


@final
class GroupOfSet:
    """One type of group: edges: of its set of laws; least: of its answers, in lattice steps; laws (v, width): of its
    answer under each extreme law; count: how many groups there are."""

    def __init__(self, group: CredalGroup, law: CredalGroups, place: int) -> None:
        if group.answers.shape[1] != 1:
            wanted = "a single answer beside intervals and a noise that is not added"
            raise InputError("query", f"{group.answers.shape[1]} answers", wanted)
        self.group, self._block = group, law.blocks[place]
        self.count = law.factors[place].count
        self.edges = Edges(self._block.box)
        answers = group.answers[:, 0]
        self.least = int(answers.min())
        self._which = np.equal.outer(np.arange(answers.max() - self.least + 1), answers - self.least)
        self._linear = self._block.by_entry(self._which.astype(np.float64))
        self.laws: Array = self.edges.vertices @ self._linear.T

    @property
    def width(self) -> int:
        return int(self.laws.shape[1])

    def law_at(self, chances: Array) -> Array:
        """Of the answer (width,) under any law (m,) of the set."""
        return np.asarray(self._linear @ chances)

    def linear(self, member: Member) -> Array:
        """Pr[secret, answer] as a linear function of the group's law (secrets, width, m)."""
        given = self._block.given(member)
        return self._block.by_entry(given[:, None, :] * self._which)

    @property
    def middle(self) -> Array:
        """A law (m,) of the set under which all is possible that is under some."""
        return self._block.box.point


@final
class Population:
    """All types of group. TooLarge where their extreme laws have too many combinations."""

    def __init__(self, groups: Sequence[CredalGroup], law: CredalGroups) -> None:
        self.groups = tuple(GroupOfSet(group, law, place) for place, group in enumerate(groups))
        self.start = sum(each.count * each.least for each in self.groups)
        self.count = 1 + sum(each.count * (each.width - 1) for each in self.groups)
        combinations = prod(ExtremeSums.number(len(each.laws), each.count) for each in self.groups)
        if combinations * self.count > MOST_MASSES:
            size = f"{combinations:,} combinations of extreme laws"
            raise TooLarge("the worst law of a set", size, "use fewer groups, or laplace or geometric noise")
        depth = sum(-each.count * log(each.laws[each.laws > 0].min()) for each in self.groups)
        if depth > DEEPEST:
            size = f"answers of probability e^-{depth:.0f}"
            raise TooLarge("the worst law of a set", size, "use fewer groups, or laplace or geometric noise")

    @property
    def error(self) -> float:
        """By how much, at most, the log of a ratio of probabilities of outputs may be off: nothing cancels in them."""
        return 4 * UNIT * (sum(each.count * each.width for each in self.groups) + self.count + 64)

    def _sums(self, left_out: int | None = None) -> ExtremeSums:
        """Of all groups, or of all but one of that type."""
        counts = [each.count - (place == left_out) for place, each in enumerate(self.groups)]
        each = [ExtremeSums.of(group.laws, count) for group, count in zip(self.groups, counts, strict=True)]
        return reduce(ExtremeSums.beside, each)

    @cached_property
    def whole(self) -> ExtremeSums:
        """Of everybody's answer, from `start` on."""
        return self._sums()

    @cached_property
    def rests(self) -> tuple[ExtremeSums, ...]:
        """Of the answer of all but one group of each type."""
        return tuple(self._sums(place) for place in range(len(self.groups)))

    @cached_property
    def possible(self) -> IntArray:
        """The places of the answers, from `start` on, that some law makes possible."""
        return np.flatnonzero(self.whole.masses.max(axis=0) > 0)

    def members(self) -> Iterator[tuple[int, Member]]:
        """The classes whose records are secrets, with the place of their type of group."""
        for place, each in enumerate(self.groups):
            for member in each.group.members:
                if len(member.slots) > 1 and each.width > 1:
                    yield place, member

    def alike(self) -> Iterator[Array]:
        """The laws (count,) of the answer where groups of a type have the same law: the middle one, then extreme ones,
        those of all types in step."""
        most = max(len(each.laws) for each in self.groups)
        yield self._of([each.law_at(each.middle) for each in self.groups])
        for place in range(most):
            yield self._of([each.laws[place % len(each.laws)] for each in self.groups])

    def _of(self, laws: Sequence[Array]) -> Array:
        every = [ExtremeSums.of(law[None], each.count) for law, each in zip(laws, self.groups, strict=True)]
        return np.asarray(reduce(ExtremeSums.beside, every).masses[0])
