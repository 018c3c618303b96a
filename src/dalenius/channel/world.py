"""One law of the records, and its channels under a query."""

import abc
from collections.abc import Iterator
from fractions import Fraction
from typing import TYPE_CHECKING, Any, ClassVar

from dalenius.channel.channel import Channel
from dalenius.channel.pairs import Pairs
from dalenius.channel.witness import Found
from dalenius.joints import Stratum
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.queries import Scores

if TYPE_CHECKING:
    from dalenius.channel.question import Question


class World(abc.ABC):
    """What a release needs of one law, for any kind of records."""

    pairs_only: ClassVar[bool] = False
    """Whether no joint law is known, but laws of pairs of records."""

    over: ClassVar[str] = ""
    """Over which laws a bound is, in words, where no one joint law is known."""

    credal: ClassVar[bool] = False
    """Whether a set of laws is given, by intervals, and no law of it is the one."""

    real: ClassVar[bool] = False
    """Whether records are real numbers."""

    of_absence: ClassVar[bool] = False
    """Whether the secret is who is absent, and not a record."""

    scores: Scores | None = None
    """The query's, on the strata; None where records have no finitely many values."""

    @classmethod
    @abc.abstractmethod
    def of(cls, belief: Any, question: "Question") -> "World":
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

    def pairs(self) -> tuple[Pairs, ...] | None:
        """Every pair of records whose law the belief gives; None where it is read from a joint law."""
        return None

    @property
    def contradiction(self) -> str | None:
        """Why what is supposed of the records cannot hold, in words; None where nothing says so: by default."""
        return None

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel]:
        """The channels of the subjects of whom the answer may leak something."""

    def seeing(self, noise: Noise) -> Iterator[Channel]:
        """The same, to be asked about one output (`Channel.at`)."""
        return self.channels(noise)

    def every_channel(self, noise: Noise) -> Iterator[Channel]:
        """The same; one of many subjects at once where these are too many to go through."""
        return self.channels(noise)

    def knowing(self, noise: Noise) -> Found | None:
        """The most an output leaks to whoever knows any other records, where the world itself says; None by default."""
        return None

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
