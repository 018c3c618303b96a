"""Pairs of records: who is linked with whom, as a spec gives it inline or in a file; and, of any model, what one
record's value reveals of another's score, which is all that dependence coefficients use.

A record j counts here as the score it adds to the answer: D_j of DDP's Eq 14 is that number, and ΔD_j = ΔQ_j its range.
Pairs in different independent groups are independent and left out, as are records that are certain. In each form that a
group of records may have, `Relatives` are the laws of each other record's score given each value.
"""

import csv
import gzip
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Final, final

import numpy as np
from numpy.typing import NDArray
from pydantic import Field

from dalenius.channel import Release
from dalenius.channel.answers import kinds_of
from dalenius.errors import InputError, TooLarge
from dalenius.frozen import Frozen
from dalenius.joints import Joint
from dalenius.joints.blocks import Block, Exchangeable
from dalenius.joints.chain import MarkovChain
from dalenius.joints.factors import Factor, group_rows
from dalenius.laws.law import Array, IntArray
from dalenius.ratios.pairs.friend_graphs import Dropped
from dalenius.ratios.pairs.law_of_two_records import PairsOfRecords
from dalenius.ratios.pairs.pairwise_channel import PairwiseWorld

EdgeRow = tuple[int | str, ...]
"""Two people, by number from 1 or by name, and the name of their law where there are several."""
_KEY: Final = "model.edges"


@final
class EdgeFile(Frozen):
    """A CSV file (.gz too) with a row for each edge: the columns of its ends, and of its law's name where there are
    several laws. Self-loops, edges that were there before and edges of people who are none of the model's are counted
    and left out."""

    file: Path
    first: Annotated[str, Field(min_length=1)]
    second: Annotated[str, Field(min_length=1)]
    law: Annotated[str, Field(min_length=1)] | None = None

    def rows(self) -> Iterator[EdgeRow]:
        """InputError for a file that cannot be read, or lacks a column."""
        try:
            opened = gzip.open if self.file.suffix == ".gz" else open
            with opened(self.file, "rt", encoding="utf-8", newline="") as text:
                reader = csv.reader(text)
                yield from self._read(next(reader, []), reader)
        except (OSError, UnicodeDecodeError, csv.Error) as error:
            reason = getattr(error, "strerror", None) or type(error).__name__
            raise InputError(f"{_KEY}.file", str(self.file), f"a CSV file that can be read ({reason})") from None

    def _read(self, header: list[str], rows: Iterator[list[str]]) -> Iterator[EdgeRow]:
        """The cells of the named columns, row by row; InputError for a column that is missing, or a row of another
        length."""
        places = []
        for key, name in (("first", self.first), ("second", self.second), ("law", self.law)):
            if name is not None:
                if name not in header:
                    raise InputError(f"{_KEY}.{key}", name, f"a column of {self.file.name}: {', '.join(header)}")
                places.append(header.index(name))
        for number, row in enumerate(rows, 2):
            # A blank line between the rows.
            if not row:
                continue
            if len(row) != len(header):
                wanted = f"{len(header)} cells in line {number}, as in the first"
                raise InputError(f"{_KEY}.file", str(self.file), wanted)
            yield tuple(row[place] for place in places)


def as_edges(given: Any) -> Any:
    """Lists of edges, checked one by one: pydantic would name the members of unions."""
    if isinstance(given, np.ndarray):
        given = given.tolist()
    if not isinstance(given, list | tuple):
        return given
    return tuple(_edge(number, each) for number, each in enumerate(given, 1))


def _edge(number: int, given: Any) -> EdgeRow:
    """One edge of an inline list; ValueError, which names its row, for anything but two people and perhaps a law."""
    parts = tuple(given) if isinstance(given, list | tuple) else ()
    # true is a whole number to Python, and nobody's name.
    named = all(isinstance(part, int | str) and not isinstance(part, bool) for part in parts)
    if not named or len(parts) not in (2, 3) or (len(parts) == 3 and not isinstance(parts[2], str)):
        raise ValueError(
            f"two people, and the name of their law where there are several, in each row (row {number} is {given!r})"
        )
    return parts


@final
@dataclass(frozen=True)
class NamedPeople:
    """How many there are, and their numbers, from 1, by name; without names they are called by their numbers."""

    count: int
    numbers: Mapping[str, int] | None = None

    def place(self, person: int | str) -> int:
        """From 0; -1 for somebody who is none of them."""
        if self.numbers is not None and isinstance(person, str):
            return self.numbers.get(person, 0) - 1
        # A file has texts only: of people without names "12" is number 12.
        if isinstance(person, str):
            person = int(person) if person.isdecimal() else 0
        return person - 1 if 1 <= person <= self.count else -1

    @property
    def words(self) -> str:
        return f"people's numbers from 1 to {self.count}" if self.numbers is None else "names of model.people"


@final
@dataclass(frozen=True, eq=False)
class LinkedPeople:
    """first, second (edges,): the ends, from 0; law (edges,): which of the laws; dropped: rows of the file that are no
    edges of their own."""

    first: IntArray
    second: IntArray
    law: IntArray
    dropped: Dropped = field(default_factory=Dropped)


def linked_people(
    given: tuple[EdgeRow, ...] | EdgeFile, people: NamedPeople, laws: Mapping[str, int], directed: frozenset[int]
) -> LinkedPeople:
    """laws: their indices by name; directed: those that are not the same from either end. InputError for an edge of no
    such people or law, and a pair with two different laws; of an inline list also for self-loops and pairs that were
    there before.

    Three people in a row, by name:

    >>> people = NamedPeople(3, {"ann": 1, "bob": 2, "cyd": 3})
    >>> found = linked_people((("ann", "bob"), ("bob", "cyd")), people, {"": 0}, frozenset())
    >>> found.first.tolist(), found.second.tolist()
    ([0, 1], [1, 2])
    """
    inline = not isinstance(given, EdgeFile)
    ends, kinds = _ends(given.rows() if isinstance(given, EdgeFile) else given, people, laws, inline)
    known = (ends >= 0).all(axis=1)
    loops = known & (ends[:, 0] == ends[:, 1])
    rows = np.flatnonzero(known & ~loops)
    low, high = ends[rows].min(axis=1, initial=people.count), ends[rows].max(axis=1, initial=-1)
    # One number for each unordered pair: 10^7 edges are compared at once.
    _, place, back = np.unique(low * people.count + high, return_index=True, return_inverse=True)
    before = rows[place][back.ravel()]
    _check_same(given, ends, kinds, (rows, before), directed, inline)
    kept = np.sort(rows[place])
    dropped = Dropped(int(loops.sum()), len(rows) - len(kept), int((~known).sum()))
    return LinkedPeople(ends[kept, 0], ends[kept, 1], kinds[kept], dropped)


def _ends(
    rows: Iterable[EdgeRow], people: NamedPeople, laws: Mapping[str, int], inline: bool
) -> tuple[IntArray, IntArray]:
    """Each row's two ends, from 0, and its law; -1 for somebody unknown, which only a file may name."""
    ends, kinds = [], []
    for number, row in enumerate(rows, 1):
        one, two = people.place(row[0]), people.place(row[1])
        key = f"{_KEY} row {number}"
        # In a file of a whole town, edges of people outside the model are left out; who lists edges by hand meant them.
        if inline and min(one, two) < 0:
            raise InputError(key, row[0] if one < 0 else row[1], people.words)
        if inline and one == two:
            raise InputError(key, list(row), "two different people")
        if len(row) == 2 and len(laws) > 1:
            raise InputError(key, list(row), f"also the name of the pair's law, one of {', '.join(laws)}")
        if len(row) == 3 and row[2] not in laws:
            raise InputError(key, row[2], f"the name of a law in model.laws: {', '.join(laws) or 'there are none'}")
        ends.append((one, two))
        kinds.append(0 if len(row) == 2 else laws[str(row[2])])
    return np.array(ends, dtype=np.int64).reshape(-1, 2), np.array(kinds, dtype=np.int64)


def _check_same(
    given: Any,
    ends: IntArray,
    kinds: IntArray,
    found: tuple[IntArray, IntArray],
    directed: frozenset[int],
    inline: bool,
) -> None:
    """InputError where one pair is there twice inline, or with two laws. found: rows, and the one that each one's pair
    has first."""
    rows, before = found
    again = rows != before
    if inline and again.any():
        row = int(rows[again][0])
        wanted = f"each pair of people once (row {int(before[again][0]) + 1} has the same two)"
        raise InputError(f"{_KEY} row {row + 1}", list(given[row]), wanted)
    # parent-child written as child-parent is another law, unless the law is the same from both ends.
    turned = np.isin(kinds[rows], sorted(directed)) & (ends[rows, 0] != ends[before, 0])
    other = again & ((kinds[rows] != kinds[before]) | turned)
    if other.any():
        row = int(rows[other][0])
        people = " and ".join(str(int(end) + 1) for end in ends[row])
        wanted = f"one law for the pair of people {people} (row {int(before[other][0]) + 1} has another)"
        raise InputError(f"{_KEY} row {row + 1}", "a second law", wanted)


_MOST_ENTRIES: Final = 4e7


@final
@dataclass(frozen=True)
class ScoreRanges:
    """By slot of the joint law: its score's place among `points`, and how wide its record's range is."""

    points: Array
    place: IntArray
    move: Array


@final
@dataclass(frozen=True)
class Relatives:
    """One record i: its values' slots (s,), and of each record j: times and laws (s, v)."""

    slots: IntArray
    times: IntArray
    laws: Array


def _pair_laws(factor: Factor, scores: ScoreRanges, every: bool) -> Iterator[Relatives]:
    """One for each class of a group's records that can have two values. every: pairs so distant in a chain that they
    are independent to rounding are not left out. TooLarge where they do not fit memory."""
    match factor:
        case MarkovChain():
            yield from _of_chain(factor, scores, every)
        case Exchangeable(block=block, slots=slots) if block.counts_suffice:
            yield from _of_counts(block, slots, scores)
        case _:
            yield from _of_rows(*group_rows(factor), scores)


def _of_counts(block: Block, slots: IntArray, scores: ScoreRanges) -> Iterator[Relatives]:
    """Of a group whose members are alike: of each class one record, and the mean law of one other in each class."""
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    free = [member for member in block.members if len(member.slots) > 1]
    fixed = [member.slots[0] for member in block.members if len(member.slots) == 1 for _ in member.positions]
    certain = np.bincount(np.array(fixed, dtype=np.int64), minlength=starts[-1])
    for member in free:
        weights = np.exp(member.log_given)
        own = np.array(member.slots)
        times, laws = [], []
        for other in free:
            # Oneself is no other.
            many = len(other.positions) - (other is member)
            universe = np.arange(starts[other.stratum], starts[other.stratum + 1])
            counts = (block.counts - certain)[:, universe]
            if many:
                # What the record itself counts is taken out of its own class.
                mine = (own[:, None] == universe) * (other is member)
                left = np.array([row @ (counts - one) for row, one in zip(weights, mine, strict=True)])
                law = np.zeros((len(own), len(scores.points)))
                np.add.at(law.T, scores.place[slots[universe]], np.maximum(left.T, 0.0) / many)
                times.append(many)
                laws.append(law / law.sum(axis=1, keepdims=True))
        found = np.array(laws).reshape(-1, len(own), len(scores.points))
        yield Relatives(slots[own], np.array(times, dtype=np.int64), found)


def _of_rows(slots: IntArray, logs: Array, scores: ScoreRanges) -> Iterator[Relatives]:
    """Of a group written out row by row: each record that can have two values, against each other such."""
    rows, size = slots.shape
    points = len(scores.points)
    hot = np.zeros((rows, size, points))
    hot[np.arange(rows)[:, None], np.arange(size), scores.place[slots]] = 1.0
    free = np.flatnonzero(np.ptp(slots, axis=0))
    for i in free:
        own, place = np.unique(slots[:, i], return_inverse=True)
        # Each value's rows on a scale of their own: the law given a value is one however rare the value is.
        mine = place.ravel() == np.arange(len(own))[:, None]
        top = np.max(np.where(mine, logs, -np.inf), axis=1)
        masses = np.exp(np.where(mine, logs, -np.inf) - top[:, None])
        sizes = masses.sum(axis=1)
        others = free[free != i]
        laws = np.tensordot(masses / sizes[:, None], hot[:, others], axes=1).swapaxes(0, 1)
        yield Relatives(own, np.ones(len(others), dtype=np.int64), laws)


def _of_chain(chain: MarkovChain, scores: ScoreRanges, every: bool) -> Iterator[Relatives]:
    """Of a chain, distance by distance, until pairs so far apart are independent to rounding; all where `every`."""
    possible, slots = chain.possible, chain.slots
    people, states = possible.shape
    likely = chain.log_marginals.argmax(axis=1)
    hot = np.zeros((people, states, len(scores.points)))
    hot[np.arange(people)[:, None], np.arange(states), scores.place[slots]] = 1.0
    steps, back = chain.steps.doubles(), chain.backward.doubles()
    ahead, behind, entries = steps, back, 0.0
    first, laws = [], []
    for distance in range(1, people):
        if distance > 1:
            # Laws given a value, either way, however rare it is: the mass they lose by underflow is negligible.
            ahead = steps[: people - distance] @ ahead[1:]
            behind = back[distance - 1 :] @ behind[:-1]
        forward = _filled(ahead, possible[:-distance], likely[:-distance])
        backward = _filled(behind, possible[distance:], likely[distance:])
        # A chain that forgets: from here on the coefficient adds nothing that a double would show.
        # Laws that differ by less, at all larger distances in a chain, are the same.
        if not every and max(float(np.ptp(each, axis=1).max()) for each in (forward, backward)) < 1e-14:
            break
        entries += 2.0 * len(forward) * states * len(scores.points)
        # All pairs of 10^5 days are 10^10 laws.
        if entries > _MOST_ENTRIES:
            raise TooLarge("all pairs of records", f"{people} records of a chain", "use the group method")
        near, far = np.arange(people - distance), np.arange(distance, people)
        first += [near, far]
        laws += [forward @ hot[far], backward @ hot[near]]
    if not first:
        return
    order = np.argsort(np.concatenate(first), kind="stable")
    ends = np.cumsum(np.bincount(np.concatenate(first), minlength=people))[:-1]
    for i, law in enumerate(np.split(np.concatenate(laws)[order], ends)):
        own = np.flatnonzero(possible[i])
        if len(own) > 1:
            yield Relatives(slots[i, own], np.ones(len(law), dtype=np.int64), law[:, own])


def _filled(laws: Array, possible: NDArray[np.bool_], likely: IntArray) -> Array:
    """Values that cannot occur have the law of the likeliest."""
    common = laws[np.arange(len(laws)), likely][:, None]
    return np.where(possible[:, :, None], laws, common)


def all_pairs(name: str, release: Release, every: bool = False) -> list[PairsOfRecords]:
    """Of every type of group, in every law of the model. InputError unless the answer is one sum.

    every: also pairs of one group that are independent to rounding.
    """
    if release.lattice.axes > 1 or not release.scores.additive:
        raise InputError("method", name, "an answer that is one sum of the records' scores")
    # Model pairwise has its pairs already; other models' are read from their joint laws.
    given = [(world, world.pairs() if isinstance(world, PairwiseWorld) else None) for world in release.worlds]
    found = [each for _, known in given for each in known or ()]
    if all(known is not None for _, known in given):
        return found
    return [
        *found,
        *(each for joint in release.worlds.joints for each in _of_joint(joint, _scores(release, joint), every)),
    ]


def _scores(release: Release, joint: Joint) -> ScoreRanges:
    """What each value adds to the answer, as a place among all such numbers, and how wide each record's range is."""
    indices = release.query.scores(kinds_of(joint), release.lattice).indices[:, 0]
    points, place = np.unique(indices, return_inverse=True)
    step = float(release.lattice.steps[0])
    starts = np.cumsum([0, *(len(stratum.values) for stratum in joint.strata())])
    move = np.concatenate([np.full(j - i, np.ptp(indices[i:j]) * step) for i, j in pairwise(starts)])
    return ScoreRanges(np.asarray(points * step, dtype=np.float64), place.ravel(), move)


def _of_joint(joint: Joint, scores: ScoreRanges, every: bool) -> Iterator[PairsOfRecords]:
    """Group by group of two or more: who is alone has no pairs."""
    for factor in (each for each in joint.factors() if each.size > 1):
        found = list(_pair_laws(factor, scores, every))
        if found:
            yield _together(found, scores)


def _together(records: list[Relatives], scores: ScoreRanges) -> PairsOfRecords:
    """One table for all records of a group; rows of those with fewer values are padded with their first."""
    width = max(len(record.slots) for record in records)
    if sum(len(record.times) for record in records) * width * len(scores.points) > _MOST_ENTRIES:
        raise TooLarge("all pairs of records", f"{len(records)} records of {width} values", "use the group method")

    def wide(laws: Array) -> Array:
        return np.concatenate([laws, np.repeat(laws[:, :1], width - laws.shape[1], axis=1)], axis=1)

    slots = [np.append(each.slots, np.full(width - len(each.slots), each.slots[0])) for each in records]
    own = [record.slots[0] for record in records]
    return PairsOfRecords(
        points=scores.points,
        scores=np.array([scores.points[scores.place[each]] for each in slots]),
        move=scores.move[own],
        first=np.repeat(np.arange(len(records)), [len(record.times) for record in records]),
        times=np.concatenate([record.times for record in records]).astype(np.float64),
        laws=np.concatenate([wide(record.laws) for record in records]),
    )
