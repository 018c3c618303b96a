"""Who is most exposed, and which rows of the table these are: for the curator, who keeps it, and for nobody else."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias, final

from dalenius.bounds import Enclosure
from dalenius.reports.pages.judged import Exposed, Judged, alike
from dalenius.reports.pages.numbers import folds, nats
from dalenius.reports.pages.section import Confidential, Section, Table
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


ROWS: Final = 20
NAMED: Final = 3
TITLE: Final = "Who is most exposed"


def who(judged: Judged, found: Sequence[Exposed]) -> Section:
    if not judged.release.finite_worlds:
        why = "Left out: people are not in classes here, as their records are real numbers or the secret is absence."
        return Section("exposed", TITLE, (why,))
    if not found:
        return Section("exposed", TITLE, ("Nobody: no record moves the answers.",))
    worst = found[0]
    most = alike(found)
    count = sum(each.subject.people for each in most)
    plain = [
        f"People whom the model cannot tell apart are one class. Most exposed {'is' if count == 1 else 'are'} "
        f"{_people(count)} ({_described(most)}): an output may raise a chance of theirs {_grown(worst.raised)}.",
        *_others(judged, found),
    ]
    named = rows_of_most(judged, most)
    said, confidential = named if named is not None else ("", None)
    plain += [said] if said else []
    listed = tuple(_row(each) for each in found[:ROWS])
    rest = f"; {len(found) - ROWS:,} more classes are below these" if len(found) > ROWS else ""
    caption = f"Classes of people, most exposed first{rest}"
    columns = ("person", "class", "label", "people", "records that depend on each other", "nats", "a chance grows")
    table = Table(caption, columns, listed)
    return Section("exposed", TITLE, tuple(plain), tables=(table,), confidential=confidential)


def _grown(raised: Enclosure) -> str:
    return folds(raised) if raised.upper == float("inf") else f"at most {folds(raised)}-fold"


def _row(each: Exposed) -> tuple[str, ...]:
    subject = each.subject
    first = f"{subject.person}" if subject.person else "anybody"
    numbers = f"{subject.people:,}", f"{subject.dependents:,}", nats(each.raised), _grown(each.raised)
    return (first, subject.who, each.label, *numbers)


def _described(most: Sequence[Exposed]) -> str:
    """The classes, each once, without their labels where these differ."""
    labels = list(dict.fromkeys(each.label for each in most))
    classes = list(dict.fromkeys(each.subject.who for each in most))
    shown = ", ".join(classes[:NAMED]) + (f" and {len(classes) - NAMED:,} more classes" if len(classes) > NAMED else "")
    return f"{shown}; {labels[0]}" if len(labels) == 1 and labels[0] else shown


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _others(judged: Judged, found: Sequence[Exposed]) -> list[str]:
    total = sum(judged.release.finite_worlds[0].joint.labelled().values())
    rest = total - sum(each.subject.people for each in found)
    if rest <= 0:
        return []
    if judged.spec.secrets.people is not None:
        return ["The spec asks about some people only; the others are not shown."]
    return [f"About the {_people(rest)} in no row nothing leaks, or the adversary knows their records already."]
