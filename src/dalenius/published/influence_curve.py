"""Any differentially private mechanism, and what it can leak on this model at the most: g(ε)."""

from decimal import Context, Decimal
from fractions import Fraction
from typing import ClassVar, final

from dalenius.bounds import up_to_digits
from dalenius.calibration.method import Calibration, Method, scale_hiding
from dalenius.calibration.theorem import check, judged
from dalenius.channel import Release
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.published.largest_influence import largest_influence
from dalenius.roots import brentq


@final
class InfluenceCurveMethod(Method):
    """Scale Δ/ε', ε' the largest with g(ε') <= ε; g(ε') is the most that ε'-differential privacy can leak inferentially
    on this model, by whatever mechanism. Sound always, and so is any composition: add up in differential privacy, and
    convert once with g (Result 5.3, Theory §9)."""

    name: ClassVar[str] = "influence_curve"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        allowed = differential_epsilon(release, epsilon)
        why = f"no {allowed:.6g}-differentially private mechanism leaks more than {epsilon:g} nats on this model"
        distance = release.sensitivity * Fraction(epsilon) / Fraction(allowed)
        noise = release.noise.with_scale(scale_hiding(release, distance, notion))
        return judged(self.name, True, why, release, notion, noise)


def influence_curve(release: Release, epsilon: float) -> float:
    """g(ε): what a mechanism of ε-differential privacy may leak inferentially about anybody, in nats; from above."""
    return max([epsilon, *(largest_influence(joint, epsilon) for joint in release.joints)])


def differential_epsilon(release: Release, epsilon: float) -> float:
    """The ε' of differential privacy with g(ε') = ε, from below; between ε over the largest group's size and ε."""
    low = epsilon / release.group_size
    if influence_curve(release, epsilon) <= epsilon:
        return epsilon
    if influence_curve(release, low) >= epsilon:
        return low
    near = float(brentq(lambda given: influence_curve(release, given) - epsilon, low, epsilon, xtol=1e-12, rtol=1e-10))
    # The largest of nine digits: the last bits differ between processors.
    near = up_to_digits(near, 9)
    while influence_curve(release, near) > epsilon:
        near = float(Context(prec=9).next_minus(Decimal(repr(near))))
    return max(near, low)
