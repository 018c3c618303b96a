"""Several answers about the same records, each with noise of its own, by enumeration of records and outputs.

A model is its rows: assignments of all records and their probabilities. A query is a score per record, times its value.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, pairwise, product
from math import comb, exp
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
Rows: TypeAlias = dict[tuple[int, ...], float]
Asked: TypeAlias = tuple[Sequence[int], float]
"""Whose records are counted, and the scale of the geometric noise."""
Strategy: TypeAlias = Callable[[tuple[int, ...]], Asked | None]
"""What is asked after these outputs; None for nothing."""


def household(infected: Sequence[float]) -> Rows:
    """Exchangeable bits by the law of their number."""
    size = len(infected) - 1
    return {
        row: infected[sum(row)] / comb(size, sum(row)) for row in product((0, 1), repeat=size) if infected[sum(row)] > 0
    }


def chain(initial: Sequence[float], steps: Sequence[Sequence[float]], n: int) -> Rows:
    """A binary Markov chain."""
    found: Rows = {}
    for row in product((0, 1), repeat=n):
        chance = initial[row[0]]
        for one, other in pairwise(row):
            chance *= steps[one][other]
        if chance > 0:
            found[row] = chance
    return found


def beside(parts: Sequence[Rows]) -> Rows:
    """Independent parts."""
    found: Rows = {(): 1.0}
    for part in parts:
        found = {row + other: p * q for row, p in found.items() for other, q in part.items()}
    return found


def answers(rows: Rows, asked: Sequence[Sequence[int]]) -> NDArray[np.int64]:
    """(queries, rows): how many of the records that each query asks are 1."""
    return np.array([[sum(row[place] for place in places) for row in rows] for places in asked])


def log_channel(
    rows: Rows, asked: Sequence[Sequence[int]], scales: Sequence[float], person: int
) -> tuple[Array, Array]:
    """log Pr[outputs | value] but for a common factor, (values, outputs), and the values' probabilities. The outputs
    are the lattice points of each answer's range: between and beyond them no log-ratio is larger for noise e^{-|x|/b}.
    """
    exact, chances = answers(rows, asked), np.array(list(rows.values()))
    own = np.array([row[person] for row in rows])
    grids = [np.arange(each.min(), each.max() + 1) for each in exact]
    values = np.unique(own)
    logs = np.full((len(values), *(len(grid) for grid in grids)), -np.inf)
    for value, place in zip(values, range(len(values)), strict=True):
        for row in np.flatnonzero(own == value):
            terms: Any = np.log(chances[row])
            for axis, (grid, scale) in enumerate(zip(grids, scales, strict=True)):
                shape = [1] * len(grids)
                shape[axis] = -1
                terms = terms - (np.abs(grid - exact[axis, row]) / scale).reshape(shape)
            logs[place] = np.logaddexp(logs[place], terms)
    prior = np.array([chances[own == value].sum() for value in values])
    return logs.reshape(len(values), -1) - np.log(prior)[:, None], prior


def inferential(rows: Rows, asked: Sequence[Sequence[int]], scales: Sequence[float]) -> float:
    """The largest log-ratio of two values of anybody's record."""
    found = 0.0
    for person in range(len(next(iter(rows)))):
        logs, _ = log_channel(rows, asked, scales, person)
        for one, other in combinations(range(len(logs)), 2):
            found = max(found, float(np.abs(logs[one] - logs[other]).max()))
    return found


def information(rows: Rows, asked: Sequence[Sequence[int]], scales: Sequence[float]) -> float:
    """The largest log(posterior/prior)."""
    found = 0.0
    for person in range(len(next(iter(rows)))):
        logs, prior = log_channel(rows, asked, scales, person)
        mixed = np.logaddexp.reduce(logs + np.log(prior)[:, None], axis=0)
        found = max(found, float((logs - mixed).max()))
    return found


def differential(n: int, asked: Sequence[Sequence[int]], scales: Sequence[float]) -> float:
    """Over data sets that differ in one record."""
    each = ((places, scale) for places, scale in zip(asked, scales, strict=True))
    losses = [0.0] * n
    for places, scale in each:
        for place in set(places):
            losses[place] += 1 / scale
    return max(losses)


def courses(rows: Rows, strategy: Strategy, person: int) -> tuple[Array, Array]:
    """Pr[all outputs | value] (values, courses of events) and the values' probabilities, where later questions and
    noises depend on earlier outputs. Outputs beyond a count's range are one with its end: no likelihood ratio differs.
    """
    exact, chances = list(rows), np.array(list(rows.values()))
    own = np.array([row[person] for row in rows])
    values = np.unique(own)
    found: list[Array] = []

    def go(outputs: tuple[int, ...], weights: Array) -> None:
        asked = strategy(outputs)
        if asked is None:
            found.append(np.array([weights[own == value].sum() for value in values]))
            return
        places, scale = asked
        counts = np.array([sum(row[place] for place in places) for row in exact])
        for output in range(len(places) + 1):
            go((*outputs, output), weights * _clamped(output, counts, len(places), scale))

    go((), chances)
    prior = np.array([chances[own == value].sum() for value in values])
    return np.array(found).T / prior[:, None], prior


def _clamped(output: int, counts: NDArray[np.int64], most: int, scale: float) -> Array:
    decay = exp(-1 / scale)
    share = 1.0 if output in (0, most) else 1 - decay
    return np.asarray(share * decay ** np.abs(output - counts) / (1 + decay))


def least_epsilon(rows: Rows, strategy: Strategy, delta: float, informed: bool = False) -> float:
    """At which no hockey-stick between two values of anybody's record, or, informed, from the prior, is above delta."""
    channels = [courses(rows, strategy, person) for person in range(len(next(iter(rows))))]

    def worst(epsilon: float) -> float:
        most = 0.0
        for laws, prior in channels:
            others = [prior @ laws] if informed else list(laws)
            sticks = [np.maximum(law - exp(epsilon) * other, 0).sum() for law in laws for other in others]
            most = max([most, *map(float, sticks)])
        return most

    if delta == 0:
        logs = [
            np.log(law / other)
            for laws, prior in channels
            for law in laws
            for other in ([prior @ laws] if informed else laws)
        ]
        return max(float(each.max()) for each in logs)
    low, high = 0.0, 40.0
    if worst(low) <= delta:
        return 0.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if worst(middle) <= delta else (middle, high)
    return low
