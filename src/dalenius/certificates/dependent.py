"""A sum of locally dependent records, by Stein's method: ours, in place of NP Theorem 3 (Result 7.4).

*What dependence is.* NP Definition 4 (and Ross 2011, Definition 3.5) asks that X_i be independent of the vector of all
records outside N_i, for each i alone. That is not enough: with fair signs R_1..R_m and one more, T, the records R_k and
R_k T have neighbourhoods of two, but their sum is (1 + T) Σ R_k, which is 0 half of the time and far from Gaussian; one
more, independent record is then revealed with probability 1/2, by an interval. So we ask for a dependency graph: sets
of records without an edge between them are independent as vectors. Disjoint groups and m-dependent sequences have one.
D is the size of the largest closed neighbourhood.

*Distance to the Gaussian law.* For centred X_j, s² = Var Σ X_j and W = Σ X_j/s, Stein's method bounds Wasserstein's
distance by the supremum of |E f'(W) - W f(W)| over f with |f'| <= √(2/π), |f''| <= 2 (Ross 2011, Lemma 2.4). With W_j =
W less j's neighbourhood, E[W f(W)] = Σ E[X_j (f(W) - f(W_j))]/s. Taylor's remainder is at most Σ E|X_j|(Σ_{k in N_j}
X_k)²/s³ <= D² Σ E|X_j|³/s³, by the inequality of means. The rest is at most √(2/π)/s² times the deviation of Σ_j Σ_{k
in N_j} X_j X_k: of its covariances at most 4D³ per j are not 0, and |Cov(X_j X_k, X_l X_m)| is at most the mean of the
four fourth moments, by Cauchy and Schwarz. So

    d_W <= D² Σ E|X_j|³/s³ + √(8/π) D^{3/2} √(Σ E X_j⁴)/s²,    d_K <= (2/π)^{1/4} √d_W.

Ross has √28 in place of √8 (Theorem 3.6). A neighbourhood's sum has a range of DΔ, hence a deviation of at most DΔ/2,
so that of the rest is at least that of all less DΔ/2."""

from fractions import Fraction
from math import pi, sqrt
from typing import Final

from dalenius.certificates.approximation import Approximation
from dalenius.certificates.certificate import Certificate, check_epsilon, informative
from dalenius.certificates.independent import theorem_epsilon
from dalenius.certificates.model import Moments
from dalenius.certificates.outward import lowered, raised, root_down
from dalenius.errors import InputError

NAME: Final = "local_dependence"
SOURCE: Final = "ours, by Stein's method (after Ross 2011, Thm 3.6), in place of NP Thm 3"


def dependent_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """(ε, δ) of the sum for interval events; ε as of `independent_delta` where None.

    InputError where one neighbourhood may have all the variance, or δ is 1 or more.
    """
    chosen = theorem_epsilon(moments) if epsilon is None else check_epsilon(epsilon)
    delta = dependent_approximation(moments).delta(chosen)
    certificate = Certificate(NAME, chosen, delta, "intervals", moments.hypotheses(fourth=True), SOURCE)
    return informative(certificate, "model.n", moments.n)


def dependent_approximation(moments: Moments) -> Approximation:
    """The sum of all records outside a neighbourhood."""
    n, size = moments.unknown, moments.neighbourhood
    whole = root_down(n * Fraction(moments.variance))
    left = whole - size * moments.range / 2
    if left <= 0:
        wanted = f"more than (neighbourhood·range/2)² over {n} records, so that one neighbourhood cannot have it all"
        raise InputError("model.variance", moments.variance, wanted)
    deviation = lowered(left, 8 * whole / left)
    third = size**2 * n * moments.third_moment / deviation**3
    fourth = sqrt(8 / pi) * size**1.5 * sqrt(n * moments.fourth_moment) / deviation**2
    distance = (2 / pi) ** 0.25 * sqrt(third + fourth)
    return Approximation(deviation, raised(distance, 24), moments.range, size)
