"""Final sizes of large households by Longini and Koopman's recursion, in as many digits as it takes."""

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, TypeAlias

import mpmath

from tests.reference.chain import Given, inferential
from tests.reference.joints import final_sizes

Real: TypeAlias = Any  # mpf


def longini_koopman(size: int, community: float, household: float, digits: int) -> list[Real]:
    """Pr[0..size infected]: `joints.longini_koopman` in floating point.

    What is left of 1 may be much smaller than what is taken off: whoever asks compares with twice the digits.
    """
    with mpmath.mp.workdps(digits):
        return final_sizes(size, 1 - mpmath.mpf(community), 1 - mpmath.mpf(household))


def count_leakage(law: Sequence[Real], scale: float) -> Real:
    """The worst |log Pr[y | X = 1] / Pr[y | X = 0]| of a member of one household whose infected are counted with
    Laplace noise. law: Pr[0..size infected], up to a factor."""
    size = len(law) - 1
    # Every set of k is as likely: those without the member, and those with them.
    seen = {own: [p * (k if own else size - k) for k, p in enumerate(law)] for own in (0, 1)}
    shares = {own: mpmath.fsum(masses) for own, masses in seen.items()}
    given = Given(shares, {own: dict(enumerate(mass / shares[own] for mass in seen[own])) for own in (0, 1)})
    return inferential(given, scale)


def exactly(law: Sequence[float]) -> list[Real]:
    """The numbers as written."""
    with mpmath.mp.workdps(400):
        return [mpmath.mpf(Fraction(p).numerator) / Fraction(p).denominator for p in law]
