"""Certificates for the exact sum of records whose moments alone are known.

The sum is nearly Gaussian; they say what intervals, and unions of intervals, leak about one record (Result 7.3).

The answer given X_i = a is a + R + Y, where Y is the sum of the records X_i is independent of and R that of the others
of its neighbourhood, in a range of (D-1)Δ wherever it lies. Y is within d of a Gaussian law of deviation s in
Kolmogorov's distance: |F_Y - Φ| <= d everywhere. So the probability of a half-line is off by at most d, that of an
interval by at most d twice, and that of a set with k ends in all by at most kd. This holds under each of the two laws,
and counts e^ε times under one of them.

*Independent records* (D = 1): R = 0, the two Gaussian laws differ by a shift of at most Δ, and every event has at most
δ_N(ε) = Φ(Δ/2s - εs/Δ) - e^ε Φ(-Δ/2s - εs/Δ) (Balle and Wang 2018), which falls in s. With k ends

    δ = δ_N(ε) + k(1 + e^ε)d,

least where Φ(-Δ/2s - εs/Δ) = kd, since -e^ε Φ(..) is the derivative of δ_N; what holds at an ε holds at any larger one.
At ε = 0 half of the errors is enough: for an interval (x, y] and a shift h > 0, F(y) - F(x) - F(y+h) + F(x+h) <= F(x+h)
- F(x) <= δ_N(0) + 2d. An event with k ends, or its complement, is at most ⌈k/2⌉ intervals and half-lines, so δ =
⌈k/2⌉(δ_N(0) + 2d) too. The errors of a half-line, (1 + e^ε)d, are not enough for an interval: if F = Φ - d at its lower
end, Φ + d a shift later, and mass d is far above it, the excess over δ_N is 2e^ε d.

*Dependent records*: Y's law is the same for both values, R may depend on Y. As R moves Y by at most w = (D-1)Δ,
Pr[a+R+Y in S] <= Pr[Y in S⁺] and Pr[a'+R+Y in S] >= Pr[Y in S⁻], where S⁺ exceeds S⁻ by α = w + a - a' at each lower
end and by β = w - (a - a') at each upper one, at most 2w in all for two. So the Gaussian part is at most the Gaussian
mass of a set of that length, hence of such an interval around the mean, and nothing is gained by ε > 0:

    δ = 2Φ(L/2s) - 1 + 2kd,    L = kw, and Δ more if k is odd.

Locally dependent records have such a d by Stein's method: ours, in place of NP Theorem 3 (Result 7.4).

*What dependence is.* NP Definition 4 (and Ross 2011, Definition 3.5) asks that X_i be independent of the vector of all
records outside N_i, for each i alone. That is not enough. Take fair signs R_1..R_m and one more, T. The records R_k and
R_k T have neighbourhoods of two, but their sum is (1 + T) Σ R_k, which is 0 half of the time and far from Gaussian. One
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
so that of the rest is at least that of all less DΔ/2.

Release the rounded answer: that is the cheapest step from intervals to all events (Result 7.5).

A rounded answer takes K + 1 values, separated by K thresholds that are chosen without looking at the data. For any set
of them, the answers that round into it are a union of intervals with at most K ends, and the bound of `approximation`
holds with k = K: for independent records δ = δ_N(ε) + K(1 + e^ε)d. Thresholds may be anywhere: a wrong guess of where
the answer lies costs accuracy, not privacy.

*Why rounding.* A noise of density f, independent of the records, turns the error F_Y - Φ into a density error of at
most d·V, V the total variation of f; over a range L of outputs, and as half of it counts, that is (1 + e^ε)d·V·L/2. For
unimodal densities V = 2 max f. For all densities of standard deviation r, max f >= 1/(r√12), with equality for the
uniform. So the cost is at least (1 + e^ε)d·L/(r√12), Gaussian noise has 1.38 times that and Laplace noise 2.45 times.
Rounding to cells of width w costs (1 + e^ε)d·L/w, and errs like the uniform, by r = w/√12 and never by more than w/2:
no such noise is cheaper by this argument, and rounding needs none.

A million fair bits have s = 500 and d = .00056. So intervals have δ = .0019 at ε = .01, and (.1, .05) holds for all
events of a sum that is rounded by 52 thresholds.

>>> bits = Moments(n=1_000_000, variance=0.25, range=1)
>>> round(independent_delta(bits, 0.01).delta, 5), most_thresholds(independent_approximation(bits), 0.1, 0.05)
(0.00192, 52)
"""

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import exp, log, pi, sqrt
from typing import Final, final

from dalenius.errors import DaleniusError, InputError
from dalenius.gaussian.quantities import of_gaussian
from dalenius.noise.error_law import missed
from dalenius.special_functions import ndtri
from dalenius.theorems.bernoulli_certificate import (
    Certificate,
    bernoulli_delta,
    checked_epsilon,
    informative,
    root_down,
    rounded_down,
    rounded_up,
)
from dalenius.theorems.limits import MOST_THRESHOLDS
from dalenius.theorems.moment_model import Moments


@final
@dataclass(frozen=True)
class Approximation:
    """The approximation of a sum by a Gaussian law; both errors fall as s grows, so a lower bound on s serves.

    deviation: s, at most that of Y; distance: d, for that s; range: Δ; neighbourhood: D.
    """

    deviation: float
    distance: float
    range: float
    neighbourhood: int = 1

    def delta(self, epsilon: float, ends: int = 2) -> float:
        """Returns δ at `epsilon` (nats), uncapped, for events whose indicator changes at most `ends` times."""
        # Because what a neighbourhood (a family, days near each other) adds moves with the record: intervals are wider.
        if self.neighbourhood > 1:
            length = ends * (self.neighbourhood - 1) * self.range + (ends % 2) * self.range
            return rounded_up(
                of_gaussian(rounded_up(length / self.deviation, 6), 0.0).upper + 2 * ends * self.distance, 4
            )
        # Because what is kept at the best ε is kept at any above it.
        used = min(epsilon, self.best_epsilon(ends))
        normal = of_gaussian(self.separation, used).upper
        unweighted = of_gaussian(self.separation, 0.0).upper
        runs = (ends + 1) // 2
        return rounded_up(
            min(normal + ends * (1 + exp(used)) * self.distance, runs * (unweighted + 2 * self.distance)), 6
        )

    def best_epsilon(self, ends: int = 2) -> float:
        """Returns the ε, in nats, at which δ_N(ε) + k(1 + e^ε)d is least, for k = `ends`."""
        # Because dependent records gain nothing by an ε; for few people the errors alone are half of everything.
        if self.neighbourhood > 1 or ends * self.distance >= 0.5:
            return 0.0
        half = self.separation / 2
        return max(self.separation * (-float(ndtri(ends * self.distance)) - half), 0.0)

    @property
    def separation(self) -> float:
        """Δ/s, the most one record can shift the Gaussian law of independent records, in deviations."""
        return rounded_up(self.range / self.deviation, 2)


def independent_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """Returns (ε, δ) of the sum for interval events.

    Args:
        moments: The model.
        epsilon: ε, in nats; None for the theorem's own √(Δ² ln n/nσ²).

    Raises:
        InputError: If the records are not independent, one may have all the variance, or δ is 1 or more.
    """
    source = (
        "NP Thm 2, corrected: intervals only (E6), the Gaussian part exact (E7), the person's own variance left out"
    )
    return _of_intervals("independent_sum", moments, epsilon, independent_approximation(moments), source)


def _of_intervals(name: str, moments: Moments, epsilon: float | None, near: Approximation, source: str) -> Certificate:
    """Returns the certificate for interval events of a sum with that approximation; InputError where δ is 1 or more."""
    chosen = theorem_epsilon(moments) if epsilon is None else checked_epsilon(epsilon)
    hypotheses = moments.hypotheses(fourth=near.neighbourhood > 1)
    certificate = Certificate(name, chosen, near.delta(chosen), "intervals", hypotheses, source)
    return informative(certificate, "model.n", moments.n)


def independent_approximation(moments: Moments) -> Approximation:
    """Returns the approximation of the others' sum, by the theorem of Berry and Esseen.

    Its variance is that of all less at most Δ²/4 (Popoviciu), its third moments at most those of all, and
    d = 0.5591 Σ E|X_j - μ_j|³ / s³.
    """
    # Because Berry and Esseen's theorem is about independent summands: no families, or days near each other.
    if moments.neighbourhood > 1:
        wanted = "1 for this certificate (dependent records: local_dependence)"
        raise InputError("model.neighbourhood", moments.neighbourhood, wanted)
    rest = moments.unknown * Fraction(moments.variance) - Fraction(moments.range) ** 2 / 4
    if rest <= 0:  # one lottery winner may have all of the variance, and then is seen
        wanted = f"above range²/4 over the {moments.unknown} unknown records, so that one cannot have it all"
        raise InputError("model.variance", moments.variance, wanted)
    deviation = root_down(rest)
    # The factor is Tyurin's constant for summands that need not be identically distributed (NP Fact 2).
    distance = 0.5591 * moments.unknown * moments.third_moment / deviation**3
    return Approximation(deviation, rounded_up(distance, 8), moments.range)


def theorem_epsilon(moments: Moments) -> float:
    """Returns √(Δ² ln n/nσ²) of the `moments`, rounded up, n counting the records the adversary does not know."""
    n = moments.unknown
    return rounded_up(moments.range * sqrt(log(n) / (n * moments.variance)), 6)


def dependent_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """Returns (ε, δ) of the sum for interval events.

    Args:
        moments: The model.
        epsilon: ε, in nats; None as in `independent_delta`.

    Raises:
        InputError: If one neighbourhood may have all the variance, or δ is 1 or more.
    """
    source = "ours, by Stein's method (after Ross 2011, Thm 3.6) and NP Fact 3, in place of NP Thm 3"
    return _of_intervals("local_dependence", moments, epsilon, dependent_approximation(moments), source)


def dependent_approximation(moments: Moments) -> Approximation:
    """Returns the approximation, for these `moments`, of the sum of all records outside a neighbourhood.

    InputError where one neighbourhood may have all of the variance.
    """
    n, size = moments.unknown, moments.neighbourhood
    of_all = root_down(n * Fraction(moments.variance))
    left = of_all - size * moments.range / 2
    # If one of a village's three families is taken away, what varies may be gone.
    if left <= 0:
        wanted = f"more than (neighbourhood·range/2)² over {n} records, so that one neighbourhood cannot have it all"
        raise InputError("model.variance", moments.variance, wanted)
    deviation = rounded_down(left, 8 * of_all / left)
    third = size**2 * n * moments.third_moment / deviation**3
    fourth = sqrt(8 / pi) * size**1.5 * sqrt(n * moments.fourth_moment) / deviation**2
    distance = (2 / pi) ** 0.25 * sqrt(third + fourth)
    return Approximation(deviation, rounded_up(distance, 24), moments.range, size)


def bits_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """Returns (ε, δ) of a count of equal independent bits, for all events (NP Thm 1).

    Args:
        moments: The model, whose `probability` is given.
        epsilon: ε, in nats; None as in `independent_delta`.

    Raises:
        InputError: If the records are no bits of one probability, or δ is 1 or more.
    """
    if moments.probability is None:
        raise InputError("model.probability", "missing", "the chance of a 1, for a count of equal independent bits")
    chosen = theorem_epsilon(moments) if epsilon is None else checked_epsilon(epsilon)
    return bernoulli_delta(moments.unknown, moments.probability, chosen)


def printed_delta(moments: Moments, epsilon: float | None = None) -> Certificate:
    """Returns what NP Theorem 2 says as it is printed, which does not hold (E6, E7).

    Args:
        moments: The model.
        epsilon: Not used: the theorem as printed has an ε of its own.

    Raises:
        InputError: If the records depend on each other, or δ is 1 or more.
    """
    if moments.neighbourhood > 1:
        raise InputError("model.neighbourhood", moments.neighbourhood, "1 for this theorem")
    n, chosen = moments.unknown, theorem_epsilon(moments)
    errors = 1.12 * n * moments.third_moment / (n * moments.variance) ** 1.5
    delta = rounded_up(errors * (1 + exp(chosen)) + 4 / (5 * sqrt(n)), 16)
    source = "NP Thm 2 as printed: not sound (E6, E7)"
    hypotheses = moments.hypotheses()
    return informative(Certificate("theorem_2", chosen, delta, "all", hypotheses, source, sound=False), "model.n", n)


@final
@dataclass(frozen=True)
class Certified:
    """The outcome of one theorem; certificate is None where it does not apply, and why says the reason."""

    name: str
    certificate: Certificate | None
    why: str


_THEOREMS: Final[dict[str, Callable[[Moments, float | None], Certificate]]] = {
    "equal_bits": bits_delta,
    "independent_sum": independent_delta,
    "local_dependence": dependent_delta,
    "theorem_2": printed_delta,
}


def certify(moments: Moments, epsilon: float | None = None) -> tuple[Certified, ...]:
    """Returns the outcome of each theorem in turn, those that do not apply with their reason.

    Args:
        moments: The model.
        epsilon: ε, in nats; None for Theorem 2's own.
    """
    found = []
    for name, theorem in _THEOREMS.items():
        # So that a theorem that does not apply is shown with its reason, next to those that do.
        try:
            found.append(Certified(name, theorem(moments, epsilon), ""))
        except DaleniusError as error:
            found.append(Certified(name, None, str(error)))
    return tuple(found)


INTERVALS_ONLY: Final = (
    "intervals only: a Kolmogorov distance says nothing about other events (docs/reference/errata.md, E6). If you "
    "round the answer to a grid, it holds for all events"
)
"""The reason why a Kolmogorov distance certifies intervals only."""


def most_thresholds(approximation: Approximation, epsilon: float, delta: float) -> int:
    """Returns how many thresholds keep (epsilon, delta) for all events, at most a million: δ grows with their number.

    Args:
        approximation: The approximation of the sum.
        epsilon: ε, in nats.
        delta: δ, a probability above 0.

    Raises:
        InputError: If epsilon or delta is none.
    """
    checked_epsilon(epsilon), missed(delta, "delta")
    return bisect_right(range(1, MOST_THRESHOLDS + 1), delta, key=lambda ends: approximation.delta(epsilon, ends))


def approximation_of(moments: Moments) -> Approximation:
    """Returns the approximation of `moments`: by independence where records are independent, else local dependence."""
    return independent_approximation(moments) if moments.neighbourhood == 1 else dependent_approximation(moments)
