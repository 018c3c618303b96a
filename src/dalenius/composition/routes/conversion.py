"""Add up in differential privacy, convert once (Theory §13)."""

from typing import ClassVar, final

from dalenius.bounds import Enclosure
from dalenius.channel import Release
from dalenius.composition.bound import Bound
from dalenius.composition.composed_profile import profile_of
from dalenius.composition.losses import record_losses
from dalenius.composition.releases import Releases
from dalenius.composition.routes.route import Route, fixed
from dalenius.conversion import Conversion, PrivacyProfile
from dalenius.errors import TooLarge
from dalenius.notions import Notion
from dalenius.published.influence_curve import largest_influence


@final
class ConversionRoute(Route):
    """The losses between data sets that differ in one record add, whatever is asked later given what came out before;
    the most that any pipeline with their sum can leak of a record is the bound (Result 13.2; along a chain Result 5.3).
    """

    name: ClassVar[str] = "conversion"
    source: ClassVar[str] = "Result 13.2"

    def applies(self, releases: Releases) -> str | None:
        known = releases.each[0].adversary.known
        if known:
            person = next(iter(known))
            return f"the record of person {person} is known: the conversion is for the law of all records"
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> Bound:
        # Without a delta of its own kind a notion is bounded by the inferential leakage, which has none.
        own = delta if notion.keeps_delta else 0.0
        profile = profile_of(record_losses(releases), own)
        upper, how = _converted(releases.each[0], profile, own, notion.linear == "average")
        rests = f"no pipeline with the sum of the differential losses, {_shown(profile)}, leaks more{how}"
        return Bound(Enclosure(0.0, upper), delta, (rests, *fixed(releases, own)))


def converted(release: Release, profile: PrivacyProfile, delta: float) -> float:
    """What any pipeline of that profile between neighbours by another value can leak inferentially at that delta under
    the release's model. InputError or TooLarge where the model does not allow it."""
    return _converted(release, profile, delta, False, quick=True)[0]


def _converted(
    release: Release, profile: PrivacyProfile, delta: float, information: bool, quick: bool = False
) -> tuple[float, str]:
    made = Conversion(release.model, profile, "replace", information)
    try:
        return made.most(delta) if quick else made.epsilon(delta).value.upper, ""
    except TooLarge:
        if delta or profile.pure is None:
            raise
    # A group that is too large to list may be a chain, for which the influence curve has a recursion.
    found = max(largest_influence(joint, profile.pure) for joint in release.joints)
    return found, " (by the influence curve)"


def _shown(profile: PrivacyProfile) -> str:
    return f"{profile.pure:.6g} nats" if profile.pure is not None else f"a {profile.kind} profile"
