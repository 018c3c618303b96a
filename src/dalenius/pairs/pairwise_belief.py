"""The belief that knows only the laws of pairs of people in a network: it has no joint law.

The file also finds the paths by which these laws contradict that a person's neighbourhood is independent of everybody
else.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Final, TypeAlias, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.channel.bounded_channel import BoundedBelief
from dalenius.fields import RecordValue
from dalenius.joints.joint import Nature, Stratum, Subject
from dalenius.pairs.law_of_two_records import SLACK, PairLaw
from dalenius.sentences.sentence import Name, said

_Path: TypeAlias = tuple[int, int, int]
"""A person, a neighbour of theirs, and a neighbour of that one who is no neighbour of theirs; by numbers from 0."""


def _dependent(law: PairLaw) -> bool:
    """Says whether the two records of the pair are dependent."""
    return any(_moves(rows, own) for rows, own in ((law.forward, law.first), (law.backward, law.second)))


def _moves(rows: Array, own: Array | None) -> bool:
    """Says whether rows of values that somebody has differ, by more than roundings."""
    # Because the row of a value that nobody has may say anything.
    read = rows if own is None else rows[own > 0]
    return len(read) > 1 and float(np.ptp(read, axis=0).max()) > SLACK


def open_path(
    people: Sequence[int] | None, first: IntArray, second: IntArray, moving: NDArray[np.bool_]
) -> _Path | None:
    """Returns an open path from one of these people, or from anybody; None where there is none.

    Without one each neighbourhood may be independent of all others. There is a path iff one of two people whose records
    are dependent has a neighbour whom the other has not.

    Args:
        people: The people's numbers from 0; None for everybody.
        first: One end of each edge, from 0 (edges,).
        second: The other end, from 0 (edges,).
        moving: Whether the two records of each edge are dependent (edges,).

    Take three in a row, where the first is no friend of the last. With the third side of the triangle there is no such
    path:

    >>> row = np.array([0, 1]), np.array([1, 2])
    >>> open_path(None, *row, np.ones(2, dtype=bool))
    (2, 1, 0)
    >>> open_path(None, np.array([0, 1, 0]), np.array([1, 2, 2]), np.ones(3, dtype=bool)) is None
    True
    """
    around: dict[int, set[int]] = {}
    for one, other in zip(first.tolist(), second.tolist(), strict=True):
        around.setdefault(one, {one}).add(other)
        around.setdefault(other, {other}).add(one)
    chosen = None if people is None else set(people)
    for one, other in zip(first[moving].tolist(), second[moving].tolist(), strict=True):
        for near, far in ((one, other), (other, one)):
            near_one_only = around[near] - around[far]
            found = near_one_only if chosen is None else near_one_only & chosen
            # So that every processor finds the same path, the least number is taken.
            if found:
                return min(found), near, far
    return None


UNKNOWN: Final = -1
"""The place of the marginal of a person whose marginal is not known."""


@final
@dataclass(frozen=True)
class Around:
    """One class of people with the same kind of neighbourhood.

    Attributes:
        person: The number, from 1, of the first.
        people: How many there are.
        stratum: Their stratum.
        prior: The place of their marginal, or UNKNOWN.
        neighbours: For each kind, the index of the law from this person's end, the neighbour's stratum, and how many
            there are of it.
        far: For each stratum, how many further records may depend on theirs in any way.
    """

    person: int
    people: int
    stratum: int
    prior: int
    neighbours: tuple[tuple[int, int, int], ...]
    far: tuple[tuple[int, int], ...]

    @property
    def size(self) -> int:
        """The number of records that theirs may depend on, itself included."""
        return 1 + sum(times for *_, times in self.neighbours) + sum(times for _, times in self.far)

    @property
    def who(self) -> str:
        count = sum(times for *_, times in self.neighbours)
        return "person without neighbours" if not count else f"person with {count} neighbour{'s' if count > 1 else ''}"


@final
@dataclass(frozen=True, eq=False)
class PairwiseLaw(BoundedBelief):
    """The belief about a network in which each edge is a pair of records whose law is known, and nothing else is.

    If `anything` is false, records that are no neighbours of a person are independent of the vector of that person's
    record and its neighbours'. If it is true, records in other connected components are so, and of the rest of the
    component nothing is known.

    Attributes:
        values: The values of every record.
        labels: The label of each stratum.
        stratum: The stratum of each person (people,), by label.
        names: The people's names; None where they are numbered.
        first: One end of each edge, from 0 (edges,).
        second: The other end, from 0 (edges,).
        law: The place of each edge's law among `laws` (edges,).
        laws: The pair laws.
        priors: The marginals that occur (m, s).
        prior: The place of each person's marginal, or UNKNOWN (people,).
        anything: What is supposed of other records.
    """

    nature: ClassVar[Nature] = Nature(
        "laws of pairs",
        over="over all joint laws with the known pairs",
        instead=("model.kind", "pairwise", "a model with a joint law of all records here"),
    )
    unconditioned: ClassVar[str] = (
        "no known records beside model pairwise: the law of a pair given a third record needs a joint law"
    )

    values: tuple[RecordValue, ...]
    labels: tuple[str, ...]
    stratum: IntArray
    names: tuple[str, ...] | None
    first: IntArray
    second: IntArray
    law: IntArray
    laws: tuple[PairLaw, ...]
    priors: Array
    prior: IntArray
    anything: bool

    @property
    def people(self) -> int:
        return len(self.stratum)

    def strata(self) -> tuple[Stratum, ...]:
        counts = np.bincount(self.stratum, minlength=len(self.labels)).tolist()
        return tuple(Stratum(label, self.values, n) for label, n in zip(self.labels, counts, strict=True))

    def subject_of(self, person: int, single: bool = False) -> Subject:
        """Returns the `person` (numbered from 1) as a subject; InputError for nobody's number.

        Without a known marginal the logs are NaN. single is ignored.
        """
        self.check_person(person)
        around = self.around([person])[0]
        secrets = self.possible(around.prior)
        law = np.full(len(self.values), np.nan) if around.prior == UNKNOWN else self.priors[around.prior]
        own = np.flatnonzero(secrets)
        with np.errstate(divide="ignore"):
            logs = np.log(law[own])
        values = tuple(self.values[i] for i in own)
        return Subject(person, around.people, around.stratum, values, logs, around.size, around.who)

    def number_of(self, name: str) -> int | None:
        return None if self.names is None else self._numbers.get(name)

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.names or (), 1)}

    def contradiction(self, people: Collection[int] | None = None) -> str | None:
        """Returns why the pairs rule out that the neighbourhoods of these people are independent of all others.

        None where the pairs do not, or it is not supposed. people: their numbers from 1; None for everybody.
        """
        if self.anything:
            return None
        moving = np.array([_dependent(law) for law in self.laws], dtype=bool)
        chosen = None if people is None else [person - 1 for person in people]
        found = open_path(chosen, self.first, self.second, moving[self.law])
        if found is None:
            return None
        person, near, far = (self._called(each) for each in found)
        # Because no joint law is known in closed form if edges have a cycle.
        forest = len(self.first) <= self.people - 1 - int(self.component.max())
        key = "contradicted_forest" if forest else "contradicted"
        return said(key, far=Name(far), person=Name(person), near=Name(near))

    def _called(self, person: int) -> str:
        return f"person {person + 1}" if self.names is None else self.names[person]

    def rows(self, kind: int, possible: IntArray) -> Array:
        """Returns the neighbour's law given each `possible` value, scaled to sum to 1; kind: place in `directed`."""
        kept = self.directed[kind].forward[possible]
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))

    def possible(self, prior: int) -> NDArray[np.bool_]:
        """Returns which values a person can have (s,); prior: the place of their marginal, or UNKNOWN."""
        return np.ones(len(self.values), dtype=bool) if prior == UNKNOWN else self.priors[prior] > 0

    @cached_property
    def directed(self) -> tuple[PairLaw, ...]:
        """The laws from the person's end to the neighbour's: each one, and turned where that is another."""
        return (*self.laws, *(law.turned() for law in self.laws if not law.symmetric))

    @cached_property
    def _backward(self) -> IntArray:
        """The index in `directed` of each law from its second end."""
        turned = np.cumsum([not law.symmetric for law in self.laws]) - 1 + len(self.laws)
        return np.array([i if law.symmetric else int(turned[i]) for i, law in enumerate(self.laws)], dtype=np.int64)

    @cached_property
    def component(self) -> IntArray:
        """The connected component of each person (people,)."""
        from scipy.sparse import coo_array
        from scipy.sparse.csgraph import connected_components

        ones = np.ones(len(self.first), dtype=np.int8)
        graph = coo_array((ones, (self.first, self.second)), shape=(self.people, self.people))
        return np.asarray(connected_components(graph, directed=False)[1], dtype=np.int64)

    @cached_property
    def _counts(self) -> tuple[IntArray, IntArray]:
        """The numbers of records that each person's may depend on.

        They are the neighbours of each directed law and stratum (people, laws · strata), and the further records of
        each stratum (people, strata).
        """
        laws, strata = len(self.directed), len(self.labels)
        ends = np.concatenate([self.first, self.second])
        others = np.concatenate([self.second, self.first])
        kind = np.concatenate([self.law, self._backward[self.law]]) * strata + self.stratum[others]
        near = np.bincount(ends * (laws * strata) + kind, minlength=self.people * laws * strata)
        near = near.reshape(self.people, laws * strata)
        far = np.zeros((self.people, strata), dtype=np.int64)
        # Because everybody whom some path connects may depend on the person, in a way that no pair says.
        if self.anything:
            parts = np.bincount(self.component * strata + self.stratum).astype(np.int64)
            parts = np.pad(parts, (0, -len(parts) % strata)).reshape(-1, strata)
            far = parts[self.component] - near.reshape(self.people, laws, strata).sum(axis=1)
            far[np.arange(self.people), self.stratum] -= 1
        return near.astype(np.int64), far

    def around(self, people: "list[int] | None" = None) -> tuple[Around, ...]:
        """Returns the classes of these people, by number, or of everybody; in the order of their first person."""
        near, far = self._counts
        rows = np.concatenate([self.stratum[:, None], self.prior[:, None], near, far], axis=1)
        chosen = np.arange(self.people) if people is None else np.unique(np.array(people, dtype=np.int64)) - 1
        found, index, counts = np.unique(rows[chosen], axis=0, return_index=True, return_counts=True)
        strata, width = len(self.labels), near.shape[1]
        classes = []
        for row, place, count in sorted(zip(found, index, counts, strict=True), key=lambda each: int(each[1])):
            kinds, others = row[2 : 2 + width], row[2 + width :]
            neighbours = tuple((int(k) // strata, int(k) % strata, int(kinds[k])) for k in np.flatnonzero(kinds))
            further = tuple((int(k), int(others[k])) for k in np.flatnonzero(others))
            classes.append(Around(int(chosen[place]) + 1, int(count), int(row[0]), int(row[1]), neighbours, further))
        return tuple(classes)

    def widest(self, people: "list[int] | None" = None) -> tuple[Around, ...]:
        """Returns the classes of `around` that no other contains, for these `people` (None for everybody).

        A person with more neighbours of the same kinds, and more other records that may depend on theirs, is bounded by
        no less.
        """
        near, far = self._counts
        by_kind: dict[tuple[int, int], list[Around]] = {}
        for each in self.around(people):
            by_kind.setdefault((each.stratum, each.prior), []).append(each)
        kept: list[Around] = []
        for group in by_kind.values():
            places = [each.person - 1 for each in group]
            rows = np.concatenate([near[places], far[places]], axis=1)
            chosen: list[int] = []
            for i in np.argsort(-rows.sum(axis=1), kind="stable").tolist():
                # Because a person with two friends of a kind is bounded by one with three, few are left of a network.
                if not (rows[chosen] >= rows[i]).all(axis=1).any():
                    chosen.append(i)
            kept += [group[i] for i in chosen]
        return tuple(sorted(kept, key=lambda each: each.person))
