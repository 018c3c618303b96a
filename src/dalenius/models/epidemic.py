"""How many of a household fall ill: the Longini–Koopman final-size law, for households of every size.

The final size does not depend on the order of infections, so the infected may be taken one after the other (Ludwig,
Math. Biosci. 23, 1975). The law is then sums and products of non-negative numbers only: nothing cancels, and no
positive probability underflows to 0.

Of two people with 0.1 from outside and 0.2 from each other, none falls ill with 0.9² = 0.81, both with 0.046:

>>> [round(each, 6) for each in Epidemic(community=0.1, household=0.2).infected(2)]
[0.81, 0.144, 0.046]
"""

from decimal import MAX_EMAX, MIN_EMIN, ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate, pairwise, repeat
from math import comb, nextafter
from operator import mul
from typing import Final, final

import numpy as np

from dalenius.errors import InputError
from dalenius.fields import SingleChance, ends_of
from dalenius.frozen_section import Frozen
from dalenius.laws.box import Box
from dalenius.laws.extended_range import ZERO_EXPONENT, Masses
from dalenius.models.model import percent

_DIGITS: Final = Context(prec=40, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Of every intermediate number, which is rounded down. An entry for a household of n has less than n·(2n + 8)
roundings, and so a relative error below n·(2n + 8)·1e-39: 2e-34 for 250 people. Exponents have no bound that is met."""

_EXACT: Final = Fraction(1, 2**50)
"""Relative, of a probability that is rounded to a double; more than its own error."""


@final
class Epidemic(Frozen):
    """Each member is infected from outside with probability `community`, and by each infected member with
    probability `household` (Longini & Koopman, Biometrics 38, 1982).

    Either may be an interval [lower, upper]: each household has values of its own inside."""

    community: SingleChance
    household: SingleChance

    @property
    def words(self) -> str:
        """In a sentence."""
        outside, inside = percent(self.community), percent(self.household)
        each = f"and from each housemate who has it with {inside}"
        return f"a person is taken to catch it from outside with {outside}, {each}"

    @property
    def is_point(self) -> bool:
        """Whether neither is an interval."""
        return all(low == high for low, high in map(ends_of, (self.community, self.household)))

    def parts(self, count: int) -> tuple["Epidemic", ...]:
        """The same values in count times count smaller rectangles; itself where neither is an interval."""
        cuts = [_cut_up(*ends_of(each), count) for each in (self.community, self.household)]
        return tuple(Epidemic(community=one, household=other) for one in cuts[0] for other in cuts[1])

    @property
    def corners(self) -> tuple["Epidemic", ...]:
        """Its extreme values."""
        ends = [dict.fromkeys(ends_of(each)) for each in (self.community, self.household)]
        return tuple(Epidemic(community=one, household=other) for one in ends[0] for other in ends[1])

    def box(self, size: int) -> Box:
        """Laws of Pr[0, 1, .., size of them are infected], among which are those of all values inside.

        With either probability the chance that at least k are infected grows (Result 21.17), so that it lies between
        those at the lowest and the highest values of both; Pr[k] is the difference of two such chances.
        """
        least, most = (self._at_least(size, end) for end in (0, 1))
        low = [max(least[k] - most[k + 1], Fraction(0)) * (1 - _EXACT) for k in range(size + 1)]
        high = [min(most[k] - least[k + 1], Fraction(1)) * (1 + _EXACT) for k in range(size + 1)]
        # A chance of 0 stays one: it is of every law.
        below = [nextafter(float(each), 0.0) for each in low]
        return Box(below, [nextafter(float(each), 1.0) if 0 < each < 1 else min(float(each), 1.0) for each in high])

    def _at_least(self, size: int, end: int) -> list[Fraction]:
        """Pr[at least 0, 1, .., size + 1 are infected] at the lower (0) or the upper (1) end of both intervals."""
        community, household = (ends_of(each)[end] for each in (self.community, self.household))
        return [*accumulate(_final_sizes(size, community, household)[::-1], initial=Fraction(0))][::-1]

    def infected(self, size: int) -> tuple[float, ...]:
        """Pr[0, 1, .., size of them are infected] as doubles, for display: they underflow to 0 below 5e-324."""
        law = self.law(size)
        return tuple(np.ldexp(law.mantissa, law.exponent.clip(-(2**20)).astype(np.int32)).tolist())

    def law(self, size: int) -> Masses:
        """Pr[0, 1, .., size of them are infected], each correct to a relative 2^-52. InputError for intervals."""
        if not self.is_point:
            shown = f"community {self.community}, household {self.household}"
            raise InputError("model.epidemic", shown, "probabilities here, without intervals")
        chances = _final_sizes(size, ends_of(self.community)[0], ends_of(self.household)[0])
        # A chance of a household of 250 may be below any double: mantissa and exponent are two numbers.
        shift = [each.numerator.bit_length() - each.denominator.bit_length() for each in chances]
        mantissa, exponent = np.frexp(
            [float(each / Fraction(2) ** by) for each, by in zip(chances, shift, strict=True)]
        )
        return Masses(mantissa, np.where(mantissa > 0, np.array(shift, dtype=np.int64) + exponent, ZERO_EXPONENT))


def _cut_up(low: float, high: float, count: int) -> list[float | tuple[float, float]]:
    """So many intervals of equal length that make up this one; a number stays one."""
    # One of the two is known exactly, as from a study, and only the other is cut.
    if low == high:
        return [low]
    ends = [low, *(low + (high - low) * i / count for i in range(1, count)), high]
    return list(pairwise(ends))


_LARGEST: Final = 250
"""People of a household."""


@lru_cache(maxsize=256)
def _final_sizes(size: int, community: float, household: float) -> tuple[Fraction, ...]:
    """Pr[0, 1, .., size infected]; size^3 / 6 products. InputError where that takes longer than some seconds.

    >>> [float(each) for each in _final_sizes(2, 0.5, 0.5)]
    [0.25, 0.25, 0.5]
    """
    # A column of postcodes read as households: everybody of a town in one.
    if size > _LARGEST:
        wanted = f"households of at most {_LARGEST}: another column says who lives with whom, or model groups is meant"
        raise InputError("model.by", f"a household of {size:,} people", wanted)
    with localcontext(_DIGITS):
        hit, missed = _powers(Decimal(household), size), _powers(1 - Decimal(household), size)
        # step[s][k]: k of s + k susceptibles are infected by the next one, s are not.
        step = [[comb(s + k, k) * hit[k] * missed[s] for k in range(size + 1 - s)] for s in range(size + 1)]
        first = zip(_powers(Decimal(community), size)[::-1], _powers(1 - Decimal(community), size), strict=True)
        # now[s]: s have not been infected so far, and some infected member's contacts are still to be drawn.
        now = [comb(size, s) * within * without for s, (within, without) in enumerate(first)]
        found = [now.pop()]
        # One infected member after the other: whoever is still well meets the next one.
        for _ in range(size):
            now = [sum(map(mul, now[s:], step[s]), Decimal(0)) for s in range(len(now))]
            found.append(now.pop())
    return tuple(map(Fraction, found))


def _powers(base: Decimal, last: int) -> list[Decimal]:
    """base^0 .. base^last, each rounded down."""
    return list(accumulate(repeat(base, last), mul, initial=Decimal(1)))
