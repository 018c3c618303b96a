"""Groups whose law is known to lie in a box only, and their channel."""

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import ClassVar, Final, final

import numpy as np

from dalenius.channel.channel import Channel
from dalenius.channel.question import Question
from dalenius.channel.scored_world import ScoredWorld
from dalenius.channel.secrets import Secrets
from dalenius.channel.witness import Found
from dalenius.errors import InputError
from dalenius.joints import Stratum
from dalenius.laws.law import IntArray
from dalenius.noise import Noise
from dalenius.queries import Scores
from dalenius.ratios.intervals.groups.channel import CredalChannel
from dalenius.ratios.intervals.groups.group import CredalGroup
from dalenius.ratios.intervals.groups.groups import CredalGroups

WHY: Final = "the worst law within the intervals, every group with one of its own; the rest cannot add to a group alone"


@final
class CredalWorld(ScoredWorld):
    """law: the set of laws; scores: the query's. InputError where the answer is no sum, or for an engine."""

    credal: ClassVar[bool] = True

    def __init__(self, law: CredalGroups, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        if engine is not None:
            raise InputError("engine", engine, "none beside probabilities that are intervals")
        if not scores.additive:
            raise InputError("query", scores.combine[0], "sums of scores beside probabilities that are intervals")
        secrets.check_of_records("a model with intervals")
        secrets.check_whole()
        secrets.check(law)
        self.law = law
        self.scores = scores
        self._secrets = secrets

    @classmethod
    def of(cls, belief: CredalGroups, question: Question) -> "CredalWorld":
        return cls(belief, question.scores(belief), question.secrets, question.engine)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.law.strata()

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [("credal", WHY)]

    def channels(self, noise: Noise) -> Iterator[Channel]:
        """One channel for all people whose records are secrets."""
        yield self._channel(noise)

    def knowing(self, noise: Noise) -> Found:
        return self._channel(noise).knowing()

    def _channel(self, noise: Noise) -> CredalChannel:
        spreads = [self.by_stratum[group.stratum(member)] for group in self._groups for member in group.members]
        return CredalChannel(self._groups, spreads, self.scores, noise, self.law.around)

    @cached_property
    def _groups(self) -> tuple[CredalGroup, ...]:
        chosen = self._secrets.firsts(self.law.reference)
        moved = np.array([self._moved(place) for place in range(len(self.law.blocks))], dtype=bool)
        many = np.array([factor.count > 1 for factor in self.law.factors])
        found = []
        for place in range(len(self.law.blocks)):
            others = np.delete(moved, place, axis=0).any(axis=0) | (moved[place] & many[place])
            found.append(CredalGroup(self.law, place, self.scores, self._secrets, chosen, others))
        return tuple(found)

    def _moved(self, place: int) -> list[bool]:
        """Which coordinates a group of that block moves."""
        rows = self.scores.indices[self.law.factors[place].slots]
        answers = self.law.blocks[place].counts @ rows
        return [bool(column.min() < column.max()) for column in answers.T]

    @property
    def groups(self) -> Sequence[IntArray]:
        return self.law.reference.group_strata()
