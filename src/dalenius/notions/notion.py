"""The base of notions: a leakage, and the promise to keep it below epsilon.

A promise of ε = 1 nat of odds says that a chance of 1 % stays at or below 2.68 %:

>>> import dalenius as dl
>>> in_words(dl.InferentialPrivacy(epsilon=1.0))
'the odds between two values change at most 2.719-fold, a chance of 1 % stays at or below 2.68 %'
"""

import abc
from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import Leakage as Leakage, Witness as Witness, worst
from dalenius.channel.likelihoods import Likelihoods
from dalenius.errors import InputError, Meaningless
from dalenius.fields import Probability
from dalenius.frozen_section import shown
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.notions.promise_as_phrase import Phrased, is_of_odds, phrase_of
from dalenius.notions.promises_in_words import percent, right_guess, sentence, sentence_from_below
from dalenius.plugins import Kinds
from dalenius.sentences.sentence import Figure, Phrase, commas, phrase, said, semicolons

Proof: TypeAlias = Literal["inferential", "record", "group", "absence", "nothing"]
"""The proof that keeps a promise of epsilon: inferential privacy of epsilon, without delta (IP Prop 1; Smith 2009);
noise that hides one record, or a whole independent group, at epsilon; only theorems about an absent person (DI Thm 2
and 3; Lee and Clifton 2012); nothing that is known."""

Linear: TypeAlias = Literal["pairs", "average", "average both ways", "both", "neighbours", "known"] | None

Delta = Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)]
"""The delta of a promise; 0 for none."""


class Properties(NamedTuple):
    """Properties of a promise that theorems need; the defaults are those of a promise about which nothing is known.

    Attributes:
        implied_by: The proof that keeps the promise.
        linear: The promise as constraints that are linear in the mechanism: W(y|s) <= e^epsilon W(y|s') for the pairs
            of secrets that must not be distinguished, or W(y|s) <= e^epsilon W(y), the average over the prior, or both
            that and W(y) <= e^epsilon W(y|s); with a delta, on the sum over y of the excess; as `both` ends of
            `log_ratio_bounds`, the second being W(y) <= e^bound W(y|s); as pure differential privacy of the kernel; or
            as those for pairs given all background knowledge that the notion grants. None: it cannot be written so.
        of_the_model: Whether the leakage depends on how the records depend on each other.
        of_channels: Whether the leakage is read from each subject's channel alone; if not, `leakage` says how.
        has_delta: Whether the notion has a delta, which `delta_at` computes.
        also: The names of the companions that every leakage has.
        to_whom: The people about whom the promise speaks, where that is not the model's adversary, in words.
        any_knowledge: Whether it is the Bayesian leakage: the worst over all background knowledge of other records.
        background_fraction: The largest fraction of all records that the adversary may also know.
        log_ratio_bounds: The promised largest ln(posterior/prior) and ln(prior/posterior), rounded down (DI Def 4).
        posterior_bound: The promised largest probability of being the absent one (Lee and Clifton 2012). None where
            the notion names none.
    """

    implied_by: Proof = "nothing"
    linear: Linear = None
    of_the_model: bool = True
    of_channels: bool = True
    has_delta: bool = False
    also: tuple[str, ...] = ()
    to_whom: str = ""
    any_knowledge: bool = False
    background_fraction: float | None = None
    log_ratio_bounds: tuple[float, float] | None = None
    posterior_bound: float | None = None

    @property
    def keeps_delta(self) -> bool:
        """Whether the proof of epsilon (`implied_by`) keeps epsilon with any delta if it has that delta itself."""
        return self.linear == "neighbours" or (self.has_delta and self.linear is not None)


class Notion(Phrased, abc.ABC):
    """A leakage, and the promise to keep it below epsilon: the base of every notion.

    Args:
        epsilon: The promise, in nats, a finite number above 0; None where only the leakage is asked for.
        factor: A phrase that stands for epsilon, of those that the kind has (see `Phrased`), as the four below.
        odds: See `factor`.
        from_: See `factor`; the key `from` in a spec.
        to: See `factor`.
        advantage: See `factor`.

    Notes:
        docs/how-to/extend.md shows how to write a notion.
    """

    @property
    def properties(self) -> Properties:
        """The properties of the promise that theorems need."""
        return Properties()

    @property
    def called(self) -> str:
        """The name of the promise as people read it: its kind, and the side if a field chooses one."""
        return self.kind

    @abc.abstractmethod
    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what a channel leaks, in nats.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        """Returns what one output leaks, where the leakage is the largest of it over the outputs; None where it is not.

        Args:
            channel: All likelihoods of one subject.
        """
        return None

    def leakage(self, release: Release) -> Leakage:
        """Returns what the release leaks about the person it leaks most about, in nats.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: The notion is not defined for such secrets.
            TooLarge: A law of the answer does not fit time or memory.
        """
        self.check_secret(release)
        return worst([nothing(self), *(per_person(self, release, each) for each in release.all_channels())])

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        """Returns the least delta at which a channel keeps (epsilon, delta), where the notion `has_delta`.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
            epsilon: The promise, in nats.

        Returns:
            An enclosure of the delta, a probability.

        Raises:
            Meaningless: The notion has no delta.
        """
        raise Meaningless("notion.kind", self.kind, "a notion that has a delta, such as inferential")

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        """Returns `delta_at` for a comparison with the promised delta: known less closely where it is far from that.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
            epsilon: The promise, in nats.
            least: A delta, at most which it need not be known closely.

        Returns:
            An enclosure of the delta, a probability. By default it is known as closely as in `delta_at`.
        """
        return self.delta_at(channel, epsilon)

    def least_delta(self, release: Release, epsilon: float, compared: bool = False) -> Enclosure | None:
        """Returns the least delta at which the release keeps epsilon, the worst over everybody.

        Args:
            release: The model, the query and the noise.
            epsilon: The promise, in nats.
            compared: Whether the delta is only compared with the promised one. Then it may be known less closely where
                it is far from that.

        Returns:
            An enclosure of the delta, a probability; None where the notion has no delta.
        """
        found, promised = Enclosure(0.0, 0.0), self.promised_delta
        if not self.properties.has_delta:
            return None
        for channel in release.all_channels():
            if not compared or promised is None:
                found = largest(found, self.delta_at(channel, epsilon))
                continue
            found = largest(found, self.compared_delta(channel, epsilon, found.lower))
            # Because one person is told too much, the others do not matter.
            if found.lower > promised:
                break
        return found

    def check(self, release: Release) -> None:
        """Checks that the promise makes sense of this release: by default it does.

        Args:
            release: The model, the query and the noise.

        Raises:
            InputError: It makes none.
        """

    def check_secret(self, release: Release) -> None:
        """Checks that the notion is defined for such secrets: by default it is.

        It is asked before any channel is made: a number without meaning must not cost an hour.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: The notion is not defined for them.
        """

    def rests_on(self) -> tuple[str, ...]:
        """Returns what the promise supposes of the adversary besides the model, in words."""
        return ()

    def in_words(self, epsilon: float, chance: float | None = None) -> str | None:
        """Says what a leakage, or a promise, of epsilon nats and the notion's delta means for chances or odds.

        Args:
            epsilon: The leakage or the promise, in nats.
            chance: An example of a chance, above 0 and below 1. None for 1 %, or for a tenth of it and so on where that
                tells more, as also where the given chance may become next to certain.

        Returns:
            A clause, its numbers rounded up; None where the notion says nothing of chances or odds.
        """
        of_odds = is_of_odds(self)
        if of_odds is None:
            return None
        return self._introduced(sentence(of_odds, epsilon, chance))

    def from_below_in_words(self, epsilon: float) -> str | None:
        """Says what is known where a leakage is at least epsilon nats and no upper end is known.

        Args:
            epsilon: The lower end, in nats.

        Returns:
            A clause; None where the notion says nothing of chances or odds.
        """
        of_odds = is_of_odds(self)
        return None if of_odds is None else self._introduced(sentence_from_below(of_odds, epsilon))

    def _introduced(self, words: str) -> Phrase:
        """Puts before the sentence the people it is about, and the probability with which it need not hold."""
        found = [] if not self.properties.to_whom else [phrase(self.properties.to_whom)]
        found += [said("except_with", delta=self.promised_delta)] if self.promised_delta else []
        return commas([*found, phrase(words)])


def nothing(notion: Notion) -> Leakage:
    """Returns the leakage of `notion` where no secret can be distinguished from another."""
    return Leakage(0.0, 0.0, None, {name: Enclosure(0.0, 0.0) for name in notion.properties.also})


def per_person(notion: Notion, release: Release, channel: Channel) -> Leakage:
    """Returns the leakage of `channel` by `notion`.

    Where the secret of `release` is all records of several people it has the companion `per_person`: group privacy of
    ε promises ℓ·ε to every ℓ of them (IP Def 4).
    """
    leakage = notion.leakage_of(channel)
    if release.secrets.of_records:
        return leakage
    subject = channel.finite(notion.kind).subject
    # Because a function of several records is no record of anybody's.
    if not subject.shared:
        return leakage
    people = len(subject.members)
    # Because group privacy promises 0.5 nats each to two records hidden at 1 nat together.
    share = Enclosure(leakage.lower / people * (1 - UNIT), leakage.upper / people * (1 + 2 * UNIT))
    return replace(leakage, companions={**leakage.companions, "per_person": share})


NOTIONS: Final = Kinds("notion", "dalenius.notions.notion:Notion", "dalenius.notions")

AnyNotion: TypeAlias = Annotated[Notion, NOTIONS]
"""A notion of any kind, as a section of a spec."""


def notions_of(given: Notion | str | Sequence[Notion | str]) -> tuple[Notion, ...]:
    """Returns the notions `given`, one or several, each maybe by its kind's name. InputError for anything else.

    >>> [notion.kind for notion in notions_of(["differential", "information"])]
    ['differential', 'information']
    """
    # Because a name is a text, and a text is a sequence of letters: it must not be taken for several.
    listed = [given] if isinstance(given, Notion | str) else given
    if not isinstance(listed, Sequence):
        raise InputError("notion", shown(given), "a notion, such as InferentialPrivacy(epsilon=1.0), or several")
    return tuple(NOTIONS.given(each, "notion") for each in listed)


def in_words(notion: Notion, epsilon: float | None = None, chance: float | None = None) -> str | None:
    """Says what epsilon nats of a notion mean for chances or odds.

    Args:
        notion: The notion, with its delta if it has one.
        epsilon: A leakage or a promise, in nats. None (the default) for what the notion promises.
        chance: An example of a chance, above 0 and below 1. None (the default) for the promise's `from`, else for 1 %,
            or for a tenth of it and so on where that tells more.

    Returns:
        A clause, every number in it rounded towards more, so that epsilon implies it. None where the notion has no such
        words, or neither epsilon nor a promise is given.

    Example:
        >>> import dalenius as dl
        >>> dl.in_words(dl.InformationPrivacy(), epsilon=1.0)
        'no chance grows more than 2.719-fold, one of 1 % stays at or below 2.72 %'
    """
    if epsilon is not None:
        return notion.in_words(epsilon, chance)
    # The case in which only the leakage is asked for: nothing is promised.
    if notion.epsilon is None:
        return None
    words = notion.in_words(notion.epsilon, phrase_of(notion).get("from") if chance is None else chance)
    if words is None or "advantage" not in phrase_of(notion):
        return words
    right = Figure(percent(right_guess(notion.epsilon, notion.promised_delta or 0.0)))
    return semicolons([said("guess_of_two", chance=right), phrase(words)])


def leakage_in_words(notion: Notion, leakage: Leakage) -> str | None:
    """Says what a leakage's upper end means, as `in_words`; its lower end where no upper one is known.

    The example is the prior probability of the witness's secret, between the two values where it is against another. It
    is .01 where none is known or the notion is not of the model's adversary.
    """
    if Enclosure(leakage.lower, leakage.upper).half_open:
        return notion.from_below_in_words(leakage.lower)
    witness = leakage.witness
    chance = witness.chance if witness is not None and notion.properties.of_the_model else None
    return in_words(notion, 0.0 if leakage.nothing else leakage.upper, chance)
