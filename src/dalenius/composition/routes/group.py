"""Add up in differential privacy between whole groups (Result 9.1)."""

from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.composition.bound import Bound
from dalenius.composition.group import group_loss, together
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route
from dalenius.notions import Notion


@final
class GroupRoute(Route):
    """The group losses add, whatever is asked later given what came out before, and whatever is known of others."""

    name: ClassVar[str] = "group"
    source: ClassVar[str] = "Result 9.1"

    def applies(self, releases: Releases) -> str | None:
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        size = max(release.group_size for release in releases.each)
        upper = together(group_loss(release) for release in releases.each)
        rests = [f"each record is independent of the vector of all outside its group of at most {size}"]
        if releases.adaptive:
            rests.append("the losses were fixed beforehand, or their sum was limited beforehand")
        return Bound(Enclosure(0.0, upper), delta, tuple(rests))
