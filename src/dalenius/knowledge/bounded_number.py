"""The worst over background knowledge of a bounded number of other records (Theory §7, Adv(D, γ)): any set, any values.

There are three ways. The first that is exact is taken, else the closest one:

* *groups*. The answer is a sum, the noise depends on output less answer only, and the records are independent groups
  given as tables. Other groups' known records add a shift, and their unknown ones an independent sum. So a known set is
  a pattern of the person's own group, enumerated, and so many known records of the others. It is exact for independent
  records of one law. Else it lies between whole groups being known, and every group of which a record is known.
* *one group*: any answer, any noise, a handful of people, whose joint law is written out.
* *a bound*. At least the leakage without background knowledge, and at most the worst over all background knowledge:
  with all others known the noise still has a loss ε' (`BayesianPrivacy`), and then δ(ε) <= (e^ε' - e^ε)/(1 + e^ε')
  (Kairouz, Oh and Viswanath 2015), 1 without noise. Gaussian noise, whose loss is infinite, has its own profile between
  answers that a whole group can tell apart.

The number of known records is bounded, not fixed: knowing one that depends on the secret may leak less than without.

A *pattern* gives the values of some members' records. For exchangeable members it gives how many have each known value:
which of them does not matter. A sum with one more independent group is a post-processing of the sum without it, so that
fewer unknown groups leak more. So it is a bound to take, of each kind, as many groups as wholly known as records may be
known. Groups of one record of one kind attain it (Result 7.6).

Take four independent bits that are 1 with probability 0.3, counted without noise. Then δ(0) is 0.441 to an adversary
who knows none, 0.49 with one known and 0.7 with two.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, inf, prod
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.channel import Release
from dalenius.channel.leakage import Largest
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.identical_groups import Block, Exchangeable, Member, conditioned
from dalenius.joints.independent_groups_law import GroupsLaw, written_out
from dalenius.joints.joint import Factor
from dalenius.knowledge.bayesian import whatever_is_known
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView, WorstView, worst_of_views
from dalenius.knowledge.limits import MOST_PATTERNS
from dalenius.noise import Noise
from dalenius.noise.gaussian import gaussian_profile
from dalenius.noise.noise import gaussian_deviation

_Left: TypeAlias = tuple[int, ...]
"""The number of groups of each kind about which nothing is known."""


@final
@dataclass(frozen=True)
class Pattern:
    """A pattern of known records of one group.

    Attributes:
        known: Universe indices of the known values, by position in the group.
        block: One group given these records.
    """

    known: dict[int, int]
    block: Block


@final
@dataclass(frozen=True)
class GroupKind:
    """Identically distributed groups on which the answer depends.

    Attributes:
        factor: The groups.
        patterns: The patterns of one group, the empty one first.
        fewest_known: The number of known records that leaves nothing of a group's part in the answer unknown; None
            where that is more than may be known.
    """

    factor: Exchangeable
    patterns: tuple[Pattern, ...]
    fewest_known: int | None

    def last(self, count: int) -> Exchangeable:
        """Returns the last `count` of these groups."""
        people = self.factor.people[len(self.factor.people) - count * self.factor.size :]
        return replace(self.factor, block=replace(self.factor.block, count=count), numbers=people, before=0)

    def first(self, pattern: Pattern) -> Exchangeable:
        """Returns the first group, given a pattern."""
        people = self.factor.people[: self.factor.size]
        return replace(self.factor, block=replace(pattern.block, count=1), numbers=people, before=0)

    def variance(self, indices: IntArray) -> float:
        """Returns the variance of a group's part in the answer, all coordinates together, in squared lattice steps.

        Args:
            indices: The query's scores (slots, axes).
        """
        block = self.factor.block
        weights, totals = np.exp(block.log_weights), (block.counts @ indices[self.factor.slots]).astype(np.float64)
        return float(np.sum(weights @ (totals - weights @ totals) ** 2))


@final
@dataclass(frozen=True)
class _Own:
    """The person whose record is the secret: a member of a group of this kind, with a known pattern.

    Attributes:
        place: The kind's index.
        kind: The kind of group.
        pattern: The known records of the person's own group.
        member: The class of the person in the group.
    """

    place: int
    kind: GroupKind
    pattern: Pattern
    member: Member

    @property
    def person(self) -> int | None:
        """The first of the members whose record is unknown, in the first group of the kind."""
        left = [at for at in self.member.positions if at not in self.pattern.known]
        return self.kind.factor.people[left[0]] if left else None

    @property
    def known_records(self) -> dict[int, RecordValue]:
        """The pattern's known records in the first group, by person."""
        block = self.pattern.block
        strata = {position: member.stratum for member in block.members for position in member.positions}
        known = self.pattern.known.items()
        return {self.kind.factor.people[at]: block.alphabet[strata[at]][1][place] for at, place in known}


@lru_cache(maxsize=8)
def _groups_of(world: RecordWorld, known: int, by_groups: bool) -> "KnownGroups":
    """Returns the groups of which some records may be known.

    Args:
        world: The law and the query.
        known: How many records may be known.
        by_groups: Whether records of other groups only shift the output; else all are one group, written out.

    Raises:
        TooLarge: If that group, or a group's patterns, are too many.
    """
    joint = world.joint
    if not by_groups or not all(isinstance(factor, Exchangeable) for factor in joint.factors()):
        joint = written_out(joint, "what may be known of records", "know fewer")
    return KnownGroups(world, _kinds(joint.factors(), world.scores.indices, known), known)


@final
class KnownGroups:
    """Independent groups, some of whose records may be known, under one query.

    An instance stands for one law of the records, one query and one number of known records. The laws of answers are
    kept, as they do not depend on the noise.
    """

    def __init__(self, world: RecordWorld, kinds: list[GroupKind], known: int) -> None:
        self._world, self._known = world, known
        # Groups of large variance per record known come first; six digits, so that values equal up to rounding keep
        # their order.
        # What a group costs that cannot be wholly known.
        spreads = [
            float(f"{kind.variance(world.scores.indices) / (kind.fewest_known or 1_000_000):.6g}") for kind in kinds
        ]
        self._kinds = [kinds[place] for place in sorted(range(len(kinds)), key=lambda place: -spreads[place])]
        self._worlds: dict[object, RecordWorld] = {}
        self._views: dict[object, KnowingView | None] = {}
        self._noise: Noise | None = None

    def worst(self, release: Release, reading: CurveReading) -> WorstView:
        """Finds the worst reading over all known sets; its view is the first that may be the worst.

        Args:
            release: The model, the query and the noise.
            reading: What is read of each view's curves.
        """
        # A calibration asks about the same groups with one noise after the other: laws stay, readings do not.
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        found, most = Largest[KnowingView](), 0.0
        for own in self._owns(release):
            bought, fewest = self._bought(own), self._fewest(own)
            for left in dict.fromkeys((bought, fewest)):
                view = self._view(release, own, left)
                # Nothing of the answer depends on this person's group: it tells nothing about them.
                if view is None:
                    continue
                value = reading.at(view, found.lower)
                # Fewer unknown groups leak more: this view bounds all others of its pattern.
                if left == fewest:
                    most = max(most, value.upper)
                # A view is shown only of what can really be known: the fewest may be more than the number allows.
                if left == bought:
                    found.add(value, replace(view, said=self._said(own, left)))
        worst = worst_of_views(found)
        exact = most <= worst.lower * (1 + 1e-6) + 1e-12
        return worst if worst.view is None else replace(worst, upper=max(worst.lower, most), exact=exact)

    def _owns(self, release: Release) -> Iterator[_Own]:
        """Yields the first person of each class whose record may be secret, with each pattern of their own group."""
        joint = self._world.joint
        firsts = release.secrets.firsts(joint)
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = _Own(place, kind, pattern, member)
                    # Whose record is certain, or whose whole class is known, has no secret left.
                    if len(member.slots) < 2 or own.person is None:
                        continue
                    if firsts is None or joint.subject_of(own.person).person in firsts:
                        yield own

    def _spare(self, own: _Own) -> tuple[int, list[int]]:
        """Returns how many records of other groups may be known, and how many such groups there are of each kind."""
        groups = [kind.factor.count - (place == own.place) for place, kind in enumerate(self._kinds)]
        return self._known - len(own.pattern.known), groups

    def _fewest(self, own: _Own) -> _Left:
        """Returns of how many groups of each kind nothing is known, at least, wherever the known records are."""
        spare, groups = self._spare(own)
        # As if one known record were enough to know a group wholly, as it is where each record is a group of its own.
        return tuple(max(each - spare, 0) for each in groups)

    def _bought(self, own: _Own) -> _Left:
        """Returns the groups left unknown if others are wholly known, in the order of kinds, as the budget allows."""
        spare, groups = self._spare(own)
        left = []
        for kind, there in zip(self._kinds, groups, strict=True):
            # A household of which too few records may be known to know it wholly stays unknown as a whole.
            taken = min(there, spare // kind.fewest_known) if kind.fewest_known else 0
            spare -= taken * (kind.fewest_known or 0)
            left.append(there - taken)
        return tuple(left)

    def _said(self, own: _Own, left: _Left) -> str:
        """Writes what a witness says about the known records of other groups; nothing where none are known."""
        bought = zip(self._kinds, self._spare(own)[1], left, strict=True)
        others = sum((kind.fewest_known or 0) * (groups - kept) for kind, groups, kept in bought)
        return f"; {others:,} records of other groups known" if others else ""

    def _view(self, release: Release, own: _Own, left: _Left) -> KnowingView | None:
        """Returns the view of the own person, given the pattern and the other groups; None where it tells nothing."""
        subjects = left, own.place, tuple(own.pattern.known.items())
        key = *subjects, own.person
        if key not in self._views:
            if subjects not in self._worlds:
                self._worlds[subjects] = self._reduced(own, left)
            world = self._worlds[subjects]
            channels = (each for part in world.components for each in world.channels_of(release.noise, part))
            found = next((each.complete for each in channels if each.subject.person == own.person), None)
            self._views[key] = None if found is None else KnowingView(found, own.known_records)
        return self._views[key]

    def _reduced(self, own: _Own, left: _Left) -> RecordWorld:
        """Returns the question about the own group, given its pattern, and what is left of the others."""
        others = [kind.last(count) for kind, count in zip(self._kinds, left, strict=True) if count]
        joint = GroupsLaw(self._world.joint.strata(), [own.kind.first(own.pattern), *others])
        found = RecordWorld(joint, self._world.scores, self._world.secrets.altered({"people": None}), None)
        # Answers too many for a law: bounds of log-ratios stand for it, of which no δ can be read.
        if bounds := [part.plan for part in found.components if part.plan.engine == "bounds"]:
            what, size = "the laws of the answer", "given what is known of others"
            raise TooLarge(what, size, "ask fewer at once", bounds[0].exceeded)
        return found


def _kinds(factors: Sequence[Factor], indices: IntArray, budget: int) -> list[GroupKind]:
    """Returns the groups that the answer depends on, each with what may be known of it.

    Args:
        factors: The groups of the law.
        indices: The query's scores (slots, axes).
        budget: How many records may be known.
    """
    groups = [factor for factor in factors if isinstance(factor, Exchangeable)]
    found = []
    for group in groups:
        block, scores = group.block, indices[group.slots]
        # Whoever is not asked, as of another label, hides nobody, and knowing them is worth nothing.
        if np.ptp(block.counts @ scores, axis=0).any():
            patterns = tuple(sorted(_patterns(block, budget), key=lambda each: len(each.known)))
            still = (len(p.known) for p in patterns if not np.ptp(p.block.counts @ scores, axis=0).any())
            found.append(GroupKind(group, patterns, next(still, None)))
    return found


def _patterns(block: Block, budget: int) -> Iterator[Pattern]:
    """Yields every pattern of at most `budget` known records that can occur.

    TooLarge where there are too many: nine people of yes or no who all differ have 19,683, a household of fifty who are
    alike has 1,326.
    """
    open_ = [member for member in block.members if len(member.slots) > 1]
    ways = prod(comb(len(m.positions) + len(m.slots), len(m.slots)) for m in open_)
    if ways > MOST_PATTERNS:
        size = f"{ways:.2g} patterns"
        raise TooLarge("what may be known of one group", size, "make the groups smaller", MOST_PATTERNS)
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    # Of each class the values that its first few members are known to have.
    values = (
        [slots for known in range(len(m.positions) + 1) for slots in combinations_with_replacement(m.slots, known)]
        for m in open_
    )
    for choice in product(*values):
        known = {
            position: slot - int(starts[member.stratum])
            for member, slots in zip(open_, choice, strict=True)
            for position, slot in zip(member.positions, slots, strict=False)
        }
        if len(known) <= budget:
            one = conditioned(block, known) if known else block
            # Twins of whom one is 0 and the other 1: nobody can know that.
            if one is not None:
                yield Pattern(known, one)


def worst_view(release: Release, world: RecordWorld, known: int, reading: CurveReading) -> WorstView:
    """Finds the worst over every set of at most `known` other records, and all values of theirs.

    Args:
        release: The model, the query and the noise.
        world: The law that is asked about.
        known: How many other records may be known.
        reading: What is read of each view's curves.
    """
    # The plain case of noiseless privacy: others' records are the noise, and all of them are unknown.
    if known == 0:
        return _nothing_known(release, world, reading)
    found = None
    # A dozen people at most are gone through together, where going by groups does not say it exactly.
    for by_groups in [True, False] if release.noise.shape.additive and world.scores.additive else [False]:
        try:
            found = _groups_of(world, known, by_groups).worst(release, reading)
        # A long chain has too many patterns by groups, and is then written out; if it does not fit, it has a bound.
        except TooLarge:
            continue
        if found.exact:
            return found
    return found or _bounded(release, world, reading)


def _nothing_known(release: Release, world: RecordWorld, reading: CurveReading) -> WorstView:
    """Finds the worst over all whose records are secrets, to an adversary who knows nothing but the model."""
    found = Largest[KnowingView]()
    for channel in world.complete(release.noise):
        view = KnowingView(channel)
        found.add(reading.at(view, found.lower), view)
    return worst_of_views(found)


def _bounded(release: Release, world: RecordWorld, reading: CurveReading) -> WorstView:
    """Bounds the worst between knowing nothing and knowing everybody else."""
    least = _nothing_known(release, world, reading)
    most = min(reading.of_loss(whatever_is_known(release).upper), _by_noise(release, world, reading))
    return WorstView(least.lower, max(least.lower, most), least.view, False)


def _by_noise(release: Release, world: RecordWorld, reading: CurveReading) -> float:
    """Returns the reading of Gaussian noise between answers that a whole group can tell apart.

    It is infinite for any other noise, whose loss says as much. Whatever is known of others, the answers under two
    values of a record can be paired so that no pair is further apart than the group's range; δ(ε) is jointly convex,
    and for Gaussian noise grows with the distance (Result 7.3).
    """
    if not (scale := gaussian_deviation(release.noise)):
        return inf
    return reading.of_profile(gaussian_profile(world.group_sensitivity[0], scale))
