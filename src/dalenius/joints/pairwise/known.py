"""What a belief says of one person where no joint law is known."""

from dataclasses import dataclass
from typing import final

from dalenius.schema import RecordValue


@final
@dataclass(frozen=True)
class KnownPairs:
    """What a belief without a joint law says of one person of a class: the first one's number, and the class in words.

    values: those that the record can have; least: the least prior probability of one, 0 where no prior is known; size:
    how many records theirs may depend on, itself included.
    """

    person: int
    who: str
    values: tuple[RecordValue, ...]
    least: float
    size: int
