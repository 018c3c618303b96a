"""The Longini–Koopman final-size law: how many of a household fall ill, for households of every size.

The final size does not depend on the order of infections, so the infected may be taken one after the other (Ludwig,
Math. Biosci. 23, 1975). The law is then sums and products of non-negative numbers only: nothing cancels, and no
positive probability underflows to 0.
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
from dalenius.limits import Limit
from dalenius.models.model import percent
from dalenius.sentences.sentence import Phrase, said

_DIGITS: Final = Context(prec=40, rounding=ROUND_FLOOR, Emin=MIN_EMIN, Emax=MAX_EMAX)
"""Precision of every intermediate number, which is rounded down. An entry for a household of n has less than n·(2n + 8)
roundings, and so a relative error below n·(2n + 8)·1e-39: 2e-34 for 250 people. Exponents never meet their bounds."""

_EXACT: Final = Fraction(1, 2**50)
"""The relative widening of a probability that is rounded to a double; it is more than the probability's own error."""


@final
class Epidemic(Frozen):
    """An epidemic in households: a law of how many members fall ill, for every size of household.

    Either probability may be an interval [lower, upper]: each household has values of its own inside.

    Args:
        community: The probability that a member is infected from outside.
        household: The probability that a member is infected by each infected member of the household.

    Example:
        Of two people, none falls ill with 0.9² = 0.81, and both with 0.046.

        >>> import dalenius as dl
        >>> [round(each, 6) for each in dl.Epidemic(community=0.1, household=0.2).infected(2)]
        [0.81, 0.144, 0.046]

    Notes:
        Longini and Koopman, Biometrics 38, 1982.
    """

    community: SingleChance
    household: SingleChance

    @property
    def words(self) -> Phrase:
        """The epidemic as a part of a sentence."""
        return said("epidemic", outside=percent(self.community), inside=percent(self.household))

    @property
    def is_point(self) -> bool:
        """Whether neither probability is an interval."""
        return all(low == high for low, high in map(ends_of, (self.community, self.household)))

    def parts(self, count: int) -> tuple["Epidemic", ...]:
        """Cuts the rectangle of values into smaller rectangles of equal sides.

        Args:
            count: Into how many parts each interval is cut; a number is not cut.

        Returns:
            An epidemic for each of the smaller rectangles: count², count, or one where neither is an interval.
        """
        cuts = [_cut_up(*ends_of(each), count) for each in (self.community, self.household)]
        return tuple(Epidemic(community=one, household=other) for one in cuts[0] for other in cuts[1])

    @property
    def corners(self) -> tuple["Epidemic", ...]:
        """The epidemics at the ends of both intervals: four, two, or one without intervals."""
        ends = [dict.fromkeys(ends_of(each)) for each in (self.community, self.household)]
        return tuple(Epidemic(community=one, household=other) for one in ends[0] for other in ends[1])

    def box(self, size: int) -> Box:
        """Returns a box of laws that holds the law of every value inside.

        The chance that at least k are infected grows with either probability (Result 21.17). So it lies between the
        chances at the lowest and at the highest values of both; Pr[k] is the difference of two such chances.

        Args:
            size: How many people the household has, at most 250.

        Returns:
            Lower and upper ends of Pr[0, 1, .., size of them are infected], rounded outwards.

        Raises:
            InputError: If the household is too large.
        """
        least, most = (self._at_least(size, end) for end in (0, 1))
        low = [max(least[k] - most[k + 1], Fraction(0)) * (1 - _EXACT) for k in range(size + 1)]
        high = [min(most[k] - least[k + 1], Fraction(1)) * (1 + _EXACT) for k in range(size + 1)]
        # Because a chance of 0 is one under every law, it stays 0.
        below = [nextafter(float(each), 0.0) for each in low]
        return Box(below, [nextafter(float(each), 1.0) if 0 < each < 1 else min(float(each), 1.0) for each in high])

    def _at_least(self, size: int, end: int) -> list[Fraction]:
        """Returns Pr[at least 0, 1, .., size + 1 are infected] at the lower (0) or upper (1) end of both intervals."""
        community, household = (ends_of(each)[end] for each in (self.community, self.household))
        return [*accumulate(_final_sizes(size, community, household)[::-1], initial=Fraction(0))][::-1]

    def infected(self, size: int) -> tuple[float, ...]:
        """Returns the law of how many are infected as doubles, for display.

        Args:
            size: How many people the household has, at most 250.

        Returns:
            Pr[0, 1, .., size of them are infected]; probabilities below 5e-324 underflow to 0.

        Raises:
            InputError: If a probability is an interval, or the household is too large.
        """
        law = self.law(size)
        return tuple(np.ldexp(law.mantissa, law.exponent.clip(-(2**20)).astype(np.int32)).tolist())

    def law(self, size: int) -> Masses:
        """Returns the law of how many are infected, each probability correct to a relative 2^-52.

        Args:
            size: How many people the household has, at most 250.

        Returns:
            Pr[0, 1, .., size of them are infected], as mantissas and exponents.

        Raises:
            InputError: If a probability is an interval, or the household is too large.
        """
        if not self.is_point:
            shown = f"community {self.community}, household {self.household}"
            raise InputError("model.epidemic", shown, "probabilities here, without intervals")
        chances = _final_sizes(size, ends_of(self.community)[0], ends_of(self.household)[0])
        # Because a chance of a household of 250 may be below any double: mantissa and exponent are two numbers.
        shift = [each.numerator.bit_length() - each.denominator.bit_length() for each in chances]
        mantissa, exponent = np.frexp(
            [float(each / Fraction(2) ** by) for each, by in zip(chances, shift, strict=True)]
        )
        return Masses(mantissa, np.where(mantissa > 0, np.array(shift, dtype=np.int64) + exponent, ZERO_EXPONENT))


def _cut_up(low: float, high: float, count: int) -> list[float | tuple[float, float]]:
    """Cuts an interval into `count` intervals of equal length; a number stays one."""
    # The case in which one of the two is known exactly, as from a study: only the other is cut.
    if low == high:
        return [low]
    ends = [low, *(low + (high - low) * i / count for i in range(1, count)), high]
    return list(pairwise(ends))


_MOST_MEMBERS: Final = Limit(
    "models.members",
    250,
    "people",
    "Members of one household of an epidemic. The time grows with their cube; this many take seconds.",
)


@lru_cache(maxsize=256)
def _final_sizes(size: int, community: float, household: float) -> tuple[Fraction, ...]:
    """Returns Pr[0, 1, .., size infected], by size^3 / 6 products; InputError for a household that is too large.

    >>> [float(each) for each in _final_sizes(2, 0.5, 0.5)]
    [0.25, 0.25, 0.5]
    """
    # The case of a column of postcodes read as households: everybody of a town in one.
    if size > _MOST_MEMBERS:
        wanted = (
            f"households of at most {_MOST_MEMBERS}: another column says who lives with whom, or model groups is meant "
            f"(limit {_MOST_MEMBERS.name})"
        )
        raise InputError("model.by", f"a household of {size:,} people", wanted)
    with localcontext(_DIGITS):
        hit, missed = _powers(Decimal(household), size), _powers(1 - Decimal(household), size)
        # In step[s][k], k of s + k susceptibles are infected by the next one, s are not.
        step = [[comb(s + k, k) * hit[k] * missed[s] for k in range(size + 1 - s)] for s in range(size + 1)]
        first = zip(_powers(Decimal(community), size)[::-1], _powers(1 - Decimal(community), size), strict=True)
        # In now[s], s have not been infected so far, and some infected member's contacts are still to be drawn.
        now = [comb(size, s) * within * without for s, (within, without) in enumerate(first)]
        found = [now.pop()]
        # Because everybody who is still well meets the next one: one infected member after the other.
        for _ in range(size):
            now = [sum(map(mul, now[s:], step[s]), Decimal(0)) for s in range(len(now))]
            found.append(now.pop())
    return tuple(map(Fraction, found))


def _powers(base: Decimal, last: int) -> list[Decimal]:
    """Returns base^0 .. base^last, each rounded down."""
    return list(accumulate(repeat(base, last), mul, initial=Decimal(1)))
