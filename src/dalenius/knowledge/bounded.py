"""The worst over background knowledge of a bounded number of other records (Theory §7, Adv(D, γ)): any set, any values.

Three ways; the first that is exact, and else the closest that serves:

* *groups*. The answer is a sum, the noise depends on output less answer only, and the records are independent groups
  given as tables. Other groups' known records add a shift, and their unknown ones an independent sum. So a known set is
  a pattern of the person's own group, enumerated, and so many known records of the others. Exact for independent
  records of few laws; else from whole groups known to every group known of which a record is.
* *every set*, by enumeration: any answer, any noise, few people.
* *a bound*. At least the leakage without background knowledge, and at most the worst over all background knowledge:
  with all others known the noise still has a loss ε' (`BayesianPrivacy`), and then δ(ε) <= (e^ε' - e^ε)/(1 + e^ε')
  (Kairouz, Oh and Viswanath 2015), 1 without noise. In a homogeneous chain, also at most the worst window plus the
  coins that are left elsewhere (`knowledge.chain`).

The number of known records is bounded, not fixed: knowing one that depends on the secret may leak less than without.
"""

from dataclasses import replace
from fractions import Fraction
from functools import lru_cache
from math import prod
from typing import Final

import numpy as np

from dalenius.channel import FiniteChannel, Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.errors import TooLarge
from dalenius.joints import Subject
from dalenius.knowledge.anything import whatever_is_known
from dalenius.knowledge.chain.coins import Stretches, bound_along, chain_of
from dalenius.knowledge.groups.groups import groups_of
from dalenius.knowledge.sets import KnownSets, known_sets
from dalenius.knowledge.view import Reading, View
from dalenius.knowledge.worst import NOBODY, Worst, WorstOf, channel_of, is_asked
from dalenius.laws.law import IntArray, Law
from dalenius.schema import RecordValue

MOST_SETS: Final = 7000


def how_many(world: RecordWorld, fraction: float) -> int:
    """floor(γ n), γ as the decimal it is written as."""
    people = sum(stratum.people for stratum in world.joint.strata())
    return int(Fraction(str(fraction)) * people)


def worst_view(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst:
    """The worst over every set of at most `known` other records, and all values of theirs."""
    if known == 0:
        return _plain(release, world, reading)
    try:
        groups = groups_of(world, known) if _shifts(release, world) else None
        found = None if groups is None else groups.worst(release, reading)
    except TooLarge:
        found = None
    if found is not None and (found.rule.startswith("exact") or found is NOBODY):
        return found
    if (sets := sets_of(world)) is not None:
        return _listed(release, world, sets, known, reading)
    return _bounded(release, world, known, reading) if found is None else found


def _plain(release: Release, world: RecordWorld, reading: Reading) -> Worst:
    found = WorstOf()
    for channel in world.channels(release.noise):
        view = View(channel)
        value = reading.at(view, found.lower)
        found.add(Worst(value.lower, value.upper, view, "exact: nothing else is known"))
    return found.worst


def _bounded(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst:
    least = _plain(release, world, reading)
    most = reading.of_loss(whatever_is_known(release).upper)
    rule = "a bound: from knowing nothing to knowing everybody else"
    chain = chain_of(world) if _shifts(release, world) else None
    if chain is not None and most > 0:

        def build(subject: Subject, law: Law) -> FiniteChannel:
            return channel_of(release, world, subject, law, world.scores.lattice, world.scores.names)

        along = bound_along(Stretches(release, world, chain, known, build), reading)
        if along < most:
            most, rule = along, "a bound: from knowing nothing to the worst stretch of a chain beside coins"
    return Worst(least.lower, max(least.lower, most), least.view, rule)


def _shifts(release: Release, world: RecordWorld) -> bool:
    """Whether known records of others only shift the output."""
    return release.noise.additive and world.scores.additive


def few_sets(world: RecordWorld) -> bool:
    """Whether all known sets can be gone through."""
    universes = [len(stratum.values) + 1 for stratum in world.joint.strata() for _ in range(min(stratum.people, 64))]
    return prod(universes) <= MOST_SETS


@lru_cache(maxsize=4)
def sets_of(world: RecordWorld) -> KnownSets | None:
    """Every known set of the records; None where there are too many, or the answer is always the same."""
    try:
        return known_sets(world.joint, world.scores) if few_sets(world) else None
    except TooLarge:
        return None


def _listed(release: Release, world: RecordWorld, sets: KnownSets, known: int, reading: Reading) -> Worst:
    found = WorstOf()
    held = np.zeros(len(sets.sets), dtype=np.int64)
    for member in sets.members:
        held += sets.sets // member.weight % (len(member.values) + 1) < len(member.values)
    for member in sets.members:
        if not is_asked(release, world, member.person):
            continue
        for rows in sets.secrets_of(member):
            if held[rows.max()] - 1 <= known:
                view = view_of(release, world, sets, member.person, member.values, rows)
                others = sets.known(int(rows.max()), member)
                value = reading.at(view, found.lower)
                rule = "exact: every set of known records was gone through"
                found.add(Worst(value.lower, value.upper, replace(view, known=others), rule))
    return found.worst


def view_of(
    release: Release, world: RecordWorld, sets: KnownSets, person: int, values: tuple[RecordValue, ...], rows: IntArray
) -> View:
    possible = np.flatnonzero(rows >= 0)
    law = sets.law
    own = Law(law.start, law.base, law.relative[rows[possible]], law.error, law.floor)
    subject = world.joint.subject_of(person)
    secrets = tuple(values[i] for i in possible)
    place = {secret: i for i, secret in enumerate(subject.secrets)}
    alone = replace(subject, person=person, people=1, secrets=secrets, class_error=0.0)
    alone = replace(alone, log_prior=subject.log_prior[[place[secret] for secret in secrets]])
    return View(channel_of(release, world, alone, own, sets.lattice, sets.names, sets.axes))
