"""What an audit reports besides leakages, where it is asked to."""

import abc
from typing import Any


class Further(abc.ABC):
    """A result of its own, with its keys in the JSON and its lines on the terminal."""

    @abc.abstractmethod
    def as_json(self) -> dict[str, Any]:
        """Public keys, and what they say."""

    @abc.abstractmethod
    def show(self) -> None:
        """On standard output."""
