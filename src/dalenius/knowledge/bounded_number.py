"""The worst over background knowledge of a bounded number of other records (Theory §7, Adv(D, γ)): any set, any values.

Four ways; the first that is exact, and else the closest that serves:

* *groups*. The answer is a sum, the noise depends on output less answer only, and the records are independent groups
  given as tables. Other groups' known records add a shift, and their unknown ones an independent sum. So a known set is
  a pattern of the person's own group, enumerated, and a pattern for each other group (`known_groups.py`). Exact for
  independent records of one law.
* *one group*: any answer, any noise, a handful of people, whose joint law is written out.
* *a chain* whose steps are alike, and a sum of it: known records cut it into stretches. Exact where the laws that
  they leave are few (`known_chain.py`).
* *a bound*. At least the leakage without background knowledge, and at most the worst over all background knowledge:
  with all others known the noise still has a loss ε' (`BayesianPrivacy`), and then δ(ε) <= (e^ε' - e^ε)/(1 + e^ε')
  (Kairouz, Oh and Viswanath 2015), 1 without noise. Gaussian noise, whose loss is infinite, has its own profile between
  answers that a whole group can tell apart.

The number of known records is bounded, not fixed: knowing one that depends on the secret may leak less than without.
"""

from dataclasses import replace
from math import inf

from dalenius.channel import Release
from dalenius.channel.leakage import Largest
from dalenius.channel.record_world import RecordWorld
from dalenius.errors import TooLarge
from dalenius.knowledge.bayesian import whatever_is_known
from dalenius.knowledge.delta_given_knowledge import CurveReading, KnowingView, WorstView, worst_of_views
from dalenius.knowledge.known_chain import along_chain
from dalenius.knowledge.known_groups import groups_of
from dalenius.noise.gaussian import gaussian_profile
from dalenius.noise.noise import gaussian_deviation


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
            found = groups_of(world, known, by_groups).worst(release, reading)
        # A long chain has too many patterns by groups, and is then written out; if it does not fit, it has a bound.
        except TooLarge:
            continue
        if found.exact:
            return found
    if (along := along_chain(release, world, known, reading)) is not None:
        # Without noise, an adversary who knows everybody else learns everything.
        if release.noise.shape.adds_nothing or along.upper <= along.lower + 1e-9:
            return along
        return replace(along, upper=max(along.lower, min(along.upper, _most(release, world, reading))))
    return found or _bounded(release, world, reading)


def _nothing_known(release: Release, world: RecordWorld, reading: CurveReading) -> WorstView:
    """Finds the worst over all whose records are secrets, to an adversary who knows nothing but the model."""
    found = Largest[KnowingView]()
    for channel in world.complete(release.noise):
        view = KnowingView(channel)
        found.add(reading.at(view, found.lower), view)
    return worst_of_views(found)


def _bounded(release: Release, world: RecordWorld, reading: CurveReading) -> WorstView:
    """From knowing nothing to knowing everybody else."""
    least = _nothing_known(release, world, reading)
    return WorstView(least.lower, max(least.lower, _most(release, world, reading)), least.view, False)


def _most(release: Release, world: RecordWorld, reading: CurveReading) -> float:
    """The reading where everybody else is known."""
    return min(reading.of_loss(whatever_is_known(release).upper), _by_noise(release, world, reading))


def _by_noise(release: Release, world: RecordWorld, reading: CurveReading) -> float:
    """The reading of Gaussian noise between answers that a whole group can tell apart; infinite for any other noise,
    whose loss says as much.

    Whatever is known of others, the answers under two values of a record can be paired so that no pair is further apart
    than the group's range; δ(ε) is jointly convex, and of Gaussian noise grows with the distance (Result 7.3).
    """
    if not (scale := gaussian_deviation(release.noise)):
        return inf
    return reading.of_profile(gaussian_profile(world.group_sensitivity[0], scale))
