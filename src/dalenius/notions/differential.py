"""Differential privacy: neighbouring data sets only, no model of the records."""

from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Leakage, Release
from dalenius.notions.notion import Linear, Notion, Proof
from dalenius.notions.wording import OF_ODDS, Phrase


@final
class DifferentialPrivacy(Notion):
    """log Pr[Y=y | x] / Pr[Y=y | x'] <= epsilon for every y and all data sets x, x' that differ in one record.

    The right promise where records are independent; where they are not, it is what today's libraries report, and
    `inferential` is what the adversary learns. Meaningless where secrets are of several people: hiding ℓ records takes
    ℓ times the ε of one.
    """

    of_the_model: ClassVar[bool] = False

    implied_by: ClassVar[Proof] = "record"
    linear: ClassVar[Linear] = "neighbours"
    phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS
    to_whom: ClassVar[str] = "to whoever knows all other records"

    kind: Literal["differential"] = "differential"

    def check_secret(self, release: Release) -> None:
        release.secrets.check_of_records(f"{self.kind} privacy")

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.neighbours())


def differential_loss(release: Release) -> Enclosure | None:
    """The same number without the laws of the answer, which it does not depend on: the most an output leaks about any
    subject to an adversary who knows all other records. None where the secret is who is absent, or several people's."""
    if release.of_absence or not release.secrets.of_records:
        return None
    if release.real or not release.is_finite:
        leakage = DifferentialPrivacy().leakage(release)
        return Enclosure(leakage.lower, leakage.upper)
    found = Enclosure(0.0, 0.0)
    for world in release.finite_worlds:
        for spread, lattice, axes in world.spreads():
            if spread.neighbours is not None:
                found = largest(found, release.noise.on(axes).neighbour_loss(spread.neighbours, lattice))
    return found
