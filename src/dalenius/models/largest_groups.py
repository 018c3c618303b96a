"""A model without the few people who live in its largest groups, who may set the noise for everybody.

433 of 40,000 people live in households of more than six. This is a hundredth, so they may be left out. The few are at
most a fiftieth.

>>> split_off({1: 500, 2: 480, 3: 12, 7: 7})  # 19 of 999 people live in households of more than two
2
>>> split_off({1: 500, 2: 480}), split_off({4: 100})
(None, None)
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, final

if TYPE_CHECKING:
    from dalenius.models.model import Model

_SHARE: Final = 0.02
"""The largest share of the people who may be left out."""


@final
@dataclass(frozen=True)
class Smaller:
    """A model without its largest groups.

    Attributes:
        model: The model of the others.
        most: The size of the largest group that is left in it.
        people: How many people live in groups of each size, in the order in which people are numbered.
    """

    model: "Model"
    most: int
    people: Mapping[int, int]

    @property
    def left_out(self) -> int:
        """The number of people who are left out."""
        return sum(count for size, count in self.people.items() if size > self.most)

    def size_of(self, person: int) -> int | None:
        """Returns the size of the group that a person is in; None for a number that nobody has.

        Args:
            person: The person's number, from 1.
        """
        before = 0
        for size, count in self.people.items():
            before += count
            if person <= before:
                return size
        return None


def split_off(people: Mapping[int, int]) -> int | None:
    """Returns the least size above which at most a fiftieth of the people live; None where that is nobody.

    Args:
        people: How many people live in groups of each size.
    """
    total, largest = sum(people.values()), max(people, default=0)
    for size in sorted(people):
        above = sum(count for each, count in people.items() if each > size)
        if above <= _SHARE * total:
            return size if size < largest else None
    return None
