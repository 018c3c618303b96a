"""What noise lets through, by enumeration: rows of probabilities compared output by output, data sets one by one."""

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product
from typing import TypeAlias

from tests.reference.channel import Noise, Real, mp
from tests.reference.leakages import log_ratio

Row: TypeAlias = Mapping[Fraction, Real]
"""How likely (or dense) each output is."""
FAR = 60


@cache
def row(noise: Noise, answer: Fraction) -> Row:
    """Of a kernel by column; of the others on a stretch of the integers beyond which no ratio changes."""
    if noise.kind == "kernel":
        return {output: noise.weight(output, answer) for output in noise.outputs}
    return {Fraction(k): noise.weight(Fraction(k), answer) for k in range(-FAR, FAR + 1)}


@cache
def told(noise: Noise, one: Fraction, other: Fraction) -> Real:
    """The worst log-ratio of an output of the first answer against the second. Of normal noise its limit at ±∞."""
    if one == other:
        return mp.zero
    if noise.kind == "gaussian":
        return mp.inf
    first, second = row(noise, one), row(noise, other)
    return max(log_ratio(first[output], second[output]) for output in first)


@cache
def worst_within(noise: Noise, answers: tuple[Fraction, ...], distance: Fraction) -> Real:
    """Over any two of these answers at most so far apart."""
    return max(told(noise, a, b) for a, b in product(answers, repeat=2) if abs(a - b) <= distance)


def worst_of_sum(noise: Noise, answers: tuple[Fraction, ...], distance: int, axes: int) -> Real:
    """Over answers of several coordinates, at most so far apart in all."""
    splits = (split for split in product(range(distance + 1), repeat=axes) if sum(split) == distance)
    return max(mp.fsum(worst_within(noise, answers, Fraction(part)) for part in split) for split in splits)


def worst_neighbours(
    noise: Noise, universes: Sequence[Sequence[int]], answer: Callable[[Sequence[int]], Sequence[int]]
) -> Real:
    """Over all data sets that differ in one record."""
    found = mp.zero
    for place, values in enumerate(universes):
        for rest in product(*(values for other, values in enumerate(universes) if other != place)):
            sets = [(*rest[:place], value, *rest[place:]) for value in values]
            for one, other in permutations([answer(each) for each in sets], 2):
                pairs = zip(map(Fraction, one), map(Fraction, other), strict=True)
                found = max(found, mp.fsum(told(noise, a, b) for a, b in pairs))
    return found
