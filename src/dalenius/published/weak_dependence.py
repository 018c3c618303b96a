"""Less noise than for a whole group where the group is weakly dependent (IDP Thm 4, IP Thm 2; Theory §5)."""

from fractions import Fraction
from math import inf, log
from typing import ClassVar, final

from dalenius.bounds import down_to_digits
from dalenius.calibration.method import Calibration, Method, scale_hiding
from dalenius.calibration.theorem import check, judged
from dalenius.channel import Release
from dalenius.errors import InputError
from dalenius.noise import NoNoise
from dalenius.noise.scaled import DIGITS
from dalenius.notions import Notion
from dalenius.published.total_variation import largest_variation


@final
class WeakDependenceMethod(Method):
    """Scale kΔ/e, where e - b + ln 2 = ε, e(1 - 1/k) >= b and η <= e^{-b}; η is the worst total variation between the
    laws of all others given two values of X_i.

    Sound where groups of at most k records are independent of each other, as the model's are: that X_i is independent
    of *the vector* of all but k, as is enough for `group` (E1), is not enough here (E16). The largest b that both
    conditions allow is min(-ln η, (ε - ln 2)(k - 1)). At most ln 2 nats the theorem cannot promise: its bound is at
    least that, and the method does not apply.
    """

    name: ClassVar[str] = "weak_dependence"

    def calibrate(self, release: Release, notion: Notion) -> Calibration:
        epsilon = check(release, notion)
        if epsilon <= log(2):
            raise InputError("notion.epsilon", epsilon, "more than ln 2 = 0.693147, the least this theorem can promise")
        if not release.sensitivity:
            return judged(self.name, True, "the answer is constant", release, notion, NoNoise())
        k = release.group_sensitivity[1]
        eta = max(largest_variation(joint) for joint in release.joints)
        b = min(-log(eta) if eta > 0 else inf, (epsilon - log(2)) * (k - 1))
        inner = down_to_digits((epsilon + b - log(2)) * (1 - 1e-14), DIGITS)
        scale = scale_hiding(release, k * release.sensitivity * Fraction(epsilon) / Fraction(inner), notion)
        why = (
            f"groups of at most {k} are independent of each other, and a record moves the law of the others by at most "
            f"η = {eta:.4g} in total variation"
        )
        return judged(self.name, True, why, release, notion, release.noise.with_scale(scale))
