"""The weak-dependence theorem's own proof, without its last two roundings (IDP Lemma 5, IP Lemma 6; Result 5.1)."""

from fractions import Fraction
from math import exp, log, log1p
from typing import ClassVar, final

from dalenius.bounds import down_to_digits
from dalenius.calibration.method import Calibration, Method, scale_hiding
from dalenius.calibration.theorem import check, judged
from dalenius.channel import Release
from dalenius.noise import NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion
from dalenius.published.total_variation import largest_variation
from dalenius.roots import brentq


@final
class SharpWeakDependenceMethod(Method):
    """Scale D/e, where e^{eΔ/D}(1-η) + e^e η = e^ε; D is what a whole independent group can move the answer, kΔ where
    each of its records can move it by Δ, and η is as for `weak_dependence`.

    With noise of scale D/e let M and m be the largest and the least W(y | x) over the group's other records, x_i being
    one value, or another: M <= m e^e. The laws of the others given two values of X_i share mass of at least 1 - η; on
    it only X_i changes, which costs a factor e^{eΔ/D}, and on the rest at most e^e. So the ratio is at most
    (e^{eΔ/D} A + e^e m η')/(A + m η') with η' <= η and A >= m(1 - η'), which is largest at A = m(1 - η') and there the
    left side above. Sound as `weak_dependence` is; never more than `group`, never less than `independent`.
    """

    name: ClassVar[str] = "weak_dependence_sharp"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        own = release.sensitivity
        if not own:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        group, k = release.group_sensitivity
        eta = max(largest_variation(joint) for joint in release.joints)
        distance = hidden(max(group / own, Fraction(1)), eta, epsilon) * own
        why = (
            f"groups of at most {k} are independent of each other, and a record moves the law of the others by at most "
            f"η = {eta:.4g} in total variation"
        )
        scale = scale_hiding(release, distance, notion)
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))


def hidden(k: Fraction, eta: float, epsilon: float) -> Fraction:
    """kε/e, rounded up: how many records' worth of Laplace noise of scale Δ/ε; between 1 (η = 0) and k (η = 1)."""
    if eta == 0 or k == 1:
        return Fraction(1)
    if eta >= 1:
        return k
    most = float(k)

    def above(e: float) -> float:
        return _log_sum(e / most + log1p(-eta), e + log(eta)) - epsilon

    if above(epsilon) >= 0:
        return k
    e = float(brentq(above, epsilon, most * epsilon * (1 + 1e-12), xtol=1e-14 * epsilon, rtol=1e-14)) * (1 - 1e-13)
    return min(max(k * Fraction(epsilon) / Fraction(down_to_digits(e, DIGITS)), Fraction(1)), k)


def _log_sum(one: float, other: float) -> float:
    high, low = max(one, other), min(one, other)
    return high + log1p(exp(low - high))
