"""Differential privacy's own rule: losses add, record by record."""

from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.composition.bound import Bound
from dalenius.composition.composed_profile import least_epsilon, profile_of
from dalenius.composition.losses import record_losses
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route, fixed
from dalenius.notions import Notion


@final
class AdditionRoute(Route):
    """Σε over the releases that ask a record, the largest of all records: the maximum over releases of different ones.
    With a delta, the exact profile of pure losses and Gaussian noise together (Result 9.3)."""

    name: ClassVar[str] = "addition"
    source: ClassVar[str] = "Dwork et al. 2006; Result 9.3"

    def applies(self, releases: Releases) -> str | None:
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        profile = profile_of(record_losses(releases), delta)
        upper = profile.pure if delta == 0 and profile.pure is not None else least_epsilon(profile, delta)
        return Bound(Enclosure(0.0, upper), delta, ("the noises are independent", *fixed(releases, delta)))
