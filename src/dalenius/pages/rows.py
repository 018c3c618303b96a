"""Which rows of the table the most exposed people are: for the curator, who keeps the table, and for nobody else."""

from collections.abc import Iterable
from typing import Final, TypeAlias

from dalenius.pages.exposed import Exposed
from dalenius.pages.judged import Judged
from dalenius.pages.section import Confidential, Table
from dalenius.tables import People, Rows, rows_of

KINDS: Final = 5
"""Kinds of rows that are listed."""
UNKNOWN: Final = "the table does not say which: the model numbers people itself"

Home: TypeAlias = tuple[tuple[str, int], ...] | None
Kind: TypeAlias = tuple[str, Home]
"""What a row is known by: its label, and who lives in its household where the model reads that from the table."""


def rows_of_most(judged: Judged, most: Iterable[Exposed]) -> Confidential | None:
    """The rows of classes that are exposed alike; None where there is no table."""
    people = judged.people
    if people is None or judged.release.real:
        return None
    kinds: dict[Kind, int] = {}
    for each in most:
        kind = each.label, judged.spec.model.household_of(each.law, each.person)
        kinds[kind] = kinds.get(kind, 0) + each.subject.people
    found = [_row(people, kind, count) for kind, count in list(kinds.items())[:KINDS]]
    rest = len(kinds) - KINDS
    more = f"; {rest:,} more {'kind is' if rest == 1 else 'kinds are'} not listed" if rest > 0 else ""
    caption = f"Rows of {people.path.name} that the most exposed people are{more}"
    plain = (
        "Row numbers name people to whoever has the table or its order. Take this block out before the page leaves "
        "whoever keeps the table.",
        "Rows are counted from 1 in the order of the file; the line of column names and blank lines are not.",
    )
    return Confidential(plain, Table(caption, ("label", "household", "rows in all", "row numbers"), tuple(found)))


def _row(people: People, kind: Kind, count: int) -> tuple[str, ...]:
    label, home = kind
    found = rows_of(people, label, home)
    total = f"{count:,}" if count == found.total else f"{count:,} of {found.total:,}"
    return (label or "none", _home(home), total, _numbers(found) if count == found.total else UNKNOWN)


def _home(home: Home) -> str:
    if home is None:
        return "not read by the model"
    size = sum(members for _, members in home)
    parts = [f"{members:,} {label}" for label, members in home if label]
    return f"of {size:,}" + (f" ({', '.join(parts)})" if len(parts) > 1 else "")


def _numbers(found: Rows) -> str:
    shown = ", ".join(f"{number}" for number in found.first)
    return f"{shown}, …" if found.total > len(found.first) else shown
