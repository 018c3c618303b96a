"""The Markov law of a forest of people whose linked pairs have known laws."""

import numpy as np

from dalenius.errors import InputError
from dalenius.laws.law import Array, IntArray
from dalenius.models.network import Node
from dalenius.ratios.pairs.law import UNKNOWN, PairwiseLaw


def markov_nodes(law: PairwiseLaw) -> tuple[Node, ...]:
    """A node for each person, in their order: the first of each connected part is its root, and everybody else's parent
    is the neighbour on the way there. InputError where edges have a cycle, or a marginal is not known."""
    unknown = np.flatnonzero(law.prior == UNKNOWN)
    if len(unknown):
        raise InputError(
            "model.prior", "missing", f"the marginal of person {unknown[0] + 1}, which no law of a pair says"
        )
    order, parent, edge = _forest(law)
    names = law.names if law.names is not None else tuple(str(i) for i in range(1, law.people + 1))
    nodes: dict[int, Node] = {}
    for person in order.tolist():
        above = int(parent[person])
        own = law.priors[law.prior[person]]
        rows: Array = own[None]
        if above >= 0:
            pair = law.laws[law.law[edge[person]]]
            rows = pair.forward if law.first[edge[person]] == above else pair.backward
            # Given what a parent cannot be, anything may be said.
            rows = np.where(law.possible(int(law.prior[above]))[:, None], rows, own)
        given = [tuple(row) for row in rows.tolist()]
        nodes[person] = Node(
            name=names[person],
            values=law.values,
            parents=() if above < 0 else (names[above],),
            probabilities=given[0] if above < 0 else tuple(given),
            label=law.labels[law.stratum[person]],
        )
    return tuple(nodes[person] for person in range(law.people))


def _forest(law: PairwiseLaw) -> tuple[IntArray, IntArray, IntArray]:
    """An order with parents before their children, each person's parent, or -1, and the edge to it."""
    n = law.people
    parts = int(law.component.max()) + 1
    if len(law.first) > n - parts:
        wanted = (
            "a forest: with a cycle of edges, the pairs' laws and the Markov property fix no joint law in closed form"
        )
        raise InputError("model.edges", f"{len(law.first)} edges among {n} people in {parts} parts", wanted)
    ends, others = np.concatenate([law.first, law.second]), np.concatenate([law.second, law.first])
    numbers = np.tile(np.arange(len(law.first)), 2)
    by_end = np.argsort(ends, kind="stable")
    starts = np.searchsorted(ends[by_end], np.arange(n + 1))
    parent, edge = np.full(n, -1, dtype=np.int64), np.full(n, -1, dtype=np.int64)
    seen, order = np.zeros(n, dtype=bool), list[int]()
    for root in range(n):
        waiting = [] if seen[root] else [root]
        seen[root] = True
        while waiting:
            person = waiting.pop()
            order.append(person)
            for place in by_end[starts[person] : starts[person + 1]].tolist():
                other = int(others[place])
                if not seen[other]:
                    seen[other], parent[other], edge[other] = True, person, numbers[place]
                    waiting.append(other)
    return np.array(order, dtype=np.int64), parent, edge
