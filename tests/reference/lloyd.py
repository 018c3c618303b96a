"""Noisy Lloyd's steps again, in whole numbers and fractions: what each step computes, and the most that all outputs
together tell two data sets apart."""

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import chain, product

Place = tuple[int, ...]
Exact = tuple[tuple[int, ...], tuple[Place, ...]]


def step(places: tuple[Place, ...], centres: tuple[Place, ...]) -> Exact:
    """By cluster how many rows are nearest to it, and their sums."""
    counts = [0] * len(centres)
    sums = [[0] * len(centres[0]) for _ in centres]
    for place in places:
        apart = [sum((x - c) ** 2 for x, c in zip(place, centre, strict=True)) for centre in centres]
        nearest = apart.index(min(apart))
        counts[nearest] += 1
        sums[nearest] = [total + x for total, x in zip(sums[nearest], place, strict=True)]
    return tuple(counts), tuple(map(tuple, sums))


def moved(output: Exact, centres: tuple[Place, ...], half: int) -> tuple[Place, ...]:
    """The centres after a noisy step: quotients rounded to whole numbers, halves to even ones, in the box."""
    found = []
    for count, total, centre in zip(*output, centres, strict=True):
        means = tuple(max(-half, min(half, round(Fraction(x, count)))) for x in total) if count >= 1 else centre
        found.append(means)
    return tuple(found)


def outputs(shape: tuple[int, int], counts: range, sums: range) -> Iterator[Exact]:
    """All outputs of a step with those counts and sums. shape: clusters and columns."""
    k, d = shape
    for drawn in product(counts, repeat=k):
        for flat in product(sums, repeat=k * d):
            yield drawn, tuple(flat[place * d : (place + 1) * d] for place in range(k))


def loss(output: Exact, one: Exact, other: Exact, count_scale: Fraction, sum_scale: Fraction) -> Fraction:
    """log Pr[output | one]/Pr[output | other] under discrete Laplace noise of those scales."""
    counts = sum(abs(y - b) - abs(y - a) for y, a, b in zip(output[0], one[0], other[0], strict=True))
    flat = (chain.from_iterable(each) for each in (output[1], one[1], other[1]))
    sums = sum(abs(y - b) - abs(y - a) for y, a, b in zip(*flat, strict=True))
    found: Fraction = counts / count_scale + sums / sum_scale
    return found


@cache
def worst_loss(
    one: tuple[Place, ...],
    other: tuple[Place, ...],
    centres: tuple[Place, ...],
    half: int,
    scales: tuple[Fraction, Fraction],
    window: tuple[range, range],
    steps: int,
) -> Fraction:
    """The largest log-ratio over all outputs of that many steps within the window."""
    if steps == 0:
        return Fraction(0)
    exact, another, best = step(one, centres), step(other, centres), dict[tuple[Place, ...], Fraction]()
    for output in outputs((len(centres), len(centres[0])), *window):
        after, here = moved(output, centres, half), loss(output, exact, another, *scales)
        best[after] = max(best.get(after, here), here)
    return max(here + worst_loss(one, other, after, half, scales, window, steps - 1) for after, here in best.items())
