"""Which rows of the table the most exposed people are: for the curator, who keeps the table, and for nobody else."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from dalenius.pages.exposed import Exposed
from dalenius.pages.judged import Judged
from dalenius.pages.section import Confidential, Table
from dalenius.tables import Rows, rows_of

KINDS: Final = 5
"""Kinds of rows that are listed."""
UNKNOWN: Final = "the table does not say which: the model numbers people itself"
NOBODY: Final = "Which rows of the table these are, the table does not say: the model numbers people itself."
BELOW: Final = "The frame below says which rows of the table the most exposed are; it is for the curator alone."
PLAIN: Final = (
    "Row numbers name people to whoever has the table or its order. Take this block out before the page leaves whoever "
    "keeps the table.",
    "Rows are counted from 1 in the order of the file; the line of column names and blank lines are not.",
)

Home: TypeAlias = tuple[tuple[str, int], ...] | None
Kind: TypeAlias = tuple[str, Home]
"""What a row is known by: its label, and who lives in its household where the model reads that from the table."""


@final
@dataclass(frozen=True)
class Named:
    """count: how many most exposed people are rows of this kind; rows: of all that are."""

    label: str
    home: Home
    count: int
    rows: Rows

    @property
    def known(self) -> bool:
        """Whether it is all rows of the kind, so that the table says which."""
        return self.count == self.rows.total

    def cells(self) -> tuple[str, ...]:
        total = f"{self.count:,}" if self.known else f"{self.count:,} of {self.rows.total:,}"
        return (self.label or "none", _home(self.home), total, _numbers(self.rows) if self.known else UNKNOWN)


def rows_of_most(judged: Judged, most: Iterable[Exposed]) -> tuple[str, Confidential | None] | None:
    """The rows of classes that are exposed alike: a sentence for everybody, and the numbers where the table says them.
    None where there is no table, its rows have no order, or records are real numbers."""
    people = judged.people
    if people is None or not people.ordered or judged.release.real:
        return None
    kinds: dict[Kind, Counter[int]] = {}
    for each in most:
        kind = each.label, judged.spec.model.household_of(each.law, each.person)
        kinds.setdefault(kind, Counter())[each.law] += each.subject.people
    # Classes of one law are disjoint; those of another law may be other parts of the same people.
    counts = [(kind, max(by_law.values())) for kind, by_law in kinds.items()]
    named = [Named(*kind, count, rows_of(people, *kind)) for kind, count in counts[:KINDS]]
    if not any(each.known for each in named):
        return NOBODY, None
    rest = len(kinds) - KINDS
    more = f"; {rest:,} more {'kind is' if rest == 1 else 'kinds are'} not listed" if rest > 0 else ""
    caption = f"Rows of {people.shown} that the most exposed people are{more}"
    cells = tuple(each.cells() for each in named)
    return BELOW, Confidential(PLAIN, Table(caption, ("label", "household", "rows in all", "row numbers"), cells))


def _home(home: Home) -> str:
    if home is None:
        return "not read by the model"
    size = sum(members for _, members in home)
    parts = [f"{members:,} {label}" for label, members in home if label]
    return f"of {size:,}" + (f" ({', '.join(parts)})" if len(parts) > 1 else "")


def _numbers(found: Rows) -> str:
    shown = ", ".join(f"{number}" for number in found.first)
    return f"{shown}, …" if found.total > len(found.first) else shown
