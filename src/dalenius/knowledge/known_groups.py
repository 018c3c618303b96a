"""Independent groups with some records that may be known, if the answer is a sum (Results 7.6, 7.13 and 7.15).

A *pattern* gives the values of some members' records. For exchangeable members it gives how many have each known value:
which of them does not matter. A sum with one more independent group is a post-processing of the sum without it, so that
fewer unknown groups leak more. It is a bound to take a group with a known record as wholly known. Groups of one record
of one kind attain it. Coins that every pattern contains give a closer one.

Take four independent bits that are 1 with probability 0.3, counted without noise. δ(0) is 0.441 to an adversary who
knows none, 0.49 to one who knows one bit, and 0.7 to one who knows two.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from itertools import combinations, combinations_with_replacement, product
from math import comb, inf, prod
from typing import TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.channel import Release
from dalenius.channel.leakage import Largest
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.fields import RecordValue
from dalenius.joints.factor import Factor
from dalenius.joints.identical_groups import Block, Exchangeable, Member, conditioned, starts_of
from dalenius.joints.independent_groups_law import GroupsLaw, written_out
from dalenius.knowledge.coins import WorstTerms
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView, WorstView, worst_of_views
from dalenius.knowledge.group_fractions import MOST_PRICED, Seat, Term, bounds, chosen_patterns
from dalenius.knowledge.lattice_noise import lattice_noise
from dalenius.knowledge.limits import MOST_PATTERNS
from dalenius.noise import Noise

_Left: TypeAlias = tuple[tuple[tuple[int, int], ...], ...]
"""By kind, pairs of a pattern's place and the number of other groups that have it. The empty pattern is the first;
patterns that leave nothing unknown are left out."""


@final
@dataclass(frozen=True)
class Pattern:
    """Known records of one group, as universe indices by position, and `block`, the group given these records."""

    known: dict[int, int]
    block: Block

    @property
    def values(self) -> list[RecordValue]:
        """The known values, in the order of positions."""
        strata = {position: member.stratum for member in self.block.members for position in member.positions}
        return [self.block.alphabet[strata[at]][1][place] for at, place in self.known.items()]


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

    def given(self, parts: Sequence[tuple[int, int]]) -> list[Exchangeable]:
        """Returns the last groups, for each (place, number) in `parts` so many given the pattern at that place."""
        found, end = list[Exchangeable](), len(self.factor.people)
        for place, count in parts:
            start = end - count * self.factor.size
            block = replace(self.patterns[place].block, count=count)
            found.append(replace(self.factor, block=block, numbers=self.factor.people[start:end], before=0))
            end = start
        return found

    def first(self, pattern: Pattern) -> Exchangeable:
        """The first of them, given a pattern."""
        people = self.factor.people[: self.factor.size]
        return replace(self.factor, block=replace(pattern.block, count=1), numbers=people, before=0)

    def sums(self, pattern: Pattern, indices: IntArray) -> IntArray:
        """Sums a group's scores for each row of the `pattern`'s block; `indices` (slots, 1): the scores, in steps."""
        return np.asarray(pattern.block.counts @ indices[self.factor.slots, 0], dtype=np.int64)

    def still(self, place: int, indices: IntArray) -> bool:
        """Says whether the pattern at `place` leaves nothing unknown; `indices` (slots, axes): the query's scores."""
        return not np.ptp(self.patterns[place].block.counts @ indices[self.factor.slots], axis=0).any()

    def variance(self, indices: IntArray) -> float:
        """Returns the variance of a group's answers, over all axes; `indices` (slots, axes): the query's scores."""
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
def groups_of(world: RecordWorld, known: int, by_groups: bool) -> "KnownGroups":
    """Makes the groups of a `world`. So many of their records may be `known`.

    by_groups: whether other groups only shift the output, else all are one. TooLarge for too many values or patterns.
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
        # The cost of a group that cannot be wholly known.
        spreads = [
            float(f"{kind.variance(world.scores.indices) / (kind.fewest_known or 1_000_000):.6g}") for kind in kinds
        ]
        self._kinds = [kinds[place] for place in sorted(range(len(kinds)), key=lambda place: -spreads[place])]
        self._worlds: dict[object, RecordWorld] = {}
        self._views: dict[object, KnowingView | None] = {}
        self._noise: Noise | None = None
        self._bounds: list[WorstTerms] | None = None

    def worst(self, release: Release, reading: CurveReading) -> WorstView:
        """Finds the worst reading over all known sets; its view is the first that may be the worst.

        Args:
            release: The model, the query and the noise.
            reading: What is read of each view's curves.
        """
        # A calibration asks about the same groups with one noise after the other: laws stay, readings do not.
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        found, most, owns = Largest[KnowingView](), 0.0, list(self._owns(release))
        for own in owns:
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
        if most > _nearly(found.lower):
            self._look_for_worse(release, reading, owns, found)
        if most > _nearly(found.lower):
            most = min(most, self._most(release, reading, owns))
        worst = worst_of_views(found)
        exact = most <= _nearly(worst.lower)
        return worst if worst.view is None else replace(worst, upper=max(worst.lower, most), exact=exact)

    def _look_for_worse(
        self, release: Release, reading: CurveReading, owns: Sequence[_Own], found: Largest[KnowingView]
    ) -> None:
        """Adds what is known of other groups where it leaves least variance, or few answers at either end."""
        if not self._bounded:
            return
        for own in owns:
            spare, groups = self._spare(own)
            for patterns in chosen_patterns(self._terms, groups, spare):
                left = self._left(patterns)
                view = None if left == self._bought(own) else self._view(release, own, left)
                if view is not None:
                    found.add(reading.at(view, found.lower), replace(view, said=self._said(own, left, patterns)))

    def _most(self, release: Release, reading: CurveReading, owns: Sequence[_Own]) -> float:
        """The reading of a bound over all that may be known of other groups; infinite where there is none."""
        noise = lattice_noise(release.noise, float(self._world.scores.lattice.steps[0]))
        if noise is None or not self._bounded:
            return inf
        if self._bounds is None:
            self._bounds = bounds(self._terms, [seat for own in owns for seat in self._seats(release, own)])
        found = self._bounds
        return reading.of_bound(partial(noise.delta, found)) if found else inf

    @property
    def _bounded(self) -> bool:
        """Whether what may be known of other groups has a bound: one answer, and few patterns."""
        few = sum(len(kind.patterns) for kind in self._kinds) <= MOST_PRICED
        return few and self._world.scores.indices.shape[1] == 1 and self._known > 0

    @cached_property
    def _terms(self) -> list[list[Term]]:
        """By kind and pattern, what is left of a group in the answer."""
        return [
            [
                Term(len(each.known), _law(kind.sums(each, self._indices), np.exp(each.block.log_weights)))
                for each in own
            ]
            for kind, own in ((kind, kind.patterns) for kind in self._kinds)
        ]

    @property
    def _indices(self) -> IntArray:
        return self._world.scores.indices

    def _seats(self, release: Release, own: _Own) -> Iterator[Seat]:
        """The own group's answers given each pair of values, and what is left for the others."""
        spare, groups = self._spare(own)
        sums = own.kind.sums(own.pattern, self._indices)
        laws = [_law(sums, np.exp(row), False) for row in own.member.log_given]
        start = int(starts_of(own.pattern.block.alphabet)[own.member.stratum])
        values = own.pattern.block.alphabet[own.member.stratum][1]
        pairs = release.secrets.pairs
        for one, other in combinations(range(len(laws)), 2):
            named = {values[own.member.slots[one] - start], values[own.member.slots[other] - start]}
            if pairs is None or any(set(pair) == named for pair in pairs):
                yield Seat(laws[one], laws[other], tuple(groups), spare)

    def _owns(self, release: Release) -> Iterator[_Own]:
        """Yields the first person of each class whose record may be secret, with each pattern of their own group."""
        joint = self._world.joint
        firsts = release.secrets.firsts(joint)
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = _Own(place, kind, pattern, member)
                    # A person has no secret left if the record is certain, or the whole class is known.
                    if len(member.slots) < 2 or own.person is None:
                        continue
                    if firsts is None or joint.subject_of(own.person).person in firsts:
                        yield own

    def _spare(self, own: _Own) -> tuple[int, list[int]]:
        """How many records of other groups may be known, and how many such groups there are of each kind."""
        groups = [kind.factor.count - (place == own.place) for place, kind in enumerate(self._kinds)]
        return self._known - len(own.pattern.known), groups

    def _fewest(self, own: _Own) -> _Left:
        """Counts the groups of each kind that are wholly unknown, at least, wherever the known records are."""
        spare, groups = self._spare(own)
        # As if one known record were enough to know a group wholly, as it is where each record is a group of its own.
        return self._left([{0: max(each - spare, 0)} for each in groups])

    def _bought(self, own: _Own) -> _Left:
        """Groups that are wholly known, in the order of kinds, as far as the number of known records goes."""
        spare, groups = self._spare(own)
        left = []
        for kind, there in zip(self._kinds, groups, strict=True):
            # A household of which too few records may be known to know it wholly stays unknown as a whole.
            taken = min(there, spare // kind.fewest_known) if kind.fewest_known else 0
            spare -= taken * (kind.fewest_known or 0)
            left.append({0: there - taken})
        return self._left(left)

    def _left(self, patterns: Sequence[Mapping[int, int]]) -> _Left:
        """Without groups whose records are all known."""
        return tuple(
            tuple((at, number) for at, number in each.items() if number and not kind.still(at, self._indices))
            for kind, each in zip(self._kinds, patterns, strict=True)
        )

    def _said(self, own: _Own, left: _Left, patterns: Sequence[Mapping[int, int]] | None = None) -> str:
        """Describes the known records of other groups for a witness; empty where none are known."""
        if patterns is None:
            bought = zip(self._kinds, self._spare(own)[1], left, strict=True)
            others = sum((kind.fewest_known or 0) * (groups - sum(n for _, n in kept)) for kind, groups, kept in bought)
            return f"; {others:,} records of other groups known" if others else ""
        known = [
            (number, kind.patterns[at])
            for kind, each in zip(self._kinds, patterns, strict=True)
            for at, number in each.items()
            if at
        ]
        others = sum(number * len(pattern.known) for number, pattern in known)
        return f"; {others:,} records of other groups known: " + ", ".join(
            f"{' and '.join(map(str, pattern.values))} in {number:,} of them" for number, pattern in known
        )

    def _view(self, release: Release, own: _Own, left: _Left) -> KnowingView | None:
        """About the own person, given the pattern, where other groups are these; None where it tells nothing."""
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
        """The question about the own group, given its pattern, and what is left of the others."""
        others = [part for kind, parts in zip(self._kinds, left, strict=True) for part in kind.given(parts)]
        joint = GroupsLaw(self._world.joint.strata(), [own.kind.first(own.pattern), *others])
        found = RecordWorld(joint, self._world.scores, self._world.secrets.altered({"people": None}), None)
        # Answers too many for a law: bounds of log-ratios stand for it, of which no δ can be read.
        if refused := [part.plan for part in found.components if part.plan.engine == "bounds"]:
            what, size = "the laws of the answer", "given what is known of others"
            raise TooLarge(what, size, "ask fewer at once", refused[0].exceeded)
        return found


def _kinds(factors: Sequence[Factor], indices: IntArray, budget: int) -> list[GroupKind]:
    """The groups that the answer depends on, each with what may be known of it; indices (slots, axes): the query's
    scores; budget: how many records may be known."""
    groups = [factor for factor in factors if isinstance(factor, Exchangeable)]
    found = []
    for group in groups:
        block, scores = group.block, indices[group.slots]
        # People who are not asked, such as those of another label, hide nobody, and knowing them is worth nothing.
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
    # For each class, the values that its first few members are known to have.
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


def _law(sums: IntArray, chances: Array, ends: bool = True) -> Array:
    """Masses of sums from 0, or from their least one, on; ends: without those that are impossible at the ends."""
    masses = np.bincount(sums - sums.min(), weights=chances).astype(np.float64)
    law = masses / masses.sum()
    there = np.flatnonzero(law)
    return np.asarray(law[there[0] : there[-1] + 1] if ends else law)


def _nearly(lower: float) -> float:
    """Returns the largest upper end that counts as equal to `lower`."""
    return lower * (1 + 1e-6) + 1e-12
