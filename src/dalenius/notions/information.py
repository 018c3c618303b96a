"""Information privacy: how far an output may raise the probability of a secret (IP Def 3, IDP Lemma 4).

It is pointwise maximal leakage: what it bounds for the record it bounds for every attribute of it, and for every gain
of whoever guesses one (Saeidian et al. 2023)."""

from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Leakage, Release
from dalenius.channel.finite.likelihoods import Likelihoods
from dalenius.laws.tails.losses import Gain, PointwiseLoss
from dalenius.notions.notion import Delta, Linear, Notion, Proof
from dalenius.notions.wording import OF_CHANCES, Phrase


@final
class InformationPrivacy(Notion):
    """log Pr[S=s | Y=y] / Pr[S=s] <= epsilon for every secret value s and output y, in nats; with delta > 0, the
    hockey-stick divergence from the prior, sum_y max(W(y|s) - e^epsilon W(y), 0) <= delta: but for a probability of
    delta, no chance grows more than e^epsilon-fold (Theory §14).

    The leakage at delta > 0 is the least epsilon that has this delta. Companion `two_sided`: the larger of that and of
    its reverse, of log Pr[S=s] / Pr[S=s | Y=y] or sum_y max(W(y) - e^epsilon W(y|s), 0).
    """

    also: ClassVar[tuple[str, ...]] = ("two_sided",)

    implied_by: ClassVar[Proof] = "inferential"
    linear: ClassVar[Linear] = "average"
    phrases: ClassVar[tuple[Phrase, ...]] = OF_CHANCES
    has_delta: ClassVar[bool] = True
    later: ClassVar[tuple[str, ...]] = ("delta",)

    kind: Literal["information"] = "information"
    delta: Delta = 0.0

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        if self.delta > 0:
            raised = channel.raised_at(self.delta)
            return Leakage.of(raised, two_sided=largest(raised.value, channel.lowered_at(self.delta).value))
        movement = channel.movement()
        return Leakage.of(movement.raised, two_sided=movement.most.value)

    def most(self, release: Release) -> float | None:
        """Of sets of laws the last channels are of their extreme laws, which take the least time and are often the
        worst: of the others it is seen first that they leak less."""
        if self.delta > 0 or not release.credal:
            return None
        self.check_secret(release)
        found = 0.0
        for channel in reversed(list(release.all_channels())):
            found = max(found, channel.raised_most(found))
        return found

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.raising(epsilon, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return Gain(channel.log_prior) if self.delta == 0 else None
