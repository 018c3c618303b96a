"""Relative entropy privacy: how far an output may move the adversary's belief (IP Thm 1, IDP Thm 2)."""

from typing import ClassVar, Literal, final

from dalenius.channel import Channel, Leakage
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.laws.tails.losses import PointwiseLoss, PosteriorDivergence
from dalenius.notions.notion import Notion, Proof


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats. Companion `reverse`: D(S ‖ S | Y=y)."""

    also: ClassVar[tuple[str, ...]] = ("reverse",)

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["relative_entropy"] = "relative_entropy"

    def leakage_of(self, channel: Channel) -> Leakage:
        found = channel.divergence()
        return Leakage.of(found.forward, reverse=found.reverse.value)

    def loss(self, channel: Likelihoods) -> PointwiseLoss:
        return PosteriorDivergence(channel.log_prior)
