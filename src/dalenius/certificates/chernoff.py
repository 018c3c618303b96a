"""The earlier bound on a count of bits, that of Bhaskar et al. (2011, Theorem 5), with its Chernoff bound plugged in.

NP draws it as the dashed line of Figures 1 and 2 and prints no formula: the authors "proved only that due to Chernoff
bounds, for a fixed ε the δ is asymptotically negligible". What follows is our derivation of it. The likelihoods given
the two values differ by more than e^ε only if the count is off its mean np by s₀n or more (`bernoulli`), and Chernoff's
multiplicative bound, Pr[|B - np| >= βnp] <= 2 exp(-β²np/3), at β = s₀/p makes that

    δ = 2 exp(-n s₀²/3p).

For p >= 1/6 it is never below Theorem 1's δ = 2 exp(-2n s₀²), hence sound by the proof there. For p < 1/6 it would be,
and nothing is proved of it given the record: there it is Theorem 1's. With p near 1 it is six times weaker in the
exponent."""

from math import exp
from typing import Final

from dalenius.certificates.bernoulli import bernoulli_formula, hypotheses_of, rarer_deviation
from dalenius.certificates.certificate import Certificate, informative
from dalenius.certificates.outward import raised

NAME: Final = "chernoff"
SOURCE: Final = "Bhaskar et al. 2011, Thm 5; constants ours, from the proof as NP §3 describes it"


def chernoff_delta(n: int, p: float, epsilon: float) -> Certificate:
    """δ = 2 exp(-n s₀² min(2, 1/3p)); arguments and errors as of `bernoulli_delta`."""
    delta = chernoff_formula(n, p, epsilon)
    return informative(Certificate(NAME, epsilon, delta, "all", hypotheses_of(n, p), SOURCE), "n", n)


def chernoff_formula(n: int, p: float, epsilon: float) -> float:
    """The δ, not capped at 1."""
    least = bernoulli_formula(n, p, epsilon)
    deviation = rarer_deviation(min(p, 1 - p), epsilon)
    exponent = n * deviation * deviation * min(2.0, 1 / (3 * p))
    return max(least, raised(2 * exp(-exponent), 8 + 24 * exponent))
