"""Shortcuts: channels of one law that do without the law of the whole answer, and their common questions."""

import abc
from collections.abc import Iterator

from dalenius.channel.answer_window_channel import RecordChannel
from dalenius.channel.channel import Channel
from dalenius.noise import Noise


class Shortcut(abc.ABC):
    """A way to the channels of one law that does without the law of the whole answer, or needs it last.

    For 10^6 people in households one reads the household first, for a chain of 10^5 days the outermost outputs. A
    notion that is an average over outputs may have to go back to the laws.
    """

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Yields the channels under `noise` of everybody whose record is a secret.

        None where nothing is known of such noise, and laws are computed.
        """

    def singly(self, noise: Noise) -> Iterator[RecordChannel] | None:
        """Yields the channels under `noise`, one of each class of people, which can be read at one output too.

        None, as by default, where laws are computed as planned.
        """
        return None

    @property
    def engine(self) -> tuple[str, str] | None:
        """The engine and reason for all of the answer; None where its parts are as planned: by default."""
        return None

    def more(self, axes: tuple[int, ...]) -> str:
        """Returns a supplement to the reason for the plan of the part with the coordinates `axes`; "" by default."""
        return ""

    @property
    def is_quick(self) -> bool:
        """Whether one law of the whole answer takes seconds; true by default."""
        return True
