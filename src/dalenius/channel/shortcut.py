"""Channels of one law that do without the law of the whole answer: what every such way has to say."""

import abc
from collections.abc import Iterator

from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.channel import Channel
from dalenius.noise import Noise


class Shortcut(abc.ABC):
    """Channels of one law of the records that do without the law of the whole answer, or look at it last.

    Of 10^6 people in households one looks at the household first, of a chain of 10^5 days at the outermost outputs; a
    notion that is an average over outputs may have to go back to the laws.
    """

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of everybody whose record is a secret; None where nothing is known of such noise, and laws are computed."""

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        """The same, one of each class of people, to be asked about one output too; None, as by default, where laws are
        computed as planned."""
        return None

    @property
    def engine(self) -> tuple[str, str] | None:
        """How all of the answer is computed, and why; None where its parts are as planned: by default."""
        return None

    def more(self, axes: tuple[int, ...]) -> str:
        """What to add to the reason for the plan of the part with these coordinates; nothing by default."""
        return ""

    @property
    def is_quick(self) -> bool:
        """Whether one law of the whole answer takes seconds: by default."""
        return True
