"""A sum that is nearly Gaussian: what intervals, and unions of intervals, leak about one record (Result 7.3).

The answer given X_i = a is a + R + Y, where Y is the sum of the records X_i is independent of and R that of the others
of its neighbourhood, in a range of (D-1)Δ wherever it lies. Y is within d of a Gaussian law of deviation s in
Kolmogorov's distance: |F_Y - Φ| <= d everywhere. So the probability of a half-line is off by at most d once, that of an
interval by at most d twice, and that of a set with k ends in all by at most kd: under each of the two laws, and e^ε
times under one of them.

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
"""

from dataclasses import dataclass
from math import exp
from typing import final

from dalenius.certificates.outward import raised
from dalenius.gaussian.profile import of_gaussian
from dalenius.special import ndtri


@final
@dataclass(frozen=True)
class Approximation:
    """deviation: s, at most that of Y; distance: d, as of that s; range: Δ; neighbourhood: D.

    Both errors fall as s grows, so a lower bound on Y's deviation serves.
    """

    deviation: float
    distance: float
    range: float
    neighbourhood: int = 1

    def delta(self, epsilon: float, ends: int = 2) -> float:
        """δ at ε of every event whose indicator changes at most `ends` times along the line; not capped at 1."""
        if self.neighbourhood > 1:
            length = ends * (self.neighbourhood - 1) * self.range + (ends % 2) * self.range
            return raised(of_gaussian(raised(length / self.deviation, 6), 0.0).upper + 2 * ends * self.distance, 4)
        used = min(epsilon, self.best_epsilon(ends))
        normal = of_gaussian(self.separation, used).upper
        apart = of_gaussian(self.separation, 0.0).upper
        runs = (ends + 1) // 2
        return raised(min(normal + ends * (1 + exp(used)) * self.distance, runs * (apart + 2 * self.distance)), 6)

    def best_epsilon(self, ends: int = 2) -> float:
        """Where δ_N(ε) + k(1 + e^ε)d is least."""
        if self.neighbourhood > 1 or ends * self.distance >= 0.5:
            return 0.0
        half = self.separation / 2
        return max(self.separation * (-float(ndtri(ends * self.distance)) - half), 0.0)

    @property
    def separation(self) -> float:
        """Δ/s, the most one record can shift the Gaussian law of independent records, in deviations."""
        return raised(self.range / self.deviation, 2)
