"""A sum of independent records, by their moments: NP Theorem 2, corrected (E6, E7)."""

from fractions import Fraction
from math import log, sqrt
from typing import Final

from dalenius.certificates.approximation import Approximation
from dalenius.certificates.certificate import Certificate, check_epsilon, informative
from dalenius.certificates.model import Moments
from dalenius.certificates.outward import raised, root_down
from dalenius.errors import InputError

NAME: Final = "independent_sum"
SOURCE: Final = (
    "NP Thm 2, corrected: intervals only (E6), the Gaussian part exact (E7), the person's own variance left out"
)
BERRY_ESSEEN: Final = 0.5591
"""Tyurin's constant for summands that need not be identically distributed (NP Fact 2)."""


def independent_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """(ε, δ) of the sum for interval events; ε is the theorem's own √(Δ² ln n/nσ²) where None.

    InputError where the records are not independent, one may have all the variance, or δ is 1 or more.
    """
    chosen = theorem_epsilon(moments) if epsilon is None else check_epsilon(epsilon)
    delta = independent_approximation(moments).delta(chosen)
    certificate = Certificate(NAME, chosen, delta, "intervals", moments.hypotheses(), SOURCE)
    return informative(certificate, "model.n", moments.n)


def independent_approximation(moments: Moments) -> Approximation:
    """The others' sum: its variance is that of all less at most Δ²/4 (Popoviciu), its third moments at most those of
    all, and d = 0.5591 Σ E|X_j - μ_j|³ / s³ (Berry-Esseen)."""
    if moments.neighbourhood > 1:
        wanted = "1 for this certificate (dependent records: local_dependence)"
        raise InputError("model.neighbourhood", moments.neighbourhood, wanted)
    rest = moments.unknown * Fraction(moments.variance) - Fraction(moments.range) ** 2 / 4
    if rest <= 0:
        wanted = f"above range²/4 over the {moments.unknown} unknown records, so that one cannot have it all"
        raise InputError("model.variance", moments.variance, wanted)
    deviation = root_down(rest)
    distance = BERRY_ESSEEN * moments.unknown * moments.third_moment / deviation**3
    return Approximation(deviation, raised(distance, 8), moments.range)


def theorem_epsilon(moments: Moments) -> float:
    """√(Δ² ln n/nσ²), rounded up, n counting the records the adversary does not know."""
    n = moments.unknown
    return raised(moments.range * sqrt(log(n) / (n * moments.variance)), 6)
