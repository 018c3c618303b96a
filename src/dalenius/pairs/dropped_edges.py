"""Rows of a table of edges that are no edges of their own, counted by reason."""

from dataclasses import dataclass, field
from typing import final

from dalenius.omitted import Omitted


@final
@dataclass(frozen=True)
class Dropped:
    """Rows of an edge table that are no edges of their own, each counted once, by the first of these that holds.

    unknown: an end that is none of the people; self_loops: both ends the same; duplicates: an edge that was there
    before, in either direction; of: how many rows there are in all; zeros: how many of the unknown have a 0 for a
    person where people are numbered.
    """

    self_loops: int = 0
    duplicates: int = 0
    unknown: int = 0
    of: int = field(default=0, repr=False)
    zeros: int = field(default=0, repr=False)

    @property
    def total(self) -> int:
        """How many rows of the table are no edges of their own."""
        return self.self_loops + self.duplicates + self.unknown

    def shown(self) -> dict[str, int]:
        """Ready for JSON."""
        return {"unknown": self.unknown, "self_loops": self.self_loops, "duplicates": self.duplicates}

    def omitted(self, key: str) -> Omitted:
        """The rows that were left out, as every output counts them. key: of the spec, which names the file."""
        reasons = (
            ("with nobody of the model at one end", self.unknown - self.zeros),
            ("with a 0 for a person, where people are numbered from 1", self.zeros),
            ("from somebody to themselves", self.self_loops),
            ("with a pair that was there before", self.duplicates),
        )
        return Omitted(key, self.of, reasons)
