"""Mutual information given everybody else's record, I(X_i; Y | X_(i)) (IP Prop 2, IDP Prop 4), by enumeration.

Given x_(i) only X_i is uncertain, and the answer is a function of it. Where the answer is a sum and the noise depends
on output less answer only, the others' records shift the output: then records of other groups may be left out, and
channels of one law of X_i are one channel.
"""

from collections.abc import Iterator
from dataclasses import replace
from math import exp, prod
from typing import Final, final

import numpy as np

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.channel.witness import Witness
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.knowledge.worst import channel_of
from dalenius.laws.combine import combined
from dalenius.laws.law import Array, IntArray, Law

MANY: Final = 2**1000
MOST_ROWS: Final = 1 << 18
"""Assignments of the records, times people about whom is asked."""
MOST_CHANNELS: Final = 1 << 11
MOST_POINTS: Final = 1 << 20
SMALLER: Final = "name the people asked about in secrets.people, or fewer"
FAINTEST: Final = 1e-300
"""More than what values add whose probability is no double."""


def information_given_others(release: Release) -> Leakage:
    """The largest I(X_i; Y | X_(i)) over everybody i whose record is a secret, in nats. TooLarge to enumerate."""
    return worst([NOTHING, *(found for world in release.record_worlds for found in _of_world(release, world))])


def _of_world(release: Release, world: RecordWorld) -> Iterator[Leakage]:
    joint, shifts = world.joint, world.scores.additive and release.noise.additive
    parts = [joint.one_of(group) for group in range(len(joint.groups()))] if shifts else [joint]
    asked = [_one_of_each(release, joint, part) for part in parts]
    rows = sum(len(people) * part.outcome_count() for part, people in zip(parts, asked, strict=True) if people)
    if rows > MOST_ROWS:
        size = f"{float(min(rows, MANY)):.2g} assignments of records"
        raise TooLarge("the information given everybody else's record", size, SMALLER)
    read = _Read(release, world, shifts)
    for part, people in zip(parts, asked, strict=True):
        yield from read.about(part, people) if people else ()


def _one_of_each(release: Release, joint: Joint, part: Joint) -> list[int]:
    """The first person of each class of people of a part whose records are secrets."""
    firsts, found = release.secrets.firsts(joint), dict[int, int]()
    for person in part.people():
        if firsts is None or joint.subject_of(person).person in firsts:
            found.setdefault(part.subject_of(person).person, person)
    return list(found.values())


@final
class _Read:
    """shifts: whether others only shift the output."""

    def __init__(self, release: Release, world: RecordWorld, shifts: bool) -> None:
        self._release, self._world, self._shifts = release, world, shifts
        self._values = [value for stratum in world.joint.strata() for value in stratum.values]
        self._known: dict[tuple[int, bytes, bytes, bytes], Enclosure] = {}

    def about(self, part: Joint, people: list[int]) -> Iterator[Leakage]:
        """One leakage per person."""
        slots, logs = part.outcomes()
        slots, logs = slots[logs > -np.inf], logs[logs > -np.inf]
        answers = combined(self._world.scores.indices[slots], self._world.scores.combine)
        # The log of an assignment is a sum over people, rounded each time; then the others' values are summed over.
        off = (2 * (3 * slots.shape[1] + 8) * (1 + float(np.max(np.abs(logs)))) + 2 * len(logs) + 64) * UNIT
        place = {person: column for column, person in enumerate(part.people())}
        for person in people:
            yield self._about(person, place[person], slots, logs, answers, off)

    def _about(self, person: int, column: int, slots: IntArray, logs: Array, answers: IntArray, off: float) -> Leakage:
        lower = upper = 0.0
        _, given = np.unique(np.delete(slots, column, axis=1), axis=0, return_inverse=True)
        order = np.lexsort((slots[:, column], given.ravel()))
        for rows in np.split(order, np.flatnonzero(np.diff(given.ravel()[order])) + 1):
            if len(rows) > 1 and np.any(np.ptp(answers[rows], axis=0)):
                top = float(np.max(logs[rows]))
                mass = top + float(np.log(np.sum(np.exp(logs[rows] - top))))
                own = self._information(person, slots[rows, column], logs[rows] - mass, answers[rows], off)
                lower, upper = lower + exp(mass) * own.lower, upper + exp(mass) * own.upper + FAINTEST
        who = f"{self._world.joint.subject_of(person).who}; given everybody else's record"
        return Leakage(lower * (1 - off), upper * (1 + off), Witness(person, who))

    def _information(self, person: int, own: IntArray, log_prior: Array, answers: IntArray, off: float) -> Enclosure:
        """I(X_i; Y) where X_i has these slots with these probabilities, and each its answer (secrets, axes)."""
        if self._shifts:
            answers = answers - answers.min(axis=0)
        subject = self._world.joint.subject_of(person)
        key = subject.stratum, own.tobytes(), log_prior.tobytes(), answers.tobytes()
        if key not in self._known:
            if len(self._known) == MOST_CHANNELS:
                raise TooLarge("the information given everybody else's record", f"{MOST_CHANNELS:,} channels", SMALLER)
            secrets = tuple(self._values[slot] for slot in own)
            alone = replace(subject, person=person, people=1, secrets=secrets, log_prior=log_prior, class_error=0.0)
            axes = np.flatnonzero(np.ptp(answers, axis=0)).tolist()
            scores = self._world.scores
            names, lattice = tuple(scores.names[axis] for axis in axes), scores.lattice.restricted(axes)
            law = _certain(answers[:, axes], off)
            channel = channel_of(self._release, self._world, alone, law, lattice, names, axes)
            self._known[key] = channel.information().value
        return self._known[key]


def _certain(answers: IntArray, error: float) -> Law:
    """The law of the answer that is certain given each secret (secrets, axes)."""
    low = answers.min(axis=0)
    box = tuple(int(n) for n in answers.max(axis=0) - low + 1)
    if prod(box) > MOST_POINTS:
        raise TooLarge("the information given everybody else's record", f"a box of {prod(box):,} answers", SMALLER)
    relative = np.full((len(answers), prod(box)), -np.inf)
    relative[np.arange(len(answers)), np.ravel_multi_index(tuple((answers - low).T), box)] = 0.0
    return Law(tuple(int(i) for i in low), np.zeros(box), relative.reshape(len(answers), *box), error)
