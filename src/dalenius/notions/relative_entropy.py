"""Relative entropy privacy: how far an output may move the adversary's belief (IP Thm 1, IDP Thm 2)."""

from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Leakage
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.laws.tails.losses import PointwiseLoss, PosteriorDivergence
from dalenius.notions.notion import Delta, Notion, Proof


@final
class RelativeEntropyPrivacy(Notion):
    """D(S | Y=y ‖ S) <= epsilon for every output y, in nats; with delta > 0, for all but outputs of probability delta:
    Pr[D(S | Y ‖ S) > epsilon] <= delta. Companion `reverse`: the largest D(S ‖ S | Y=y), whatever delta is.

    The leakage at delta > 0 is the least epsilon that has this delta. More noise may raise it: a tail obeys no data
    processing. A scale that `exact` finds keeps the promise; that none below does is certain only of those next to it.
    """

    also: ClassVar[tuple[str, ...]] = ("reverse",)
    has_delta: ClassVar[bool] = True
    later: ClassVar[tuple[str, ...]] = ("delta",)

    implied_by: ClassVar[Proof] = "inferential"

    kind: Literal["relative_entropy"] = "relative_entropy"
    delta: Delta = 0.0

    def leakage_of(self, channel: Channel) -> Leakage:
        found = channel.divergence()
        forward = channel.divergence_at(self.delta) if self.delta > 0 else found.forward
        return Leakage.of(forward, reverse=found.reverse.value)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.divergence_tail(epsilon)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return PosteriorDivergence(channel.log_prior) if self.delta == 0 else None
