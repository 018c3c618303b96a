"""Two thousand people in households, by a polynomial power in 50-digit arithmetic: tails to full relative accuracy."""

from collections.abc import Sequence
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


def with_laplace(law: Polynomial, scale: float) -> Polynomial:
    """sum_v e^{-|y-v|/b} law[v] at every y, by one pass up and one down."""
    kept = mp.exp(-1 / mp.mpf(scale))
    up, down = _swept(law, kept), _swept(law[::-1], kept)[::-1]
    return [a + b - mass for a, b, mass in zip(up, down, law, strict=True)]


def _swept(law: Sequence[Real], kept: Real) -> Polynomial:
    total, swept = mp.zero, []
    for mass in law:
        total = total * kept + mass
        swept.append(total)
    return swept


def worst_numbers(types: tuple[tuple[int, tuple[float, ...]], ...], scale: float) -> dict[str, Real]:
    """Every notion's supremum over people and outputs."""
    names = ("inferential", "information", "two_sided", "relative_entropy", "reverse")
    worst = dict.fromkeys(names, mp.zero)
    for prior, laws in laws_given_a_record(types):
        for zero, one in zip(*(with_laplace(law, scale) for law in laws), strict=True):
            mixture = prior[0] * zero + prior[1] * one
            gains = [mp.log(zero / mixture), mp.log(one / mixture)]
            posterior = [prior[0] * zero / mixture, prior[1] * one / mixture]
            here = (
                abs(gains[0] - gains[1]),
                max(gains),
                max(map(abs, gains)),
                posterior[0] * gains[0] + posterior[1] * gains[1],
                -prior[0] * gains[0] - prior[1] * gains[1],
            )
            worst = {name: max(worst[name], value) for name, value in zip(names, here, strict=True)}
    return worst
