"""The losses of releases between data sets that differ in one record, added up record by record.

A record is counted in the releases that ask it only, so that releases of different records cost their maximum: the
parallel rule of differential privacy. Pure losses add, and Gaussian noise of μ_1, .., μ_k together has √(Σ μ_i²) (Dong,
Roth and Su 2022), whatever is asked later given what came out before. If the noises themselves are chosen on the way, a
pure loss counts as that of Gaussian noise, whose μ still adds up (Result 9.7).

Inferential, information and entropy guarantees do not add (IP Prop 6, and the ⊕ example of Result 9.1). Pure losses
between whole data sets do. If replacing one independent group changes the law of answer i by at most e^{l_i}, it
changes the law of all answers by at most e^{Σ l_i}. The record of a group's member is independent of all outside the
group, and is inferred no better than that.

At a δ many small pure losses are less than their sum: each is taken as that of Gaussian noise too, and the smaller
bound counts. A year of daily answers of .01 nats each is 3.65 nats together, and at a δ of 1e-6 at most 1.0125.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, hypot, inf, nextafter
from statistics import NormalDist
from typing import Final, TypeAlias, final

from dalenius.bisection import bisected
from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.composition.limits import LARGEST_EPSILON
from dalenius.composition.releases import Releases
from dalenius.conversion import GaussianProfile, PrivacyProfile, PureProfile
from dalenius.conversion.guarantee_profiles import with_guarantee
from dalenius.conversion.limits import LARGEST_SIZE
from dalenius.errors import InputError
from dalenius.joints.joint import strata_of
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import Neighbours
from dalenius.noise import Noise, gaussian_deviation

_ACCURACY: Final = 1e-14
"""The accuracy of the Gaussian quantile, absolute and relative: far above its error."""


@final
@dataclass(frozen=True)
class RecordLoss:
    """The loss of one kind of record, from above.

    pure: the pure losses, in nats, of the releases that ask it; mu: that of all Gaussian noise together.
    """

    pure: tuple[float, ...]
    mu: float

    @property
    def total(self) -> float:
        """The pure nats together: infinite with Gaussian noise."""
        return inf if self.mu else nextafter(fsum(self.pure), inf) if self.pure else 0.0


def as_gaussian(nats: float) -> float:
    """Returns the μ of Gaussian noise that hides no more than any noise of that loss, from above (Result 9.7).

    >>> [round(as_gaussian(nats), 5) for nats in (0.0, 0.5, 1.0)]
    [0.0, 0.62389, 1.23204]
    """
    # Because e^600 and its quantile are next to what doubles hold, a loss beyond it is as good as infinite.
    if nats == 0 or nats > 600.0:
        return inf if nats else 0.0
    return -2 * NormalDist().inv_cdf(1 / (1 + exp(nats))) * (1 + _ACCURACY) + _ACCURACY


def record_losses(releases: Releases) -> tuple[RecordLoss, ...]:
    """Returns the losses of every stratum of every law of the model of these `releases`, different ones only.

    InputError where records are real numbers, or the secret is who is absent.
    """
    each = [[own for law in _by_stratum(release) for own in law] for release in releases.about_everybody]
    return tuple(dict.fromkeys(_together(losses) for losses in zip(*each, strict=True)))


def group_losses(releases: Releases) -> tuple[RecordLoss, ...]:
    """Returns the losses of `releases` between data sets in which a whole independent group differs.

    They are at most what its records lose one after another. InputError as in `record_losses`.
    """
    everybody = releases.about_everybody
    each = [list(_by_stratum(release)) for release in everybody]
    most = [
        release.noise.loss_of_group(release.worlds.group_sensitivity, release.lattice.axes) for release in everybody
    ]
    found: dict[RecordLoss, None] = {}
    for number, joint in enumerate(everybody[0].worlds.joints):
        for group in strata_of(joint, joint.hidden_together()):
            moved = [_of_group(group.tolist(), laws[number], at_once) for laws, at_once in zip(each, most, strict=True)]
            found[_together(moved)] = None
    return tuple(found)


def differential_sum(releases: Releases) -> float:
    """Returns the pure differential loss of all `releases`, in nats: of the record that loses most, rounded up."""
    return max((loss.total for loss in record_losses(releases)), default=0.0)


_Loss: TypeAlias = tuple[float, float]
"""A loss: pure nats, and the μ of Gaussian noise beside them."""


def _together(losses: Sequence[_Loss]) -> RecordLoss:
    """Adds up the losses of one kind of record: pure losses stay apart for their profile, squares of μ add."""
    pure = tuple(sorted(loss for loss, _ in losses if loss))
    mu = hypot(*(mu for _, mu in losses)) * (1 + 8 * UNIT)
    return RecordLoss(pure, mu)


def _of_group(records: Sequence[int], losses: Sequence[_Loss], at_once: float) -> _Loss:
    """Returns a group's loss; records: by stratum; at_once: the most of any group at once, without Gaussian noise."""
    inside = [(count, *loss) for count, loss in zip(records, losses, strict=True) if count]
    # Because the members' records change one after another: each step costs one record's loss, and the steps' μ add up.
    mu = fsum(count * own for count, _, own in inside)
    pure = fsum(count * own for count, own, _ in inside) * (1 + 2 * UNIT)
    # Because a family's records move its largest income several times one after another, but once all together.
    return (min(pure, at_once) if at_once < inf else pure), mu * (1 + 2 * UNIT)


def _by_stratum(release: Release) -> Iterator[list[_Loss]]:
    """Yields the loss of a record of each stratum, law by law."""
    for world, joint in zip(release.worlds.plain, release.worlds.joints, strict=True):
        strata = len(joint.strata())
        found = [(0.0, 0.0)] * strata
        for place, (spread, lattice, axes) in enumerate(world.spreads):
            # Because a record that the query leaves out costs nothing: a count of pupils does not ask teachers.
            if spread.neighbours is None or not any(spread.reach):
                continue
            loss, mu = _of_noise(release.noise.on(axes), spread.neighbours, lattice)
            before = found[place % strata]
            found[place % strata] = (before[0] + loss, hypot(before[1], mu))
        yield found


def _of_noise(noise: Noise, neighbours: Neighbours, lattice: Lattice) -> _Loss:
    """Returns μ of the coordinates under Gaussian noise, and the pure loss of all others together."""
    deviations = [gaussian_deviation(part) for part in noise.by_coordinate(lattice.axes)]
    normal = [(reach, sigma) for reach, sigma in zip(neighbours.reach, deviations, strict=True) if sigma]
    others = [axis for axis, sigma in enumerate(deviations) if not sigma]
    mu = hypot(*(_ratio(distance, deviation) for distance, deviation in normal)) * (1 + 8 * UNIT)
    # Almost always there is one kind of noise on all coordinates.
    if not normal:
        return noise.mechanism(lattice).neighbour_loss(neighbours).upper, 0.0
    # If every cell of a histogram has Gaussian noise, there is no pure loss beside it.
    if not others:
        return 0.0, mu
    rest = lattice.restricted(others)
    return noise.on(others).mechanism(rest).neighbour_loss(neighbours.on(others, rest.steps)).upper, mu


def _ratio(distance: Fraction, deviation: float) -> float:
    """Returns the distance over σ, rounded up."""
    return nextafter(float(distance / Fraction(deviation)), inf)


def group_loss(release: Release) -> float:
    """Returns the most nats that replacing one independent group can move any output's log-likelihood in `release`.

    It is infinite where answers are known: given a total no group is independent of others.
    """
    return inf if release.adversary.answers else groups_together(Releases((release,)))


def groups_together(releases: Releases) -> float:
    """Returns the most nats for all outputs of `releases` together: the summed losses of the worst group."""
    # Because real numbers, such as incomes with public bounds, have no strata to add up by.
    if not all(release.worlds.is_finite for release in releases.each):
        return together(
            each.noise.loss_of_group(each.worlds.group_sensitivity, each.lattice.axes) for each in releases.each
        )
    return max((loss.total for loss in group_losses(releases)), default=0.0)


def together(losses: Iterable[float]) -> float:
    """Returns the sum of `losses` (nats), rounded up: a bound on the joint inferential leakage."""
    return nextafter(fsum(losses), inf)


def profiles_of(losses: Sequence[RecordLoss], delta: float) -> list[PrivacyProfile]:
    """Returns profiles. All of these losses keep each of them.

    They are the sum of the pure losses and, at a delta, Gaussian noise that hides no more than all of them (Result
    9.7); where both kinds are, the sum beside the Gaussian noise.

    Args:
        losses: The losses of all kinds of record.
        delta: The δ that they will be asked for.

    Raises:
        InputError: If there is none: a loss is infinite, or Gaussian noise is asked for a delta of 0.
    """
    pure = max((together(loss.pure) for loss in losses if loss.pure), default=0.0)
    mu = max((loss.mu for loss in losses), default=0.0)
    if pure == inf or (mu and not delta):
        also = "" if mu == 0 or delta else " (or, if Gaussian, a delta)"
        wanted = f"noise with a finite loss between data sets that differ in one record{also}"
        raise InputError("releases", "an infinite differential loss", wanted)
    found: list[PrivacyProfile] = [] if mu else [PureProfile(pure)]
    # For one release with pure noise the sum of nats is all there is.
    if delta and any(loss.mu or len(loss.pure) > 1 for loss in losses):
        normal = max(hypot(loss.mu, *map(as_gaussian, loss.pure)) for loss in losses) * (1 + 8 * UNIT)
        # With losses of hundreds of nats it is infinite, or beyond what a profile takes.
        if normal <= LARGEST_SIZE:
            found.append(GaussianProfile(normal))
        # Because a noise of many nats, beside a Gaussian one that hides well, would hide far less as Gaussian noise.
        if mu and pure:
            found.append(with_guarantee(GaussianProfile(mu), pure, 0.0))
    return found


def least_epsilon(profile: PrivacyProfile, delta: float) -> float:
    """Returns the least ε with δ(ε) <= delta, from above to 1e-9; infinite where there is none.

    Take a year of daily answers of .01 nats each at a δ of 1e-6, where their sum is 3.65:

    >>> pure, normal = profiles_of([RecordLoss((0.01,) * 365, 0.0)], 1e-6)
    >>> [round(least_epsilon(profile, 1e-6), 4) for profile in (pure, normal)]
    [3.65, 1.0125]
    """
    # The delta may be larger than all that the releases can tell apart.
    if profile.delta(0.0) <= delta:
        return 0.0
    low, high = 0.0, 1.0
    while profile.delta(high) > delta:
        if high > LARGEST_EPSILON:
            return inf
        low, high = high, 2 * high
    return bisected(lambda epsilon: profile.delta(epsilon) <= delta, high, low, relative=1e-9)[0]
