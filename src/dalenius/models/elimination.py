"""In which order a network's nodes are summed out: least fill first, one connected component at a time."""

import heapq
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import Final, final

from dalenius.errors import TooLarge

MOST_BYTES: Final = 2 << 30
"""How much memory the messages of an elimination may take."""


@final
@dataclass(frozen=True)
class Bucket:
    """A node and its boundary: those summed out after it that it is linked to when its turn comes.

    Given the boundary, it and all that was summed out through it are independent of every other node. The boundary is
    in the order of elimination, last first.
    """

    node: int
    boundary: tuple[int, ...]


def eliminated(families: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[tuple[Bucket, ...], ...]:
    """Every node's bucket in the order of elimination, by connected component, in the order of their first nodes.

    families: nodes that share a conditional probability table; sizes: how many states each node has. TooLarge where
    the messages would not fit memory, before any of them is made.
    """
    adjacent = _linked(families, len(sizes))
    components = _components(adjacent)
    found: list[list[Bucket]] = [[] for _ in range(max(components, default=-1) + 1)]
    nodes = [0] * len(found)
    for component in components:
        nodes[component] += 1
    for bucket in _in_order(adjacent, sizes):
        component = components[bucket.node]
        # One clique past the limit is enough, and a graph as dense as that takes long to order.
        _check_memory([bucket], nodes[component], sizes)
        found[component].append(bucket)
    for buckets in found:
        _check_memory(buckets, len(buckets), sizes)
    place = {bucket.node: i for buckets in found for i, bucket in enumerate(buckets)}
    return tuple(
        tuple(Bucket(b.node, tuple(sorted(b.boundary, key=place.__getitem__, reverse=True))) for b in buckets)
        for buckets in found
    )


def _linked(families: Iterable[Sequence[int]], count: int) -> list[set[int]]:
    """The moral graph: members of a family are linked to each other."""
    adjacent: list[set[int]] = [set() for _ in range(count)]
    for family in families:
        for node in family:
            adjacent[node].update(family)
    for node, around in enumerate(adjacent):
        around.discard(node)
    return adjacent


def _components(adjacent: Sequence[set[int]]) -> list[int]:
    """Each node's component, numbered in the order of their first nodes."""
    component = [-1] * len(adjacent)
    count = 0
    for first in range(len(adjacent)):
        if component[first] < 0:
            waiting = [first]
            component[first] = count
            while waiting:
                for other in adjacent[waiting.pop()]:
                    if component[other] < 0:
                        component[other] = count
                        waiting.append(other)
            count += 1
    return component


def _in_order(adjacent: list[set[int]], sizes: Sequence[int]) -> Iterable[Bucket]:
    """Trees from their leaves inwards, then the node that links fewest new pairs, ties to the fewest clique states."""
    left = set(range(len(adjacent)))
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
        if cost.get(node) == known:  # else it was queued again, or is gone
            del cost[node]
            yield Bucket(node, tuple(adjacent[node]))
            for other in _without(node, adjacent):
                cost[other] = _cost(other, adjacent, sizes)
                heapq.heappush(waiting, (cost[other], other))


def _cost(node: int, adjacent: Sequence[set[int]], sizes: Sequence[int]) -> tuple[int, int]:
    around = adjacent[node]
    linked = sum(len(around & adjacent[other]) for other in around)
    return len(around) * (len(around) - 1) - linked, sizes[node] * prod(sizes[other] for other in around)


def _without(node: int, adjacent: list[set[int]]) -> set[int]:
    """Takes a node out and links its neighbours; the nodes whose cost that changes."""
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


def _check_memory(buckets: Sequence[Bucket], nodes: int, sizes: Sequence[int]) -> None:
    """TooLarge if the tables and the messages, each a law of up to nodes + 1 answers, would not fit."""
    states = [prod(sizes[node] for node in bucket.boundary) for bucket in buckets]
    cliques = [sizes[bucket.node] * given for bucket, given in zip(buckets, states, strict=True)]
    message = 500 + 16 * (nodes + 1)  # an array of numbers of unlimited range, and Python's own share
    needed = 2 * message * sum(states) + 150 * sum(cliques)
    if needed > MOST_BYTES:
        width = max(len(bucket.boundary) for bucket in buckets)
        raise TooLarge(
            "exact elimination in the network",
            f"a width of {width} ({max(cliques):.2g} states in a clique, {needed / 2**30:.2g} GiB of messages)",
            "leave out links between nodes, merge values, or use the group method, which needs no law",
        )
