"""What bounds a log-ratio: differential, inferential (IDP Def 3, DDP Def 4, 6) and information privacy (IP Def 3)."""

from typing import ClassVar, Literal, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Leakage, Release, checked
from dalenius.channel.leakage import worst
from dalenius.channel.leakages_from_likelihoods import Likelihoods
from dalenius.errors import InputError
from dalenius.laws.leakage_of_one_output import Gain, LogRatio, PointwiseLoss
from dalenius.notions.notion import Delta, Notion, Properties, nothing, per_person
from dalenius.notions.promise_as_phrase import OF_CHANCES, OF_ODDS, Phrase


@final
class DifferentialPrivacy(Notion):
    """log Pr[Y=y | x] / Pr[Y=y | x'] <= epsilon for every y and all data sets x, x' that differ in one record.

    The right promise where records are independent; where they are not, it is what today's libraries report, and
    `inferential` is what the adversary learns. Meaningless where secrets are of several people: hiding ℓ records takes
    ℓ times the ε of one.
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS

    kind: Literal["differential"] = "differential"

    @property
    def properties(self) -> Properties:
        whom = "to whoever knows all other records"
        return Properties(implied_by="record", linear="neighbours", of_the_model=False, to_whom=whom)

    def check_secret(self, release: Release) -> None:
        release.secrets.check_of_records(f"{self.kind} privacy")

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.neighbours())


def differential_loss(release: Release) -> Enclosure | None:
    """The same number without the laws of the answer, which it does not depend on: the most an output leaks about any
    subject to an adversary who knows all other records. None where the secret is who is absent, or several people's."""
    if release.secret == "absence" or not release.secrets.of_records:
        return None
    # Records that are real numbers: no list of values, but a formula.
    if not release.worlds.is_finite:
        leakage = DifferentialPrivacy().leakage(release)
        return Enclosure(leakage.lower, leakage.upper)
    found = Enclosure(0.0, 0.0)
    for world in release.worlds.finite:
        for spread, lattice, axes in world.spreads:
            if spread.neighbours is not None:
                mechanism = release.noise.on(axes).mechanism(lattice)
                found = largest(found, mechanism.neighbour_loss(spread.neighbours))
    return found


@final
class InferentialPrivacy(Notion):
    """log W(y|s)/W(y|s') <= epsilon for all secrets s, s' and outputs y; with delta > 0, every hockey-stick divergence
    sum_y max(W(y|s) - e^epsilon W(y|s'), 0) <= delta. `identity` and `dependent` are other names for it.

    The leakage at delta > 0 is the least epsilon that has this delta.

    Two days alike with .9, counted with Laplace noise of scale 2: hiding one day takes 0.5 nats, what the output says
    of a day is 0.897003, and with δ = .05 it is 0.790304.

    >>> import dalenius as dl
    >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
    >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
    >>> [round(dl.InferentialPrivacy(delta=delta).leakage(release).epsilon, 6) for delta in (0.0, 0.05)]
    [0.897003, 0.790304]
    >>> round(dl.DifferentialPrivacy().leakage(release).epsilon, 6)
    0.5
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS

    kind: Literal["inferential", "identity", "dependent"] = "inferential"
    delta: Delta = 0.0

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential", linear="pairs", has_delta=True)

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.least_epsilon("ratio", self.delta) if self.delta > 0 else channel.ratio())

    def leakage(self, release: Release) -> Leakage:
        """At a delta no channel is followed that certainly leaks less than another. Those of the largest groups often
        come last, and leak most: they are looked at first."""
        if not self.delta:
            return super().leakage(release)
        self.check_secret(release)
        channels, found = list(release.all_channels()), [nothing(self)]
        while channels:
            channel, most = channels.pop(), max(each.lower for each in found)
            # A companion `per_person` is wanted of channels of several people, whichever leaks most.
            if not most or not release.secrets.of_records or not self._leaks_less(channel, most):
                found.append(per_person(self, release, channel))
        return worst(found)

    def _leaks_less(self, channel: Channel, epsilon: float) -> bool:
        # Relatively: more than how well an epsilon at a delta is known.
        return channel.least_delta("ratio", epsilon * (1 - 1e-8), bound=self.delta).upper <= self.delta

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.least_delta("ratio", epsilon)

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        return channel.least_delta("ratio", epsilon, least, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return LogRatio(channel.log_prior, channel.pairs) if self.delta == 0 else None


def delta_of(release: Release, epsilon: float) -> Enclosure:
    """The least delta at which the release is inferential(epsilon, delta). A probability, over everybody; InputError
    for what is no release, or an ε that is a text."""
    # A text would be compared with numbers much later, where nobody knows whose it is.
    if isinstance(epsilon, str):
        raise InputError("epsilon", epsilon, "a number, not a text")
    found = InferentialPrivacy().least_delta(checked(release), epsilon)
    assert found is not None
    return found


@final
class InformationPrivacy(Notion):
    """log Pr[S=s | Y=y] / Pr[S=s] <= epsilon for every secret value s and output y, in nats; with delta > 0, the
    hockey-stick divergence from the prior, sum_y max(W(y|s) - e^epsilon W(y), 0) <= delta: but for a probability of
    delta, no chance grows more than e^epsilon-fold (Theory §14).

    The leakage at delta > 0 is the least epsilon that has this delta. Companion `two_sided`: the larger of that and of
    its reverse, of log Pr[S=s] / Pr[S=s | Y=y] or sum_y max(W(y) - e^epsilon W(y|s), 0).
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_CHANCES
    _later: ClassVar[tuple[str, ...]] = ("delta",)

    kind: Literal["information"] = "information"
    delta: Delta = 0.0

    @property
    def properties(self) -> Properties:
        return Properties(implied_by="inferential", linear="average", has_delta=True, also=("two_sided",))

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        """In nats, with the companion `two_sided`."""
        if self.delta > 0:
            raised = channel.least_epsilon("raised", self.delta)
            return Leakage.of(
                raised, two_sided=largest(raised.value, channel.least_epsilon("lowered", self.delta).value)
            )
        movement = channel.movement()
        return Leakage.of(movement.raised, two_sided=movement.most.value)

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.least_delta("raised", epsilon)

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        return channel.least_delta("raised", epsilon, least, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return Gain(channel.log_prior) if self.delta == 0 else None
