"""Limits that a user can meet: a number with a name, a unit and a reason.

Each room has one table of its limits, in its `limits.py`. A limit counts as its number; a refusal names it.

>>> MOST_ROWS = Limit("example.rows", 1 << 20, "rows", "128 MB of doubles", memory=True)
>>> (1 << 21) > MOST_ROWS, MOST_ROWS.said
(True, 'limit example.rows: 1,048,576 rows in 4 GiB')
"""

from typing import Final, final


@final
class Limit(int):
    """A whole number that something may not exceed, with the name under which pages and refusals have it.

    name: room and limit, as in `joints.message_states`; unit: what is counted, in the plural; reason: why there is a
    limit, and what happens beyond; memory: whether the number is for the default memory and grows with what is allowed.
    """

    def __new__(cls, name: str, value: int, unit: str, reason: str, *, memory: bool = False) -> "Limit":
        """Makes the number itself."""
        return int.__new__(cls, value)

    def __init__(self, name: str, value: int, unit: str, reason: str, *, memory: bool = False) -> None:
        self.name: Final = name
        self.unit: Final = unit
        self.reason: Final = reason
        self.memory: Final = memory

    def __reduce__(self) -> tuple[type[int], tuple[int]]:
        """Pickles the number alone: it is data by then."""
        return int, (int(self),)

    @property
    def said(self) -> str:
        """Name, number and unit, as a refusal ends."""
        return f"limit {self.name}: {int(self):,} {self.unit}{' in 4 GiB' if self.memory else ''}"
