"""Inferential privacy: how far an output may distinguish two values of a record (IDP Def 3, DDP Def 4 and 6)."""

from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure
from dalenius.channel import AbsentChannel, Channel, Leakage, Release
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.laws.absence.ratios import Curve
from dalenius.laws.tails.losses import LogRatio, PointwiseLoss
from dalenius.notions.notion import Delta, Linear, Notion, Proof
from dalenius.notions.phrases.wording import OF_ODDS, Phrase


@final
class InferentialPrivacy(Notion):
    """log W(y|s)/W(y|s') <= epsilon for all secrets s, s' and outputs y; with delta > 0, every hockey-stick divergence
    sum_y max(W(y|s) - e^epsilon W(y|s'), 0) <= delta. `identity` and `dependent` are other names for it.

    The leakage at delta > 0 is the least epsilon that has this delta.
    """

    implied_by: ClassVar[Proof] = "inferential"
    linear: ClassVar[Linear] = "pairs"
    phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS
    has_delta: ClassVar[bool] = True
    adds_given_record: ClassVar[bool] = True

    kind: Literal["inferential", "identity", "dependent"] = "inferential"
    delta: Delta = 0.0

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.ratio_at(self.delta) if self.delta > 0 else channel.ratio())

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.profile(epsilon, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return LogRatio(channel.log_prior, channel.pairs) if self.delta == 0 else None

    def by_scale(self, channel: AbsentChannel) -> Curve | None:
        return channel.ratio_by_scale() if self.delta == 0 else None


def delta_of(release: Release, epsilon: float) -> Enclosure:
    """The least delta at which the release is inferential(epsilon, delta)."""
    found = InferentialPrivacy().least_delta(release, epsilon)
    assert found is not None
    return found
