"""What a belief says of one person where no joint law is known."""

from dataclasses import dataclass
from typing import final

from dalenius.ratios.pairs.neighbourhood import Neighbourhood
from dalenius.schema import RecordValue


@final
@dataclass(frozen=True, eq=False)
class KnownPairs:
    """One person of a class: the first one's number, and the class in words.

    values: those that the record can have, and neighbourhood: the laws of the neighbours' records given each of these;
    scores are the values' places, which only tell them apart. least: the least prior probability of a value, 0 where no
    prior is known; further: how many other records may depend on theirs in any way.
    """

    person: int
    who: str
    values: tuple[RecordValue, ...]
    neighbourhood: Neighbourhood
    least: float
    further: int

    @property
    def size(self) -> int:
        """How many records theirs may depend on, itself included."""
        return 1 + sum(each.times for each in self.neighbourhood.neighbours) + self.further
