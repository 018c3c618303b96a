"""The worst over background knowledge of independent groups: a pattern of one's own, and known records elsewhere.

A *pattern* gives the values of some members' records. Of exchangeable members it gives how many have each known value:
which of them does not matter. The answer is a sum and noise shifts with it: other groups' known records shift the
output, and their unknown ones add an independent sum, whichever the person's own group. A sum with one more independent
group is a post-processing of the sum without it, so that fewer unknown groups leak more: that every group of which a
record may be known is wholly known is a bound, over all numbers of them of each kind; and it is attained by groups of
one record (Result 7.6).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement, product
from math import comb, prod
from typing import Final, TypeAlias, TypeVar, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.channel.finite.effort import Effort
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.peak import Largest
from dalenius.errors import TooLarge
from dalenius.joints import Joint
from dalenius.joints.groups.block import Block, Member
from dalenius.joints.groups.conditioning import conditioned
from dalenius.joints.groups.exchangeable import Exchangeable
from dalenius.knowledge.view import Reading, View, Worst, channel_of, is_asked, worst_of
from dalenius.laws.integrals.profile import FAINT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.transform import Transform
from dalenius.laws.transforms.characteristic import ComplexArray, Evaluations, Values
from dalenius.laws.transforms.coefficients import Coefficients, law_of
from dalenius.laws.transforms.cumulants import Cumulant, Cumulants
from dalenius.laws.transforms.ranges import Extents
from dalenius.laws.transforms.tilting import Wanted, laws_by_tilting
from dalenius.noise import Noise
from dalenius.schema import RecordValue

Element = TypeVar("Element")

QUICK: Final = 0.3
"""Up to this many seconds a convolution is preferred to a sweep of tilted transforms."""
SLOW: Final = 100.0
MOST_POINTS: Final = 1 << 23
MOST_CELLS: Final = 1 << 25
MOST_PATTERNS: Final = 2000
FOR_NOTHING: Final = 1_000_000
"""What a group costs that cannot be wholly known."""
MOST_WAYS: Final = 256
Left: TypeAlias = tuple[int, ...]
"""How many groups of each kind nothing is known of."""


@final
@dataclass(frozen=True)
class Pattern:
    """known: universe indices, by position in the group; block: one group given these records."""

    known: dict[int, int]
    block: Block


@final
@dataclass(frozen=True)
class GroupKind:
    """Identically distributed groups on which the answer depends.

    people: the first group's, by position; slots: the block's, among the query's scores; patterns: the empty one first;
    whole: the fewest known records that leave nothing of a group's part in the answer unknown, None where that is more
    than may be known.
    """

    groups: int
    people: tuple[int, ...]
    slots: IntArray
    patterns: tuple[Pattern, ...]
    whole: int | None

    @property
    def block(self) -> Block:
        """A group of which nothing is known."""
        return self.patterns[0].block

    def variance(self, indices: IntArray) -> float:
        """Of a group's part in the answer, all coordinates together; indices (slots, axes): the query's scores."""
        weights, totals = np.exp(self.block.log_weights), (self.block.counts @ indices[self.slots]).astype(np.float64)
        return float(np.sum(weights @ (totals - weights @ totals) ** 2))


@final
@dataclass(frozen=True)
class _Own:
    """Whose record is the secret: a member of a group of this kind (the kind's index: place), with a known pattern."""

    place: int
    kind: GroupKind
    pattern: Pattern
    member: Member

    @property
    def people(self) -> list[int]:
        """The members' people whose records are unknown, in the first group of the kind."""
        return [self.kind.people[at] for at in self.member.positions if at not in self.pattern.known]

    @property
    def secrets(self) -> tuple[RecordValue, ...]:
        every = [value for _, values in self.pattern.block.alphabet for value in values]
        return tuple(every[slot] for slot in self.member.slots)

    @property
    def known_records(self) -> dict[int, RecordValue]:
        """The pattern's known records in the first group, by person."""
        block = self.pattern.block
        strata = {position: member.stratum for member in block.members for position in member.positions}
        known = self.pattern.known.items()
        return {self.kind.people[at]: block.alphabet[strata[at]][1][place] for at, place in known}


@lru_cache(maxsize=8)
def groups_of(world: RecordWorld, known: int) -> "KnownGroups | None":
    """known: how many records may be known. None where the records are no product of groups given as tables. TooLarge
    where a group has too many patterns."""
    kinds = _kinds(world.joint, world.scores.indices, known)
    return None if kinds is None else KnownGroups(world, kinds, known)


@final
class KnownGroups:
    """Independent groups; the laws of the others' sums are cached, as they do not depend on the noise."""

    def __init__(self, world: RecordWorld, kinds: list[GroupKind], known: int) -> None:
        self._world, self._known = world, known
        self._indices = world.scores.indices
        # Groups of large variance per record known come first; six digits, so that values equal up to rounding keep
        # their order.
        worth = [float(f"{kind.variance(self._indices) / (kind.whole or FOR_NOTHING):.6g}") for kind in kinds]
        self._kinds = [kinds[place] for place in sorted(range(len(kinds)), key=lambda place: -worth[place])]
        self._others: dict[Left, tuple[Law, float]] = {}
        self._views: dict[object, View] = {}
        self._noise: Noise | None = None

    def worst(self, release: Release, reading: Reading) -> Worst:
        """The view is the first that may be the worst."""
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        found, most = Largest[View](), 0.0
        for own in self._owns(release):
            bought, ways = self._bought(own), self._ways(own)
            for left in dict.fromkeys((bought, *ways)):
                view = self._view(release, own, left)
                value = reading.at(view, found.lower)
                if left in ways:
                    most = max(most, value.upper)
                if left == bought or self._attained(own, left):
                    found.add(value, replace(view, said=self._said(own, left)))
        seen = worst_of(found)
        exact = most <= seen.lower * (1 + 1e-6) + 1e-12
        return seen if seen.view is None else replace(seen, upper=max(seen.lower, most), exact=exact)

    def _owns(self, release: Release) -> Iterator[_Own]:
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = _Own(place, kind, pattern, member)
                    if len(member.slots) > 1 and own.people and is_asked(release, self._world, own.people[0]):
                        yield own

    def _spare(self, own: _Own) -> tuple[int, list[int]]:
        """How many records of other groups may be known, and how many such groups there are of each kind."""
        groups = [kind.groups - (place == own.place) for place, kind in enumerate(self._kinds)]
        return self._known - len(own.pattern.known), groups

    def _ways(self, own: _Own) -> list[Left]:
        """Of how many groups of each kind nothing is known, for all numbers of those of which a record is; where there
        are too many ways, the fewest of each kind."""
        spare, groups = self._spare(own)
        spare = min(spare, sum(groups))
        ways: list[Left] = [()]
        for place, there in enumerate(groups):
            before, after = sum(groups[:place]), sum(groups[place + 1 :])
            rests = [spare - before + sum(way) for way in ways]
            numbers = [range(max(rest - after, 0), min(there, rest) + 1) for rest in rests]
            ways = [(*way, there - n) for way, known in zip(ways, numbers, strict=True) for n in known]
            if len(ways) > MOST_WAYS:
                return [tuple(max(each - spare, 0) for each in groups)]
        return ways

    def _attained(self, own: _Own, left: Left) -> bool:
        """Whether those of which a record is known are wholly known by it."""
        spare, groups = self._spare(own)
        taken = [there - kept for there, kept in zip(groups, left, strict=True)]
        one = all(kind.whole == 1 for kind, known in zip(self._kinds, taken, strict=True) if known)
        return one and sum(taken) <= spare

    def _bought(self, own: _Own) -> Left:
        """Groups that are wholly known, in the order of kinds, as far as the number of known records goes."""
        spare, groups = self._spare(own)
        left = []
        for kind, there in zip(self._kinds, groups, strict=True):
            taken = min(there, spare // kind.whole) if kind.whole else 0
            spare -= taken * (kind.whole or 0)
            left.append(there - taken)
        return tuple(left)

    def _said(self, own: _Own, left: Left) -> str:
        bought = zip(self._kinds, self._spare(own)[1], left, strict=True)
        others = sum((kind.whole or 0) * (groups - kept) for kind, groups, kept in bought)
        return f"; {others:,} records of other groups known" if others else ""

    def _view(self, release: Release, own: _Own, left: Left) -> View:
        """The channel of the first of the own people, beside the groups that are left."""
        key = left, own.place, tuple(own.pattern.known.items()), own.member.positions
        if key not in self._views:
            if left not in self._others:
                used = [(kind, power) for kind, power in zip(self._kinds, left, strict=True) if power]
                self._others[left] = _sum_of(used, self._indices)
            others, missing = self._others[left]
            totals = own.pattern.block.counts @ self._indices[own.kind.slots]
            law = _beside(others, totals, own.member.log_given)
            person, scores = own.people[0], self._world.scores
            subject = self._world.joint.subject_of(person)
            subject = replace(subject, person=person, secrets=own.secrets, log_prior=own.member.log_prior)
            channel = channel_of(release, self._world, subject, law, scores.lattice, scores.names)
            self._views[key] = View(channel, own.known_records, missing=missing)
        return self._views[key]


def _kinds(joint: Joint, indices: IntArray, budget: int) -> list[GroupKind] | None:
    factors = joint.factors()
    groups = [factor for factor in factors if isinstance(factor, Exchangeable)]
    if len(groups) < len(factors):
        return None
    found = []
    for group in groups:
        block, scores = group.block, indices[group.slots]
        if np.ptp(block.counts @ scores, axis=0).any():
            patterns = tuple(sorted(_patterns(block, budget), key=lambda each: len(each.known)))
            still = (len(p.known) for p in patterns if not np.ptp(p.block.counts @ scores, axis=0).any())
            people = tuple(group.first().people)
            found.append(GroupKind(block.count, people, group.slots, patterns, next(still, None)))
    return found


def _patterns(block: Block, budget: int) -> Iterator[Pattern]:
    open_ = [member for member in block.members if len(member.slots) > 1]
    ways = prod(comb(len(m.positions) + len(m.slots), len(m.slots)) for m in open_)
    if ways > MOST_PATTERNS:
        raise TooLarge("what may be known of one group", f"{ways:.2g} patterns", "make the groups smaller")
    starts = np.cumsum([0, *(len(values) for _, values in block.alphabet)])
    for choice in product(*(_choices(member) for member in open_)):
        known = {
            position: slot - int(starts[member.stratum])
            for member, slots in zip(open_, choice, strict=True)
            for position, slot in zip(member.positions, slots, strict=False)
        }
        if len(known) <= budget:
            one = conditioned(block, known) if known else block
            if one is not None:
                yield Pattern(known, one)


def _choices(member: Member) -> Iterator[tuple[int, ...]]:
    """The values that the first few members of a class are known to have."""
    for known in range(len(member.positions) + 1):
        yield from combinations_with_replacement(member.slots, known)


def _sum_of(used: Sequence[tuple[GroupKind, int]], indices: IntArray) -> tuple[Law, float]:
    """The law of what so many groups of each kind add to the answer, of one secret, and the mass it leaves out.
    TooLarge where it is too large."""
    law = _long_law(used, indices)
    logs, missing = law.base + law.relative[0], 0.0
    if law.floor is not None:
        open_ = law.floor > -np.inf
        missing += float(np.sum(np.exp(law.base[open_] + law.floor[open_]) + np.exp(logs[open_])))
        logs = np.where(open_, -np.inf, logs)
    faint = (logs > -np.inf) & (logs <= FAINT)
    missing += float(np.count_nonzero(faint)) * float(np.exp(FAINT))
    logs = np.where(faint, -np.inf, logs)
    places = np.argwhere(logs > -np.inf)
    low, high = places.min(axis=0), places.max(axis=0)
    inside = logs[tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))]
    deepest = float(np.max(np.abs(inside), where=inside > -np.inf, initial=0.0))
    # The common part of the logs, kept separate until here, is rounded to their size.
    error = law.error + (8 + 4 * deepest) * UNIT
    start = tuple(int(a) + s for a, s in zip(low, law.start, strict=True))
    return Law(start, np.zeros(inside.shape), inside[None], error), missing


def _long_law(used: Sequence[tuple[GroupKind, int]], indices: IntArray) -> Law:
    """By convolution, or where that takes longer by tilted transforms."""

    def product_in(transform: Transform[Element]) -> Element:
        blocks = [(kind.block, kind.slots) for kind, _ in used]
        elements = [transform.mean(block.log_weights, slots, block.counts) for block, slots in blocks]
        return transform.product(elements, [power for _, power in used])

    extent, effort = product_in(Extents(indices)), Effort(indices)
    if extent.points > MOST_POINTS:
        raise TooLarge("what the others add to the answer", f"a box of {extent.points:.2g} points", "ask fewer at once")
    product_in(effort)
    if indices.shape[1] > 1 or effort.seconds <= QUICK:
        if effort.seconds > SLOW:
            raise TooLarge("what the others add to the answer", f"{effort.seconds:.2g} s", "ask fewer at once")
        return law_of([product_in(Coefficients(indices))])
    flat = indices[:, 0]
    circle: dict[tuple[int, int], ComplexArray] = {}

    def cumulant_at(tilt: float) -> Cumulant:
        return product_in(Cumulants(flat, tilt))

    def evaluate(tilt: float, points: int) -> Iterator[Sequence[Values]]:
        yield [product_in(Evaluations(flat, tilt, points, circle))]

    widest = max(int(np.ptp(kind.block.counts @ indices[kind.slots])) for kind, _ in used)
    return laws_by_tilting(cumulant_at, evaluate, [Wanted((extent,), np.zeros(1))], widest)[0]


def _beside(others: Law, own: IntArray, log_given: Array) -> Law:
    """The law of others' sum and one more, independent group, given each secret of it; TooLarge where it is too large.

    own (rows, axes): the rows' contributions to the answer; log_given (secrets, rows): their log-probabilities."""
    rest = others.relative[0]
    totals, place = np.unique(own, axis=0, return_inverse=True)
    low, high = totals.min(axis=0), totals.max(axis=0)
    box = tuple(int(n + b - a) for n, a, b in zip(rest.shape, low, high, strict=True))
    if (cells := len(log_given) * prod(box)) > MOST_CELLS:
        raise TooLarge("the laws of the answer", f"{cells:,} numbers", "ask for coarser values")
    logs = np.full((len(log_given), *box), -np.inf)
    for given, total in zip(log_given, logs, strict=True):
        for number, offset in enumerate(totals - low):
            weight = float(np.logaddexp.reduce(given[place.ravel() == number]))
            if weight > -np.inf:
                here = tuple(slice(int(o), int(o) + n) for o, n in zip(offset, rest.shape, strict=True))
                total[here] = np.logaddexp(total[here], rest + weight)
    deepest = float(np.max(np.abs(logs), where=logs > -np.inf, initial=0.0))
    base = np.max(logs, axis=0)
    base = np.where(base > -np.inf, base, 0.0)
    start = tuple(int(a) + s for a, s in zip(low, others.start, strict=True))
    return Law(start, base, logs - base, others.error + (4 * len(totals) + 16 + 8 * deepest) * UNIT)
