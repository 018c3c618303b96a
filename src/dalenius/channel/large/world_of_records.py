"""The parts of a joint law under a question that the bounds and limits of this folder read."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Protocol

from dalenius.channel.answer_laws import AnswerPart
from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.channel.secrets import Secrets
from dalenius.channel.sensitivity import Spread
from dalenius.joints import Joint
from dalenius.laws.lattice import Lattice
from dalenius.noise import Noise
from dalenius.queries import Scores


class WorldOfRecords(Protocol):
    """A joint law, a query's scores and the secrets (`channel.record_world.RecordWorld`)."""

    joint: Joint
    scores: Scores
    secrets: Secrets
    components: Sequence[AnswerPart]
    groups_first: bool

    @property
    def firsts(self) -> frozenset[int] | None:
        """The first person of each class of people who are alike; None where secrets are not of single records."""

    @property
    def is_plain(self) -> bool:
        """Whether secrets are single records, of all stages together."""

    @property
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The distance that one independent group moves the answer at most, and the number of people of the largest."""

    @property
    def spreads(self) -> tuple[tuple[Spread, Lattice, tuple[int, ...]], ...]:
        """The spread of one record in each part of the answer, and the part's coordinates."""

    def channels_of(self, noise: Noise, component: AnswerPart) -> Iterator[RecordChannel]:
        """Yields the channels under `noise` of one part of the answer, `component`."""

    def full_channel_of(self, component: AnswerPart, noise: Noise, bounded: FiniteChannel) -> RecordChannel:
        """Returns the whole answer's channel for `component` under `noise`; `bounded` where that is too large."""
