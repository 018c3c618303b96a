"""A world of records that have finitely many values each, of which the query has scores."""

import abc
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

from dalenius.channel.sensitivity import Spread, moved_by, spread_of
from dalenius.channel.world import World
from dalenius.laws.law import IntArray
from dalenius.queries import Scores


class ScoredWorld(World, abc.ABC):
    """What follows from the strata, their scores and the independent groups alone."""

    scores: Scores

    @property
    @abc.abstractmethod
    def groups(self) -> Sequence[IntArray]:
        """By group of records that are independent of all others, how many are of each stratum (strata,)."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.scores.names

    @cached_property
    def by_stratum(self) -> list[Spread]:
        """How far one record of each stratum moves the answer."""
        return [spread_of(self.strata, self.scores, stratum) for stratum in range(len(self.strata))]

    @property
    def sensitivity(self) -> Fraction:
        return max(spread.total for spread in self.by_stratum)

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        return moved_by(self.strata, self.scores, self.groups)

    @property
    def group_size(self) -> int:
        return max(int(group.sum()) for group in self.groups)

    @property
    def reach(self) -> Fraction:
        return self.group_sensitivity[0]
