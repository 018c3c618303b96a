"""A tree of cliques as seen from records that separate it: what the messages of a network's bound are made from.

Beside it the joint law of a few records around one, and that of how many have values that its own makes likelier: a
mechanism may go by that number alone, and leaks no less than any other is bound by (Result 13.7).
"""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.conversion.dependence import Dependence
from dalenius.joints.factors import Cliques
from dalenius.laws.law import Array, IntArray
from dalenius.laws.numbers.masses import Masses

FAINT: Final = 1e-290
"""Chances that may be no double: above, they count as this; below, as none."""
Edge = tuple[int, int]
"""A clique, and its neighbour on the way to the record that is asked about."""


@final
@dataclass(frozen=True, eq=False)
class View:
    """A clique from m states of some of its records, the separator, on r states of its others.

    gain, cost (m, r): the chances of the others' states given the separator's, from above and from below; possible
    (m, r); states (records, r): the others' values; children: the edges to the cliques beyond, each with the state
    (m, r) of the records it shares; beyond: how many records there are, with those of these cliques.
    """

    gain: Array
    cost: Array
    possible: NDArray[np.bool_]
    states: IntArray
    children: tuple[tuple[Edge, IntArray], ...]
    beyond: int

    @cached_property
    def apart(self) -> IntArray:
        """How many records differ (r, r)."""
        return np.asarray((self.states[:, :, None] != self.states[:, None]).sum(axis=0), dtype=np.int64)

    @property
    def pairs(self) -> float:
        """Of states of the separator, times those of the others."""
        m, r = self.gain.shape
        return float(m * r) ** 2


@final
@dataclass(frozen=True, eq=False)
class Views:
    """A tree of cliques from every separator of two neighbours, and from every record."""

    cliques: Cliques

    @cached_property
    def edges(self) -> tuple[tuple[Edge, View], ...]:
        """Each after those to its children: inwards to the first clique, then outwards."""
        parents = self.cliques.parents.tolist()
        inwards = [(clique, parents[clique]) for clique in reversed(range(1, len(parents)))]
        outwards = [(parents[clique], clique) for clique in range(1, len(parents))]
        return tuple((edge, self._view(edge[0], self.shared(*edge), edge[1])) for edge in inwards + outwards)

    @cached_property
    def people(self) -> tuple[View, ...]:
        """From each record, in the clique of the fewest states."""
        return tuple(self._view(self.home(place), (place,), None) for place in range(len(self.cliques.slots)))

    def home(self, place: int) -> int:
        laws = self.cliques.laws
        return min(
            (i for i, own in enumerate(self.cliques.records) if place in own), key=lambda i: laws[i].mantissa.size
        )

    @cached_property
    def chances(self) -> tuple[Masses, ...]:
        """Of each record's values."""
        places = range(len(self.cliques.slots))
        return tuple(self.arranged(self.home(place), (place,)).summed((1,)) for place in places)

    def neighbours(self, clique: int) -> list[int]:
        parents = self.cliques.parents
        return [*([int(parents[clique])] if clique else []), *np.flatnonzero(parents == clique).tolist()]

    def arrangement(self, clique: int, shared: Sequence[int]) -> tuple[int, ...]:
        """A clique's records, these first."""
        return (*shared, *sorted(set(self.cliques.records[clique]) - set(shared)))

    def arranged(self, clique: int, shared: Sequence[int]) -> Masses:
        """A clique's law (m, r), by the states of these of its records and of the others, in that order."""
        own, law = self.cliques.records[clique], self.cliques.laws[clique]
        order = [own.index(place) for place in self.arrangement(clique, shared)]
        turned = Masses(law.mantissa.transpose(order), law.exponent.transpose(order))
        m = prod(turned.mantissa.shape[: len(shared)])
        return turned.reshaped((m, turned.mantissa.size // m))

    def given(self, clique: int, shared: Sequence[int]) -> Array:
        """Of the others given these (m, r)."""
        law = self.arranged(clique, shared)
        return law.over(law.summed((1,)).with_last_axis()).doubles()

    @cached_property
    def _beyond(self) -> dict[Edge, int]:
        """How many records are beyond each edge, without those shared."""
        parents, n = self.cliques.parents.tolist(), len(self.cliques.slots)
        below = [len(own) for own in self.cliques.records]
        for clique in reversed(range(1, len(parents))):
            below[clique] -= len(self.shared(clique, parents[clique]))
            below[parents[clique]] += below[clique]
        found = {}
        for clique in range(1, len(parents)):
            found[clique, parents[clique]] = below[clique]
            found[parents[clique], clique] = n - below[clique] - len(self.shared(clique, parents[clique]))
        return found

    def shared(self, one: int, other: int) -> tuple[int, ...]:
        """The records of two neighbouring cliques."""
        return tuple(sorted(set(self.cliques.records[one]) & set(self.cliques.records[other])))

    def _view(self, clique: int, shared: tuple[int, ...], towards: int | None) -> View:
        own = self.cliques.records[clique]
        rest = tuple(sorted(set(own) - set(shared)))
        law = self.arranged(clique, shared)
        given = self.given(clique, shared)
        sizes = [len(self.cliques.slots[place]) for place in (*shared, *rest)]
        m, r = law.mantissa.shape
        values = dict(zip((*shared, *rest), np.indices(sizes).reshape(len(sizes), m, r), strict=True))
        states = np.array([values[place][0] for place in rest]).reshape(len(rest), r)
        children = []
        for other in self.neighbours(clique):
            if other != towards:
                place = np.zeros((m, r), dtype=np.int64)
                for record in self.shared(other, clique):
                    place = place * len(self.cliques.slots[record]) + values[record]
                children.append(((other, clique), place))
        return View(
            gain=np.where(law.solid, np.maximum(given, FAINT), 0.0),
            cost=np.where(given > 2 * FAINT, given, 0.0),
            possible=law.solid,
            states=states,
            children=tuple(children),
            beyond=len(rest) + sum(self._beyond[edge] for edge, _ in children),
        )


def law_around(views: Views, place: int, most: int) -> tuple[IntArray, Array, list[int]]:
    """The record at a place and those nearest to it, whose states are `most` at the most: the states that are possible
    (rows, records), their log-chances (rows,), and the records' places in order."""
    kept = nearest(views, place, most)
    home = views.home(place)
    records, law = _towards(views, home, None, frozenset(kept), _between(views, home, kept))
    outside = tuple(axis for axis, each in enumerate(records) if each not in kept)
    law = law.summed(outside) if outside else law
    order = [each for each in records if each in kept]
    rows = np.unravel_index(law.possible, law.mantissa.shape)
    return np.stack(rows, axis=1), law.at(law.possible).logs(), order


def nearest(views: Views, place: int, most: int) -> list[int]:
    """The record and others, by how many cliques away they are, whose states are `most` at the most."""
    sizes = [len(slots) for slots in views.cliques.slots]
    found, front, states = [place], [place], 1
    while front and states <= most:
        around = {each for own in views.cliques.records if set(own) & set(front) for each in own} - set(found)
        front = []
        for each in sorted(around):
            if states * sizes[each] <= most:
                found.append(each)
                front.append(each)
                states *= sizes[each]
    return found


def _towards(
    views: Views, clique: int, before: int | None, kept: frozenset[int], through: frozenset[int]
) -> tuple[tuple[int, ...], Masses]:
    """The chances of a clique's records and of those kept beyond it; given the records that it shares with the clique
    before it, of all others but those shared."""
    own = views.cliques.records[clique]
    shared = () if before is None else tuple(each for each in own if each in views.cliques.records[before])
    records = (*shared, *sorted(set(own) - set(shared)))
    sizes = [len(views.cliques.slots[each]) for each in records]
    law = views.arranged(clique, tuple(shared))
    if shared:
        law = law.over(law.summed((1,)).with_last_axis())
    law = law.reshaped(tuple(sizes))
    for other in views.neighbours(clique):
        if other == before or other not in through:
            continue
        further, beyond = _towards(views, other, clique, kept, through)
        fresh = [each for each in further if each not in records]
        axes = [further.index(each) for each in records if each in further] + [further.index(each) for each in fresh]
        turned = Masses(beyond.mantissa.transpose(axes), beyond.exponent.transpose(axes))
        own_sizes = [len(views.cliques.slots[each]) if each in further else 1 for each in records]
        more = [turned.mantissa.shape[len(axes) - len(fresh) + i] for i in range(len(fresh))]
        law = law.reshaped((*law.mantissa.shape, *(1 for _ in fresh))).times(turned.reshaped((*own_sizes, *more)))
        records = (*records, *fresh)
    dropped = tuple(axis for axis, each in enumerate(records) if each not in kept and each not in shared)
    if dropped:
        law = law.summed(dropped)
    return tuple(each for axis, each in enumerate(records) if axis not in dropped), law


def _between(views: Views, home: int, kept: Sequence[int]) -> frozenset[int]:
    """The cliques on the ways from one to those in which these records are met first."""
    came, waiting, missing, found = {home: home}, deque([home]), set(kept), {home}
    while missing:
        clique = waiting.popleft()
        if missing & set(views.cliques.records[clique]):
            missing -= set(views.cliques.records[clique])
            step = clique
            while step not in found:
                found.add(step)
                step = came[step]
        fresh = [each for each in views.neighbours(clique) if each not in came]
        came |= dict.fromkeys(fresh, clique)
        waiting += fresh
    return frozenset(found)


MOST: Final = 64
"""Records that are counted: the nearest."""


def counted(
    views: Views, place: int, one: int, other: int | None, nearest: Sequence[int], about: Dependence
) -> Dependence:
    """A question like `about`, where all that is looked at is how many of these records have such a value; other: None
    for information."""
    order = _outwards(views, views.home(place))
    chances = views.chances[place].doubles()
    rest = [value for value in np.flatnonzero(views.chances[place].solid).tolist() if value != one]
    others = rest if other is None else [other]
    beliefs = {value: _beliefs(views, place, value, order) for value in [one, *others]}
    weights = {value: chances[value] if other is None else 1.0 for value in others}
    likelier = {}
    for each in nearest:
        against = sum(weights[value] * beliefs[value][each] for value in others) / sum(weights.values())
        likelier[each] = np.asarray(beliefs[one][each] > against)
    laws = {value: _count_law(views, place, value, order, likelier) for value in [one, *others]}
    cost = sum((weights[value] * laws[value] for value in others), np.zeros(len(nearest) + 1)) + FAINT
    n, cells = len(nearest), sum(law.mantissa.size for law in views.cliques.laws)
    counts = np.arange(n + 1)
    return Dependence(
        person=about.person,
        who=about.who,
        secret=about.secret,
        against=about.against,
        gain=laws[one],
        cost=cost,
        share=about.share,
        apart=np.abs(counts[:, None] - counts),
        size=n + 1,
        error=about.error + 4 * views.cliques.error + 8 * UNIT * (cells + (n + 4) * len(views.cliques.slots)),
        states=np.stack([n - counts, counts], axis=1),
        counted=True,
    )


def _outwards(views: Views, home: int) -> list[tuple[int, int]]:
    """Every clique and the one before it, -1 of the first."""
    found, place = [(home, -1)], 0
    while place < len(found):
        clique, before = found[place]
        found += [(other, clique) for other in views.neighbours(clique) if other != before]
        place += 1
    return found


def _beliefs(views: Views, place: int, value: int, order: Sequence[tuple[int, int]]) -> dict[int, Array]:
    """Every other record's law, given the value of one."""
    found: dict[int, Array] = {}
    laws: dict[int, tuple[tuple[int, ...], Array]] = {}
    for clique, before in order:
        shared = (place,) if before < 0 else views.shared(clique, before)
        records = views.arrangement(clique, shared)
        given = views.given(clique, shared)
        if before < 0:
            known = np.zeros(len(given))
            known[value] = 1.0
        else:
            known = _onto(*laws[before], shared).ravel()
        laws[clique] = records, (known[:, None] * given).reshape([len(views.cliques.slots[each]) for each in records])
        for each in records:
            if each not in found:
                found[each] = _onto(*laws[clique], (each,))
    return found


def _onto(records: tuple[int, ...], law: Array, kept: Sequence[int]) -> Array:
    left = law.sum(axis=tuple(axis for axis, each in enumerate(records) if each not in kept))
    rest = [each for each in records if each in kept]
    return np.asarray(left.transpose([rest.index(each) for each in kept]))


def _count_law(
    views: Views,
    place: int,
    value: int,
    order: Sequence[tuple[int, int]],
    likelier: Mapping[int, NDArray[np.bool_]],
) -> Array:
    """Of how many records have a value of theirs, given the value of one."""
    messages: dict[int, list[Array]] = {}
    for clique, before in reversed(order):
        shared = (place,) if before < 0 else views.shared(clique, before)
        records = views.arrangement(clique, shared)
        given = views.given(clique, shared)
        sizes = [len(views.cliques.slots[each]) for each in records]
        values = dict(zip(records, np.indices(sizes).reshape(len(sizes), *given.shape), strict=True))
        children = []
        for other in (each for each, near in order if near == clique):
            at = np.zeros(given.shape, dtype=np.int64)
            for each in views.shared(other, clique):
                at = at * len(views.cliques.slots[each]) + values[each]
            children.append((messages[other], at))
        hits = sum(
            (likelier[each][values[each]].astype(np.int64) for each in records[len(shared) :] if each in likelier),
            np.zeros(given.shape, dtype=np.int64),
        )
        rows = [value] if before < 0 else range(len(given))
        messages[clique] = [_mixed(given[row], hits[row], [(m, at[row]) for m, at in children]) for row in rows]
    found = np.zeros(len(likelier) + 1)
    last = messages[order[0][0]][0]
    found[: len(last)] = last
    return found


def _mixed(given: Array, hits: Array, children: Sequence[tuple[list[Array], Array]]) -> Array:
    """The law of the number of one clique's own and all beyond it, over its states."""
    found = np.zeros(1)
    for state in np.flatnonzero(given).tolist():
        law = np.append(np.zeros(int(hits[state])), given[state])
        for messages, at in children:
            law = np.convolve(law, messages[int(at[state])])
        size = max(len(law), len(found))
        found = np.pad(found, (0, size - len(found))) + np.pad(law, (0, size - len(law)))
    return found
