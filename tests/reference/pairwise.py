"""Brute force for people of whom only pairs are known: joint laws with those pairs, and what Laplace noise leaks."""

from collections.abc import Mapping, Sequence
from itertools import product
from math import exp, log
from random import Random
from typing import TypeAlias

Sums: TypeAlias = Mapping[float, float]
"""The law of what a record and its neighbours add, given a value of the record."""


def coupled(laws: Sequence[Sequence[float]], points: Sequence[Sequence[float]], random: Random) -> dict[float, float]:
    """The law of the sum of scores with these laws, of one coupling: a mixture of some that match the values one to
    one in an order drawn for each score. One in four is the independent one, one in four in the scores' own order."""
    kind = random.randrange(4)
    if kind == 0:
        found: dict[float, float] = {}
        for places in product(*(range(len(law)) for law in laws)):
            mass, total = 1.0, 0.0
            for law, own, place in zip(laws, points, places, strict=True):
                mass, total = mass * law[place], total + own[place]
            found[total] = found.get(total, 0.0) + mass
        return found
    shares = [1.0] if kind == 1 else [random.random() for _ in range(3)]
    found = {}
    for share in shares:
        orders = [sorted(range(len(own)), key=own.__getitem__) for own in points]
        if kind > 1:
            for order in orders:
                random.shuffle(order)
        for total, mass in matched(laws, points, orders).items():
            found[total] = found.get(total, 0.0) + mass * share / sum(shares)
    return found


def matched(
    laws: Sequence[Sequence[float]], points: Sequence[Sequence[float]], orders: Sequence[Sequence[int]]
) -> dict[float, float]:
    """The sum of scores that stand at the same quantile, values in these orders."""
    found: dict[float, float] = {}
    places, left = [0] * len(laws), [law[order[0]] for law, order in zip(laws, orders, strict=True)]
    while True:
        mass = min(left)
        total = sum(own[order[place]] for own, order, place in zip(points, orders, places, strict=True))
        found[total] = found.get(total, 0.0) + mass
        left = [each - mass for each in left]
        for j, order in enumerate(orders):
            while left[j] <= 1e-15:
                places[j] += 1
                if places[j] == len(order):
                    return found
                left[j] = laws[j][order[places[j]]]


def with_rest(sums: Sums, rest: Sums) -> dict[float, float]:
    """The law of the answer, the rest independent."""
    found: dict[float, float] = {}
    for (one, mass), (other, more) in product(sums.items(), rest.items()):
        found[one + other] = found.get(one + other, 0.0) + mass * more
    return found


def leaks(laws: Sequence[Sums], scale: float) -> float:
    """The largest log-ratio of likelihoods of two values: at a point of some answer, or far out."""
    outputs = sorted({point for law in laws for point in law})
    outputs = [outputs[0] - 1, *outputs, outputs[-1] + 1]
    logs = [[log(sum(mass * exp(-abs(y - x) / scale) for x, mass in law.items())) for y in outputs] for law in laws]
    return float(max(max(column) - min(column) for column in zip(*logs, strict=True)))


def raises(laws: Sequence[Sums], prior: Sequence[float], scale: float) -> tuple[float, float]:
    """The largest log of W(y|s)/W(y), and of W(y)/W(y|s)."""
    outputs = sorted({point for law in laws for point in law})
    outputs = [outputs[0] - 1, *outputs, outputs[-1] + 1]
    up = down = 0.0
    for y in outputs:
        each = [sum(mass * exp(-abs(y - x) / scale) for x, mass in law.items()) for law in laws]
        mean = sum(p * w for p, w in zip(prior, each, strict=True))
        up, down = max(up, log(max(each) / mean)), max(down, log(mean / min(each)))
    return up, down


def hockey_stick(one: Sums, other: Sums, scale: float, epsilon: float, steps: int = 4000) -> float:
    """The integral of max(W(y|s) - e^epsilon W(y|s'), 0), by the midpoint rule."""
    low = min(*one, *other) - 40 * scale
    high = max(*one, *other) + 40 * scale
    width = (high - low) / steps
    total = 0.0
    for i in range(steps):
        y = low + (i + 0.5) * width
        first = sum(mass * exp(-abs(y - x) / scale) for x, mass in one.items())
        second = sum(mass * exp(-abs(y - x) / scale) for x, mass in other.items())
        total += max(first - exp(epsilon) * second, 0.0)
    return total * width / (2 * scale)
