"""The release of a spec with what it really leaks, who is most exposed, and which rows of the table these are.

Of 200 people in households of one to five the five of the only household of five are most exposed, as whoever lives
with more people has more to lose. The table has five such rows, and the frame for the curator names them; had it ten,
of whom the model exposes five, it would say that the table does not tell which.
"""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, TypeAlias, final

from dalenius.absent.notions import RhoIdentifiability
from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import CONFIDENCE, Calibration, calibrate, expected_error, judged_beside
from dalenius.calibration.method import kept_by
from dalenius.channel import Release
from dalenius.channel.finite_channel import FiniteChannel
from dalenius.errors import InputError
from dalenius.joints import Subject
from dalenius.models import lawless
from dalenius.notions import InferentialPrivacy, InformationPrivacy, Notion, audit, leakages
from dalenius.reports.page_parts import Confidential, PageTable, Section, grown, upper_nats
from dalenius.schema import RecordValue
from dalenius.spec import Spec, bound
from dalenius.tables import Held, People, Rows, check_people, rows_labelled

# What is told of a noise that promises nothing.
_USUAL: Final[tuple[Notion, ...]] = (InformationPrivacy(), InferentialPrivacy())


@final
@dataclass(frozen=True)
class Judged:
    """What a page is about: a release, what it leaks, and the table it is of.

    spec: bound to its table; text: as it was written; promises: none where only the noise is given; given: whether
    the spec gives the noise itself; calibration: the noise and all that it leaks; people: the table, if there is one;
    confidence: of intervals."""

    spec: Spec
    text: str
    release: Release
    calibration: Calibration
    promises: tuple[Notion, ...]
    given: bool
    people: People | None = None
    confidence: float = CONFIDENCE

    def clause(self, value: object, record: str) -> str:
        """That a record is this value, in the words of the table's condition if it has one; record: whose."""
        return f"{record} is {value}" if self.spec.data is None else self.spec.data.clause(value, record)


def judge(spec: Spec, text: str, folder: Path, data: Held | None = None, confidence: float = CONFIDENCE) -> Judged:
    """The spec's release with its noise, given or the least that keeps the promises, and all that it leaks.

    folder: what the data's path is relative to; data: a table instead of the spec's own. InputError for a spec with
    neither a noise nor a promise, for a model that gives no law of the records, and for a table of other people."""
    if spec.of_moments or lawless(spec.model):
        raise InputError("model.kind", spec.model.kind, "a model that gives the law of the records")
    given = spec.gives_noise
    if not given and not spec.notions:
        raise InputError("spec", "neither noise nor promise", "a section [noise], or a [notion] with an epsilon")
    open_ended = given and spec.promises is None and (spec.notion is None or spec.notion.epsilon is None)
    promises = () if open_ended else spec.all_promises()
    read, people = bound(spec, folder, data)
    # A spec that gives its noise is taken as it is; else the noise is the least that keeps the promises.
    if given:
        release = read.audited()
        _check_people(release, people)
        found = _audited(release, promises, read.notions)
    else:
        asked = read.calibrated()
        _check_people(asked, people)
        found = calibrate(asked, promises)
        release = asked.with_noise(found.noise)
    return Judged(read, text, release, found, promises, given, people, confidence)


def _check_people(release: Release, people: People | None) -> None:
    """InputError where the table is of other people than the model: the page would be about nobody."""
    if people is not None and release.worlds.finite:
        check_people(release.worlds[0].strata, people.tally())


def _audited(release: Release, promises: tuple[Notion, ...], named: tuple[Notion, ...]) -> Calibration:
    """The noise as it is given, with what it leaks of the promises, or else of the usual notions."""
    if promises:
        notions, found = promises, leakages(release, promises)
    else:
        # Nothing is promised: what is told is what everybody asks first, and what the spec names.
        usual = {notion.kind: notion for notion in (*_USUAL, *named)}
        if release.secret == "absence":
            usual.setdefault("rho", RhoIdentifiability())
        known = audit(release, tuple(usual.values()))
        notions, found = tuple(usual[kind] for kind in known), list(known.values())
    error = expected_error(release)
    why = "the spec gives the noise, and what it leaks was computed"
    noise, kept = release.noise, kept_by(notions, found)
    return judged_beside(Calibration("given", True, why, noise, error, found[0], promises=kept), release)


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
        """The number of the first person of the class; 0 where it is anybody."""
        return self.subject.person

    def channel(self, release: Release) -> FiniteChannel:
        """The channel of this class: made anew, since those of all classes together may not fit into memory."""
        made = release.worlds.finite[self.law].complete(release.noise)
        return next(channel for channel in made if channel.subject.person == self.person)


def exposed(judged: Judged) -> list[Exposed]:
    """All classes of whom an output may leak something, the worst first; of those that differ by roundings only, the
    first person. None where records are real numbers, or the secret is who is absent."""
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.worlds.finite):
        strata = world.joint.strata()
        for channel in world.complete(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            # Under each law of a model the same person may be exposed otherwise: the worst counts.
            if own.person not in found or _order(own) < _order(found[own.person]):
                found[own.person] = own
    return sorted(found.values(), key=_order)


def _order(each: Exposed) -> tuple[float, int]:
    """By which classes are sorted, to six digits: of equals processors would differ about who is first."""
    return -near_to_digits(each.raised.upper, 6), each.person


# Kinds of rows that are listed.
_KINDS: Final = 5
_NOBODY: Final = "Which rows of the table these are, the table does not say: the model numbers people itself."
_BELOW: Final = "The frame below says which rows of the table the most exposed are; it is for the curator alone."
_PLAIN: Final = (
    "Row numbers name people to whoever has the table or its order. Take this block out before the page leaves whoever "
    "keeps the table.",
    "Rows are counted from 1 in the order of the file; the line of column names and blank lines are not.",
)

# What a row is known by: its label, and who lives in its household where the model reads that from the table.
_RowKind: TypeAlias = tuple[str, tuple[tuple[str, int], ...] | None]


def _rows_of_most(judged: Judged, most: Iterable[Exposed]) -> tuple[str, Confidential | None] | None:
    """The rows of classes that are exposed alike: a sentence for everybody, and the numbers where the table says them,
    which it does of a kind whose rows are all exposed. None where there is no table, its rows have no order, or records
    are real numbers.

    Where three people of households of three are most exposed, and the table has three rows of such households, it is
    these rows; where it has six, the model tells people apart whom the table does not.
    """
    people = judged.people
    if people is None or not people.ordered or judged.release.secret == "number":  # a table of a database has no order
        return None
    kinds: dict[_RowKind, Counter[int]] = {}
    for each in most:
        kind = each.label, judged.spec.model.household_of(each.law, each.person)
        kinds.setdefault(kind, Counter())[each.law] += each.subject.people
    rows = []
    for (label, home), by_law in list(kinds.items())[:_KINDS]:
        # Classes of another law may be the same people.
        found, count = rows_labelled(people, label, home), max(by_law.values())
        if count == found.total:
            rows.append((label or "none", _home(home), f"{count:,}", _numbers(found)))
    # The model exposes some of those whom the table has under one label: it does not say which.
    if not rows:
        return _NOBODY, None
    more = "" if len(rows) == len(kinds) else "; there are others, which are not listed or the table does not say"
    caption = f"Rows of {people.shown} that the most exposed people are{more}"
    table = PageTable(caption, ("label", "household", "rows in all", "row numbers"), tuple(rows))
    return _BELOW, Confidential(_PLAIN, table)


def _home(home: tuple[tuple[str, int], ...] | None) -> str:
    """A household in words: of how many, and of which labels where there are several."""
    if home is None:
        return "not read by the model"
    size = sum(members for _, members in home)
    parts = [f"{members:,} {label}" for label, members in home if label]
    return f"of {size:,}" + (f" ({', '.join(parts)})" if len(parts) > 1 else "")


def _numbers(found: Rows) -> str:
    """The first row numbers, and dots where there are more."""
    return ", ".join(map(str, found.first)) + (", …" if found.total > len(found.first) else "")


_ROWS: Final = 20
_TITLE: Final = "Who is most exposed"


def exposed_section(judged: Judged, found: Sequence[Exposed]) -> Section:
    """The section of the page: classes of people alike, and which rows of the table the worst of them are."""
    if not judged.release.worlds.finite:
        why = "Left out: people are not in classes here, as their records are real numbers or the secret is absence."
        return Section("exposed", _TITLE, (why,))
    if not found:
        return Section("exposed", _TITLE, ("Nobody: no record moves the answers.",))
    worst = found[0]
    # Those who are exposed as much as the first but for roundings.
    most = [each for each in found if _order(each)[0] == _order(worst)[0]]
    count = sum(each.subject.people for each in most)
    plain = [
        f"People whom the model cannot tell apart are one class. Most exposed {'is' if count == 1 else 'are'} "
        f"{_people(count)} ({worst.subject.who}{f', {worst.label}' if worst.label else ''}"
        f"{f', and {_more_classes(len(most) - 1)}' if len(most) > 1 else ''}): an output may raise a chance of theirs "
        f"{grown(worst.raised)}.",
        *_others(judged, found),
    ]
    named = _rows_of_most(judged, most)
    said, confidential = named if named is not None else ("", None)
    plain += [said] if said else []
    listed = []
    for each in found[:_ROWS]:
        own = each.subject
        numbers = f"{own.people:,}", f"{own.dependents:,}", upper_nats(each.raised), grown(each.raised)
        listed.append((f"{own.person}" if own.person else "anybody", own.who, each.label, *numbers))
    rest = f"; below these {_more_classes(len(found) - _ROWS)}" if len(found) > _ROWS else ""
    caption = f"Classes of people, most exposed first{rest}"
    columns = ("person", "class", "label", "people", "records that depend on each other", "nats", "a chance grows")
    table = PageTable(caption, columns, tuple(listed))
    return Section("exposed", _TITLE, tuple(plain), tables=(table,), confidential=confidential)


def _more_classes(count: int) -> str:
    """How many classes the table does not list, in words."""
    return "1 more class" if count == 1 else f"{count:,} more classes"


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _others(judged: Judged, found: Sequence[Exposed]) -> list[str]:
    """Why some people are in no row of the table; nothing where all are."""
    total = sum(judged.release.worlds.finite[0].joint.labelled().values())
    rest = total - sum(each.subject.people for each in found)
    # Everybody is in some row, or in more than one under several laws.
    if rest <= 0:
        return []
    if judged.spec.secrets.people is not None:  # a section [secrets] that names people
        return ["The spec asks about some people only; the others are not shown."]
    return [f"About the {_people(rest)} in no row nothing leaks, or the adversary knows their records already."]
