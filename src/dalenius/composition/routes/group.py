"""Add up in differential privacy between whole groups (Result 9.1)."""

from math import inf
from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.composition.bound import Bound
from dalenius.composition.composed_profile import least_epsilon, profile_of
from dalenius.composition.group import groups_together
from dalenius.composition.losses import group_losses
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route, fixed
from dalenius.errors import InputError
from dalenius.notions import Notion


@final
class GroupRoute(Route):
    """The group losses add, whatever is asked later given what came out before, and whatever is known of others; with a
    delta by their profile, as the losses of single records do (Result 9.3)."""

    name: ClassVar[str] = "group"
    source: ClassVar[str] = "Result 9.1, 9.3"

    def applies(self, releases: Releases) -> str | None:
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        size = max(release.group_size for release in releases.each)
        own = delta if notion.keeps_delta else 0.0
        upper = min(groups_together(releases), _with_delta(releases, own))
        rests = (f"each record is independent of the vector of all outside its group of at most {size}",)
        return Bound(Enclosure(0.0, upper), delta, (*rests, *fixed(releases, own)))


def _with_delta(releases: Releases, delta: float) -> float:
    if not delta:
        return inf
    try:
        return least_epsilon(profile_of(group_losses(releases), delta), delta)
    except InputError:  # an infinite loss, or records that are real numbers
        return inf
