"""The worst over background knowledge of a bounded number of other records (Theory §7, Adv(D, γ)): any set, any values.

Three ways; the first that is exact, and else the closest that serves:

* *groups*. The answer is a sum, the noise depends on output less answer only, and the records are independent groups
  given as tables. Other groups' known records add a shift, and their unknown ones an independent sum. So a known set is
  a pattern of the person's own group, enumerated, and so many known records of the others. Exact for independent
  records of few laws; else from whole groups known to every group known of which a record is.
* *every set*, by enumeration: any answer, any noise, few people.
* *a bound*. At least the leakage without background knowledge, and at most the worst over all background knowledge:
  with all others known the noise still has a loss ε' (`BayesianPrivacy`), and then δ(ε) <= (e^ε' - e^ε)/(1 + e^ε')
  (Kairouz, Oh and Viswanath 2015), 1 without noise.

The number of known records is bounded, not fixed: knowing one that depends on the secret may leak less than without.
"""

from dataclasses import replace

import numpy as np

from dalenius.channel import Release
from dalenius.channel.finite.records import RecordWorld
from dalenius.channel.peak import Largest
from dalenius.errors import TooLarge
from dalenius.knowledge.bayesian import whatever_is_known
from dalenius.knowledge.groups import groups_of
from dalenius.knowledge.sets import KnownSets, Member, sets_of
from dalenius.knowledge.view import Reading, View, Worst, channel_of, is_asked, worst_of
from dalenius.laws.law import IntArray


def worst_view(release: Release, world: RecordWorld, known: int, reading: Reading) -> Worst:
    """The worst over every set of at most `known` other records, and all values of theirs."""
    if known == 0:
        return _nothing_known(release, world, reading)
    found = None
    if release.noise.additive and world.scores.additive:  # known records of others only shift the output
        try:
            groups = groups_of(world, known)
            found = None if groups is None else groups.worst(release, reading)
        except TooLarge:
            pass
    if found is not None and found.exact:
        return found
    if (sets := sets_of(world)) is not None:
        return _listed(release, world, sets, known, reading)
    return _bounded(release, world, reading) if found is None else found


def _nothing_known(release: Release, world: RecordWorld, reading: Reading) -> Worst:
    found = Largest[View]()
    for channel in world.channels(release.noise):
        view = View(channel)
        found.add(reading.at(view, found.lower), view)
    return worst_of(found)


def _bounded(release: Release, world: RecordWorld, reading: Reading) -> Worst:
    """From knowing nothing to knowing everybody else."""
    least = _nothing_known(release, world, reading)
    most = reading.of_loss(whatever_is_known(release).upper)
    return Worst(least.lower, max(least.lower, most), least.view, False)


def _listed(release: Release, world: RecordWorld, sets: KnownSets, known: int, reading: Reading) -> Worst:
    found = Largest[View]()
    for member in sets.members:
        if not is_asked(release, world, member.person):
            continue
        for rows in sets.secrets_of(member):
            others = sets.known(int(rows.max()), member)
            if len(others) <= known:
                view = replace(_view_of(release, world, sets, member, rows), known=others)
                found.add(reading.at(view, found.lower), view)
    return worst_of(found)


def _view_of(release: Release, world: RecordWorld, sets: KnownSets, member: Member, rows: IntArray) -> View:
    """rows: of the member's values among the sets, -1 where a value is impossible."""
    possible = np.flatnonzero(rows >= 0)
    law = replace(sets.law, relative=sets.law.relative[rows[possible]])
    subject = world.joint.subject_of(member.person)
    secrets = tuple(member.values[i] for i in possible)
    own = replace(
        subject,
        person=member.person,
        people=1,
        secrets=secrets,
        class_error=0.0,
        log_prior=subject.log_prior[[subject.secrets.index(secret) for secret in secrets]],
    )
    return View(channel_of(release, world, own, law, sets.lattice, sets.names, sets.axes))
