"""A graph with no degree above D: edges are taken one after the other, each where both ends have room (Day, Li and Lyu
2016). The order of any two edges is the same in every graph, so that one person's edges change little (Result 18.2)."""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from dalenius.dependent.graphs import Edges, degrees
from dalenius.laws.law import IntArray

MULTIPLIERS: Final = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
SHIFTS: Final = (np.uint64(30), np.uint64(27))


def projected(edges: Edges, most: int) -> Edges:
    """The edges that are taken where nobody may have more than `most`."""
    own = degrees(edges)
    # Who has no more than `most` edges never runs out of room: what is between two of them is taken in any order.
    taken = (own[edges.first] <= most) & (own[edges.second] <= most)
    rest = np.flatnonzero(~taken)
    first, second = edges.first[rest], edges.second[rest]
    order = np.argsort(_places(first, second))
    room, kept = [most] * edges.people, []
    for one, other, edge in zip(first[order].tolist(), second[order].tolist(), rest[order].tolist(), strict=True):
        if room[one] and room[other]:
            room[one] -= 1
            room[other] -= 1
            kept.append(edge)
    taken[kept] = True
    return Edges(edges.people, edges.first[taken], edges.second[taken])


def _places(first: IntArray, second: IntArray) -> NDArray[np.uint64]:
    """A number per edge, different for all, by which they are ordered: the mixing of splitmix64, a bijection of 64
    bits. By the people's numbers themselves, low numbers would keep their edges and high ones lose them."""
    mixed = (first.astype(np.uint64) << np.uint64(32)) | second.astype(np.uint64)
    for shift, multiplier in zip(SHIFTS, MULTIPLIERS, strict=True):
        mixed = (mixed ^ (mixed >> shift)) * multiplier
    return np.asarray(mixed ^ (mixed >> np.uint64(31)))
