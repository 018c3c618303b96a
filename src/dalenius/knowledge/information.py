"""An average over the values that some people's records can have together: I(X_i; Y | X_K) is one.

Mutual information given everybody else's record, I(X_i; Y | X_(i)) (IP Prop 2, IDP Prop 4), by enumeration.

Given x_(i) only X_i is uncertain, and the answer is a function of it. Where the answer is a sum and the noise depends
on output less answer only, the others' records shift the output: then records of other groups may be left out.

Of two independent fair bits, counted without noise, I(X_1; Y) is 0.347 nats and I(X_1; Y | X_2) all of 0.693. Of two
equal ones I(X_1; Y | X_2) is 0: who knows the one knows the other, whatever goes out.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import exp, prod
from typing import Final, NamedTuple, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.leakage import NOTHING, Found, Leakage, Witness, worst, worst_of
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.joints import Joint, Subject
from dalenius.knowledge.channel_given import channel_of
from dalenius.laws.lattice import combined
from dalenius.laws.law import Array, IntArray, Law, log_sum
from dalenius.schema import RecordValue

_MOST_VALUES: Final = 1024
"""Combinations of values of the known records."""
_FAINTEST: Final = 1e-300
"""More than what values add whose probability is no double."""
# A larger number of assignments is shown as this one: it is still a double.
_MANY: Final = 2**1000
# Points of the box that holds one person's answers, given all others: two incomes in cents are far apart.
_MOST_POINTS: Final = 1 << 20
_SMALLER: Final = "name the people asked about in secrets.people, or fewer"


@final
@dataclass(frozen=True)
class _GivenSome:
    """Some records known to have these values. joint: the law of all records given them; log_probability: of the
    values."""

    joint: Joint
    known: Mapping[int, RecordValue] = field(default_factory=dict)
    log_probability: float = 0.0

    @property
    def weight(self) -> Enclosure:
        """The probability, and its rounding."""
        value = exp(self.log_probability)
        off = value * (64 + 8 * len(self.known) + 8 * abs(self.log_probability)) * UNIT
        return Enclosure(max(value - off, 0.0), min(value + off, 1.0))


def _each_given(joint: Joint, people: Sequence[int]) -> Iterator[_GivenSome]:
    """Every combination of values of these people's records that can occur, in the order in which the model lists them.
    TooLarge for more than MOST_VALUES of them."""
    # Whoever names a whole household of ten in notion.given asks for all its 1024 states.
    ways = 1
    for person in people:
        ways *= len(joint.subject_of(person).secrets)
    if ways > _MOST_VALUES:
        raise TooLarge("the values of the records that are given", f"{ways:,} combinations", "name fewer people")
    yield from _further(_GivenSome(joint), people)


def _further(given: _GivenSome, people: Sequence[int]) -> Iterator[_GivenSome]:
    """The same with these people's records known as well, value by value; each is conditioned on those before, so that
    only what can occur is met."""
    if not people:
        yield given
        return
    person, *others = people
    subject = given.joint.subject_of(person)
    for value, log_prior in zip(subject.secrets, subject.log_prior.tolist(), strict=True):
        known, joint = {**given.known, person: value}, given.joint.given({person: value})
        yield from _further(_GivenSome(joint, known, given.log_probability + log_prior), others)


def information_given(release: Release, world: RecordWorld, people: Sequence[int]) -> Leakage:
    """The largest I(X_i; Y | X_K) over everybody i whose record is a secret, in nats; people: K.

    TooLarge where there are too many combinations of values, or of these and people.
    """
    subjects = [person for person in _subjects(release, world.joint) if person not in people]
    every = list(_each_given(world.joint, people))
    # Combinations times people about whom is asked.
    if len(every) * len(subjects) > 1 << 16:
        size = f"{len(every):,} combinations of values times {len(subjects):,} people"
        raise TooLarge("the information given records", size, "name the people asked about in secrets.people, or fewer")
    lower, upper = dict.fromkeys(subjects, 0.0), dict.fromkeys(subjects, 0.0)
    for given in every:
        inside = release.worlds.given(given.joint)
        found = {channel.subject.person: channel.information().value for channel in inside.complete(release.noise)}
        for person in subjects:
            own = found.get(given.joint.subject_of(person).person)
            # Somebody of a group that the answer does not ask: it tells nothing about them.
            if own is not None:
                lower[person] += given.weight.lower * own.lower
                upper[person] += given.weight.upper * own.upper + _FAINTEST
    # A sum of so many positive terms, each a product.
    off = (len(every) + 4) * UNIT
    worst = worst_of(
        Found(Enclosure(lower[person] * (1 - off), upper[person] * (1 + off)), _witness(world.joint, person, people))
        for person in subjects
    )
    return Leakage(worst.value.lower, worst.value.upper, worst.witness)


def _subjects(release: Release, joint: Joint) -> Sequence[int]:
    """The people whose records are secrets, in rising order."""
    named = release.secrets.numbers(joint)
    return sorted(joint.people()) if named is None else sorted(named)


def _witness(joint: Joint, person: int, people: Sequence[int]) -> Witness:
    """Whose record leaks most, and given whose: the information is an average, and no output attains it."""
    one = "record" if len(people) == 1 else "records"
    who = f"{joint.subject_of(person).who}; given the {one} of {', '.join(map(str, people))}"
    return Witness(person, who)


def information_given_others(release: Release) -> Leakage:
    """The largest I(X_i; Y | X_(i)) over everybody i whose record is a secret, in nats. TooLarge to enumerate."""
    return worst([NOTHING, *(found for world in release.worlds.plain for found in _of_world(release, world))])


def _of_world(release: Release, world: RecordWorld) -> Iterator[Leakage]:
    """By person, for one law of the records; of one group of each type where others only shift the output."""
    joint, shifts = world.joint, world.scores.additive and release.noise.shape.additive
    read = _Read(release, world, shifts)
    parts = [joint.one_of(group) for group in range(len(joint.groups()))] if shifts else [joint]
    subjects = [_one_of_each(release, joint, part) for part in parts]
    # A hundred households are one type: what is counted is a type's assignments, once for each secret in it.
    _check(sum(len(people) * part.outcome_count() for part, people in zip(parts, subjects, strict=True) if people))
    for part, people in zip(parts, subjects, strict=True):
        yield from (read.mean(person, _listed(part, person)) for person in people)


def _check(rows: int) -> None:
    """TooLarge for more than 4,096 assignments times people asked about: twelve people of yes or no who are alike have
    as many, and are the most."""
    # Assignments of the records, times people about whom is asked.
    if rows > 1 << 12:
        size = f"{float(min(rows, _MANY)):.2g} assignments of records"
        raise TooLarge("the information given everybody else's record", size, _SMALLER)


def _one_of_each(release: Release, joint: Joint, part: Joint) -> list[int]:
    """The first person of each class of people of a part whose records are secrets; everybody of a class that is one up
    to an error."""
    firsts, found = release.secrets.firsts(joint), dict[int, int]()
    for person in part.people():
        if firsts is None or joint.subject_of(person).person in firsts:
            subject = part.subject_of(person)
            found.setdefault(person if subject.class_error else subject.person, person)
    return list(found.values())


class _GivenOthers(NamedTuple):
    """What may be left of X_i by the others: log_mass: of their values; own (values,): the slots of those of X_i, with
    log_prior (values,); all: the slots (values, records) that the answer is read from.

    off: the error of log_mass, of a sum of such masses and of log_prior."""

    log_mass: float
    own: IntArray
    log_prior: Array
    all: IntArray
    off: float


def _listed(part: Joint, person: int) -> Iterator[_GivenOthers]:
    """By every assignment of the part. Assignments that differ in the person's value only are together."""
    slots, logs = part.outcomes()
    slots, logs = slots[logs > -np.inf], logs[logs > -np.inf]
    # The log of an assignment is a sum over people, rounded each time; then the others' values are summed over.
    off = (2 * (3 * slots.shape[1] + 8) * (1 + float(np.max(np.abs(logs)))) + 2 * len(logs) + 64) * UNIT
    column = part.people().index(person)
    _, given = np.unique(np.delete(slots, column, axis=1), axis=0, return_inverse=True)
    order = np.lexsort((slots[:, column], given.ravel()))
    for rows in np.split(order, np.flatnonzero(np.diff(given.ravel()[order])) + 1):
        mass = log_sum(logs[rows])
        yield _GivenOthers(mass, slots[rows, column], logs[rows] - mass, slots[rows], off)


@final
@dataclass(frozen=True)
class _Read:
    """How the answer is read given everybody else's record. shifts: whether others only shift the output, as through
    Laplace noise."""

    release: Release
    world: RecordWorld
    shifts: bool

    def mean(self, person: int, every: Iterable[_GivenOthers]) -> Leakage:
        """The average over what the others may be, in nats, weighted by its probability."""
        lower = upper = off = 0.0
        subject, count = self.world.joint.subject_of(person), 0
        for given in every:
            answers = combined(self.world.scores.indices[given.all], self.world.scores.combine)
            off, count = max(off, given.off), count + 1
            # The others determine this record, as a twin's does, or the answer is the same for all its values.
            if len(given.own) > 1 and np.any(np.ptp(answers, axis=0)):
                own, weight = self._information(subject, given, answers), exp(min(given.log_mass, 0.0))
                lower, upper = lower + weight * own.lower, upper + weight * own.upper + _FAINTEST
        off += (2 * count + 8) * UNIT
        witness = Witness(person, f"{subject.who}; given everybody else's record")
        return Leakage(lower * (1 - off), upper * (1 + off), witness)

    def _information(self, subject: Subject, given: _GivenOthers, answers: IntArray) -> Enclosure:
        """I(X_i; Y) where X_i has these values, and each its answer (values, axes)."""
        # Others' records have added so much: taken off, many assignments have one law.
        if self.shifts:
            answers = answers - answers.min(axis=0)
        values = [value for stratum in self.world.joint.strata() for value in stratum.values]
        secrets = tuple(values[slot] for slot in given.own)
        own = replace(subject, people=1, secrets=secrets, log_prior=given.log_prior, class_error=0.0)
        axes = np.flatnonzero(np.ptp(answers, axis=0)).tolist()
        scores = self.world.scores
        names, lattice = tuple(scores.names[axis] for axis in axes), scores.lattice.restricted(axes)
        law = _certain(answers[:, axes], given.off)
        return channel_of(self.release, self.world, own, law, lattice, names, axes).information().value


def _certain(answers: IntArray, error: float) -> Law:
    """The law of the answer that is certain given each secret (secrets, axes)."""
    low = answers.min(axis=0)
    box = tuple(int(n) for n in answers.max(axis=0) - low + 1)
    if prod(box) > _MOST_POINTS:
        raise TooLarge("the information given everybody else's record", f"a box of {prod(box):,} answers", _SMALLER)
    relative = np.full((len(answers), prod(box)), -np.inf)
    relative[np.arange(len(answers)), np.ravel_multi_index(tuple((answers - low).T), box)] = 0.0
    return Law(tuple(int(i) for i in low), np.zeros(box), relative.reshape(len(answers), *box), error)
