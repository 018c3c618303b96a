"""Routes from single releases to what all of them leak together, each with its theorem.

Take a pair alike with .9, counted twice with Laplace noise of scale 4. A record loses D = .5 nats in both, a pair G =
1, and η = .8, so that `weak_dependence` says log(.2 e^.5 + .8 e) = .918 nats. IP Cor 4 itself says 1.470.

>>> round(_mixed(own=0.5, group=1.0, eta=0.8), 4), round(_corollary(own=0.5, size=2, eta=0.8), 4)
(0.918, 1.47)
"""

from collections.abc import Sequence
from math import exp, inf, log, log1p, nextafter
from typing import ClassVar, final

from dalenius.bounds import UNIT, Enclosure
from dalenius.channel import Release
from dalenius.composition.losses import (
    RecordLoss,
    differential_sum,
    group_losses,
    groups_together,
    least_epsilon,
    profiles_of,
    record_losses,
)
from dalenius.composition.releases import Releases
from dalenius.composition.route import Route, RouteBound, fixed
from dalenius.conversion import Conversion, PrivacyProfile
from dalenius.errors import InputError
from dalenius.noise import separate
from dalenius.notions import Notion
from dalenius.theorems.weak_dependence_methods import largest_variation

ADAPTIVE = (
    "later questions depend on earlier outputs: the joint law covers only the questions that were asked, not those "
    "that other outputs would have led to"
)


@final
class JointRoute(Route):
    """The route by one release of several coordinates, for releases that were fixed beforehand.

    Its channel is that of the sequence: exact for every notion.
    """

    name: ClassVar[str] = "joint"
    reads_channel: ClassVar[bool] = True

    def applies(self, releases: Releases) -> str | None:
        sample = releases.model.drawn()
        if sample is not None and sample.drawn == "here" and len(releases) > 1:
            return "each release draws a sample of its own, and the joint law is of one sample"
        return ADAPTIVE if releases.adaptive else None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        leakage = notion.leakage(joint(releases))
        rests = ("all releases were fixed beforehand, their noises are independent",)
        # Because the notion's leakage bounds from above only at a delta that is not its own.
        lower = leakage.lower if delta == (notion.promised_delta or 0.0) else 0.0
        return RouteBound(Enclosure(lower, leakage.upper), delta, rests, leakage.witness)


def joint(releases: Releases) -> Release:
    """Returns all releases as one: every answer keeps its own noise."""
    if len(releases) == 1:  # its own query, whose lattice and engine may be simpler than those of several
        return releases.each[0]
    parts = [part for each in releases.each for part in each.noise.by_coordinate(len(each.names))]
    return releases.exact.with_noise(separate(parts))


@final
class AdditionRoute(Route):
    """The route by Σε over the releases that ask a record, the largest of all records.

    That is the maximum over releases of different records. With a delta Gaussian noise adds up exactly, and pure losses
    by their sum or as Gaussian noise (Result 9.7).
    """

    name: ClassVar[str] = "addition"

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        upper = _least(record_losses(releases), delta)
        return RouteBound(Enclosure(0.0, upper), delta, ("the noises are independent", *fixed(releases)))


def _least(losses: Sequence[RecordLoss], delta: float) -> float:
    """Returns the least ε that all of these keep at that delta, in nats, by the best of their profiles."""
    profiles = profiles_of(losses, delta)
    # Because a sum of nats can be read off; a profile is searched for the ε that keeps the delta.
    return min(each.pure or 0.0 if not delta else least_epsilon(each, delta) for each in profiles)


@final
class ConversionRoute(Route):
    """The route by conversion of the sum of losses between data sets that differ in one record.

    These losses add, whatever is asked later given what came out before. The bound is the most that any pipeline with
    their sum can leak of a record (Result 13.2; along a chain Result 5.3).
    """

    name: ClassVar[str] = "conversion"

    def applies(self, releases: Releases) -> str | None:
        known = releases.each[0].adversary.known
        if known:  # an accomplice's record, say: what is left is another law
            person = next(iter(known))
            return f"the record of person {person} is known: the conversion needs the law of all records"
        return None

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        # Because the inferential leakage, which has no delta, bounds a notion without a delta of its own kind.
        own = delta if notion.properties.keeps_delta else 0.0
        first, *others = profiles_of(record_losses(releases), own)
        conversion = Conversion(releases.model, first, "replace", notion.properties.linear == "average")
        each = {
            made.profile: made.epsilon(own).value.upper for made in (conversion, *map(conversion.with_profile, others))
        }
        best = min(each, key=lambda profile: each[profile])
        rests = f"no pipeline with the sum of the differential losses, {_shown(best)}, leaks more"
        return RouteBound(Enclosure(0.0, each[best]), delta, (rests, *fixed(releases)))


def _shown(profile: PrivacyProfile) -> str:
    """Writes the profile in words: its pure nats, where it has them, else its kind."""
    return f"{profile.pure:.6g} nats" if profile.pure is not None else f"a {profile.kind} profile"


@final
class GroupRoute(Route):
    """The route by the sum of group losses.

    They add, whatever is asked later given what came out before, and whatever is known of others; with a delta by their
    profiles, as the losses of single records do.
    """

    name: ClassVar[str] = "group"

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        size = max(release.worlds.group_size for release in releases.each)
        own = delta if notion.properties.keeps_delta else 0.0
        upper = min(groups_together(releases), _with_delta(releases, own))
        rests = (f"each record is independent of the vector of all records outside its group of at most {size}",)
        return RouteBound(Enclosure(0.0, upper), delta, (*rests, *fixed(releases)))


def _with_delta(releases: Releases, delta: float) -> float:
    """Returns the least ε of the group losses' profile at that delta, in nats; infinite where there is none."""
    # Because a promise without a delta has the sum of pure losses only.
    if not delta:
        return inf
    try:
        return _least(group_losses(releases), delta)
    except InputError:  # an infinite loss, or records that are real numbers
        return inf


@final
class WeakDependenceRoute(Route):
    """The route by log((1-η)e^D + η e^G), which bounds what all releases leak together (Result 5.1 for the sum).

    D is the sum of the releases' differential losses, G that of their group losses, and η the worst total variation
    between the laws of the others given two values of a record. That is never more than IP Cor 4, Σε_j - b + ln 2.

    The hypothesis, that each group is independent of all others (E1, E16), holds by construction of the model's groups.
    """

    name: ClassVar[str] = "weak_dependence"

    def bound(self, releases: Releases, notion: Notion, delta: float) -> RouteBound:
        own, group = differential_sum(releases), groups_together(releases)
        size = max(release.worlds.group_size for release in releases.each)
        eta = max(largest_variation(joint) for joint in releases.each[0].worlds.joints)
        upper = max(_mixed(own, group, eta), own)
        rests = (
            f"groups of at most {size} are independent of each other, and a record moves the law of the others by at "
            f"most η = {eta:.4g} in total variation",
            f"by IP Cor 4 itself {_corollary(own, size, eta):.6g} nats",
        )
        return RouteBound(Enclosure(0.0, upper), delta, rests)


def _mixed(own: float, group: float, eta: float) -> float:
    """Returns log((1-η)e^own + η e^group), rounded up, and at most group."""
    # Independent records, or groups of one, have nothing beside the record's own loss.
    if eta <= 0 or group <= own:
        return own if eta <= 0 else group
    # A twin's record says all about the other's.
    if eta >= 1:
        return group
    high = group + log(eta)
    low = own + log1p(-eta)
    top, rest = max(high, low), min(high, low)
    found = top + log1p(exp(rest - top))
    return min(nextafter(found + 16 * UNIT * (2 + group - log(eta)), inf), group)


def _corollary(own: float, size: int, eta: float) -> float:
    """Returns Σε_j - b + ln 2 with ε_j/k-differential privacy of each release, b as large as it may be."""
    total = size * own
    # With Gaussian noise no release has a pure loss that the corollary could use.
    if total == inf:
        return inf
    return total - min(-log(eta) if eta > 0 else inf, total * (1 - 1 / size)) + log(2)
