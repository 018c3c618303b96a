"""What a release asks of one law: channels, sensitivity, independent groups.

Each kind of law has a world (`wings.WORLDS`): joint, normal, of who is absent, of pairs, in intervals. A release asks
all of them the same questions, and never which kind they are.
"""

import abc
from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

from dalenius import wings
from dalenius.arrays import IntArray
from dalenius.channel.channel import Channel
from dalenius.channel.release_settings import ReleaseSettings
from dalenius.channel.sensitivity import Spread, moved_by, spread_of
from dalenius.errors import InputError
from dalenius.joints import Belief, Stratum
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.queries import Scores


class World(abc.ABC):
    """What a release needs of one law, for any kind of records.

    A model may have several laws: each has a world, and a release's leakage is the largest over them.
    """

    contradiction: str | None = None
    """Why what is supposed of these records cannot hold, in words; None where nothing says so: by default."""
    scores: Scores | None = None
    """The query's, on the strata; None where records have no finitely many values."""

    @classmethod
    @abc.abstractmethod
    def of(cls, belief: Any, question: ReleaseSettings) -> "World":
        """That of a belief of the nature for which `wings.WORLDS` names the class. InputError where the question makes
        no sense of such records."""

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The records' strata; none where they have no finitely many values."""
        return ()

    @property
    def lattice(self) -> Lattice | None:
        """Of the answers; None where it is not known, as for real numbers."""
        return None if self.scores is None else self.scores.lattice

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel]:
        """The channels of the subjects of whom the answer may leak something."""

    def singly(self, noise: Noise) -> Iterator[Channel]:
        """The same, one of each subject, to be asked about one output (`Channel.at`) too."""
        return self.channels(noise)

    @property
    @abc.abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the answer's coordinates."""

    @property
    @abc.abstractmethod
    def engines(self) -> list[tuple[str, str]]:
        """How each part of the answer is computed, and why."""

    @property
    @abc.abstractmethod
    def sensitivity(self) -> Fraction:
        """Δ: the most one record can move the answer (L1). InputError where that is unbounded."""

    @property
    @abc.abstractmethod
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can, and the size of the largest. InputError where that is unbounded."""

    @property
    @abc.abstractmethod
    def group_size(self) -> int:
        """The size of the largest independent group."""

    @property
    @abc.abstractmethod
    def reach(self) -> Fraction:
        """Roughly how far the answer moves: where a search for a scale may start."""


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
        """Δ of the query, in its unit, exactly: over all strata."""
        return max(spread.total for spread in self.by_stratum)

    @cached_property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """How far one independent group moves the answer at most, and how many people the largest has."""
        return moved_by(self.strata, self.scores, self.groups)

    @property
    def group_size(self) -> int:
        return max(int(group.sum()) for group in self.groups)

    @property
    def reach(self) -> Fraction:
        return self.group_sensitivity[0]


def world_of(belief: Belief, question: ReleaseSettings) -> World:
    """The law's answers and channels under the question. InputError where that makes no sense of such records."""
    # An author's own belief without a world of its own.
    if belief.nature.name not in wings.WORLDS:
        raise InputError("model", type(belief).__name__, "a belief that has a world")
    world: World = wings.found(wings.WORLDS[belief.nature.name]).of(belief, question)
    return world
