"""One set of laws, and its channels under a query."""

import abc
from collections.abc import Sequence
from functools import cached_property
from typing import ClassVar, Final, Generic, TypeVar

import numpy as np

from dalenius.channel.question import Question
from dalenius.channel.scored_world import ScoredWorld
from dalenius.channel.secrets import Secrets
from dalenius.errors import InputError, Meaningless
from dalenius.joints import Stratum, Subject
from dalenius.joints.joint import Belief
from dalenius.laws.law import Array, IntArray
from dalenius.noise import Noise
from dalenius.queries import Scores

ENGINE: Final = "intervals"
Law = TypeVar("Law", bound=Belief)


class CredalWorld(ScoredWorld, Generic[Law], abc.ABC):
    """law: the set; scores: the query's, which must be sums. InputError for an engine other than `intervals`."""

    credal: ClassVar[bool] = True
    over: ClassVar[str] = "over all laws in the intervals"
    kind: ClassVar[str]

    def __init__(self, law: Law, scores: Scores, secrets: Secrets, engine: str | None = None) -> None:
        if engine not in (None, ENGINE):
            raise InputError("engine", engine or "", f"{ENGINE} beside model {self.kind} with intervals")
        self.law, self.scores, self._secrets = law, scores, secrets
        secrets.check_of_records("a model with intervals")
        secrets.check_whole()
        secrets.check(law)
        numbers = secrets.numbers(law)
        self.people = None if numbers is None else sorted(numbers)

    @classmethod
    def of(cls, belief: Law, question: Question) -> "CredalWorld[Law]":
        return cls(belief, question.scores(belief), question.secrets, question.engine)

    @property
    def strata(self) -> tuple[Stratum, ...]:
        return self.law.strata()

    @property
    def engines(self) -> list[tuple[str, str]]:
        return [(ENGINE, "over all laws whose probabilities lie in the intervals, every step with a law of its own")]

    @cached_property
    def points(self) -> list[Array]:
        """By stratum, the score of each value, in the query's unit (values, axes). InputError unless they are sums."""
        if not self.scores.additive:
            raise InputError("query", self.scores.combine[0], "sums of scores of the records beside intervals")
        each = np.array([[float(score) for score in row] for row in self.scores.exact])
        return np.split(each, np.cumsum([len(stratum.values) for stratum in self.strata])[:-1])

    def asked(self, subject: Subject) -> tuple[tuple[int, int], ...] | None:
        """The pairs of values that must not be distinguished, as indices into the subject's secrets."""
        return self._secrets.pairs_of(subject)

    @property
    def groups(self) -> Sequence[IntArray]:
        """By group of records that are independent of the others under every law, how many are of each stratum."""
        return [np.array([stratum.people for stratum in self.strata], dtype=np.int64)]


def rate_of(noise: Noise, kind: str) -> float:
    """By how many nats the log-density changes at most per unit of the answer. Meaningless for a noise other than
    Laplace's, geometric, or none, whose bound is infinite."""
    if noise.adds_nothing:
        return 1.0
    if not noise.exponential:
        raise Meaningless("noise.kind", noise.kind, f"laplace, geometric or none beside model {kind} with intervals")
    return float(np.nextafter(1 / noise.known_scale(), np.inf))
