"""Random rows of numbers and intervals, as a user writes them, and their extreme laws in fractions."""

from fractions import Fraction
from itertools import product
from random import Random
from typing import TypeAlias

Row: TypeAlias = tuple[float | tuple[float, float], ...]
TINY = (1e-20, 1e-16, 1e-15, 1e-14, 1e-13, 1e-12, 1e-9)


def random_row(rng: Random, k: int) -> Row:
    """A law in decimals of one to sixteen digits, some of whose numbers are widened."""
    digits = rng.choice([1, 1, 2, 2, 3, 5, 8, 16])
    parts = _parts(rng, k, 10**digits)
    some = rng.random()
    return tuple(_widened(rng, part, digits) if rng.random() < some else part / 10**digits for part in parts)


def _parts(rng: Random, k: int, whole: int) -> list[int]:
    zeros = {place for place in range(k) if rng.random() < 0.15}
    if len(zeros) == k:
        zeros.pop()
    cuts = sorted(rng.randint(0, whole) for _ in range(k - len(zeros) - 1))
    pieces = [b - a for a, b in zip([0, *cuts], [*cuts, whole], strict=True)]
    return [0 if place in zeros else pieces.pop() for place in range(k)]


def _widened(rng: Random, part: int, digits: int) -> tuple[float, float]:
    whole, kind = 10**digits, rng.random()
    if kind < 0.1:
        return 0.0, 1.0
    if kind < 0.2:
        return 0.0, part / whole
    if kind < 0.3:
        return part / whole, 1.0
    if kind < 0.45:
        tiny, number = sorted(rng.sample(TINY, 2)), part / whole
        if number < 1e-3:
            return (tiny[0], tiny[1]) if rng.random() < 0.7 else (number, number + tiny[1])
        return max(0.0, number - tiny[0]), min(1.0, number + tiny[1])
    widths = [rng.randint(0, max(1, whole * 3 // 10)) for _ in range(2)]
    return max(0, part - widths[0]) / whole, min(whole, part + widths[1]) / whole


def vertices(row: Row) -> list[tuple[Fraction, ...]]:
    """Of the laws inside; of one where the ends' sums miss 1 by a rounding, these ends scaled."""
    ends = [each if isinstance(each, tuple) else (each, each) for each in row]
    low, high = ([Fraction(repr(float(pair[side]))) for pair in ends] for side in (0, 1))
    for scaled in (low if sum(low) > 1 else None, high if sum(high) < 1 else None):
        if scaled is not None:
            return [tuple(each / sum(scaled) for each in scaled)]
    found = set()
    for place in range(len(row)):
        for sides in product((False, True), repeat=len(row) - 1):
            others = [i for i in range(len(row)) if i != place]
            law = [Fraction(0)] * len(row)
            for i, side in zip(others, sides, strict=True):
                law[i] = high[i] if side else low[i]
            law[place] = Fraction(1) - sum(law, Fraction())
            if low[place] <= law[place] <= high[place]:
                found.add(tuple(law))
    return sorted(found)
