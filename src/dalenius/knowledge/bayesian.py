"""Bayesian differential privacy: inferential privacy for any background knowledge (Yang et al. 2015; IP §VII)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import inf
from typing import ClassVar, Final, Literal, final
from weakref import WeakKeyDictionary

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Channel, Found, Release
from dalenius.channel.answer_laws import kinds_of
from dalenius.channel.leakage import NOTHING, Leakage, worst, worst_of
from dalenius.channel.sensitivity import spread_of
from dalenius.channel.worlds import Worlds
from dalenius.errors import DaleniusError, Meaningless, TooLarge
from dalenius.joints import (
    Joint,
    all_outcomes,
    chain_of,
    count_outcomes,
    count_people,
    factor_strata,
    group_strata,
    one_group,
    people_of,
)
from dalenius.knowledge.any_records import KnownSets, by_enumeration, known_sets
from dalenius.knowledge.chain import along_a_chain
from dalenius.knowledge.limits import MOST_QUICK_OUTCOMES, MOST_RANGE_RECORDS
from dalenius.laws.generating_function_algebra import Extents
from dalenius.noise import Noise
from dalenius.notions.log_ratios import InferentialPrivacy
from dalenius.notions.notion import Notion, Properties
from dalenius.notions.promise_as_phrase import OF_ODDS, Phrase
from dalenius.queries import Scores
from dalenius.sentences.sentence import said

LISTED_PEOPLE: Final = 6
"""The most people of a chain whose known sets are enumerated."""


@final
class BayesianPrivacy(Notion):
    """Bayesian differential privacy: inferential, whatever else the adversary knows of other people's records.

    It bounds log W(y|s, x_K)/W(y|s', x_K) by epsilon for every set K of other people, all values x_K of theirs, all
    secrets s, s' that are possible with them, and every output y.

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
        Of two bits that are equal, and are counted through Laplace(1), the other one tells everything:

        >>> import dalenius as dl
        >>> bits = dl.Chain(n=2, initial=[0.5, 0.5], transition=[[1.0, 0.0], [0.0, 1.0]])
        >>> round(dl.BayesianPrivacy().leakage(dl.Release(bits, dl.Count(), dl.Laplace(scale=1.0))).epsilon, 6)
        2.0

    Notes:
        Yang et al. 2015; IP §VII. Exact by enumeration of one group of each type. Let G be the records that i depends
        on, R the rest, f_G and f_R what they add to the answer. Given K = K_G ∪ K_R, since G and R are independent,

            W(y|s, x_K) = sum_r Pr[f_R = r | x_K_R] W_G(y - r | s, x_K_G)

        for noise that depends on output less answer only. So the ratio for s and s' is a mean of ratios of W_G, and at
        most the largest of them. This one is attained: given all of R, W_G is left, shifted. The worst over K is that
        of the group alone, whatever the size of the population; a witness's output is the answer less what R adds to
        it. If the noise depends on the answer itself, or the answer is no sum, the full population is enumerated.

        If this is too large to enumerate, there is a bound instead, lower < upper. Given all of R and any x_K_G, the
        answers that are possible under s or s' lie within the group's range on each coordinate (R can only bring two
        maxima closer). So no output's log-ratio between them exceeds the noise's between its ends; and changing one
        record after the other bounds it by the sum of their losses. The lower end is K = ∅, the inferential leakage.

        Differential privacy is no bound either way: K = ∅ alone can leak more (dependence), and of two data sets that
        differ in one record one may be impossible. Where none is, K = everybody else makes it a lower bound. For two
        equal bits in a count through Laplace(1) it is 2, twice the differential loss. For two bits exactly one of which
        is 1 it is 0.
    """

    _phrases: ClassVar[tuple[Phrase, ...]] = OF_ODDS

    kind: Literal["bayesian"] = "bayesian"

    @property
    def properties(self) -> Properties:
        whom = said("whatever_is_known")
        return Properties(implied_by="group", linear="known", of_channels=False, any_knowledge=True, to_whom=whom)

    def check_secret(self, release: Release) -> None:
        """Checks that each secret is one person's record.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: Secrets are of several people.
        """
        release.secrets.check_of_records(f"{self.kind} privacy")

    def leakage_of(self, channel: Channel) -> Leakage:
        """Returns what one channel bounds of the leakage, in nats: K = ∅ is one of the sets, so that it is a lower end.

        Args:
            channel: The channel of one subject, or of all subjects of a law.
        """
        known = InferentialPrivacy().leakage_of(channel)
        # One channel says nothing about what its secrets leak given a known set, so that nothing bounds it from above.
        return Leakage(known.lower, inf, known.witness) if len(channel.finite(self.kind).secrets) > 1 else NOTHING

    def leakage(self, release: Release) -> Leakage:
        """Returns the largest log-ratio, in nats, with the known set that attains it.

        Args:
            release: The model, the query and the noise.

        Raises:
            Meaningless: Records are real numbers, or the secret is no single record.
            InputError: The secret is who is absent, which is no single record.
        """
        release.worlds.check_plain_records("bayesian privacy")
        release.worlds.check_joint()
        # Jointly normal salaries: what could be known of others is no list of values.
        if release.secret == "number":
            raise Meaningless("notion.kind", self.kind, "another notion for records that are real numbers")
        release.secrets.check_no_stage()
        return whatever_is_known(release)


def bayesian_loss(release: Release) -> Enclosure | None:
    """Returns the Bayesian leakage in a fraction of a second, for any release that is shown with it.

    It is exact for small groups and short chains, else between 0 and the bound, which may be infinite.

    Args:
        release: The model, the query and the noise.

    Returns:
        The leakage in nats. None where records are real numbers or known by pairs only, or the secret is who is absent,
        or several people's, or answers are known.
    """
    # A report shows it beside whatever notion was asked for; where it means nothing, the report leaves it out.
    if not (release.worlds.is_finite and release.secrets.of_records) or release.adversary.answers:
        return None
    # A network too wide for any law of its own: the loss of a whole group bounds what any known set lets through.
    if any(joint.refusal is not None for joint in release.worlds.joints):
        loss = release.noise.loss_of_group(release.worlds.group_sensitivity, release.lattice.axes)
        return Enclosure(0.0, loss * (1 + 4 * UNIT))
    total = worst(
        [each for place in range(len(release.worlds.joints)) for each in _by_group(release, place, quick=True)]
    )
    return Enclosure(total.lower, total.upper)


@final
@dataclass(frozen=True)
class _Group:
    """One group of records, and how far they move the answer together."""

    joint: Joint
    scores: Scores

    def bounded(self, noise: Noise) -> Leakage:
        """Bounds the leakage between 0 and the privacy loss of the noise for the whole group, in nats."""
        loss = inf if self._range is None else noise.privacy_loss(self._range)
        # Either may be the lower one: a jump over the whole range, or one record changed after the other.
        moved = (self._moved, sum(factor.size for factor in self.joint.factors()))
        loss = min(loss, noise.loss_of_group(moved, self.scores.lattice.axes))
        return Leakage(0.0, loss * (1 + 4 * UNIT), None)

    @cached_property
    def _range(self) -> list[Fraction] | None:
        """Returns the range of each of its answers, in the query's unit.

        For years of one person's hours it is not looked for: the group's loss is the bound.
        """
        if (chain := chain_of(self.joint)) is not None and len(chain) > MOST_RANGE_RECORDS:
            return None
        extent = self.joint.total(Extents(self.scores.indices, self.scores.combine))
        steps = zip(extent.low, extent.high, self.scores.lattice.steps, strict=True)
        return [(high - low) * step for low, high, step in steps]

    @cached_property
    def _moved(self) -> Fraction:
        """Returns the distance that its records move the answer, one after the other."""
        strata, members = self.joint.strata(), enumerate(group_strata(self.joint)[0])
        return sum((int(n) * spread_of(strata, self.scores, i).total for i, n in members if n), Fraction(0))


@final
@dataclass(frozen=True)
class _Part:
    """A group, or where others do more than add to its answer all records.

    Attributes:
        population: All records.
        firsts: The first persons of the classes of people whose records are secrets; None for all.
        only_shifts: Whether what others add shifts the output.
        together: The groups that bound its leakage.
    """

    joint: Joint
    scores: Scores
    population: Joint
    firsts: frozenset[int] | None
    only_shifts: bool
    together: tuple["_Group", ...]

    @cached_property
    def quickly_known(self) -> KnownSets | None:
        """Returns the sets that may be known of its records, where these are few: they do not depend on the noise."""
        return known_sets(self.joint, self.scores)

    @cached_property
    def subjects(self) -> set[int]:
        """The people whose records are secrets. A class may have its first person outside the part."""
        people = people_of(self.joint)
        return {
            each for each in people if self.firsts is None or self.population.subject_of(each).person in self.firsts
        }


_LOOKED_AT: Final = WeakKeyDictionary[Worlds, dict[tuple[int, bool], Sequence[_Part]]]()
"""The parts that were found for each law's groups, by the laws of a release and whether the noise is added."""


def whatever_is_known(release: Release) -> Leakage:
    """Returns the largest log W(y|s, x_K)/W(y|s', x_K) of `release`, in nats, over all sets K of others.

    The ends differ, lower < upper, where there are too many sets to enumerate. `BayesianPrivacy` says how.
    """
    laws = range(len(release.worlds.joints))
    found = [leakage for place in laws for leakage in _by_group(release, place, quick=False)]
    # Only a bound was found for some group: what leaks without background knowledge is the lower end.
    if any(leakage.lower == 0 < leakage.upper and leakage.witness is None for leakage in found):
        found.append(_without_knowledge(release))
    return worst(found)


def _without_knowledge(release: Release) -> Leakage:
    """Returns the leakage with K = ∅: a lower bound."""
    try:
        least = worst_of([Found(Enclosure(0.0, 0.0)), *(channel.ratio() for channel in release.all_channels())])
    # Not even the law without background knowledge fits memory: the lower end stays 0.
    except TooLarge:
        return NOTHING
    return Leakage(least.value.lower, least.value.lower, least.witness)


def _by_group(release: Release, place: int, quick: bool) -> Iterator[Leakage]:
    """Yields the leakage about the people whose records are secrets, in one group of each type.

    Args:
        release: The model, the query and the noise.
        place: The place of the law.
        quick: Whether only the bound is wanted, where more would take longer than a fraction of a second.
    """
    for part in _looked_at(release, place):
        bound = worst(each.bounded(release.noise) for each in part.together)
        for leakage in _leakages(release, part, quick) or [bound]:
            yield replace(leakage, upper=min(leakage.upper, bound.upper))


def _looked_at(release: Release, place: int) -> Sequence[_Part]:
    """Returns the parts whose leakage counts, as `_parts`.

    They do not depend on the scale, and are kept as long as the release's laws.
    """
    # Whether others only move the output is the noise's to say.
    key = place, release.noise.shape.additive
    kept = _LOOKED_AT.setdefault(release.worlds, {})
    if key not in kept:
        kept[key] = list(_parts_that_differ(release, release.worlds.joints[place]))
    return kept[key]


def _parts_that_differ(release: Release, joint: Joint) -> Iterator[_Part]:
    scores = release.query.scores(kinds_of(joint), release.lattice)
    groups = [one_group(joint, group) for group in range(len(factor_strata(joint)))]
    known_groups: set[tuple[object, ...]] = set()
    for part in _parts(release, joint, groups, scores):
        # Among groups that add equal amounts with equal chances, the first stands for all.
        if part.only_shifts and release.secrets.pairs is None and (key := _alike(part, scores)) is not None:
            if key in known_groups:
                continue
            known_groups.add(key)
        yield part


def _alike(part: _Part, scores: Scores) -> tuple[object, ...] | None:
    """Returns a key that is equal for two groups that differ in nothing but names.

    It holds what each record adds, in every outcome, with its chance, and how alike its people are. None for a group
    with too many outcomes to compare, or with a record that is no secret.
    """
    joint = part.joint
    if count_outcomes(joint.factors()) > MOST_QUICK_OUTCOMES or len(part.subjects) != len(people_of(joint)):
        return None
    slots, logs = all_outcomes(joint.factors())
    people = people_of(joint)
    subjects = [joint.subject_of(person) for person in people]
    # By person the place of the first who is alike, and how nearly.
    who = tuple((people.index(each.person) if each.person in people else -1, each.class_error) for each in subjects)
    values = tuple(each.secrets for each in subjects)
    return scores.indices[slots].tobytes(), logs.tobytes(), slots.shape, who, values


def _parts(release: Release, joint: Joint, groups: Sequence[Joint], scores: Scores) -> Iterator[_Part]:
    """Makes the parts in which some record is a secret: groups, one of each type, or everybody in one part."""
    only_shifts = scores.additive and release.noise.shape.additive
    firsts = release.secrets.firsts(joint)
    # The greatest value, or noise of a table of its own per answer: others do more than move the output.
    every = [_Group(group, scores) for group in groups]
    for place, own_part in enumerate(groups if only_shifts else [joint]):
        # For a greatest value the part is everybody; still one person's group alone moves the answer, within its range.
        together = (every[place],) if only_shifts else tuple(every)
        part = _Part(own_part, scores, joint, firsts, only_shifts, together)
        secret = any(len(each.secrets) > 1 and release.secrets.pairs_of(each) != () for each in own_part.subjects())
        # Very many people are not listed to see that there are some.
        if secret and (firsts is None or part.subjects):
            yield part


def _leakages(release: Release, part: _Part, quick: bool) -> list[Leakage] | None:
    """Returns the leakages by enumeration or along a chain.

    None where the joint law is too large, or too large to be quick.
    """
    noise, pairs, joint, scores = release.noise, release.secrets.pairs, part.joint, part.scores

    def listed() -> list[Leakage]:
        known = part.quickly_known if quick else known_sets(joint, scores)
        return [NOTHING, *by_enumeration(joint, known, noise, pairs, part.subjects)]

    def along() -> list[Leakage] | None:
        found = along_a_chain(joint, scores, noise, pairs) if part.only_shifts else None
        if found is None:
            return None
        # Only some days are secret: the worst of all bounds them.
        everybody = len(part.subjects) == count_people(joint)
        return [found if everybody else replace(found, lower=0.0, witness=None)]

    if quick:
        try:
            if count_outcomes(joint.factors()) <= MOST_QUICK_OUTCOMES:
                return listed()
            return along() if count_people(joint) <= MOST_QUICK_OUTCOMES else None
        # A number shown in passing must stop no report: then the bound is shown.
        except DaleniusError:
            return None
    # A week can be listed; a month of days, of which there are 3^30 known sets, cannot.
    if (
        part.only_shifts
        and len(part.subjects) == count_people(joint) > LISTED_PEOPLE
        and (found := along()) is not None
    ):
        return found
    try:
        # Four records in a row of twenty values each: too many to list, few enough for a chain's distances.
        return listed()
    except TooLarge:
        return along()
