"""One law of the records, and what a query says under it."""

import abc
from collections.abc import Iterator
from fractions import Fraction

from dalenius.channel.channel import Channel
from dalenius.noise import Noise


class World(abc.ABC):
    """What a release needs to know of one law, whatever its records are."""

    @abc.abstractmethod
    def channels(self, noise: Noise) -> Iterator[Channel]:
        """What the answer says of whoever may be told something."""

    @property
    @abc.abstractmethod
    def names(self) -> tuple[str, ...]:
        """What the coordinates of the answer are called."""

    @property
    @abc.abstractmethod
    def engines(self) -> list[tuple[str, str]]:
        """How each part of the answer is computed, and why so."""

    @property
    @abc.abstractmethod
    def sensitivity(self) -> Fraction:
        """Δ: the most one record can move the answer (L1). InputError where there is no most."""

    @property
    @abc.abstractmethod
    def group_sensitivity(self) -> tuple[Fraction, int]:
        """The most one independent group can, and the size of the largest. InputError where there is no most."""

    @property
    @abc.abstractmethod
    def group_size(self) -> int:
        """The size of the largest independent group."""

    @property
    @abc.abstractmethod
    def reach(self) -> Fraction:
        """How far the answer moves, about: where a search for a scale may start."""
