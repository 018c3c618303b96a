"""What noise lets through, by enumeration: output by output, data sets one by one."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations, product

from tests.reference.channel import Noise, Real, mp


@cache
def worst_ratio(noise: Noise, one: Fraction, other: Fraction) -> Real:
    """Of an output of the first answer against the second."""
    return noise.loss(one, other) if one != other else mp.zero


@cache
def worst_within(noise: Noise, answers: tuple[Fraction, ...], distance: Fraction) -> Real:
    """Over any two of these answers at most so far apart."""
    return max(worst_ratio(noise, a, b) for a, b in product(answers, repeat=2) if abs(a - b) <= distance)


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
                found = max(found, mp.fsum(worst_ratio(noise, a, b) for a, b in pairs))
    return found
