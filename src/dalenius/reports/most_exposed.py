"""The people most exposed by the release of a spec, and what outputs say about them, for the page that `explain`
writes.

Take 200 people in households of one to five. The five people of the only household of five are most exposed, because
people who live with more people have more to lose.

Take two people who are ill together with probability 0.1, or neither is. The count with Laplace noise of scale 1 moves
the chance that the second is ill from 0.1 to 0.015 at an output of 0, and to 0.451 at one of 2.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, exp, floor
from typing import Final, final

from dalenius.bounds import Enclosure, near_to_digits
from dalenius.calibration import expected
from dalenius.channel import Release
from dalenius.channel.channel import ChannelAtOutput
from dalenius.channel.finite_secret_channel import FiniteChannel
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Subject
from dalenius.reports.judged_spec import Judged
from dalenius.reports.page_building_blocks import (
    LISTED,
    PageTable,
    Section,
    chance_down,
    chance_near,
    chance_up,
    grown,
    left_out,
    near,
    upper_nats,
)


@final
@dataclass(frozen=True)
class Exposed:
    """A class of exchangeable people under the law where it is exposed most.

    Attributes:
        subject: The class.
        law: The place of the law among the model's.
        label: The label of their records.
        raised: The most that any output raises the log of a chance of theirs, in nats.
        value: The value with that chance; None where there is no such value.
    """

    subject: Subject
    law: int
    label: str
    raised: Enclosure
    value: RecordValue | None

    def channel(self, release: Release) -> FiniteChannel:
        """Returns the channel of this class in `release`, made anew: those of all classes may not fit into memory."""
        made = release.worlds.finite[self.law].complete(release.noise)
        return next(channel for channel in made if channel.subject.person == self.subject.person)


def exposed(judged: Judged) -> list[Exposed]:
    """Finds all classes of `judged` about whom an output may leak something, the worst first.

    Of those that differ by roundings only, the first person comes first. There are none where records are real numbers,
    or the secret is who is absent.
    """
    found: dict[int, Exposed] = {}
    for law, world in enumerate(judged.release.worlds.finite):
        strata = world.joint.strata()
        for channel in world.complete(judged.release.noise):
            raised, witness = channel.movement().raised
            value = None if witness is None else witness.secret
            own = Exposed(channel.subject, law, strata[channel.subject.stratum].label, raised, value)
            person = own.subject.person  # the first of the class; 0 where it is anybody
            # Because the same person may be exposed otherwise under each law of a model, the worst counts.
            if person not in found or rank(own) < rank(found[person]):
                found[person] = own
    return sorted(found.values(), key=rank)


def rank(each: Exposed) -> tuple[float, int]:
    """Returns the key by which classes such as `each` are sorted, the most exposed first.

    It has six digits only: of equals processors would differ about who is first.
    """
    return -near_to_digits(each.raised.upper, 6), each.subject.person


_POINTS, _ROWS = 160, 11  # outputs that are looked at, where there are more, and those of them that are listed
_REVEALED: Final = "What an output may say of the most exposed person"
_EXPOSED: Final = "Who is most exposed"


@final
@dataclass(frozen=True)
class Revealed:
    """A value of the most exposed person's record, with its probability before and after each output.

    prior: before; outputs: those that occur, in the query's unit; posteriors: after each of them.
    """

    value: str
    prior: float
    outputs: tuple[float, ...]
    posteriors: tuple[Enclosure, ...]


def revealed_section(judged: Judged, found: Sequence[Exposed]) -> Section:
    """Writes what an output of `judged` may say of the first class in `found`, or why there is no such section."""
    # Because heights, or a register of who is absent, have no classes of people with a list of values.
    if not judged.release.worlds.finite:
        why = "Left out: the records are real numbers, or the secret is who is absent."
        return Section("revealed", _REVEALED, (why,))
    if not found or found[0].value is None:
        return Section("revealed", _REVEALED, ("Nothing: no record moves the answers.",))
    try:
        return _section(judged, read(judged, found[0]), found[0])
    except (InputError, TooLarge) as error:
        return Section("revealed", _REVEALED, (left_out(error),))


def read(judged: Judged, worst: Exposed) -> Revealed:
    """Finds the probability, before and after each output of `judged`, of a value of the class `worst`.

    The value is the one whose chance some output raises most. InputError where outputs are no single number, or nothing
    is known of how likely they are.
    """
    channel = worst.channel(judged.release)
    at = {value: _at_output(judged, channel, value) for value in _outputs(judged, channel)}
    known = {value: found for value, found in at.items() if found is not None}
    if not known:
        raise InputError("outputs", "none", "outputs whose probability is known")
    place = channel.secrets.index(worst.value) if worst.value is not None else 0
    return Revealed(
        str(worst.value),
        exp(min(float(channel.log_prior[place]), 0.0)),
        tuple(map(float, known)),
        tuple(found.updates[0].values[place].posterior for found in known.values()),
    )


def _at_output(judged: Judged, channel: FiniteChannel, value: Fraction) -> ChannelAtOutput | None:
    """Returns the channel at that output, in the query's unit; None for an output that cannot occur."""
    try:
        return channel.at([value] * len(judged.release.names))
    except InputError as error:
        if error.key != "answers":
            raise
        return None  # a count of -1 where noise is clamped at 0


def _outputs(judged: Judged, channel: FiniteChannel) -> list[Fraction]:
    """Returns outputs at even distances, from where hardly any is below to where hardly any is above.

    Both ends are rounded outwards to the answers' lattice; between them are all its points, or `_POINTS` of them where
    they are many. For noise that is not added to the answer, they are where an answer can be.

    An answer of 10 to 20, in all but 0.1 % of cases, with noise of ±7, in all but as many, is drawn from 3 to 27.
    """
    if len(channel.axes) != 1 or any(isinstance(each, str) for each in channel.output(0)):
        raise InputError("outputs", "several, or words", "a single number that this person's record moves")
    step, start = channel.lattice.steps[0], channel.likelihood.start[0]
    low, high = start, start + channel.likelihood.box[0] - 1
    name = judged.release.names[channel.axes[0]]
    # Because added noise goes beyond where answers can be; a kernel's or a word's outputs are all in the channel's box.
    if channel.mechanism.shape.additive:
        # So that outputs beyond the ends have a probability of at most 0.2 %, exact answers and noise have 0.1 % each.
        answer = next((each for each in expected(judged.release, 0.999) if each.name == name), None)
        if answer is None or answer.interval is None:
            raise InputError("outputs", "no intervals", "a noise that says how likely its outputs are")
        far = Fraction(answer.interval.upper) - answer.middle
        low, high = floor((answer.low - far) / step), ceil((answer.high + far) / step)
    span = high - low
    shape = channel.mechanism.shape
    separate = shape.needs_lattice or shape.adds_nothing  # outputs lie on the answers' lattice
    if separate or span >= _POINTS:
        count = min(span, _POINTS)
        places: Iterable[Fraction] = (Fraction(low + span * k // count) for k in range(count + 1))
    else:
        fine = _POINTS // max(span, 1) + 1  # so that the lattice, where suprema are, is among them
        places = (low + Fraction(k, fine) for k in range(span * fine + 1))
    return [place * step for place in places] if span else [low * step]


def _section(judged: Judged, shown: Revealed, worst: Exposed) -> Section:
    """Writes, in words and in a table, the value whose chance some output raises most, before and after.

    Chances are in percent, those after rounded so that more is said to leak.
    """
    low = min(each.lower for each in shown.posteriors)
    high = max(each.upper for each in shown.posteriors)
    before = chance_near(shown.prior)
    # So that somebody who believes one of several laws sees under which of them the person is exposed most.
    laws = len(judged.release.worlds.finite)
    law = f" under law {worst.law + 1} of the model's {laws}, where they are exposed most" if laws > 1 else ""
    # Because person 0 is anybody, among people who are all alike.
    number = f"person {worst.subject.person}: " if worst.subject.person else ""
    whose = f"{number}{worst.subject.who}{f', {worst.label}' if worst.label else ''}"
    ends = f"from {near(shown.outputs[0])} to {near(shown.outputs[-1])}"
    additive = judged.release.noise.shape.additive
    beyond = "Outputs beyond these have a probability of at most 0.2 %." if additive else "Others were not looked at."
    plain = (
        f"The most exposed is {whose}. Before the release, the chance that "
        f"{judged.clause(shown.value, 'their record')} is {before}{law}. After it, at {len(shown.outputs)} outputs "
        f"{ends}, that chance is between {chance_down(low)} and {chance_up(high)}. {beyond}",
    )
    listed = sorted({round(part / (_ROWS - 1) * (len(shown.outputs) - 1)) for part in range(_ROWS)})
    rows = tuple((near(shown.outputs[i]), before, chance_up(shown.posteriors[i].upper)) for i in listed)
    caption = f"The chance that {judged.clause(shown.value, 'this record')}, of that person"
    table = PageTable(caption, ("output", "before", "after"), rows)
    return Section("revealed", _REVEALED, plain, tables=(table,))


def exposed_section(judged: Judged, found: Sequence[Exposed]) -> Section:
    """Writes the section of who is most exposed in `judged`, with the classes in `found`, the worst first."""
    if not judged.release.worlds.finite:
        why = "Left out: people have no classes here, because their records are real numbers or the secret is absence."
        return Section("exposed", _EXPOSED, (why,))
    if not found:
        return Section("exposed", _EXPOSED, ("Nobody: no record moves the answers.",))
    worst = found[0]
    # So that roundings do not decide who is named, all who are exposed as much as the first but for them are.
    most = [each for each in found if rank(each)[0] == rank(worst)[0]]
    count = sum(each.subject.people for each in most)
    plain = [
        f"People whom the model cannot tell apart are one class. Most exposed {'is' if count == 1 else 'are'} "
        f"{_people(count)} ({worst.subject.who}{f', {worst.label}' if worst.label else ''}"
        f"{f', and {_more_classes(len(most) - 1)}' if len(most) > 1 else ''}): an output may raise a chance of theirs "
        f"{grown(worst.raised)}.",
        *_others(judged, found),
    ]
    # Because a city has hundreds of classes, the most exposed are listed, and the others counted.
    listed = []
    for each in found[:LISTED]:
        own = each.subject
        numbers = f"{own.people:,}", f"{own.dependents:,}", upper_nats(each.raised), grown(each.raised)
        listed.append((f"{own.person}" if own.person else "anybody", own.who, each.label, *numbers))
    rest = f"; below these {_more_classes(len(found) - LISTED)}" if len(found) > LISTED else ""
    caption = f"Classes of people, most exposed first{rest}"
    columns = ("person", "class", "label", "people", "records that depend on each other", "nats", "a chance grows")
    table = PageTable(caption, columns, tuple(listed))
    return Section("exposed", _EXPOSED, tuple(plain), tables=(table,))


def _more_classes(count: int) -> str:
    """Writes how many classes the table does not list."""
    return "1 more class" if count == 1 else f"{count:,} more classes"


def _people(count: int) -> str:
    return f"{count:,} {'person' if count == 1 else 'people'}"


def _others(judged: Judged, found: Sequence[Exposed]) -> list[str]:
    """Says why some people are in no row of the table; nothing where all are."""
    total = sum(judged.release.worlds.finite[0].joint.labelled().values())
    rest = total - sum(each.subject.people for each in found)
    # Where everybody is in some row, or in more than one under several laws.
    if rest <= 0:
        return []
    if judged.spec.secrets.people is not None:  # a section [secrets] that names people
        return ["The spec asks about some people only; the others are not shown."]
    return [f"About the {_people(rest)} in no row, nothing leaks, or the adversary already knows their records."]
