"""The questions that a release asks of one law: channels, sensitivity, independent groups.

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
    """A law of records as a release needs it, for any kind of records.

    A model may have several laws: each has a world, and a release's leakage is the largest over them.
    """

    contradiction: str | None = None
    """The reason why the suppositions about these records cannot hold, in words; None, by default, where none is
    known."""
    scores: Scores | None = None
    """The query's scores on the strata; None where records do not have finitely many values."""

    @classmethod
    @abc.abstractmethod
    def of(cls, belief: Any, question: ReleaseSettings) -> "World":
        """Makes the world of a `belief` of the nature for which `wings.WORLDS` names the class.

        InputError where the `question` makes no sense of such records.
        """

    @property
    def strata(self) -> tuple[Stratum, ...]:
        """The strata of the records; none where they do not have finitely many values."""
        return ()

    @property
    def record_strata(self) -> tuple[Stratum, ...]:
        """The strata of the records themselves, where `strata` are those of noised reports; by default the same."""
        return self.strata

    @property
    def lattice(self) -> Lattice | None:
        """The lattice of the answers; None where it is not known, as for real numbers."""
        return None if self.scores is None else self.scores.lattice

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel]:
        """Yields the channels under `noise` of the subjects about whom the answer may leak something."""

    def singly(self, noise: Noise) -> Iterator[Channel]:
        """Yields the channels under `noise`, one of each subject, readable at one output (`Channel.at`) too."""
        return self.channels(noise)

    @property
    @abc.abstractmethod
    def names(self) -> tuple[str, ...]:
        """The names of the answer's coordinates."""

    @property
    @abc.abstractmethod
    def engines(self) -> list[tuple[str, str]]:
        """The engine of each part of the answer, and the reason."""

    @property
    @abc.abstractmethod
    def sensitivity(self) -> Fraction:
        """The sensitivity Δ: the most one record can move the answer (L1). InputError where that is unbounded."""

    @property
    @abc.abstractmethod
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can move it, and the largest one's size. InputError if unbounded."""

    @property
    @abc.abstractmethod
    def group_size(self) -> int:
        """The size of the largest independent group."""

    @property
    @abc.abstractmethod
    def reach(self) -> Fraction:
        """The rough distance that the answer moves: a search for a scale may start there."""


class ScoredWorld(World, abc.ABC):
    """A world whose sensitivities follow from the strata, their scores and the independent groups alone."""

    scores: Scores

    @property
    @abc.abstractmethod
    def groups(self) -> Sequence[IntArray]:
        """The number of records of each stratum (strata,), by group of records that are independent of all others."""

    @property
    def names(self) -> tuple[str, ...]:
        return self.scores.names

    @cached_property
    def by_stratum(self) -> list[Spread]:
        """The spread of one record of each stratum."""
        return [spread_of(self.strata, self.scores, stratum) for stratum in range(len(self.strata))]

    @property
    def sensitivity(self) -> Fraction:
        """The sensitivity Δ of the query, in its unit, exactly: over all strata."""
        return max(spread.total for spread in self.by_stratum)

    @cached_property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The distance that one independent group moves the answer at most, and the number of people of the largest."""
        return moved_by(self.strata, self.scores, self.groups)

    @property
    def group_size(self) -> int:
        return max(int(group.sum()) for group in self.groups)

    @property
    def reach(self) -> Fraction:
        return self.group_sensitivity[0]


def world_of(belief: Belief, question: ReleaseSettings) -> World:
    """Makes the world of the law `belief` under the `question`. InputError for a question without sense."""
    # The case of an author's own belief without a world of its own.
    if belief.nature.name not in wings.WORLDS:
        raise InputError("model", type(belief).__name__, "a belief that has a world")
    world: World = wings.found(wings.WORLDS[belief.nature.name]).of(belief, question)
    return world
