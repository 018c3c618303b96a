"""Networks of a few nodes by listing every assignment."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from random import Random

from tests.reference.credal_chain import Box, inside

Boxed = tuple[tuple[int, ...], Sequence[Box]]
"""A node's parents, all before it, and a box for each of their assignments, the last parent's value fastest."""


def random_rows(nodes: Sequence[Boxed], random: Random) -> list[list[tuple[Fraction, ...]]]:
    """A row of every box."""
    return [[inside(box, random) for box in boxes] for _, boxes in nodes]


def leakages(
    nodes: Sequence[Boxed], rows: Sequence[Sequence[tuple[Fraction, ...]]], scale: float, outputs: Sequence[float]
) -> dict[str, float]:
    """Of the sum of all values: the largest log-ratio of likelihoods ("inferential"), of posterior and prior
    ("information"), of prior and posterior ("lowered"), over all nodes and these outputs."""
    sizes = [len(own[0]) for own in rows]
    joint: dict[tuple[int, ...], Fraction] = {}
    for values in product(*(range(size) for size in sizes)):
        chance = Fraction(1)
        for value, (parents, _), own in zip(values, nodes, rows, strict=True):
            row = 0
            for parent in parents:
                row = row * sizes[parent] + values[parent]
            chance *= own[row][value]
        if chance:
            joint[values] = chance
    found = dict.fromkeys(("inferential", "information", "lowered"), 0.0)
    for node, y in product(range(len(nodes)), outputs):
        prior: dict[int, float] = {}
        seen: dict[int, float] = {}
        for values, chance in joint.items():
            s, p = values[node], float(chance)
            prior[s] = prior.get(s, 0.0) + p
            seen[s] = seen.get(s, 0.0) + p * exp(-abs(y - sum(values)) / scale)
        moved = [log(seen[s] / prior[s] / sum(seen.values())) for s in seen]
        found["inferential"] = max(found["inferential"], max(moved) - min(moved))
        found["information"] = max(found["information"], max(moved))
        found["lowered"] = max(found["lowered"], -min(moved))
    return found
