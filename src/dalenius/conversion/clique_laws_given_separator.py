"""Trees of cliques as seen from records that separate them: a network's messages are made from these views.

Take three days, each as the day before with chance 0.7. They are two cliques that share the middle day. Beyond the
first day are two records. The middle day's neighbours have four states, each with its chances given the middle day's 0
and 1:

    >>> day = Masses.of(np.array([[0.35, 0.15], [0.15, 0.35]]))
    >>> views = CliqueViews(Cliques(((0, 1), (1, 2)), (day, day), np.array([-1, 0]), 1e-15, (np.arange(2),) * 3))
    >>> views.people[0].beyond, views.people[0].gain.round(6).tolist()
    (2, [[0.7, 0.3], [0.3, 0.7]])
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Final, final

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import Array, IntArray
from dalenius.joints.clique_laws import Cliques
from dalenius.laws.extended_range import Masses

_FAINT: Final = 1e-290
"""A chance that may be no double counts as this from above, and as none from below."""
CliqueEdge = tuple[int, int]
"""A clique, and its neighbour on the way to the record that is asked about."""


@final
@dataclass(frozen=True, eq=False)
class CliqueView:
    """A view of a clique from m states of some of its records, the separator, on r states of its others.

    Attributes:
        gain: The chances of the others' states given the separator's, from above (m, r).
        cost: The same chances, from below (m, r).
        possible: Whether they are above 0 (m, r).
        states: The others' values (records, r).
        children: The edges to the cliques beyond, each with the state of the records it shares (m, r).
        beyond: How many records there are, with those of these cliques.
    """

    gain: Array
    cost: Array
    possible: NDArray[np.bool_]
    states: IntArray
    children: tuple[tuple[CliqueEdge, IntArray], ...]
    beyond: int

    @cached_property
    def distance(self) -> IntArray:
        """The number of records that differ between states (r, r)."""
        return np.asarray((self.states[:, :, None] != self.states[:, None]).sum(axis=0), dtype=np.int64)

    def split(self) -> "tuple[tuple[tuple[CliqueEdge, IntArray], ...], CliqueView]":
        """Returns the cliques beyond that share records of the separator alone, and the view without them.

        Each comes with the state (m,) of these records. Given the separator they are independent of the others, and are
        changed after them.
        """
        # Because a child whose state is the same in every column shares records of the separator alone.
        outer = [(edge, place) for edge, place in self.children if (place == place[:, :1]).all()]
        inner = tuple(each for each in self.children if not (each[1] == each[1][:, :1]).all())
        return tuple((edge, place[:, 0]) for edge, place in outer), replace(self, children=inner)

    @property
    def pairs(self) -> float:
        """The number of pairs of states of the separator, times those of the others."""
        m, r = self.gain.shape
        return float(m * r) ** 2


@final
@dataclass(frozen=True, eq=False)
class CliqueViews:
    """The views of a tree of cliques from every separator of two neighbours, and from every record."""

    cliques: Cliques

    @cached_property
    def edges(self) -> tuple[tuple[CliqueEdge, CliqueView], ...]:
        """The views by edge, each after those to its children: inwards to the first clique, then outwards."""
        parents = self.cliques.parents.tolist()
        inwards = [(clique, parents[clique]) for clique in reversed(range(1, len(parents)))]
        outwards = [(parents[clique], clique) for clique in range(1, len(parents))]
        return tuple((edge, self._view(edge[0], self.shared(*edge), edge[1])) for edge in inwards + outwards)

    @cached_property
    def people(self) -> tuple[CliqueView, ...]:
        """The views from each record, in the clique of the fewest states."""
        return tuple(self._view(self.home(place), (place,), None) for place in range(len(self.cliques.slots)))

    def home(self, place: int) -> int:
        """Returns the clique of the fewest states among those that have the record at this `place`."""
        laws = self.cliques.laws
        return min(
            (i for i, own in enumerate(self.cliques.records) if place in own), key=lambda i: laws[i].mantissa.size
        )

    @cached_property
    def chances(self) -> tuple[Masses, ...]:
        """The chances of each record's values."""
        places = range(len(self.cliques.slots))
        return tuple(self.arranged(self.home(place), (place,)).summed((1,)) for place in places)

    def arranged(self, clique: int, shared: Sequence[int]) -> Masses:
        """Returns the law (m, r) of a `clique`, by the states of its `shared` records and of the others, in order."""
        own, law = self.cliques.records[clique], self.cliques.laws[clique]
        order = [own.index(place) for place in (*shared, *sorted(set(own) - set(shared)))]
        turned = Masses(law.mantissa.transpose(order), law.exponent.transpose(order))
        m = prod(turned.mantissa.shape[: len(shared)])
        return turned.reshaped((m, turned.mantissa.size // m))

    @cached_property
    def _beyond(self) -> dict[CliqueEdge, int]:
        """The number of records beyond each edge, without those shared."""
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
        """Returns the places of the records that two neighbouring cliques, `one` and `other`, share."""
        return tuple(sorted(set(self.cliques.records[one]) & set(self.cliques.records[other])))

    def _view(self, clique: int, shared: tuple[int, ...], towards: int | None) -> CliqueView:
        """Returns the view from `shared` records of a clique on its others.

        towards: the neighbour that is not beyond it.
        """
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
        # Because any clique but the first has its parent among the cliques beyond, unless it is seen from there.
        for other in [*([int(parents[clique])] if clique else []), *np.flatnonzero(parents == clique).tolist()]:
            if other != towards:
                place = np.zeros((m, r), dtype=np.int64)
                for record in self.shared(other, clique):
                    place = place * len(self.cliques.slots[record]) + values[record]
                children.append(((other, clique), place))
        # Because no double holds these possible chances well: gain counts them as 1e-290, cost as nothing.
        return CliqueView(
            gain=np.where(law.solid, np.maximum(given, _FAINT), 0.0),
            cost=np.where(given > 2 * _FAINT, given, 0.0),
            possible=law.solid,
            states=states,
            children=tuple(children),
            beyond=len(rest) + sum(self._beyond[edge] for edge, _ in children),
        )
