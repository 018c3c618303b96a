"""The laws of an answer given any records of others: all background knowledge (Theory §2, Bayesian DP).

A *known set* gives, for every record of a group, its known value or that it is unknown. Sets are numbers in a mixed
radix, one digit per person: the index of the value, or the number of values if it is unknown. Their laws are built from
the table of assignments by summing out one person at a time; only sets that can occur are kept.

The worst over all background knowledge is found by enumeration of every known set. Take three bits. An even number of
them is 1, and all four ways are equally likely. One known bit makes the two others equal: their count through
Laplace(1) leaks 2 nats of each, given 0 for the third, and 1.434 nats where nothing is known.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf, prod
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, Enclosure
from dalenius.channel.leakage import Leakage, Witness, pair_at, peak
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints import Joint, all_outcomes, count_outcomes, count_people, people_of
from dalenius.knowledge.limits import MOST_ANSWERS, MOST_CELLS, MOST_CODES, MOST_OUTCOMES, MOST_TERMS
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import Law
from dalenius.laws.sums import combined
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.noise import Noise
from dalenius.queries import Scores

_SMALLER: Final = "ask fewer answers at once, coarser values or smaller groups; a bound needs none of these"


@final
@dataclass(frozen=True)
class UncertainPerson:
    """One person of the group: their number, the values that their record can have, and the weight of their digit."""

    person: int
    values: tuple[RecordValue, ...]
    weight: int


@final
@dataclass(frozen=True)
class KnownSets:
    """The known sets of a group's records, with the law of the answer given each.

    Attributes:
        members: The people of uncertain records.
        sets: The known sets (rows,), as numbers.
        law: The law of the answer given each row, on the box of the coordinates in `axes` (rows, *box).
        lattice: The lattice of the coordinates that the group can move.
        names: Their names.
        axes: Their places among all coordinates.
    """

    members: tuple[UncertainPerson, ...]
    sets: IntArray
    law: Law
    lattice: Lattice
    names: tuple[str, ...]
    axes: tuple[int, ...]

    @cached_property
    def _unknown(self) -> IntArray:
        """The number of records that each set leaves unknown."""
        open_: IntArray = np.zeros(len(self.sets), dtype=np.int64)
        for member in self.members:
            open_ += self._digit(member) == len(member.values)
        return open_

    def _digit(self, member: UncertainPerson) -> IntArray:
        """Returns that person's digit of each set (rows,).

        It is the index of the known value, or the number of values where the record is unknown.
        """
        digit: IntArray = self.sets // member.weight % (len(member.values) + 1)
        return digit

    def secrets_of(self, member: UncertainPerson) -> IntArray:
        """Returns the rows that know the member's record as well, for each set of other people's known records.

        Only sets that leave two or more values possible count; those with fewest known records come first.

        Args:
            member: The person whose record is the secret.

        Returns:
            The row for each of the member's values, or -1 where it is impossible (sets, values).
        """
        digit = self._digit(member)
        known = np.flatnonzero(digit < len(member.values))
        others, place = np.unique(self.sets[known] - digit[known] * member.weight, return_inverse=True)
        rows = np.full((len(others), len(member.values)), -1, dtype=np.int64)
        rows[place, digit[known]] = known
        rows = rows[(rows >= 0).sum(axis=1) > 1]
        order = np.argsort(-self._unknown[rows.max(axis=1)], kind="stable")
        return np.asarray(rows[order], dtype=np.int64)

    def known(self, row: int, but: UncertainPerson) -> dict[int, RecordValue]:
        """Returns the known records of a `row`'s set, by person, without that of the member `but`."""
        # The person whom the secret is about is left out: the adversary asks for this person's own value.
        places = {member: int(self._digit(member)[row]) for member in self.members if member != but}
        # The digit that is no index of a value says that the record is unknown.
        return {m.person: m.values[place] for m, place in places.items() if place < len(m.values)}


def known_sets(joint: Joint, scores: Scores) -> KnownSets | None:
    """Returns every known set of the joint's records; None where the answer is always the same.

    Args:
        joint: The law of the records of one group.
        scores: The query's scores.

    Raises:
        TooLarge: If there are too many sets, or too many answers.
    """
    # More than seventeen people of yes or no in one group: a long chain, a large household.
    count = count_outcomes(joint.factors())
    if count > MOST_OUTCOMES:
        # a double still holds it
        size = f"{float(min(count, 2**1000)):.2g} assignments of the records"
        raise TooLarge("all known sets", size, _SMALLER, MOST_OUTCOMES)
    slots, logs = all_outcomes(joint.factors())
    slots, logs = slots[logs > -np.inf], logs[logs > -np.inf]
    answers = combined(scores.indices[slots], scores.combine)
    axes = np.flatnonzero(np.ptp(answers, axis=0))
    # An answer that is the same whatever the records are, as a count of nobody's label.
    if not len(axes):
        return None
    points, point = np.unique(answers[:, axes], axis=0, return_inverse=True)
    members, code = _coded(joint, slots, len(points))
    # The log of an assignment is a sum over people, rounded each time; every person summed out is one more sum.
    sums = len(points) + sum(len(member.values) for member in members)
    roundings = (3 * slots.shape[1] + 8) * (1 + float(np.max(np.abs(logs)))) + 2 * sums
    code, logs = _forgotten(members, code * len(points) + point.ravel(), logs, len(points))
    low = points.min(axis=0)
    box = tuple(int(n) for n in points.max(axis=0) - low + 1)
    if prod(box) > allowed(MOST_ANSWERS):
        instead = or_more(_SMALLER, enough(prod(box), MOST_ANSWERS))
        raise TooLarge("all known sets", f"a box of {float(prod(box)):.2g} answers", instead, MOST_ANSWERS)
    place = np.ravel_multi_index(tuple((points - low).T), box)
    sets, relative = _given_each(code // len(points), place, code, logs, box)
    law = Law(tuple(int(i) for i in low), np.zeros(box), relative, roundings * UNIT)
    names = tuple(scores.names[axis] for axis in axes)
    lattice = scores.lattice.restricted(axes.tolist())
    return KnownSets(members, sets, law, lattice, names, tuple(axes.tolist()))


def _coded(joint: Joint, slots: IntArray, points: int) -> tuple[tuple[UncertainPerson, ...], IntArray]:
    """Returns the people of uncertain records, and every assignment as a set in which all records are known.

    TooLarge where a set and an answer together do not fit one number of 64 bits.
    """
    values = [value for stratum in joint.strata() for value in stratum.values]
    members: list[UncertainPerson] = []
    code = np.zeros(len(slots), dtype=np.int64)
    weight = 1
    for person, column in zip(people_of(joint), slots.T, strict=True):
        possible, place = np.unique(column, return_inverse=True)
        # Somebody whose record is certain is no secret, and to know it adds nothing.
        if len(possible) < 2:
            continue
        members.append(UncertainPerson(person, tuple(values[slot] for slot in possible), weight))
        code += weight * place.ravel()
        weight *= len(possible) + 1
        # A known set and an answer together are one number of 64 bits.
        if weight * points > MOST_CODES:
            size = f"more than {len(members)} people and {points} answers"
            raise TooLarge("all known sets", size, _SMALLER, MOST_CODES)
    return tuple(members), code


def _forgotten(
    members: tuple[UncertainPerson, ...], code: IntArray, logs: Array, points: int
) -> tuple[IntArray, Array]:
    """Returns all terms log Pr[X_K = x_K, answer = v], by code; every member's record is known or not."""
    code, logs = _summed(code, logs)
    for done, member in enumerate(members):
        # Each person is summed out of all sets so far, those where others are unknown included: every set comes once.
        digit = code // (points * member.weight) % (len(member.values) + 1)
        more = _summed(code + (len(member.values) - digit) * member.weight * points, logs)
        code, logs = np.concatenate([code, more[0]]), np.concatenate([logs, more[1]])
        if len(code) > (most := allowed(MOST_TERMS)):
            # Everybody who is left doubles the terms, at most.
            needed = enough(len(code) << (len(members) - done - 1), MOST_TERMS)
            raise TooLarge("all known sets", f"more than {most:.2g} terms", or_more(_SMALLER, needed), MOST_TERMS)
    order = np.argsort(code)
    return code[order], logs[order]


def _summed(code: IntArray, logs: Array) -> tuple[IntArray, Array]:
    """Adds up terms of equal code; each sum is of non-negative numbers, scaled by the largest."""
    order = np.argsort(code, kind="stable")
    code, logs = code[order], logs[order]
    first = np.flatnonzero(np.diff(code, prepend=-1))
    return code[first], _log_sums(logs, first)


def _log_sums(logs: Array, first: IntArray) -> Array:
    """Returns log of the sum of each run of exponentials, the runs starting at `first`."""
    top = np.maximum.reduceat(logs, first)
    lengths = np.diff(first, append=len(logs))
    # Less the largest of each run: the probability of a long chain's assignment may be no double.
    sums: Array = top + np.log(np.add.reduceat(np.exp(logs - np.repeat(top, lengths)), first))
    return sums


def _given_each(
    sets: IntArray, place: IntArray, code: IntArray, logs: Array, box: tuple[int, ...]
) -> tuple[IntArray, Array]:
    """Returns the sets, and the law of the answer given each (sets, *box); place: in the box, by number of the point.

    TooLarge where sets times points of the box do not fit memory: two sums of incomes in cents have a large box.
    """
    first = np.flatnonzero(np.diff(sets, prepend=-1))
    size = prod(box)
    if (cells := len(first) * size) > allowed(MOST_CELLS):
        instead = or_more(_SMALLER, enough(cells, MOST_CELLS))
        raise TooLarge("all known sets", f"{len(first)} sets and a box of {size} answers", instead, MOST_CELLS)
    lengths = np.diff(first, append=len(sets))
    row = np.repeat(np.arange(len(first)), lengths)
    # A known set leaves few answers of all that the box holds; the others are impossible given it.
    relative = np.full((len(first), size), -np.inf)
    relative[row, place[code % len(place)]] = logs - np.repeat(_log_sums(logs, first), lengths)
    return sets[first], relative.reshape(len(first), *box)


def how_many(world: RecordWorld, fraction: float) -> int:
    """Returns floor(γ n), the number of records that may be known in `world`.

    γ is `fraction`, read as the decimal it is written as. Among a hundred records 0.29 are 29, where doubles would have
    28.999999999999996.
    """
    people = count_people(world.joint)
    return int(Fraction(str(fraction)) * people)


def _unbounded_far_out(law: Law, rows: IntArray) -> bool:
    """Says whether two values differ in the least or greatest answer on some coordinate, given some known set.

    Then Gaussian noise tells these apart without bound, far out. law: of exact answers; rows (sets, values).
    """
    possible = (law.relative > -inf).reshape(law.secrets, *law.box)
    for axis in range(1, possible.ndim):
        others = tuple(other for other in range(1, possible.ndim) if other != axis)
        there = np.asarray(possible.any(axis=others))
        ends = np.argmax(there, axis=1), there.shape[1] - 1 - np.argmax(there[:, ::-1], axis=1)
        for end in ends:
            known = np.where(rows >= 0, end[rows], -1)
            least = np.where(rows >= 0, known, there.shape[1]).min(axis=1)
            if np.any(least < known.max(axis=1)):
                return True
    return False


ValuePairs: TypeAlias = tuple[tuple[RecordValue, RecordValue], ...] | None
"""The pairs of values that must not be distinguished; None for all."""


@final
@dataclass(frozen=True)
class Separation:
    """A leakage between two values, as indices, and the set and output (a flat index) that attain it."""

    value: Enclosure
    secret: int
    against: int
    set: int
    output: int


def by_enumeration(
    joint: Joint, known: KnownSets | None, noise: Noise, pairs: ValuePairs, subjects: set[int]
) -> Iterator[Leakage]:
    """Yields one leakage in nats for each person asked about.

    A witness names the known records of the worst set, and the worst output given them.

    Args:
        joint: The law of the records of one group.
        known: All their known sets, as `known_sets` makes them; None for an answer that is always the same.
        noise: The noise of the whole answer.
        pairs: The pairs of values that must not be distinguished; None for all.
        subjects: The numbers of the people asked about.

    Raises:
        TooLarge: If it would take too long.
    """
    if known is None:
        return
    noise = noise.on(known.axes)
    # Gaussian noise: its worst output is infinitely far out, so that only the exact answer's leakage bounds it.
    likelihood = known.law if noise.shape.light_tailed else noise.mechanism(known.lattice).likelihood(known.law)
    for member in known.members:
        subject = joint.subject_of(member.person)
        # People who are exchangeable up to an error are so only without background knowledge.
        if member.person in subjects and (subject.class_error > 0 or subject.person == member.person):
            rows = known.secrets_of(member)
            for found in worst_sets(likelihood, rows, member.values, pairs):
                # An output is a post-processing of the exact answer, and no output is the worst.
                if noise.shape.light_tailed:
                    unbounded = noise.shape.gaussian and pairs is None and _unbounded_far_out(likelihood, rows)
                    yield Leakage(inf if unbounded else 0.0, found.value.upper, None)
                    continue
                place = np.unravel_index(found.output, likelihood.box)
                index = [int(i) + start for i, start in zip(place, likelihood.start, strict=True)]
                witness = Witness(
                    person=member.person,
                    who=subject.who,
                    secret=member.values[found.secret],
                    against=member.values[found.against],
                    output=noise.mechanism(known.lattice).output(index),
                    answers=known.names,
                    known=known.known(int(rows[found.set].max()), member),
                )
                yield Leakage(found.value.lower, found.value.upper, witness)


def worst_sets(law: Law, rows: IntArray, values: Sequence[RecordValue], pairs: ValuePairs) -> Iterator[Separation]:
    """Yields the worst over all sets and outputs: for all values together, or for each pair.

    Args:
        law: The likelihoods of outputs given each row.
        rows: The row for each value, or -1 where it is impossible (sets, values).
        values: The values of the record.
        pairs: The pairs of values that must not be distinguished; None for all.
    """
    place = {value: i for i, value in enumerate(values)}
    # A pair of values of which this person cannot have one says nothing about them.
    compared = [[place[a], place[b]] for a, b in pairs or () if a in place and b in place]
    for columns in [list(place.values())] if pairs is None else compared:
        sets = np.flatnonzero((rows[:, columns] >= 0).sum(axis=1) > 1)
        # A chain's first record that begins with certainty has one value only, whatever is known to its right.
        if len(sets):
            found = largest_ratio(law, rows[sets][:, columns])
            secret, against = columns[found.secret], columns[found.against]
            yield replace(found, secret=secret, against=against, set=int(sets[found.set]))


def largest_ratio(likelihood: Law, rows: IntArray) -> Separation:
    """Returns the largest log-ratio, in nats, of the likelihoods of two values of one row, over all rows and outputs.

    There is no upper end where some mass is not resolved.

    Args:
        likelihood: The likelihoods of outputs.
        rows: The row of the likelihood for each value, or -1 where it is impossible (sets, values).
    """
    logs = likelihood.relative.reshape(likelihood.secrets, -1)
    high, low = _ends(logs, rows)
    possible = high > -inf
    deepest = float(np.max(np.abs(logs), where=np.isfinite(logs), initial=0.0))
    error = inf if likelihood.floor is not None else likelihood.error + (8 + 4 * deepest) * UNIT
    value, (place, _) = peak(np.where(possible, high, 0.0) - low, np.asarray(possible), 2 * error)
    there = np.flatnonzero(rows[place] >= 0)
    own = logs[rows[place, there]]
    secret, against, output = pair_at(own, np.max(own, axis=0) > -inf, error, value.lower)
    return Separation(value, int(there[secret]), int(there[against]), place, output)


def _ends(logs: Array, rows: IntArray) -> tuple[Array, Array]:
    """Returns the largest and the least log-likelihood of each output, over the possible values: (sets, outputs)."""
    high = np.full((len(rows), logs.shape[1]), -inf)
    low = np.full(high.shape, inf)
    for own in rows.T:
        there = np.flatnonzero(own >= 0)
        high[there] = np.maximum(high[there], logs[own[there]])
        low[there] = np.minimum(low[there], logs[own[there]])
    return high, low
