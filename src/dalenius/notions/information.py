"""Information privacy: how far an output may raise the probability of a secret (IP Def 3, IDP Lemma 4)."""

from typing import ClassVar, Literal, final

from dalenius.channel import AbsentChannel, Channel, Leakage
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.laws.absence.ratios import Curve
from dalenius.laws.tails.losses import Gain, PointwiseLoss
from dalenius.notions.notion import Linear, Notion, Proof


@final
class InformationPrivacy(Notion):
    """log Pr[S=s | Y=y] / Pr[S=s] <= epsilon for every secret value s and output y, in nats.

    Companion `two_sided`: the larger of that and of its reverse, log Pr[S=s] / Pr[S=s | Y=y].
    """

    also: ClassVar[tuple[str, ...]] = ("two_sided",)

    implied_by: ClassVar[Proof] = "inferential"
    linear: ClassVar[Linear] = "average"

    kind: Literal["information"] = "information"

    def leakage_of(self, channel: Channel) -> Leakage:
        movement = channel.movement()
        return Leakage.of(movement.raised, two_sided=movement.most.value)

    def loss(self, channel: Likelihoods) -> PointwiseLoss:
        return Gain(channel.log_prior)

    def by_scale(self, channel: AbsentChannel) -> Curve:
        return channel.raised_by_scale()
