"""NP Theorem 2 as it is printed: no guarantee, for comparison only."""

from math import exp, inf, sqrt
from typing import Final

from dalenius.certificates.certificate import Certificate
from dalenius.certificates.independent import theorem_epsilon
from dalenius.certificates.model import Moments
from dalenius.errors import InputError

NAME: Final = "theorem_2_as_printed"
MOST_EPSILON: Final = 700.0
"""Beyond it e^epsilon overflows, and the formula has no value."""
SOURCE: Final = "NP Thm 2"
WHY: Final = (
    "it claims all events, but a Kolmogorov distance bounds intervals only (E6); its 4/(5√n) is not what its Fact 1 "
    "gives, 5/(4√n), nor is that shown beyond epsilon 1 (E7); and it counts the person's own variance as the others'"
)


def printed_delta(moments: Moments) -> Certificate:
    """ε = √(Δ² ln n/nσ²), δ = 1.12 Σ E|X_i - μ_i|³/(nσ²)^{3/2} (1 + e^ε) + 4/(5√n); not capped at 1."""
    if moments.neighbourhood > 1:
        raise InputError("model.neighbourhood", moments.neighbourhood, "1: the theorem is about independent records")
    n, epsilon = moments.unknown, theorem_epsilon(moments)
    delta = printed_formula(n, moments.variance, moments.third_moment, epsilon)
    return Certificate(NAME, epsilon, delta, "all", moments.hypotheses(), SOURCE, sound=False, why=WHY)


def printed_formula(n: int, variance: float, third: float, epsilon: float) -> float:
    """The δ, also of moments that no records have (NP Example 1: variance 4, third 3)."""
    if epsilon > MOST_EPSILON:
        return inf
    spread = sqrt(n * variance)
    return 1.12 * n * third / spread**3 * (1 + exp(epsilon)) + 4 / (5 * sqrt(n))


def fact_delta(n: int) -> float:
    """5/(4√n): the δ that Fact 1 (Dwork and Roth) gives Gaussian noise at ε = √(Δ² ln n/nσ²) < 1."""
    return 5 / (4 * sqrt(n))
