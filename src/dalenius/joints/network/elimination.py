"""The order in which a network's nodes are summed out: least fill first."""

import heapq
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Final, final

from dalenius.errors import TooLarge

MOST_CELLS: Final = 1 << 23
"""How many states the cliques may have together, those of probability 0 included: each clique has a table."""
MOST_STATES: Final = 1 << 20
"""How many states of positive probability the cliques may have: these have messages, a minute per 10^5."""
MOST_BYTES: Final = 4 << 30
"""How much memory the messages may take."""


@final
@dataclass(frozen=True)
class Bucket:
    """A node and its boundary: the nodes that it is linked to when it is summed out.

    Given the boundary, it and all nodes summed out through it are independent of every other node. The boundary is in
    the order of elimination, last first.
    """

    node: int
    boundary: tuple[int, ...]


def connected(families: Sequence[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    """The nodes of each connected component, in order; components in the order of their first nodes.

    families: nodes that share a conditional probability table; every node is in one.
    """
    adjacent = _linked(families)
    seen: set[int] = set()
    found = []
    for first in sorted(adjacent):
        if first not in seen:
            component, waiting = {first}, [first]
            while waiting:
                fresh = adjacent[waiting.pop()] - component
                component |= fresh
                waiting += fresh
            seen |= component
            found.append(tuple(sorted(component)))
    return tuple(found)


def eliminated(families: Sequence[Sequence[int]], sizes: Mapping[int, int]) -> tuple[Bucket, ...]:
    """The buckets of one connected component's nodes, in the order of elimination; the last has no boundary.

    families: as for `connected`; sizes: how many values each node has. TooLarge where the cliques' tables would not fit
    memory, before any of them is made.
    """
    adjacent = _linked(families)
    found = []
    for bucket in _in_order(adjacent, sizes):
        # One clique past the limit is enough; ordering so dense a graph would take long.
        _check_tables([bucket], sizes)
        found.append(bucket)
    _check_tables(found, sizes)
    place = {bucket.node: i for i, bucket in enumerate(found)}
    return tuple(Bucket(b.node, tuple(sorted(b.boundary, key=place.__getitem__, reverse=True))) for b in found)


def _linked(families: Iterable[Sequence[int]]) -> dict[int, set[int]]:
    """The moral graph: members of a family are linked to each other."""
    adjacent: dict[int, set[int]] = {node: set() for family in families for node in family}
    for family in families:
        for node in family:
            adjacent[node].update(family)
    for node, around in adjacent.items():
        around.discard(node)
    return adjacent


def _in_order(adjacent: dict[int, set[int]], sizes: Mapping[int, int]) -> Iterator[Bucket]:
    """Trees from their leaves inwards, then the node that links fewest new pairs, ties to the fewest clique states."""
    left = set(adjacent)
    leaves = deque(node for node in sorted(left) if len(adjacent[node]) <= 1)
    while leaves:
        node = leaves.popleft()
        if node in left:
            left.remove(node)
            yield Bucket(node, tuple(adjacent[node]))
            for other in adjacent[node]:
                adjacent[other].discard(node)
                if len(adjacent[other]) <= 1:
                    leaves.append(other)
    cost = {node: _cost(node, adjacent, sizes) for node in left}
    waiting = [(each, node) for node, each in cost.items()]
    heapq.heapify(waiting)
    while waiting:
        known, node = heapq.heappop(waiting)
        if cost.get(node) == known:  # else it was queued again, or is summed out
            del cost[node]
            yield Bucket(node, tuple(adjacent[node]))
            for other in _without(node, adjacent):
                cost[other] = _cost(other, adjacent, sizes)
                heapq.heappush(waiting, (cost[other], other))


def _cost(node: int, adjacent: Mapping[int, set[int]], sizes: Mapping[int, int]) -> tuple[int, int]:
    around = adjacent[node]
    linked = sum(len(around & adjacent[other]) for other in around)
    return len(around) * (len(around) - 1) - linked, sizes[node] * prod(sizes[other] for other in around)


def _without(node: int, adjacent: Mapping[int, set[int]]) -> set[int]:
    """Removes a node and links its neighbours; returns the nodes whose cost changes."""
    around = adjacent[node]
    changed = set(around)
    for other in around:
        adjacent[other].discard(node)
    for one, other in combinations(around, 2):
        if other not in adjacent[one]:
            changed |= adjacent[one] & adjacent[other]
            adjacent[one].add(other)
            adjacent[other].add(one)
    return changed


def _check_tables(buckets: Sequence[Bucket], sizes: Mapping[int, int]) -> None:
    """TooLarge if the cliques have too many states for their tables."""
    cells = sum(prod(sizes[node] for node in (*bucket.boundary, bucket.node)) for bucket in buckets)
    if cells > MOST_CELLS:
        raise _too_large(max(len(bucket.boundary) for bucket in buckets), cells, 150 * cells)


def check_messages(width: int, nodes: int, states: int, boundaries: int) -> None:
    """TooLarge if the messages would take too long or not fit memory.

    states, boundaries: how many states of positive probability all cliques, and all their boundaries, have.
    """
    # Per state of a boundary: the law of a count inside and that of one outside, which share the nodes.
    needed = 750 * states + (1000 + 32 * (nodes + 2)) * boundaries
    if states > MOST_STATES or needed > MOST_BYTES:
        raise _too_large(width, states, needed)


def _too_large(width: int, states: int, needed: float) -> TooLarge:
    return TooLarge(
        "summing out the network",
        f"a width of {width} ({states:.2g} states of cliques, {needed / 2**30:.2g} GiB or more)",
        "leave out links, merge values, or use the group method, which needs no law",
    )
