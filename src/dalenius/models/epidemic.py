"""How many of a household fall ill: the Longini–Koopman final-size law, for households of every size.

The final size does not depend on the order of infections, so the infected may be taken one after the other (Ludwig,
Math. Biosci. 23, 1975). The law is then sums and products of non-negative numbers only: nothing cancels, and no
positive probability underflows to 0.
"""

from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, repeat
from math import comb
from typing import Annotated, Final, TypeAlias, final

import numpy as np
from pydantic import Field

from dalenius.laws.numbers.masses import Masses
from dalenius.laws.numbers.scaled_grid import NOTHING
from dalenius.schema import Frozen, Probability

Chance = Annotated[Probability, Field(ge=0, le=1, allow_inf_nan=False)]

BITS: Final = 128
"""The bits of every intermediate number, which is rounded down. An entry for a household of n has less than n·(2n + 8)
roundings, and so a relative error below n·(2n + 8)·2^-127: 1e-30 for 10,000 people."""

_Number: TypeAlias = tuple[int, int]
"""mantissa · 2^exponent, a mantissa of BITS bits or 0."""


@final
class Epidemic(Frozen):
    """Each member is infected from outside with probability `community`, and by each infected member with
    probability `household` (Longini & Koopman, Biometrics 38, 1982)."""

    community: Chance
    household: Chance

    def infected(self, size: int) -> tuple[float, ...]:
        """Pr[0, 1, .., size of them are infected] as doubles, for display: they underflow to 0 below 5e-324."""
        law = self.law(size)
        return tuple(np.ldexp(law.mantissa, law.exponent.clip(-(2**20)).astype(np.int32)).tolist())

    def law(self, size: int) -> Masses:
        """Pr[0, 1, .., size of them are infected], each correct to a relative 2^-52."""
        numbers = _final_sizes(size, Fraction(self.community), Fraction(self.household))
        mantissa, exponent = np.frexp([m / (1 << BITS) for m, _ in numbers])
        possible = mantissa > 0
        shift = np.array([e + BITS if m else NOTHING for m, e in numbers], dtype=np.int64)
        return Masses(mantissa, np.where(possible, shift + exponent, NOTHING))


@lru_cache(maxsize=256)
def _final_sizes(size: int, community: Fraction, household: Fraction) -> tuple[_Number, ...]:
    """Pr[0, 1, .., size infected]; size^3 / 6 products."""
    hit, missed = _powers(household, size), _powers(1 - household, size)
    # step[s][k]: k of s + k susceptibles are infected by the next one, s are not.
    step = [
        _split([_cut(*_times(hit[k], missed[s]), comb(s + k, k)) for k in range(size + 1 - s)]) for s in range(size + 1)
    ]
    first = zip(_powers(community, size)[::-1], _powers(1 - community, size), strict=True)
    # now[s]: s have not been infected so far, and some infected member's contacts are still to be drawn.
    now = [_cut(*_times(within, without), comb(size, s)) for s, (within, without) in enumerate(first)]
    found = [now.pop()]
    for _ in range(size):
        mantissas, exponents = _split(now)
        now = [_dot(mantissas[s:], exponents[s:], *step[s]) for s in range(len(now))]
        found.append(now.pop())
    return tuple(found)


def _powers(base: Fraction, last: int) -> list[_Number]:
    """base^0 .. base^last; base is a double, or 1 minus a double: its denominator is a power of 2."""
    one, own = _cut(1, 0), _cut(base.numerator, 1 - base.denominator.bit_length())
    return list(accumulate(repeat(own, last), lambda power, base: _cut(*_times(power, base)), initial=one))


def _times(one: _Number, other: _Number) -> _Number:
    return one[0] * other[0], one[1] + other[1]


def _cut(mantissa: int, exponent: int, factor: int = 1) -> _Number:
    """factor · mantissa · 2^exponent, to BITS bits."""
    mantissa *= factor
    if not mantissa:
        return 0, NOTHING
    shift = mantissa.bit_length() - BITS
    return (mantissa >> shift if shift >= 0 else mantissa << -shift), exponent + shift


def _dot(left: Sequence[int], low: Sequence[int], right: Sequence[int], high: Sequence[int]) -> _Number:
    """The sum of products of numbers, given by their mantissas and exponents."""
    exponents = [one + other for one, other in zip(low, high, strict=False)]
    top = max(exponents)
    products = zip(left, right, exponents, strict=False)
    return _cut(sum([one * other >> top - exponent for one, other, exponent in products]), top)


def _split(numbers: Sequence[_Number]) -> tuple[list[int], list[int]]:
    return [mantissa for mantissa, _ in numbers], [exponent for _, exponent in numbers]
