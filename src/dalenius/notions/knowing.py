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

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.channel import Channel, Release
from dalenius.channel.allocation import SAME, Powers, Search
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
LOOKS: Final = (24, 2000)
"""At least for everyone who is looked at closer, at most in all."""


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


NONE: Final = Enclosure(0.0, 0.0)
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
@dataclass(frozen=True)
class _Own:
    """Whose secret it is: a member of a group of a kind (at that place among them) of which a pattern is known."""

    place: int
    kind: GroupKind
    pattern: Pattern
    member: Member

    @property
    def people(self) -> list[int]:
        """Those of them whose record is not known, in the first such group."""
        return [self.kind.people[at] for at in self.member.positions if at not in self.pattern.known]

    @property
    def secrets(self) -> tuple[RecordValue, ...]:
        alphabet = self.pattern.block.alphabet
        first = sum(len(values) for _, values in alphabet[: self.member.stratum])
        return tuple(alphabet[self.member.stratum][1][slot - first] for slot in self.member.slots)


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
        """First a bound for every pattern of the own group, the same few others left for all; the highest are looked at
        closer, until the best found is above the others' bounds."""
        if release.noise != self._noise:
            self._noise, self._views = release.noise, {}
        owns = list(self._owns(release))
        if not owns:
            return NOBODY
        all_one_less = [kind.buyable(max(kind.groups - 1, 0)) for kind in self._kinds]
        fewest = Search(all_one_less, self._known, lambda powers: NONE, 0.0, 1).fewest()
        bounds = [reading.at(self._seen(release, own, fewest)).upper for own in owns]
        looks, found, upper = self._looks(), NOBODY, 0.0
        order = sorted(zip(bounds, owns, strict=True), key=lambda each: -each[0])
        for turn, (bound, own) in enumerate(order):
            if found.view is not None and bound <= found.lower * (1 + SAME):
                upper = max(upper, bound)
                break
            share = max(LOOKS[0], looks // (len(order) - turn))
            inside, used = self._within(release, reading, own, found.lower, share)
            looks -= used
            upper = max(upper, min(bound, inside.upper))
            found = found.joined(inside)
        exact = upper <= found.lower * (1 + 1e-6) + 1e-12
        rule = "exact: the worst allocation of what may be known" if exact else "a bound: allocations left unseen"
        return Worst(found.lower, max(found.lower, upper), found.view, rule)

    def _looks(self) -> int:
        indices = self._world.scores.indices
        widths = [np.ptp(kind.source(kind.patterns[0]).totals(indices), axis=0) * kind.groups for kind in self._kinds]
        points = float(np.prod(np.sum(widths, axis=0) + 1.0))
        return int(np.clip(MOST_CELLS / points, *LOOKS))

    def _owns(self, release: Release) -> Iterator[_Own]:
        for place, kind in enumerate(self._kinds):
            for pattern in kind.patterns:
                for member in pattern.block.members:
                    own = _Own(place, kind, pattern, member)
                    if len(member.slots) > 1 and own.people and _is_asked(release, self._world, own.people[0]):
                        yield own

    def _within(self, release: Release, reading: Reading, own: _Own, beaten: float, looks: int) -> tuple[Worst, int]:
        """What may be known of the other groups, beside a pattern of the person's own; and how often it was looked."""
        types = [kind.buyable(kind.groups - (at == own.place)) for at, kind in enumerate(self._kinds)]

        def look(powers: Powers) -> Enclosure:
            return reading.at(self._seen(release, own, powers), beaten)

        search = Search(types, self._known - own.pattern.cost, look, beaten, looks)
        best = search.worst()
        powers = tuple(each.sources(n) for each, n in zip(types, best.bought, strict=True))
        others = sum(each.paid(row) for each, row in zip(types, best.bought, strict=True))
        said = f"; {others:,} records of other groups known" if others else ""
        seen = replace(self._seen(release, own, powers), said=said)
        return Worst(best.value.lower, best.upper, seen, ""), search.looked

    def _seen(self, release: Release, own: _Own, powers: Powers) -> View:
        key = powers, own.place, tuple(own.pattern.known.items()), own.member.positions
        if key not in self._views:
            self._views[key] = self._view(release, own, powers)
        return self._views[key]

    def _view(self, release: Release, own: _Own, powers: Powers) -> View:
        scores, indices = self._world.scores, self._world.scores.indices
        if powers not in self._rests:
            sources = [each.source(p) for each in self._kinds for p in (each.patterns[0], *each.options)]
            self._rests[powers] = rest_of(sources, [n for row in powers for n in row], indices)
        rest = self._rests[powers]
        law = beside(rest, own.kind.source(own.pattern).totals(indices), own.member.log_given)
        person = own.people[0]
        alone = self._world.joint.subject_of(person)
        subject = replace(alone, person=person, secrets=own.secrets, log_prior=own.member.log_prior)
        channel = _channel(release, self._world, subject, law, scores.lattice, scores.names)
        return View(channel, own.kind.told(own.pattern), missing=rest.missing)


def _variance(kind: GroupKind, indices: IntArray) -> float:
    source = kind.source(kind.patterns[0])
    weights, totals = np.exp(source.log_weights), source.totals(indices).astype(np.float64)
    return float(np.sum(weights @ (totals - weights @ totals) ** 2))


def _price(kind: GroupKind) -> int:
    dead = [option.cost for option, dead in zip(kind.options, kind.dead, strict=True) if dead]
    return dead[0] if dead else 1_000_000
