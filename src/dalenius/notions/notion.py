"""A notion: a leakage, and the promise to keep it below epsilon.

Also several of them at once, and how likely their witnesses are: the output, and all outputs that leak nearly as much.

Whoever promises ε = 1 nat of odds promises that a chance of 1 % stays at or below 2.68 %:

>>> import dalenius as dl
>>> in_words(dl.InferentialPrivacy(epsilon=1.0))
'the odds between two values change at most 2.719-fold, a chance of 1 % stays at or below 2.68 %'
"""

import abc
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated, Final, Literal, NamedTuple, TypeAlias

from pydantic import Field

from dalenius.bounds import UNIT, Enclosure, largest
from dalenius.channel import Channel, Release
from dalenius.channel.leakage import NEAR, Leakage as Leakage, Witness as Witness, worst
from dalenius.channel.leakages_from_likelihoods import Likelihoods
from dalenius.errors import DaleniusError, InputError, Meaningless, TooLarge
from dalenius.fields import Probability
from dalenius.frozen_section import shown
from dalenius.laws.leakage_of_one_output import PointwiseLoss
from dalenius.notions.promise_as_phrase import Phrased, is_of_odds, phrase_of
from dalenius.notions.promises_in_words import percent, right_guess, sentence, sentence_from_below
from dalenius.plugins import Kinds


def _with_chances(
    release: Release,
    notions: Sequence["Notion"],
    found: Sequence[Sequence[Leakage] | None],
    worst: Sequence[Leakage | None],
) -> list[Leakage | None]:
    """The worst leakages, their witnesses with how likely they are. found: by notion, the leakage of nobody and then of
    each channel in order, or one of all; a witness with no output, or not of one channel, is left as it is."""
    wanted: dict[int, list[int]] = {}
    for place, leakage in enumerate(worst):
        own = found[place] or ()
        if leakage is not None and leakage.witness is not None and leakage.witness.output is not None:
            for number, each in enumerate(own[1:]):
                if each.witness is leakage.witness:
                    wanted.setdefault(number, []).append(place)
    done = list(worst)
    # No witness names one output: averages, deltas, and leakages of 0.
    if not wanted:
        return done
    for number, channel in enumerate(release.all_channels()):
        for place in wanted.get(number, ()):
            leakage = done[place]
            assert leakage is not None
            assert leakage.witness is not None
            done[place] = replace(leakage, witness=_with_chance(leakage, leakage.witness, notions[place], channel))
    return done


def _with_chance(leakage: Leakage, witness: Witness, notion: "Notion", channel: Channel) -> Witness:
    """Unchanged where there is no table of likelihoods; no outputs are near a leakage that may be 0."""
    try:
        finite = _likelihoods_about(witness.person, channel, notion.kind)
    # A bound, or a long chain's limits: attained far out, but no law says how likely it is there.
    except (Meaningless, TooLarge):
        return witness
    assert witness.output is not None
    loss = notion.loss(finite)
    near = None if loss is None or leakage.lower <= 0 else _near(leakage, finite, loss)
    return replace(witness, log_probability=finite.log_near(witness.output), log_near=near)


def _likelihoods_about(person: int, channel: Channel, quantity: str) -> Likelihoods:
    """The likelihoods of the channel's only subject, or of the class that begins with the person. Meaningless or
    TooLarge where these are not known."""
    channels = channel.singly(quantity)
    first, second = next(channels).finite(quantity), next(channels, None)
    if second is None:
        return first
    # A long chain has one channel for each class of records.
    several = (each.finite(quantity) for each in chain([second], channels))
    found = next((each for each in chain([first], several) if each.subject.person == person), None)
    if found is None:
        raise Meaningless(quantity, f"person {person}", "a person whose likelihoods are known")
    return found


def _near(leakage: Leakage, channel: Likelihoods, loss: PointwiseLoss) -> Enclosure:
    """log Pr[loss >= NEAR · the leakage]."""
    tail = channel.tail_of(loss)
    low, high = (
        tail.log_at_least(NEAR * each * (1 + side)) for each, side in ((leakage.lower, -1e-15), (leakage.upper, 1e-15))
    )
    return Enclosure(high.lower, low.upper)


Proof: TypeAlias = Literal["inferential", "record", "group", "absence", "nothing"]
"""What keeps a promise of epsilon: inferential privacy of epsilon, without delta (IP Prop 1; Smith 2009); noise that
hides one record, or a whole independent group, at epsilon; only theorems about an absent person (DI Thm 2 and 3; Lee
and Clifton 2012); nothing that is known."""

Linear: TypeAlias = Literal["pairs", "average", "neighbours", "known"] | None

Delta = Annotated[Probability, Field(ge=0, lt=1, allow_inf_nan=False)]
"""A promise's delta; 0 for none."""


class Properties(NamedTuple):
    """What theorems need to know of a promise; the defaults are of one about which nothing is known.

    implied_by: what keeps it. linear: it as constraints that are linear in the mechanism: W(y|s) <= e^epsilon W(y|s')
    for the pairs of secrets that must not be distinguished, or W(y|s) <= e^epsilon W(y), the average over the prior;
    with a delta, on the sum over y of the excess; as pure differential privacy of the kernel; or as those for pairs
    given whatever background knowledge the notion grants. None: it cannot be written so.
    of_the_model: whether the leakage depends on how the records depend on each other. of_channels: whether it is read
    from each subject's channel alone; if not, `leakage` says how. has_delta: whether it has a delta, which `delta_at`
    computes. also: the names of the companions every leakage has.
    to_whom: of whom the promise speaks, where that is not the model's adversary, in words.
    any_knowledge: whether it is the Bayesian leakage: the worst over all background knowledge of other records;
    background_fraction: the largest fraction of all records that the adversary may also know.
    log_ratio_bounds: the promised largest ln(posterior/prior) and ln(prior/posterior), rounded down (DI Def 4);
    posterior_bound: the promised largest probability of being the absent one (Lee and Clifton 2012). None where the
    notion names none.
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
        """Whether what keeps epsilon (`implied_by`) keeps epsilon with any delta if it has that delta itself."""
        return self.linear == "neighbours" or (self.has_delta and self.linear is not None)


class Notion(Phrased, abc.ABC):
    """A leakage, and its promise: epsilon, or a phrase that stands for it."""

    @property
    def properties(self) -> Properties:
        """What theorems need to know of the promise."""
        return Properties()

    @abc.abstractmethod
    def leakage_of(self, channel: Channel) -> Leakage:
        """What one subject's channel leaks, in nats."""

    def loss(self, channel: Likelihoods) -> PointwiseLoss | None:
        """What one output leaks, where the leakage is the largest of it over the outputs; None where it is not."""
        return None

    def leakage(self, release: Release) -> Leakage:
        """What the release leaks about the person it leaks most about."""
        self.check_secret(release)
        return worst([nothing(self), *(per_person(self, release, each) for each in release.all_channels())])

    def delta_at(self, channel: Channel, epsilon: float) -> Enclosure:
        """The least delta at which a channel keeps (epsilon, delta), where the notion `has_delta`; Meaningless
        where it has none."""
        raise Meaningless("notion.kind", self.kind, "a notion that has a delta, such as inferential")

    def compared_delta(self, channel: Channel, epsilon: float, least: float) -> Enclosure:
        """`delta_at`, for a comparison with the promised delta; it may be known less closely where it is far from that,
        or at most `least`. By default it is known as closely as there."""
        return self.delta_at(channel, epsilon)

    def least_delta(self, release: Release, epsilon: float, compared: bool = False) -> Enclosure | None:
        """The least delta at which the release does; None where the notion has no delta. A probability, over
        everybody; compared: whether it is only compared with the promised one, so that it may be known less closely
        where it is far from that."""
        found, promised = Enclosure(0.0, 0.0), self.promised_delta
        if not self.properties.has_delta:
            return None
        for channel in release.all_channels():
            if not compared or promised is None:
                found = largest(found, self.delta_at(channel, epsilon))
                continue
            found = largest(found, self.compared_delta(channel, epsilon, found.lower))
            # One person is told too much: how much the others are told does not matter.
            if found.lower > promised:
                break
        return found

    def check(self, release: Release) -> None:
        """InputError where the promise makes no sense of this release."""

    def check_secret(self, release: Release) -> None:
        """Meaningless where the notion is not defined for such secrets. Asked before any channel is made: a number
        without meaning must not cost an hour."""

    def rests_on(self) -> tuple[str, ...]:
        """What the promise supposes of the adversary besides the model, in words."""
        return ()

    def in_words(self, epsilon: float, chance: float | None = None) -> str | None:
        """What a leakage, or a promise, of epsilon nats and the notion's delta says of chances or odds, rounded up;
        None where it says nothing of them. chance: an example, by default .01."""
        of_odds = is_of_odds(self)
        if of_odds is None:
            return None
        return self._introduced(sentence(of_odds, epsilon, chance))

    def from_below_in_words(self, epsilon: float) -> str | None:
        """What is known where a leakage is at least epsilon nats and no upper end is known; None where the notion says
        nothing of chances or odds."""
        of_odds = is_of_odds(self)
        return None if of_odds is None else self._introduced(sentence_from_below(of_odds, epsilon))

    def _introduced(self, said: str) -> str:
        """The sentence after whom it is about, and the probability with which it need not hold."""
        excepted = f"except with probability {self.promised_delta:g}" if self.promised_delta else ""
        return ", ".join(part for part in (self.properties.to_whom, excepted, said) if part)


def nothing(notion: Notion) -> Leakage:
    """The leakage where no secret can be distinguished from another."""
    return Leakage(0.0, 0.0, None, {name: Enclosure(0.0, 0.0) for name in notion.properties.also})


def per_person(notion: Notion, release: Release, channel: Channel) -> Leakage:
    """What the channel leaks; where the secret is all records of several people, with the companion `per_person`: group
    privacy of ε promises ℓ·ε to every ℓ of them (IP Def 4)."""
    leakage = notion.leakage_of(channel)
    if release.secrets.of_records:
        return leakage
    subject = channel.finite(notion.kind).subject
    # A function of several records is no record of anybody's.
    if not subject.shared:
        return leakage
    people = len(subject.members)
    # Two records hidden at 1 nat together are promised 0.5 each by group privacy.
    share = Enclosure(leakage.lower / people * (1 - UNIT), leakage.upper / people * (1 + 2 * UNIT))
    return replace(leakage, companions={**leakage.companions, "per_person": share})


def leakages(release: Release, notions: Iterable[Notion]) -> list[Leakage]:
    """Several notions of one release, each channel made once, then discarded."""
    found = audited(release, list(notions), ())
    return [leakage for leakage in found if leakage is not None]


def audited(
    release: Release, notions: Sequence[Notion], omitted: tuple[type[DaleniusError], ...], how_likely: bool = False
) -> list[Leakage | None]:
    """As `leakages`; None for notions that raise one of these errors. how_likely: witnesses say how likely they are,
    for which the channels are made once more. In the order of the notions; leakages in nats."""
    found: list[list[Leakage] | None] = []
    for notion in notions:
        try:
            notion.check_secret(release)
            # Notions of channels are read below, all of them from each channel while it is there.
            found.append([nothing(notion) if notion.properties.of_channels else notion.leakage(release)])
        except omitted:
            found.append(None)
    # Making channels takes most of the time: only where some notion reads them.
    if any(notion.properties.of_channels for notion in notions):
        for channel in release.all_channels():
            for place, notion in enumerate(notions):
                own = found[place]
                if own is None or not notion.properties.of_channels:
                    continue
                # From the first channel that has no such leakage on the notion is left out.
                try:
                    own.append(per_person(notion, release, channel))
                except omitted:
                    found[place] = None
    total = [None if each is None else worst(each) for each in found]
    return _with_chances(release, notions, found, total) if how_likely else total


NOTIONS: Final = Kinds("notion", "dalenius.notions.notion:Notion", "dalenius.notions")

AnyNotion: TypeAlias = Annotated[Notion, NOTIONS]
"""A notion of any kind, as a section of a spec."""


def notions_of(given: Notion | str | Sequence[Notion | str]) -> tuple[Notion, ...]:
    """One notion or several, each of which may be named by its kind. InputError for what is none.

    >>> [notion.kind for notion in notions_of(["differential", "information"])]
    ['differential', 'information']
    """
    # A name is a text, and a text is a sequence of letters: it must not be taken for several.
    listed = [given] if isinstance(given, Notion | str) else given
    if not isinstance(listed, Sequence):
        raise InputError("notion", shown(given), "a notion, such as InferentialPrivacy(epsilon=1.0), or several")
    return tuple(NOTIONS.given(each, "notion") for each in listed)


def in_words(notion: Notion, epsilon: float | None = None, chance: float | None = None) -> str | None:
    """What epsilon nats of this notion mean, by default what it promises; None where it has no such words.

    chance: the example of a chance, in (0, 1); by default the promise's `from`, else .01. Every number is rounded
    towards more: what is said is implied by epsilon.
    """
    if epsilon is not None:
        return notion.in_words(epsilon, chance)
    # Only the leakage is asked for: nothing is promised.
    if notion.epsilon is None:
        return None
    said = notion.in_words(notion.epsilon, phrase_of(notion).get("from") if chance is None else chance)
    if said is None or "advantage" not in phrase_of(notion):
        return said
    right = percent(right_guess(notion.epsilon, notion.promised_delta or 0.0))
    return f"a guess between two equally likely values is right with probability at most {right}; {said}"


def leakage_in_words(notion: Notion, leakage: Leakage) -> str | None:
    """The same of a leakage's upper end; of its lower end where no upper one is known.

    The example is the prior probability of the witness's secret, between the two values where it is against another,
    and .01 where none is known or the notion is not of the model's adversary."""
    if Enclosure(leakage.lower, leakage.upper).half_open:
        return notion.from_below_in_words(leakage.lower)
    witness = leakage.witness
    chance = witness.chance if witness is not None and notion.properties.of_the_model else None
    return in_words(notion, 0.0 if leakage.nothing else leakage.upper, chance)
