"""What else tells how much an answer to very many records leaks, beside the law of the answer."""

import abc
from collections.abc import Iterator

from dalenius.channel.channel import Channel
from dalenius.errors import TooLarge
from dalenius.noise import Noise


class Shortcut(abc.ABC):
    """Channels of one law of the records that do without the law of the whole answer, or look at it last."""

    refused: TooLarge | None = None
    """Why there are no laws of the answer at all; None where there are: by default."""

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel] | None:
        """Of everybody whose record is a secret; None where nothing is known of such noise, and laws are computed."""

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
