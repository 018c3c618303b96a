"""Two thousand people in households, by a polynomial power in 50-digit arithmetic: tails to full relative accuracy."""

from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias

from tests.conformance.worlds import exactly
from tests.reference.channel import Real, mp, real

Polynomial: TypeAlias = list[Real]


@lru_cache(maxsize=4)
def laws_given_a_record(types: tuple[tuple[int, tuple[float, ...]], ...]) -> list[tuple[list[Real], list[Polynomial]]]:
    """types: (households, Pr[0..size infected]). Per type: the prior of one member's record, 0 and 1, and the law of
    the number infected in the whole population given each."""
    kinds = [exactly(infected) for _, infected in types]
    fewer = [_power([real(p) for p in kind], count - 1) for (count, _), kind in zip(types, kinds, strict=True)]
    found = []
    for i, kind in enumerate(kinds):
        others = fewer[i]
        for j, other in enumerate(kinds):
            if j != i:
                others = _times(_times(others, fewer[j]), [real(p) for p in other])
        size = len(kind) - 1
        shares = [[p * (size - k) / size for k, p in enumerate(kind)], [p * k / size for k, p in enumerate(kind)]]
        prior = [sum(share, Fraction(0)) for share in shares]
        own = [[real(p / mass) for p in share] for share, mass in zip(shares, prior, strict=True)]
        found.append(([real(mass) for mass in prior], [_times(others, each) for each in own]))
    return found


def _power(base: Polynomial, exponent: int) -> Polynomial:
    result = [mp.one]
    for _ in range(exponent):
        result = _times(result, base)
    return result


def _times(dense: Polynomial, short: Polynomial) -> Polynomial:
    result = [mp.zero] * (len(dense) + len(short) - 1)
    for shift, factor in enumerate(short):
        if factor:
            for place, value in enumerate(dense, shift):
                result[place] += factor * value
    return result
