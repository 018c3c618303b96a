"""The joint channel of all answers: exact."""

from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.composition.bound import Bound, named
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route
from dalenius.notions import Notion

ADAPTIVE = (
    "what was asked later depends on earlier outputs: the joint law is that of the branch taken, and says nothing of "
    "what others would have leaked"
)


@final
class JointRoute(Route):
    """The answers of releases that were fixed beforehand are one answer of several coordinates, and its channel is
    that of the sequence: exact for every notion."""

    name: ClassVar[str] = "joint"
    source: ClassVar[str] = "Theory §9"

    def applies(self, releases: Releases) -> str | None:
        if releases.adaptive:
            return ADAPTIVE
        found = joint(releases)
        return found if isinstance(found, str) else None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        together = joint(releases)
        assert not isinstance(together, str)
        leakage = notion.leakage(together)
        rests = ("all releases were fixed beforehand, their noises are independent",)
        return Bound(Enclosure(leakage.lower, leakage.upper), delta, rests, leakage.witness)


def joint(releases: Releases) -> Release | str:
    """All releases as one, or the reason why that cannot be computed here: one noise serves all coordinates."""
    first = releases.each[0]
    if len(releases) == 1:
        return first
    for number, other in enumerate(releases.each[1:], 2):
        if other.noise != first.noise:
            both = f"{named(first, 1)} and {named(other, number)}"
            return f"{both} have different noises: the joint law is computed where all have the same"
    return releases.exact.with_noise(first.noise)
