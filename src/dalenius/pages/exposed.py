"""Who is most exposed: the classes of exchangeable people, worst first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, final

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.channel import Release
from dalenius.channel.finite.channel import FiniteChannel
from dalenius.joints import Subject
from dalenius.pages.judged import Judged
from dalenius.pages.numbers import folds, nats
from dalenius.pages.section import Section, Table
from dalenius.schema import RecordValue

ROWS: Final = 20
NAMED: Final = 3
TITLE: Final = "Who is most exposed"


@final
@dataclass(frozen=True)
class Exposed:
    """One class of exchangeable people under the law where it is exposed most. law: its place among the model's; label:
    of their records; raised: the most any output raises the log of a chance of theirs, in nats; value: that chance's.
    """

    subject: Subject
    law: int
    label: str
    raised: Enclosure
    value: RecordValue | None

    @property
    def person(self) -> int:
        return self.subject.person

    def channel(self, release: Release) -> FiniteChannel:
        """Made anew: those of all classes together may not fit."""
        made = release.record_worlds[self.law].channels(release.noise)
        return next(channel for channel in made if channel.subject.person == self.person)


def exposed(judged: Judged) -> list[Exposed]:
    """All classes of whom an output may leak something, the worst first; of those that differ by roundings only, the
    first person. None where records are real numbers, or the secret is who is absent."""
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.record_worlds):
        strata = world.joint.strata()
        for channel in world.channels(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            if own.person not in found or _order(own) < _order(found[own.person]):
                found[own.person] = own
    return sorted(found.values(), key=_order)


def _order(each: Exposed) -> tuple[float, int]:
    return -near_to_digits(each.raised.upper, 6), each.person


def who(judged: Judged, found: Sequence[Exposed]) -> Section:
    if not judged.release.record_worlds:
        why = "Left out: people are not in classes here, as their records are real numbers or the secret is absence."
        return Section("exposed", TITLE, (why,))
    if not found:
        return Section("exposed", TITLE, ("Nobody: no record moves the answers.",))
    worst = found[0]
    alike = [each for each in found if _order(each)[0] == _order(worst)[0]]
    count = sum(each.subject.people for each in alike)
    plain = [
        f"People whom the model cannot tell apart are one class. Most exposed {'is' if count == 1 else 'are'} "
        f"{_people(count)} ({_described(alike)}): an output may raise a chance of theirs {_grown(worst.raised)}.",
        *_others(judged, found),
    ]
    if judged.people is not None:
        plain.append("Which rows of the table these are follows from the columns named above; rows are not listed.")
    rows = tuple(_row(each) for each in found[:ROWS])
    rest = f"; {len(found) - ROWS:,} more classes are below these" if len(found) > ROWS else ""
    caption = f"Classes of people, most exposed first{rest}"
    columns = ("person", "class", "label", "people", "records that depend on each other", "nats", "a chance grows")
    return Section("exposed", TITLE, tuple(plain), tables=(Table(caption, columns, rows),))


def _grown(raised: Enclosure) -> str:
    return folds(raised) if raised.upper == float("inf") else f"at most {folds(raised)}-fold"


def _row(each: Exposed) -> tuple[str, ...]:
    subject = each.subject
    first = f"{subject.person}" if subject.person else "anybody"
    numbers = f"{subject.people:,}", f"{subject.dependents:,}", nats(each.raised), _grown(each.raised)
    return (first, subject.who, each.label, *numbers)


def _described(alike: Sequence[Exposed]) -> str:
    """The classes, each once, without their labels where these differ."""
    labels = list(dict.fromkeys(each.label for each in alike))
    classes = list(dict.fromkeys(each.subject.who for each in alike))
    shown = ", ".join(classes[:NAMED]) + (f" and {len(classes) - NAMED:,} more classes" if len(classes) > NAMED else "")
    return f"{shown}; {labels[0]}" if len(labels) == 1 and labels[0] else shown


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _others(judged: Judged, found: Sequence[Exposed]) -> list[str]:
    total = sum(judged.release.joints[0].labelled().values())
    rest = total - sum(each.subject.people for each in found)
    if rest <= 0:
        return []
    if judged.spec.secrets.people is not None:
        return ["The spec asks about some people only; the others are not shown."]
    return [f"About the {_people(rest)} in no row nothing leaks, or the adversary knows their records already."]
