"""Chains of a few records by listing every path, and sets of them by listing the corners of their boxes."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from math import exp, log
from random import Random

Row = tuple[Fraction, ...]
Box = Sequence[tuple[Fraction, Fraction]]
Law = tuple[Row, tuple[tuple[Row, ...], ...]]
"""The first record's law, and the rows of each step."""


def corners(box: Box) -> list[Row]:
    """The vertices of {p in box, sum p = 1}."""
    found: set[Row] = set()
    for free in range(len(box)):
        ends = [box[i] if i != free else (Fraction(0),) for i in range(len(box))]
        for row in product(*ends):
            rest = 1 - sum(row)
            if box[free][0] <= rest <= box[free][1]:
                found.add(tuple(Fraction(rest if i == free else p) for i, p in enumerate(row)))
    return sorted(found)


def inside(box: Box, random: Random) -> Row:
    """A random law of the box, a mixture of its corners."""
    found = corners(box)
    weights = [Fraction(random.randrange(0, 5)) for _ in found]
    if not sum(weights):
        weights[0] = Fraction(1)
    total = sum(weights)
    mixed = (sum((w * row[i] for w, row in zip(weights, found, strict=True)), Fraction(0)) for i in range(len(box)))
    return tuple(each / total for each in mixed)


def corner_laws(first: Box, rows: Sequence[Box], n: int) -> Iterator[Law]:
    """Every chain of n records at a corner of every box, each step by itself."""
    choices = [corners(row) for row in rows]
    steps = list(product(*choices))
    for start in corners(first):
        for chosen in product(steps, repeat=n - 1):
            yield start, chosen


def random_law(first: Box, rows: Sequence[Box], n: int, random: Random) -> Law:
    """One of the set."""
    return inside(first, random), tuple(tuple(inside(row, random) for row in rows) for _ in range(n - 1))


def joint(law: Law) -> dict[tuple[int, ...], Fraction]:
    """Pr of every path."""
    first, steps = law
    found: dict[tuple[int, ...], Fraction] = {(i,): p for i, p in enumerate(first)}
    for rows in steps:
        found = {(*path, j): p * rows[path[-1]][j] for path, p in found.items() for j in range(len(first))}
    return {path: p for path, p in found.items() if p}


def leakages(law: Law, scores: Sequence[int], scale: float, outputs: Sequence[float]) -> dict[str, float]:
    """Over all records and these outputs: the largest log-ratio of likelihoods ("inferential"), of posterior and prior
    ("information"), of prior and posterior ("lowered"), and the divergences ("relative_entropy", "reverse")."""
    paths = [(path, sum(scores[x] for x in path), float(p)) for path, p in joint(law).items()]
    found = dict.fromkeys(("inferential", "information", "lowered", "relative_entropy", "reverse"), 0.0)
    for place in range(len(law[1]) + 1):
        for y in outputs:
            prior: dict[int, float] = {}
            seen: dict[int, float] = {}
            for path, total, p in paths:
                prior[path[place]] = prior.get(path[place], 0.0) + p
                seen[path[place]] = seen.get(path[place], 0.0) + p * exp(-abs(y - total) / scale)
            every = sum(seen.values())
            moved = {s: log(seen[s] / prior[s] / every) for s in seen}
            posterior = {s: seen[s] / every for s in seen}
            found["inferential"] = max(found["inferential"], max(moved.values()) - min(moved.values()))
            found["information"] = max(found["information"], max(moved.values()))
            found["lowered"] = max(found["lowered"], -min(moved.values()))
            found["relative_entropy"] = max(found["relative_entropy"], sum(posterior[s] * moved[s] for s in seen))
            found["reverse"] = max(found["reverse"], -sum(prior[s] * moved[s] for s in seen))
    return found
