"""Noise that is drawn from a key of the people whom an answer counts."""

import abc
from typing import TYPE_CHECKING

from dalenius.noise.noise import Noise

if TYPE_CHECKING:
    from dalenius.noise.rule import RuleRows


class Keyed(abc.ABC):
    """A noise that is drawn from a key of the people whom an answer counts."""

    @property
    @abc.abstractmethod
    def by_people(self) -> "RuleRows | None":
        """The rule that moves each set of people once; None where a further step is drawn answer by answer."""


def rule_of_people(noise: Noise) -> "RuleRows | None":
    """Returns the rule by which `noise` moves each set of people once; None where every answer has its own draw."""
    return noise.by_people if isinstance(noise, Keyed) else None
