"""The joint channel of all answers: exact."""

from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.composition.bound import Bound
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route
from dalenius.noise import separate
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
    reads_channel: ClassVar[bool] = True

    def applies(self, releases: Releases) -> str | None:
        return ADAPTIVE if releases.adaptive else None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        leakage = notion.leakage(joint(releases))
        rests = ("all releases were fixed beforehand, their noises are independent",)
        # At a delta that the notion has not, its leakage bounds from above only.
        lower = leakage.lower if delta == (notion.promised_delta or 0.0) else 0.0
        return Bound(Enclosure(lower, leakage.upper), delta, rests, leakage.witness)


def joint(releases: Releases) -> Release:
    """All releases as one: every answer keeps its own noise."""
    if len(releases) == 1:
        return releases.each[0]
    parts = [part for each in releases.each for part in each.noise.each(len(each.names))]
    return releases.exact.with_noise(separate(parts))
