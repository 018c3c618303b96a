"""Add up in differential privacy, then weak dependence (IP Cor 4, IDP Thm 4; Result 5.1)."""

from math import exp, inf, log, log1p, nextafter
from typing import ClassVar, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.composition.bound import Bound
from dalenius.composition.group import groups_together
from dalenius.composition.losses import differential_sum
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route
from dalenius.notions import Notion
from dalenius.published.weak_dependence import largest_variation


@final
class WeakDependenceRoute(Route):
    """Let D be the sum of the releases' differential losses, G that of their group losses, and η the worst total
    variation between the laws of the others given two values of a record: together they leak at most
    log((1-η)e^D + η e^G) (Result 5.1 for the sum). That is never more than IP Cor 4, Σε_j - b + ln 2.

    The hypothesis, that each group is independent of all others (E1, E16), holds by construction of the model's groups.
    """

    name: ClassVar[str] = "weak_dependence"
    source: ClassVar[str] = "IP Cor 4, Result 5.1"

    def applies(self, releases: Releases) -> str | None:
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        own, group = differential_sum(releases), groups_together(releases)
        size = max(release.group_size for release in releases.each)
        eta = max(largest_variation(joint) for joint in releases.each[0].joints)
        upper = max(_mixed(own, group, eta), own)
        rests = (
            f"groups of at most {size} are independent of each other, and a record moves the law of the others by at "
            f"most η = {eta:.4g} in total variation",
            f"by IP Cor 4 itself {_corollary(own, size, eta):.6g} nats",
        )
        return Bound(Enclosure(0.0, upper), delta, rests)


def _mixed(own: float, group: float, eta: float) -> float:
    """log((1-η)e^own + η e^group), rounded up, and at most group."""
    if eta <= 0 or group <= own:
        return own if eta <= 0 else group
    if eta >= 1:
        return group
    high = group + log(eta)
    low = own + log1p(-eta)
    top, rest = max(high, low), min(high, low)
    found = top + log1p(exp(rest - top))
    return min(nextafter(found + 16 * UNIT * (2 + group - log(eta)), inf), group)


def _corollary(own: float, size: int, eta: float) -> float:
    """Σε_j - b + ln 2 with ε_j/k-differential privacy of each release, b the largest that both conditions allow."""
    total = size * own
    if total == inf:
        return inf
    return total - min(-log(eta) if eta > 0 else inf, total * (1 - 1 / size)) + log(2)
