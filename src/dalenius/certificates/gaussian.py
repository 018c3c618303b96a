"""The Gaussian part alone, exact (Balle and Wang 2018, Theorem 8): where the others' sum is exactly Gaussian."""

from fractions import Fraction
from typing import Final

from dalenius.certificates.certificate import Certificate, check_epsilon, informative
from dalenius.certificates.outward import raised, root_down
from dalenius.errors import InputError
from dalenius.gaussian.profile import of_gaussian

NAME: Final = "normal_sum"
SOURCE: Final = "Balle and Wang 2018, Thm 8 (Theory, Result 7.3)"


def gaussian_sum_delta(variance: float, range: float, epsilon: float) -> Certificate:
    """δ(ε) = Φ(Δ/2s - εs/Δ) - e^ε Φ(-Δ/2s - εs/Δ) for a shift of at most Δ = `range`; s² = `variance` of the
    others' sum."""
    for key, value in (("variance", variance), ("range", range)):
        if not 0 < value < float("inf"):
            raise InputError(key, value, "a finite number above 0")
    delta = of_gaussian(raised(range / root_down(Fraction(variance)), 4), check_epsilon(epsilon)).upper
    hypotheses = (
        f"the sum of all others' records is exactly Gaussian, of variance {variance:g}, independent of the person's",
        f"one record moves the sum by at most {range:g}",
    )
    return informative(Certificate(NAME, epsilon, delta, "all", hypotheses, SOURCE), "variance", variance)
