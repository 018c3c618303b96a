"""Rows of a table of edges that are no edges of their own, counted by reason."""

from dataclasses import dataclass, field
from typing import final

from dalenius.omitted import Omitted
from dalenius.sentences.sentence import said


@final
@dataclass(frozen=True)
class Dropped:
    """Rows of an edge table that are no edges of their own, each counted once, by the first reason that holds.

    Attributes:
        self_loops: Rows with both ends the same.
        duplicates: Rows with an edge that was there before, in either direction.
        unknown: Rows with an end that is none of the people.
        of: How many rows there are in all.
        zeros: How many of the unknown have a 0 for a person where people are numbered.
    """

    self_loops: int = 0
    duplicates: int = 0
    unknown: int = 0
    of: int = field(default=0, repr=False)
    zeros: int = field(default=0, repr=False)

    @property
    def total(self) -> int:
        """The number of rows of the table that are no edges of their own."""
        return self.self_loops + self.duplicates + self.unknown

    def shown(self) -> dict[str, int]:
        """Returns the counts, ready for JSON."""
        return {"unknown": self.unknown, "self_loops": self.self_loops, "duplicates": self.duplicates}

    def omitted(self, key: str) -> Omitted:
        """Returns the rows that were left out, as every output counts them; key: of the spec, which names the file."""
        reasons = (
            (said("edge_without_person"), self.unknown - self.zeros),
            (said("edge_with_zero"), self.zeros),
            (said("edge_to_oneself"), self.self_loops),
            (said("edge_again"), self.duplicates),
        )
        return Omitted(key, self.of, reasons)
