"""Bayesian differential privacy: inferential, whatever else the adversary knows (Yang et al. 2015; IP §VII)."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import ClassVar, Final, Literal, final

from dalenius.bounds import UNIT
from dalenius.channel import Channel, Release
from dalenius.channel.finite.answers import kinds_of
from dalenius.channel.leakage import NOTHING, Leakage, worst
from dalenius.channel.sensitivity.sensitivity import spread_of
from dalenius.errors import Meaningless, TooLarge
from dalenius.joints import Joint
from dalenius.knowledge.unbounded import along_a_chain, by_enumeration
from dalenius.laws.transforms.ranges import Extents
from dalenius.noise import Noise
from dalenius.notions.inferential import InferentialPrivacy
from dalenius.notions.notion import Notion, Proof
from dalenius.queries import Scores

FEW: Final = 6
"""So few people are enumerated even in a chain."""


@final
class BayesianPrivacy(Notion):
    """log W(y|s, x_K)/W(y|s', x_K) <= epsilon for every set K of other people, all values x_K of theirs, all secrets
    s, s' that are possible beside them, and every output y.

    Exact by enumeration of one group of each type. Let G be the records that i depends on, R the rest, f_G and f_R what
    they add to the answer. Given K = K_G ∪ K_R, since G and R are independent,

        W(y|s, x_K) = sum_r Pr[f_R = r | x_K_R] W_G(y - r | s, x_K_G)

    for noise that depends on output less answer only. So the ratio for s and s' is a mean of ratios of W_G and at most
    the largest of them; and that is reached: knowing all of R leaves W_G, shifted. The worst over K is that of the
    group alone, whatever the size of the population; a witness's output is the answer less what R adds to it. Where
    the answer is no sum, or the noise depends on the answer itself, f_R does more than shift, and the whole population
    is enumerated.

    What is too large to enumerate has a bound instead, lower < upper. Given all of R and any x_K_G, the answers that
    are possible under s or s' lie within the group's range on each coordinate (R can only bring two maxima closer), so
    that no output tells them apart by more than the noise tells its ends; and changing one record after the other
    bounds it by the sum of their losses. The lower end is K = ∅, the inferential leakage.

    Differential privacy is no bound either way: K = ∅ alone can leak more (dependence), and of two data sets that
    differ in one record one may be impossible. Where none is, K = everybody else makes it a lower bound.
    """

    of_channels: ClassVar[bool] = False

    implied_by: ClassVar[Proof] = "group"

    kind: Literal["bayesian"] = "bayesian"

    def leakage_of(self, channel: Channel) -> Leakage:
        """What the channel can say of it: K = ∅ is one of the sets."""
        known = InferentialPrivacy().leakage_of(channel)
        return Leakage(known.lower, inf, known.witness) if len(channel.finite(self.kind).secrets) > 1 else NOTHING

    def leakage(self, release: Release) -> Leakage:
        if release.real:
            raise Meaningless("notion.kind", self.kind, "another notion for records that are real numbers")
        found = [leakage for joint in release.joints for leakage in _by_group(release, joint)]
        if any(leakage.lower == 0 < leakage.upper and leakage.witness is None for leakage in found):
            found.append(_without_knowledge(release))
        return worst(found)


def _without_knowledge(release: Release) -> Leakage:
    """K = ∅: a lower bound."""
    try:
        least = InferentialPrivacy().leakage(release)
    except TooLarge:
        return NOTHING
    return Leakage(least.lower, least.lower, least.witness)


def _by_group(release: Release, joint: Joint) -> Iterator[Leakage]:
    """What is told of the people asked about in one group of each type."""
    scores = release.query.scores(kinds_of(joint), release.lattice)
    groups = [joint.one_of(group) for group in range(len(joint.groups()))]
    only_shifts = scores.additive and release.noise.additive
    for alone in groups if only_shifts else [joint]:
        asked = _asked(release, joint, alone)
        if not asked:
            continue
        bound = worst(_bounded(release.noise, group, scores) for group in ([alone] if only_shifts else groups))
        for leakage in _exactly(release, alone, scores, asked, only_shifts) or [bound]:
            yield replace(leakage, upper=min(leakage.upper, bound.upper))


def _asked(release: Release, joint: Joint, alone: Joint) -> set[int]:
    """Which of the people of a part have a secret to keep. Classes may have their first person outside of it."""
    if not any(len(each.secrets) > 1 and release.secrets.pairs_of(each) != () for each in alone.subjects()):
        return set()
    firsts, people = release.secrets.firsts(joint), alone.people()
    return {person for person in people if firsts is None or joint.subject_of(person).person in firsts}


def _exactly(
    release: Release, joint: Joint, scores: Scores, asked: set[int], only_shifts: bool
) -> list[Leakage] | None:
    """None where the joint is too large for that."""
    noise, pairs = release.noise, release.secrets.pairs
    if only_shifts and len(asked) == len(joint.people()) > FEW:
        found = along_a_chain(joint, scores, noise, pairs)
        if found is not None:
            return [found]
    try:
        return [NOTHING, *by_enumeration(joint, scores, noise, pairs, asked)]
    except TooLarge:
        found = along_a_chain(joint, scores, noise, pairs) if only_shifts else None
        return None if found is None else [replace(found, lower=0.0, witness=None)]


def _bounded(noise: Noise, group: Joint, scores: Scores) -> Leakage:
    """Between nothing and what the noise lets through of the whole group."""
    extent = group.total(Extents(scores.indices, scores.combine))
    steps = zip(extent.low, extent.high, scores.lattice.steps, strict=True)
    loss = noise.privacy_loss([(high - low) * step for low, high, step in steps])
    spreads = [spread_of(group.strata(), scores, i).total for i in range(len(group.strata()))]
    one_by_one = zip(group.group_strata()[0], spreads, strict=True)
    moved = sum((int(n) * move for n, move in one_by_one), Fraction(0))
    loss = min(loss, noise.group_loss(moved, scores.lattice.axes))
    return Leakage(0.0, loss * (1 + 4 * UNIT), None)
