"""Any differentially private mechanism, and what it can leak on this model at the most: g(ε) (Result 5.3).

That is what the wing `conversion` computes of a pure profile: a program over one group's records (Result 13.2), along a
chain a recursion (Result 20.23). Here it is read backwards: which ε′ of differential privacy keeps an ε about people
who depend on each other, and so how much noise. Of twins g(ε) = 2ε: a promise of 1.4 nats leaves ε′ = .7.
"""

from collections.abc import Sequence
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, final

from dalenius.bounds import up_to_digits
from dalenius.calibration.method import Calibration, Method, check, judged, scale_hiding
from dalenius.channel import Release
from dalenius.conversion.bounded_records import worst_pure
from dalenius.conversion.chain_bound import pure_nats
from dalenius.conversion.dependence import Dependence, dependences
from dalenius.conversion.least_epsilon import pure_leakage
from dalenius.joints import Joint
from dalenius.noise import NoNoise
from dalenius.notions import Notion
from dalenius.special_functions import brentq


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
    """g(ε): what a mechanism of ε-differential privacy may leak inferentially about anybody, in nats; from above.
    TooLarge where a group is neither short enough to list nor a chain, or a chance along a chain is below doubles."""
    return max([epsilon, *(_largest_influence(joint, epsilon) for joint in release.joints)])


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


def _largest_influence(joint: Joint, epsilon: float) -> float:
    rows = [factor.path for factor in joint.factors() if factor.size > 1 and factor.path is not None]
    along = [worst_pure(pure_nats(row, epsilon), row.chances, False).value for row in rows]
    return max([*along, *(pure_leakage(each, epsilon, 1).upper for each in _questions(joint))], default=0.0)


@lru_cache(maxsize=16)  # a calibration asks at a dozen ε, the groups are listed once
def _questions(joint: Joint) -> Sequence[Dependence]:
    """About records of groups that are no rows, one of those with the same answer."""
    if all(factor.path is not None or factor.size == 1 for factor in joint.factors()):
        return ()
    return tuple({each.key: each for each in dependences(joint, information=False)}.values())
