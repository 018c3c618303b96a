"""The worst over what may be known of so many other records (THEORY §7, Adv(D, γ)): which, and which values.

Three ways, each tried where the one before does not serve:

* *groups*. The answer is a sum, the noise depends on output less answer only, and the records are independent groups
  given as tables. What other groups' known records add is a shift, and their unknown ones add an independent sum. So a
  known set is a pattern of the person's own group, gone through one by one, and an allocation of the rest to the other
  groups, of which a branch and bound finds the worst (`channel.allocation`). Independent records that are alike have
  one allocation. Exact where the bound is attained; where the looks run out, lower < upper.
* *every set*, by enumeration: any answer, any noise, few people.
* *a bound*. At least what is told to somebody who knows nothing, and at most what no knowledge at all exceeds: with all
  others known the noise still has a loss ε' (`bayesian`), and then δ(ε) <= (e^ε' - e^ε)/(1 + e^ε') (Kairouz, Oh and
  Viswanath 2015), 1 without noise. In a chain whose steps are alike, no more than beside the coins that are left in it
  (`knowing_chain`).

At most so many are known, not exactly: knowing a record that depends on the secret may tell less than not knowing it.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final, final

import numpy as np

from dalenius.channel import Channel, Release
from dalenius.channel.allocation import Powers, Search
from dalenius.channel.channel import counted
from dalenius.channel.knowable import GroupKind, Pattern, group_kinds
from dalenius.channel.known_sets import KnownSets, known_sets
from dalenius.channel.record_world import RecordWorld
from dalenius.channel.sensitivity import spread_of
from dalenius.channel.sources import Rest, beside, rest_of
from dalenius.errors import TooLarge
from dalenius.laws.lattice import Lattice
from dalenius.laws.law import IntArray, Law
from dalenius.models import Subject
from dalenius.models.block import Member
from dalenius.noise import Gaussian, Geometric, Laplace, Noise, NoNoise
from dalenius.notions.bayesian import BayesianPrivacy
from dalenius.notions.knowing_chain import Stretches, bound_along, chain_of
from dalenius.notions.views import Reading, View
from dalenius.schema import RecordValue

MOST_SETS: Final = 7000
MOST_CELLS: Final = 2e7
"""Looks times outputs."""
LOOKS: Final = (8, 400)


@final
@dataclass(frozen=True)
class Worst:
    """lower <= the worst over what may be known <= upper; view: where the lower end is attained."""

    lower: float
    upper: float
    view: View | None
    rule: str

    def joined(self, other: "Worst") -> "Worst":
        ahead = other if self.view is None or other.lower > self.lower else self
        return Worst(max(self.lower, other.lower), max(self.upper, other.upper), ahead.view, ahead.rule)


NOBODY: Final = Worst(0.0, 0.0, None, "nobody's record touches the answer")


def how_many(world: RecordWorld, fraction: float) -> int:
    """floor(γ n), γ as the decimal it is written as."""
    people = sum(stratum.people for stratum in world.joint.strata())
    return int(Fraction(str(fraction)) * people)


def worst_view(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst:
    """The worst over every set of at most so many other records, and every value of theirs."""
    if known == 0:
        return _plain(release, world, reading)
    try:
        groups = _groups_of(world, known) if _shifts(release, world) else None
        if groups is not None:
            return groups.worst(release, reading)
    except TooLarge:
        pass
    sets = _sets_of(world)
    return _bounded(release, world, known, reading) if sets is None else _listed(release, world, sets, known, reading)


def _plain(release: Release, world: RecordWorld, reading: Reading) -> Worst:
    found = NOBODY
    for channel in world.channels(release.noise):
        view = View(channel)
        value = reading.at(view, found.lower)
        found = found.joined(Worst(value.lower, value.upper, view, "exact: nothing else is known"))
    return found


def _bounded(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst:
    least = _plain(release, world, reading)
    most = reading.of_loss(BayesianPrivacy().leakage(release).upper)
    rule = "a bound: from knowing nothing to knowing everybody else"
    chain = chain_of(world) if _shifts(release, world) else None
    if chain is not None and most > 0:

        def build(subject: Subject, law: Law) -> Channel:
            return _channel(release, world, subject, law, world.scores.lattice, world.scores.names)

        along = bound_along(Stretches(release, world, chain, known, build), reading)
        if along < most:
            most, rule = along, "a bound: from knowing nothing to the worst stretch of a chain beside coins"
    return Worst(least.lower, max(least.lower, most), least.view, rule)


def _shifts(release: Release, world: RecordWorld) -> bool:
    """Whether what is known of others only shifts the output."""
    return isinstance(release.noise, Laplace | Geometric | Gaussian | NoNoise) and world.scores.additive


@lru_cache(maxsize=4)
def _sets_of(world: RecordWorld) -> KnownSets | None:
    """None where there are too many."""
    universes = [len(stratum.values) + 1 for stratum in world.joint.strata() for _ in range(min(stratum.people, 64))]
    try:
        return known_sets(world.joint, world.scores) if prod(universes) <= MOST_SETS else None
    except TooLarge:
        return None


def _listed(release: Release, world: RecordWorld, sets: KnownSets, known: int, reading: Reading) -> Worst:
    found = NOBODY
    told = np.zeros(len(sets.sets), dtype=np.int64)
    for member in sets.members:
        told += sets.sets // member.weight % (len(member.values) + 1) < len(member.values)
    for member in sets.members:
        if not _is_asked(release, world, member.person):
            continue
        for rows in sets.secrets_of(member):
            if told[rows.max()] - 1 <= known:
                view = _of_set(release, world, sets, member.person, member.values, rows)
                others = sets.known(int(rows.max()), member)
                value = reading.at(view, found.lower)
                rule = "exact: every set of known records was gone through"
                found = found.joined(Worst(value.lower, value.upper, replace(view, known=others), rule))
    return found


def _of_set(
    release: Release, world: RecordWorld, sets: KnownSets, person: int, values: tuple[RecordValue, ...], rows: IntArray
) -> View:
    possible = np.flatnonzero(rows >= 0)
    law = sets.law
    own = Law(law.start, law.base, law.relative[rows[possible]], law.error, law.floor)
    subject = world.joint.subject_of(person)
    secrets = tuple(values[i] for i in possible)
    place = {secret: i for i, secret in enumerate(subject.secrets)}
    alone = replace(subject, person=person, people=1, secrets=secrets, apart=0.0)
    alone = replace(alone, log_prior=subject.log_prior[[place[secret] for secret in secrets]])
    return View(_channel(release, world, alone, own, sets.lattice, sets.names))


def _channel(
    release: Release, world: RecordWorld, subject: Subject, law: Law, lattice: Lattice, names: tuple[str, ...]
) -> Channel:
    noise = release.noise
    spread = spread_of(world.joint.strata(), world.scores, subject.stratum)
    likelihood = counted(noise.likelihood(law, lattice), subject)
    return Channel(subject, likelihood, lattice, noise, spread, names, release.secrets.pairs_of(subject))


def _is_asked(release: Release, world: RecordWorld, person: int) -> bool:
    firsts = release.secrets.firsts(world.joint)
    return firsts is None or world.joint.subject_of(person).person in firsts


@lru_cache(maxsize=8)
def _groups_of(world: RecordWorld, known: int) -> "_Groups | None":
    kinds = group_kinds(world.joint, world.scores.indices, known)
    return None if kinds is None else _Groups(world, kinds, known)


@final
class _Groups:
    """Independent groups; what the others add is kept, as no noise touches it."""

    def __init__(self, world: RecordWorld, kinds: list[GroupKind], known: int) -> None:
        self._world, self._known = world, known
        indices = world.scores.indices
        # Groups that blur much are worth knowing first.
        self._kinds = sorted(kinds, key=lambda kind: -_variance(kind, indices) / _price(kind))
        self._rests: dict[Powers, Rest] = {}
        self._views: dict[object, View] = {}
        self._noise: Noise | None = None

    def worst(self, release: Release, reading: Reading) -> Worst:
        found = NOBODY
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    unknown = [kind.people[at] for at in member.positions if at not in pattern.known]
                    if unknown and len(member.slots) > 1 and _is_asked(release, self._world, unknown[0]):
                        found = found.joined(self._within(release, reading, place, pattern, member, found.lower))
        return found

    def _within(
        self, release: Release, reading: Reading, place: int, pattern: Pattern, member: Member, beaten: float
    ) -> Worst:
        """What may be known of the other groups, beside a pattern of the person's own."""
        types = [kind.buyable(kind.groups - (at == place)) for at, kind in enumerate(self._kinds)]

        def view(powers: Powers) -> View:
            key = powers, place, tuple(pattern.known.items()), member.positions
            if key not in self._views:
                self._views[key] = self._view(release, self._kinds[place], pattern, member, powers)
            return self._views[key]

        if all(not each.costs or each.groups == 0 for each in types):
            powers = tuple(each.sources((0,) * len(each.costs)) for each in types)
            value = reading.at(view(powers), beaten)
            return Worst(value.lower, value.upper, view(powers), "exact: nothing else can be known")
        budget = self._known - pattern.cost
        best = Search(types, budget, lambda powers: reading.at(view(powers), beaten), beaten, self._looks()).worst()
        powers = tuple(each.sources(n) for each, n in zip(types, best.bought, strict=True))
        others = sum(each.paid(row) for each, row in zip(types, best.bought, strict=True))
        seen = replace(view(powers), said=f"; {others:,} records of other groups known" if others else "")
        closed = best.upper <= max(best.value.upper, beaten) * (1 + 1e-9)
        rule = "exact: the worst allocation of what may be known" if closed else "a bound: allocations left unseen"
        return Worst(best.value.lower, best.upper, seen, rule)

    def _looks(self) -> int:
        points = max((rest.logs.size for rest in self._rests.values()), default=1)
        return int(np.clip(MOST_CELLS / points, *LOOKS))

    def _view(self, release: Release, kind: GroupKind, pattern: Pattern, member: Member, powers: Powers) -> View:
        scores = self._world.scores
        law, missing = self._law(kind, pattern, member, powers)
        person = kind.people[next(at for at in member.positions if at not in pattern.known)]
        values = pattern.block.alphabet[member.stratum][1]
        first = int(np.cumsum([0, *(len(v) for _, v in pattern.block.alphabet)])[member.stratum])
        subject = replace(
            self._world.joint.subject_of(person),
            person=person,
            secrets=tuple(values[slot - first] for slot in member.slots),
            log_prior=member.log_prior,
        )
        channel = _channel(release, self._world, subject, law, scores.lattice, scores.names)
        return View(channel, kind.told(pattern), missing=missing)

    def _law(self, kind: GroupKind, pattern: Pattern, member: Member, powers: Powers) -> tuple[Law, float]:
        indices = self._world.scores.indices
        if powers not in self._rests:
            sources = [each.source(p) for each in self._kinds for p in (each.patterns[0], *each.options)]
            self._rests[powers] = rest_of(sources, [n for row in powers for n in row], indices)
        rest = self._rests[powers]
        return beside(rest, kind.source(pattern).totals(indices), member.log_given), rest.missing


def _variance(kind: GroupKind, indices: IntArray) -> float:
    source = kind.source(kind.patterns[0])
    weights, totals = np.exp(source.log_weights), source.totals(indices).astype(np.float64)
    return float(np.sum(weights @ (totals - weights @ totals) ** 2))


def _price(kind: GroupKind) -> int:
    dead = [option.cost for option, dead in zip(kind.options, kind.dead, strict=True) if dead]
    return dead[0] if dead else 1_000_000
