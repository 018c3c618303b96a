"""Where pairs contradict that neighbourhoods are independent of everybody else, against all paths of two edges."""

import random

import numpy as np

from dalenius.ratios.pairs.law import OpenPaths


def by_hand(people: int, edges: list[tuple[int, int, bool]], whose: list[int]) -> set[tuple[int, int, int]]:
    near = {person: {b if a == person else a for a, b, _ in edges if person in (a, b)} for person in range(people)}
    moving = {frozenset((a, b)) for a, b, depends in edges if depends}
    return {
        (i, j, k)
        for i in whose
        for j in near[i]
        for k in near[j]
        if k != i and k not in near[i] and frozenset((j, k)) in moving
    }


def test_random_graphs() -> None:
    rng = random.Random(1)
    kinds = {True: 0, False: 0}
    for _ in range(300):
        people = rng.randint(2, 7)
        share = rng.choice([0.2, 0.5, 0.9, 1.0])
        pairs = [(a, b) for a in range(people) for b in range(a + 1, people) if rng.random() < share]
        edges = [(a, b, rng.random() < 0.8) for a, b in pairs]
        first, second = (np.array([edge[end] for edge in edges], dtype=np.int64) for end in (0, 1))
        paths = OpenPaths(people, first, second, np.array([edge[2] for edge in edges], dtype=bool))
        for whose in (None, sorted(rng.sample(range(people), rng.randint(1, people)))):
            true = by_hand(people, edges, list(range(people)) if whose is None else whose)
            found = paths.found(whose)
            assert (found is None) == (not true)
            assert found is None or found in true
            kinds[found is None] += 1
    assert min(kinds.values()) > 50
