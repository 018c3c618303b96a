"""Who is most exposed: the section about classes of people, and which rows of the table the worst of them are."""

from collections.abc import Sequence
from typing import Final

from dalenius.bounds import Enclosure
from dalenius.pages.exposed import Exposed, alike
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import folds, nats
from dalenius.pages.rows import rows_of_most
from dalenius.pages.section import Section, Table

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
