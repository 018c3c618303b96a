"""Notions that bound a log-ratio.

They are differential, inferential (IDP Def 3, DDP Def 4, 6) and information privacy (IP Def 3).
"""

from functools import reduce
from math import isinf
from typing import ClassVar, Final, Literal, final

from dalenius.bounds import Enclosure, largest
from dalenius.channel import Channel, Leakage, Release, checked
from dalenius.channel.channel import RatioName
from dalenius.channel.leakage import worst, worst_of
from dalenius.channel.likelihoods import Likelihoods
from dalenius.channel.loss_of_drawn_record import neighbour_loss
from dalenius.errors import InputError
from dalenius.laws.leakage_of_one_output import Gain, LogRatio, PointwiseLoss, Shift
from dalenius.notions.notion import Delta, Notion, Properties, nothing, per_person
from dalenius.notions.promise_as_phrase import OF_CHANCES, OF_ODDS, Phrase
from dalenius.notions.promises_in_words import fall_in_words, movement_from_below
from dalenius.sentences.sentence import phrase, said, semicolons


@final
class DifferentialPrivacy(Notion):
    """Differential privacy: log Pr[Y=y | x] / Pr[Y=y | x'] <= epsilon for every y and all neighbouring data sets x, x'.

    Neighbouring data sets differ in one record. It is the right promise where records are independent. Otherwise it is
    what today's libraries report, and `inferential` is what the adversary learns.

    Args:
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for,
            or where a phrase stands for it.
        factor: The phrase "no chance grows more than so many times": a number above 1, for epsilon = ln factor.
        odds: The phrase "the odds between two values change at most so many times": a number above 1, for epsilon = ln
            odds.
        from_: With `to`, the phrase "a chance of `from_` stays at or below `to`", by odds; the key `from` in a spec. A
            probability above 0 and below 1.
        to: The chance that `from_` stays at or below, a probability above `from_` and below 1.
        advantage: The phrase "a guess between two equally likely values is right with probability at most (1 +
            advantage)/2": a number above 0 and below 1.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.DifferentialPrivacy().leakage(release).epsilon, 6)
        0.5

    Notes:
        Meaningless where secrets are of several people: hiding ℓ records takes ℓ times the ε of one.
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS

    kind: Literal["differential"] = "differential"

    @property
    def properties(self) -> Properties:
        whom = said("to_who_knows_all")
        return Properties(implied_by="record", linear="neighbours", of_the_model=False, to_whom=whom)

    def check_secret(self, release: Release) -> None:
        """Checks that each secret is one person's record.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: Secrets are of several people.
        """
        release.secrets.check_of_records(f"{self.kind} privacy")

    def leakage_of(self, channel: Channel) -> Leakage:
        return Leakage.of(channel.neighbours())


def differential_loss(release: Release) -> Enclosure | None:
    """Returns the differential leakage of `release` without the laws of the answer, on which it does not depend.

    It is the most an output leaks about any subject to an adversary who knows all other records, in nats. None where
    the secret is who is absent, or several people's.
    """
    if release.secret == "absence" or not release.secrets.of_records:
        return None
    # The case of records that are real numbers: no list of values, but a formula.
    if not release.worlds.is_finite:
        leakage = DifferentialPrivacy().leakage(release)
        return Enclosure(leakage.lower, leakage.upper)
    found = Enclosure(0.0, 0.0)
    for world in release.worlds.finite:
        for spread, lattice, axes in world.spreads:
            if spread.neighbours is not None:
                mechanism = release.noise.on(axes).mechanism(lattice)
                found = largest(found, neighbour_loss(mechanism, spread))
    return found


@final
class InferentialPrivacy(Notion):
    """Inferential privacy: log W(y|s)/W(y|s') <= epsilon for all secrets s, s' and outputs y.

    With delta > 0 it bounds every hockey-stick divergence: sum_y max(W(y|s) - e^epsilon W(y|s'), 0) <= delta.
    `identity` and `dependent` are other names for it, as `kind`. The leakage at delta > 0 is the least epsilon that has
    this delta.

    Args:
        delta: The probability δ with which the promise need not hold, at least 0 and below 1; 0 by default.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for,
            or where a phrase stands for it.
        factor: The phrase "no chance grows more than so many times": a number above 1, for epsilon = ln factor.
        odds: The phrase "the odds between two values change at most so many times": a number above 1, for epsilon = ln
            odds.
        from_: With `to`, the phrase "a chance of `from_` stays at or below `to`", by odds; the key `from` in a spec. A
            probability above 0 and below 1.
        to: The chance that `from_` stays at or below, a probability above `from_` and below 1.
        advantage: The phrase "a guess between two equally likely values is right with probability at most (1 +
            advantage)/2": a number above 0 and below 1.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2. Hiding one day takes 0.5 nats. The output says
        0.897003 nats of a day, and 0.790304 with δ = .05:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> [round(dl.InferentialPrivacy(delta=delta).leakage(release).epsilon, 6) for delta in (0.0, 0.05)]
        [0.897003, 0.790304]

    Notes:
        IDP Def 3 (identity), DDP Def 4 and 6 (dependent); Theory §2.
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
        """Returns the largest leakage about anybody, in nats.

        At a delta no channel is followed that certainly leaks less than another. The channels of the largest groups
        often come last, and leak most. So they are read first.

        Args:
            release: The model, the query and the noise.
        """
        if not self.delta:
            return super().leakage(release)
        self.check_secret(release)
        channels, found = list(release.all_channels()), [nothing(self)]
        while channels:
            channel, most = channels.pop(), max(each.lower for each in found)
            # Because a companion `per_person` is wanted for channels of several people, whichever leaks most.
            if not most or not release.secrets.of_records or not self._leaks_less(channel, most):
                found.append(per_person(self, release, channel))
        return worst(found)

    def _leaks_less(self, channel: Channel, epsilon: float) -> bool:
        # So that rounding does not decide: a relative margin, larger than the width of an epsilon at a delta.
        return channel.least_delta("ratio", epsilon * (1 - 1e-8), bound=self.delta).upper <= self.delta

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return channel.least_delta("ratio", epsilon)

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        return channel.least_delta("ratio", epsilon, least, self.delta)

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        return LogRatio(channel.log_prior, channel.pairs) if self.delta == 0 else None


def delta_of(release: Release, epsilon: float) -> Enclosure:
    """Returns the least delta at which the release is inferential(epsilon, delta): the worst over everybody.

    Args:
        release: The model, the query and the noise.
        epsilon: The log-ratio that is promised, in nats.

    Returns:
        An enclosure of the delta, a probability.

    Raises:
        InputError: The first argument is no release, or epsilon is a text.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.delta_of(release, 0.5).upper, 5)
        0.17426
    """
    # Because a text would be compared with numbers much later, where nobody knows whose it is.
    if isinstance(epsilon, str):
        raise InputError("epsilon", epsilon, "a number, not a text")
    found = InferentialPrivacy().least_delta(checked(release), epsilon)
    assert found is not None
    return found


_SIDES: Final[tuple[RatioName, RatioName]] = ("raised", "lowered")
"""The sides of information privacy: a chance grows (IP Def 3), and a chance falls (IDP Lemma 4)."""


@final
class InformationPrivacy(Notion):
    """Information privacy: log Pr[S=s | Y=y] / Pr[S=s] <= epsilon for every secret value s and output y.

    With delta > 0 it bounds the hockey-stick divergence from the prior, sum_y max(W(y|s) - e^epsilon W(y), 0) <= delta.
    So, except with probability delta, no chance grows more than e^epsilon-fold (Theory §14). The leakage at delta > 0
    is the least epsilon that has this delta. The leakage's companion `two_sided` is the larger of that and of its
    reverse, the largest log Pr[S=s] / Pr[S=s | Y=y] or the least epsilon of sum_y max(W(y) - e^epsilon W(y|s), 0).

    With `two_sided` that larger number is the leakage: no chance grows, and none falls, more than e^epsilon-fold. Its
    companions are `raised` and `lowered`, the two sides.

    Args:
        two_sided: Whether the promise is also of chances that fall. False (the default) for those that grow.
        delta: The probability δ with which the promise need not hold, at least 0 and below 1; 0 by default.
        epsilon: The promise, in nats, a finite number above 0. None (the default) where only the leakage is asked for,
            or where a phrase stands for it.
        factor: The phrase "no chance grows more than so many times": a number above 1, for epsilon = ln factor.
        odds: Refused: this kind bounds chances, not odds.
        from_: With `to`, the phrase "a chance of `from_` stays at or below `to`", for epsilon = ln(to/from_); the key
            `from` in a spec. A probability above 0 and below 1.
        to: The chance that `from_` stays at or below, a probability above `from_` and below 1.
        advantage: Refused: this kind bounds chances, not odds.

    Example:
        Two days alike with .9, counted with Laplace noise of scale 2:

        >>> import dalenius as dl
        >>> days = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]])
        >>> release = dl.Release(days, dl.Count(), dl.Laplace(scale=2.0))
        >>> round(dl.InformationPrivacy().leakage(release).epsilon, 6)
        0.351126

    Notes:
        IP Def 3; the two-sided value is that of IDP Lemma 4, by which inferential privacy at epsilon keeps both sides.
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_CHANCES
    _later: ClassVar[tuple[str, ...]] = ("delta", "two_sided")

    kind: Literal["information"] = "information"
    delta: Delta = 0.0
    two_sided: bool = False

    @property
    def properties(self) -> Properties:
        # By IDP Lemma 4, inferential privacy keeps both sides; with a delta by convexity (Theory §14).
        if self.two_sided:
            both = ("raised", "lowered")
            return Properties(implied_by="inferential", linear="average both ways", has_delta=True, also=both)
        return Properties(implied_by="inferential", linear="average", has_delta=True, also=("two_sided",))

    @property
    def called(self) -> str:
        return f"two-sided {self.kind}" if self.two_sided else self.kind

    @property
    def promised_delta(self) -> float:
        return self.delta

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what the channel leaks, in nats, with its companions.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        if self.delta > 0:
            raised, lowered = (channel.least_epsilon(side, self.delta) for side in _SIDES)
            most = worst_of([raised, lowered])
        else:
            raised, lowered, most = channel.movement(1.0 if self.two_sided else 0.0)
        if self.two_sided:
            return Leakage.of(most, raised=raised.value, lowered=lowered.value)
        return Leakage.of(raised, two_sided=largest(raised.value, lowered.value))

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        return reduce(largest, [channel.least_delta(side, epsilon) for side in self._promised_sides])

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        found = [channel.least_delta(side, epsilon, least, self.delta) for side in self._promised_sides]
        return reduce(largest, found)

    @property
    def _promised_sides(self) -> tuple[RatioName, ...]:
        return _SIDES if self.two_sided else _SIDES[:1]

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        if self.delta:
            return None
        return (Shift if self.two_sided else Gain)(channel.log_prior)

    def in_words(self, epsilon: float, chance: float | None = None) -> str | None:
        """Says how far a chance may grow, and with `two_sided` also how far it may fall.

        Args:
            epsilon: The leakage or the promise, in nats.
            chance: An example of a chance. None for 1 %, or less where that tells more.

        Returns:
            A clause, its numbers rounded so that epsilon implies them.
        """
        grows = super().in_words(epsilon, chance)
        # Because an infinite leakage both ways does not say which side it is of.
        if self.two_sided and isinf(epsilon):
            return self._introduced(said("certain_or_nothing"))
        return semicolons([phrase(grows), fall_in_words(epsilon)]) if self.two_sided and grows else grows

    def from_below_in_words(self, epsilon: float) -> str | None:
        """Says what is known where a leakage is at least epsilon nats and no upper end is known.

        Args:
            epsilon: The lower end, in nats.

        Returns:
            A clause, its number rounded down.
        """
        if self.two_sided:
            return self._introduced(movement_from_below(epsilon))
        return super().from_below_in_words(epsilon)
