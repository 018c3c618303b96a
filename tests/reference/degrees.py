"""Degrees of small graphs, counted one by one; graphs are sets of pairs."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations, product
from typing import TypeAlias

Pair: TypeAlias = tuple[int, int]
Graph: TypeAlias = frozenset[Pair]


def pairs(people: int) -> list[Pair]:
    return list(combinations(range(people), 2))


def graphs(people: int) -> Iterator[Graph]:
    """All of them."""
    every = pairs(people)
    for kept in product((False, True), repeat=len(every)):
        yield frozenset(pair for pair, there in zip(every, kept, strict=True) if there)


def by_edge(graph: Graph, people: int) -> Iterator[Graph]:
    """The graphs with one edge more or less."""
    for pair in pairs(people):
        yield graph ^ {pair}


def but_one_person(people: int) -> Iterator[list[Graph]]:
    """All graphs in lists of those that differ in the edges of one person only."""
    for person in range(people):
        own = [pair for pair in pairs(people) if person in pair]
        choices = [frozenset(each) for size in range(len(own) + 1) for each in combinations(own, size)]
        for graph in graphs(people):
            if not any(person in pair for pair in graph):
                yield [graph | chosen for chosen in choices]


def degrees(graph: Iterable[Pair], people: int) -> list[int]:
    found = [0] * people
    for one, other in graph:
        found[one] += 1
        found[other] += 1
    return found


def projected(graph: Graph, order: Sequence[Pair], most: int) -> Graph:
    """Edges taken in that order where both ends have fewer than `most`."""
    kept: set[Pair] = set()
    for one, other in order:
        now = degrees(kept, 1 + max(max(pair) for pair in order))
        if (one, other) in graph and now[one] < most and now[other] < most:
            kept.add((one, other))
    return frozenset(kept)


def distance(one: Sequence[int], other: Sequence[int]) -> int:
    return sum(abs(a - b) for a, b in zip(one, other, strict=True))
