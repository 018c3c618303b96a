"""A tree of cliques as seen from records that separate it: what the messages of a network's bound are made from.

Beside it the joint law of a few records around one, and that of how many have values that its own makes likelier: a
mechanism may go by that number alone, and leaks no less than any other is bound by (Result 13.7).

Three days, each as the day before with chance 0.7, are two cliques that share the middle day. Beyond the first day are
two records. Of the middle day's neighbours there are four states, each with its chances given the middle day's 0 and 1:

    >>> day = Masses.of(np.array([[0.35, 0.15], [0.15, 0.35]]))
    >>> views = CliqueViews(Cliques(((0, 1), (1, 2)), (day, day), np.array([-1, 0]), 1e-15, (np.arange(2),) * 3))
    >>> views.people[0].beyond, views.people[0].gain.round(6).tolist()
    (2, [[0.7, 0.3], [0.3, 0.7]])
    >>> states, chances = states_around(views, 1, 4)
    >>> np.hstack([states, chances.round(6)]).tolist()
    [[0.0, 0.0, 0.49, 0.09], [0.0, 1.0, 0.21, 0.21], [1.0, 0.0, 0.21, 0.21], [1.0, 1.0, 0.09, 0.49]]
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.bounds import UNIT
from dalenius.conversion.dependence import Dependence
from dalenius.joints.factors import Cliques
from dalenius.laws.extended_range import Masses
from dalenius.laws.law import Array, IntArray

_FAINT: Final = 1e-290
"""Chances that may be no double: above, they count as this; below, as none."""
CliqueEdge = tuple[int, int]
"""A clique, and its neighbour on the way to the record that is asked about."""


@final
@dataclass(frozen=True, eq=False)
class CliqueView:
    """A clique from m states of some of its records, the separator, on r states of its others.

    records: the others' places. gain, cost (m, r): the chances of the others' states given the separator's, from above
    and from below; possible (m, r); states (records, r): the others' values; children: the edges to the cliques beyond,
    each with the state (m, r) of the records it shares; beyond: how many records there are, with those of these
    cliques.
    """

    records: tuple[int, ...]
    gain: Array
    cost: Array
    possible: NDArray[np.bool_]
    states: IntArray
    children: tuple[tuple[CliqueEdge, IntArray], ...]
    beyond: int

    @cached_property
    def distance(self) -> IntArray:
        """How many records differ (r, r)."""
        return np.asarray((self.states[:, :, None] != self.states[:, None]).sum(axis=0), dtype=np.int64)

    def split(self) -> "tuple[tuple[tuple[CliqueEdge, IntArray], ...], CliqueView]":
        """The cliques beyond that share records of the separator alone, each with the state (m,) of these; and the view
        without them: given the separator they are independent of the others, and are changed after them."""
        # A child whose state is the same in every column shares records of the separator alone.
        outer = [(edge, place) for edge, place in self.children if (place == place[:, :1]).all()]
        inner = tuple(each for each in self.children if not (each[1] == each[1][:, :1]).all())
        return tuple((edge, place[:, 0]) for edge, place in outer), replace(self, children=inner)

    @property
    def pairs(self) -> float:
        """Of states of the separator, times those of the others."""
        m, r = self.gain.shape
        return float(m * r) ** 2


@final
@dataclass(frozen=True, eq=False)
class CliqueViews:
    """A tree of cliques from every separator of two neighbours, and from every record."""

    cliques: Cliques

    @cached_property
    def edges(self) -> tuple[tuple[CliqueEdge, CliqueView], ...]:
        """Each after those to its children: inwards to the first clique, then outwards."""
        parents = self.cliques.parents.tolist()
        inwards = [(clique, parents[clique]) for clique in reversed(range(1, len(parents)))]
        outwards = [(parents[clique], clique) for clique in range(1, len(parents))]
        return tuple((edge, self._view(edge[0], self.shared(*edge), edge[1])) for edge in inwards + outwards)

    @cached_property
    def people(self) -> tuple[CliqueView, ...]:
        """From each record, in the clique of the fewest states."""
        return tuple(self._view(self.home(place), (place,), None) for place in range(len(self.cliques.slots)))

    def home(self, place: int) -> int:
        """The clique of the fewest states among those that have this record."""
        laws = self.cliques.laws
        return min(
            (i for i, own in enumerate(self.cliques.records) if place in own), key=lambda i: laws[i].mantissa.size
        )

    @cached_property
    def chances(self) -> tuple[Masses, ...]:
        """Of each record's values."""
        places = range(len(self.cliques.slots))
        return tuple(self.arranged(self.home(place), (place,)).summed((1,)) for place in places)

    def outwards(self, place: int) -> list[tuple[CliqueEdge | None, CliqueView]]:
        """The view from a record, and those along every edge, each before those to its children."""
        known, found = dict(self.edges), list[tuple[CliqueEdge | None, CliqueView]]([(None, self.people[place])])
        for _, view in found:
            found += [(edge, known[edge]) for edge, _ in view.children]
        return found

    def arranged(self, clique: int, shared: Sequence[int]) -> Masses:
        """A clique's law (m, r), by the states of these of its records and of the others, in that order."""
        own, law = self.cliques.records[clique], self.cliques.laws[clique]
        order = [own.index(place) for place in (*shared, *sorted(set(own) - set(shared)))]
        turned = Masses(law.mantissa.transpose(order), law.exponent.transpose(order))
        m = prod(turned.mantissa.shape[: len(shared)])
        return turned.reshaped((m, turned.mantissa.size // m))

    @cached_property
    def _beyond(self) -> dict[CliqueEdge, int]:
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

    def _view(self, clique: int, shared: tuple[int, ...], towards: int | None) -> CliqueView:
        """The view from `shared` records of a clique on its others; towards: the neighbour that is not beyond it."""
        own = self.cliques.records[clique]
        rest = tuple(sorted(set(own) - set(shared)))
        law = self.arranged(clique, shared)
        given = law.over(law.summed((1,)).with_last_axis()).doubles()
        sizes = [len(self.cliques.slots[place]) for place in (*shared, *rest)]
        m, r = law.mantissa.shape
        values = dict(zip((*shared, *rest), np.indices(sizes).reshape(len(sizes), m, r), strict=True))
        states = np.array([values[place][0] for place in rest]).reshape(len(rest), r)
        children = []
        parents = self.cliques.parents
        # The first clique has no parent; any other has it among the cliques beyond, unless it is seen from there.
        for other in [*([int(parents[clique])] if clique else []), *np.flatnonzero(parents == clique).tolist()]:
            if other != towards:
                place = np.zeros((m, r), dtype=np.int64)
                for record in self.shared(other, clique):
                    place = place * len(self.cliques.slots[record]) + values[record]
                children.append(((other, clique), place))
        # Of possible chances that no double holds well: gain counts them as 1e-290, cost as nothing.
        return CliqueView(
            records=rest,
            gain=np.where(law.solid, np.maximum(given, _FAINT), 0.0),
            cost=np.where(given > 2 * _FAINT, given, 0.0),
            possible=law.solid,
            states=states,
            children=tuple(children),
            beyond=len(rest) + sum(self._beyond[edge] for edge, _ in children),
        )


def nearest_records(views: CliqueViews, place: int, most: int) -> list[int]:
    """The record and others, by how many cliques away they are, whose states are `most` at the most."""
    sizes = [len(slots) for slots in views.cliques.slots]
    found, front, states = [place], [place], 1
    while front and states <= most:
        around = {each for own in views.cliques.records if set(own) & set(front) for each in own} - set(found)
        front = []
        for each in sorted(around):
            # A record of many values may not fit where a later one of fewer still does.
            if states * sizes[each] <= most:
                found.append(each)
                front.append(each)
                states *= sizes[each]
    return found


def states_around(views: CliqueViews, place: int, most: int) -> tuple[IntArray, Array]:
    """States of the records nearest to one (rows, records), `most` at the most, and their chances given each of its
    values (rows, k)."""
    kept = nearest_records(views, place, most)[1:]
    sizes = [len(views.cliques.slots[each]) for each in kept]
    states = np.indices(sizes).reshape(len(kept), -1).T
    found: dict[CliqueEdge | None, Array] = {}
    for edge, view in reversed(views.outwards(place)):
        agree = np.ones((len(states), view.gain.shape[1]), dtype=bool)
        for each, own in zip(view.records, view.states, strict=True):
            if each in kept:
                agree &= states[:, kept.index(each), None] == own
        beyond = [(found[child], at) for child, at in view.children if child in found]
        # A branch with none of the records kept has chances that sum to 1, and needs no factor.
        if edge is None or beyond or not agree.all():
            found[edge] = np.where(agree[:, None], view.gain, 0.0)
            for chances, at in beyond:
                found[edge] = found[edge] * chances[:, at]
            found[edge] = found[edge].sum(axis=2)
    return states, found[None]


def question_of_count(
    views: CliqueViews, place: int, one: int, other: int | None, nearest: Sequence[int], about: Dependence
) -> Dependence:
    """A question like `about`, where all that is looked at is how many of these records have such a value; other: None
    for information."""
    order, chances = views.outwards(place), views.chances[place].doubles()
    rest = [value for value in np.flatnonzero(views.chances[place].solid).tolist() if value != one]
    # Information: against all other values together, each with its own chance.
    others = rest if other is None else [other]
    beliefs = {value: _beliefs(views, value, order) for value in [one, *others]}
    weights = {value: chances[value] if other is None else 1.0 for value in others}
    likelier = {}
    for each in nearest:
        against = sum(weights[value] * beliefs[value][each] for value in others) / sum(weights.values())
        likelier[each] = np.asarray(beliefs[one][each] > against)
    laws = {value: _count_law(value, order, likelier) for value in [one, *others]}
    # More than all chances that count as none are together.
    cost = sum((weights[value] * laws[value] for value in others), np.zeros(len(nearest) + 1)) + 1e-280
    n, cells = len(nearest), sum(law.mantissa.size for law in views.cliques.laws)
    counts = np.arange(n + 1)
    return replace(
        about,
        gain=laws[one],
        cost=cost,
        distance=np.abs(counts[:, None] - counts),
        size=n + 1,
        error=about.error + 4 * views.cliques.error + 8 * UNIT * (cells + (n + 4) * len(views.cliques.slots)),
    )


def _beliefs(views: CliqueViews, value: int, order: Sequence[tuple[CliqueEdge | None, CliqueView]]) -> dict[int, Array]:
    """Every other record's law (values,), by its place, given the value of one; order: the views outwards from it, each
    before those to its children. Chances from below."""
    found: dict[int, Array] = {}
    sizes, known = [len(slots) for slots in views.cliques.slots], dict[CliqueEdge | None, Array]()
    for edge, view in order:
        m = len(view.cost)
        # The record has the given value for certain; a separator has the law that the clique before it left.
        law = (np.arange(m) == value).astype(float) if edge is None else known[edge]
        joint = law[:, None] * view.cost
        for child, at in view.children:
            states = prod(sizes[each] for each in views.shared(*child))
            known[child] = np.asarray(np.bincount(at.ravel(), joint.ravel(), states), dtype=np.float64)
        for each, own in zip(view.records, view.states, strict=True):
            found[each] = np.asarray(np.bincount(own, joint.sum(axis=0), sizes[each]), dtype=np.float64)
    return found


def _count_law(
    value: int, order: Sequence[tuple[CliqueEdge | None, CliqueView]], likelier: Mapping[int, NDArray[np.bool_]]
) -> Array:
    """The law (records + 1,) of how many of the records in `likelier` have one of the values marked there, given the
    value of one record: messages inwards, each a law of the number beyond its separator."""
    messages: dict[CliqueEdge | None, list[Array]] = {}
    for edge, view in reversed(order):
        hits = np.zeros(view.cost.shape[1], dtype=np.int64)
        for each, own in zip(view.records, view.states, strict=True):
            hits += likelier[each][own] if each in likelier else 0
        # Of the record only the given value is wanted, of a separator every state that it may be in.
        rows = [value] if edge is None else range(len(view.cost))
        messages[edge] = [
            _mixed(view.cost[row], hits, [(messages[child], at[row]) for child, at in view.children]) for row in rows
        ]
    found = np.zeros(len(likelier) + 1)
    found[: len(messages[None][0])] = messages[None][0]
    return found


def _mixed(given: Array, hits: IntArray, children: Sequence[tuple[list[Array], Array]]) -> Array:
    """The law of the number of one clique's own and all beyond it, over its states.

    given (r,): the chances of the states; hits (r,): how many of the clique's own records count in each; children: the
    messages of the cliques beyond by the state of what they share, and that state (r,).
    """
    found = np.zeros(1)
    # Impossible states are skipped: where values rule each other out they may be most of them.
    for state in np.flatnonzero(given).tolist():
        law = np.append(np.zeros(int(hits[state])), given[state])
        for messages, at in children:
            law = np.convolve(law, messages[int(at[state])])
        size = max(len(law), len(found))
        found = np.pad(found, (0, size - len(found))) + np.pad(law, (0, size - len(law)))
    return found
