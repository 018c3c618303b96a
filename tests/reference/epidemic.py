"""Final sizes of large households by Longini and Koopman's recursion, in as many digits as it takes."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate
from math import comb
from operator import mul
from typing import Any, TypeAlias

import mpmath

Real: TypeAlias = Any  # mpf


def longini_koopman(size: int, community: float, household: float, digits: int) -> list[Real]:
    """Pr[0..size infected]: `joints.longini_koopman` in floating point.

    What is left of 1 may be much smaller than what is taken off: whoever asks compares with twice the digits.
    """
    with mpmath.mp.workdps(digits):
        escape = _powers(1 - mpmath.mpf(community), size)
        spared = _powers(1 - mpmath.mpf(household), size * size // 4)
        everyone: list[Real] = []
        row: list[Real] = []
        for k in range(size + 1):
            row = [comb(k, j) * everyone[j] * escape[k - j] * spared[j * (k - j)] for j in range(k)]
            row.append(1 - mpmath.fsum(row))
            everyone.append(row[k])
        return row


def _powers(base: Real, last: int) -> list[Real]:
    return list(accumulate([base] * last, mul, initial=mpmath.mpf(1)))


def count_leakage(law: Sequence[Real], scale: float, infected: int = 0, well: int = 0) -> Real:
    """The worst |log Pr[y | X = 1] / Pr[y | X = 0]| of a member of one household whose infected are counted with
    Laplace noise. law: Pr[0..size infected], up to a factor; infected, well: how many others are known to be."""
    size = len(law) - 1
    others = size - 1 - infected - well
    with mpmath.mp.workdps(60):
        given = []
        for own in (0, 1):
            # Every set of k is as likely: which of the others are infected beside those known.
            rows = {
                k: law[k] * comb(others, k - infected - own) / comb(size, k)
                for k in range(infected + own, infected + own + others + 1)
            }
            total = mpmath.fsum(rows.values())
            given.append({k: mpmath.mpf(mass) / total for k, mass in rows.items()})
        rate = 1 / mpmath.mpf(scale)
        worst = mpmath.mpf(0)
        for y in range(size + 1):
            zero, one = (mpmath.fsum(p * mpmath.exp(-abs(y - k) * rate) for k, p in rows.items()) for rows in given)
            worst = max(worst, abs(mpmath.log(one / zero)))
        return worst


def exactly(law: Sequence[float]) -> list[Real]:
    """The numbers as written."""
    with mpmath.mp.workdps(400):
        return [mpmath.mpf(Fraction(p).numerator) / Fraction(p).denominator for p in law]
