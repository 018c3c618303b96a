"""Inferential privacy: how far an output may distinguish two values of a record (IDP Def 3, DDP Def 4 and 6)."""

from typing import ClassVar, Final, Literal, final

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Leakage, Release, checked
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.channel.leakage import worst
from dalenius.errors import InputError
from dalenius.laws.tails.losses import LogRatio, PointwiseLoss
from dalenius.notions.notion import Delta, Linear, Notion, Proof, per_person
from dalenius.notions.wording import OF_ODDS, Phrase

CLEARLY: Final = 1e-8
"""Relatively: more than how well an epsilon at a delta is known."""


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

    def leakage(self, release: Release) -> Leakage:
        """At a delta no channel is followed that certainly leaks less than another. Those of the largest groups often
        come last, and leak most: they are looked at first."""
        if not self.delta:
            return super().leakage(release)
        self.check_secret(release)
        channels, found = list(release.all_channels()), [self.nothing()]
        while channels:
            channel, most = channels.pop(), max(each.lower for each in found)
            if not most or channel.sharing or not self._leaks_less(channel, most):
                found.append(per_person(self, channel))
        return worst(found)

    def _leaks_less(self, channel: Channel, epsilon: float) -> bool:
        return channel.profile(epsilon * (1 - CLEARLY), self.delta).upper <= self.delta

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.profile(epsilon, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return LogRatio(channel.log_prior, channel.pairs) if self.delta == 0 else None


def delta_of(release: Release, epsilon: float) -> Enclosure:
    """The least delta at which the release is inferential(epsilon, delta)."""
    if isinstance(epsilon, str):
        raise InputError("epsilon", epsilon, "a number, not a text")
    found = InferentialPrivacy().least_delta(checked(release), epsilon)
    assert found is not None
    return found
