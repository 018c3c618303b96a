"""What the bounds and limits of this folder read of a joint law under a question."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from dalenius.channel.answer_laws import AnswerPart
from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.channel import Channel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.joints import Joint
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.queries import Scores


class WorldOfRecords(Protocol):
    """A joint law, a query's scores and what is secret (`channel.record_world.RecordWorld`)."""

    joint: Joint
    scores: Scores
    secrets: Secrets
    components: Sequence[AnswerPart]
    groups_first: bool

    @property
    def firsts(self) -> frozenset[int] | None:
        """One person of each class of people who are alike; None where secrets are not of single records."""

    @property
    def is_plain(self) -> bool:
        """Whether secrets are single records, of all stages together."""

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """How far one independent group moves the answer at most, and how many people the largest has."""

    @property
    def spreads(self) -> tuple[tuple[Spread, Lattice, tuple[int, ...]], ...]:
        """How far one record moves each part of the answer, and which coordinates the part has."""

    def channels_of(self, noise: Noise, component: AnswerPart) -> Iterator[Channel]:
        """The channels of one part of the answer."""

    def full_channel_of(self, component: AnswerPart, noise: Noise, bounded: FiniteChannel) -> RecordChannel:
        """The channel of the whole answer; bounded: what stands for it where it is too large."""
