"""What releases lose between data sets that differ in one record, added up record by record.

A record is counted in the releases that ask it only, so that releases of different records cost their maximum: the
parallel rule of differential privacy. Pure losses add, and Gaussian noise of μ_1, .., μ_k together has √(Σ μ_i²) (Dong,
Roth and Su 2022), whatever is asked later given what came out before. Where the noises themselves are chosen on the
way, a pure loss is taken as that of Gaussian noise, whose μ adds up all the same (Result 9.7).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import exp, fsum, hypot, inf, nextafter
from statistics import NormalDist
from typing import Final, TypeAlias, final

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.composition.releases import Releases
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbours import Neighbours
from dalenius.noise import Noise

FARTHEST: Final = 600.0
"""Nats beyond which a loss is as good as infinite."""
ACCURACY: Final = 1e-14
"""Of the Gaussian quantile, absolutely and relatively: far above its error."""


@final
@dataclass(frozen=True)
class RecordLoss:
    """Of one kind of record, from above: pure, the pure losses in nats of the releases that ask it; mu, that of all
    Gaussian noise together."""

    pure: tuple[float, ...]
    mu: float

    @property
    def total(self) -> float:
        """Pure nats together: infinite with Gaussian noise."""
        return inf if self.mu else nextafter(fsum(self.pure), inf) if self.pure else 0.0


def as_gaussian(nats: float) -> float:
    """The μ of Gaussian noise that hides no more than any noise of that pure loss does (Result 9.7), from above."""
    if nats == 0 or nats > FARTHEST:
        return inf if nats else 0.0
    return -2 * NormalDist().inv_cdf(1 / (1 + exp(nats))) * (1 + ACCURACY) + ACCURACY


def record_losses(releases: Releases) -> tuple[RecordLoss, ...]:
    """Of every stratum of every law of the model; different ones only. InputError where records are real numbers, or
    the secret is who is absent."""
    each = [[own for law in _by_stratum(release) for own in law] for release in releases.about_everybody]
    return tuple(dict.fromkeys(_together(losses) for losses in zip(*each, strict=True)))


def group_losses(releases: Releases) -> tuple[RecordLoss, ...]:
    """The same between data sets in which a whole independent group differs: at most what its records lose one after
    another. InputError as above."""
    everybody = releases.about_everybody
    each = [list(_by_stratum(release)) for release in everybody]
    most = [release.noise.group_loss(release.group_sensitivity[0], release.lattice.axes) for release in everybody]
    found: dict[RecordLoss, None] = {}
    for number, joint in enumerate(everybody[0].joints):
        for group in joint.group_strata():
            moved = [_of_group(group.tolist(), laws[number], whole) for laws, whole in zip(each, most, strict=True)]
            found[_together(moved)] = None
    return tuple(found)


def differential_sum(releases: Releases) -> float:
    """The pure differential loss of all of them: of the record that loses most, rounded up."""
    return max((loss.total for loss in record_losses(releases)), default=0.0)


Loss: TypeAlias = tuple[float, float]
"""Pure nats, and the μ of Gaussian noise beside them."""


def _together(losses: Sequence[Loss]) -> RecordLoss:
    pure = tuple(sorted(loss for loss, _ in losses if loss))
    mu = hypot(*(mu for _, mu in losses)) * (1 + 8 * UNIT)
    return RecordLoss(pure, mu)


def _of_group(records: Sequence[int], losses: Sequence[Loss], whole: float) -> Loss:
    """records: by stratum; whole: the most that any group of them loses at once, without Gaussian noise."""
    inside = [(count, *loss) for count, loss in zip(records, losses, strict=True) if count]
    mu = fsum(count * own for count, _, own in inside)
    pure = fsum(count * own for count, own, _ in inside) * (1 + 2 * UNIT)
    return (min(pure, whole) if whole < inf else pure), mu * (1 + 2 * UNIT)


def _by_stratum(release: Release) -> Iterator[list[Loss]]:
    """Of a record of each stratum, law by law."""
    for world, joint in zip(release.record_worlds, release.joints, strict=True):
        strata = len(joint.strata())
        found = [(0.0, 0.0)] * strata
        for place, (spread, lattice, axes) in enumerate(world.spreads()):
            if spread.neighbours is None or not any(spread.reach):
                continue
            loss, mu = _of_noise(release.noise.on(axes), spread.neighbours, lattice)
            before = found[place % strata]
            found[place % strata] = (before[0] + loss, hypot(before[1], mu))
        yield found


def _of_noise(noise: Noise, neighbours: Neighbours, lattice: Lattice) -> Loss:
    """Of the coordinates under Gaussian noise μ, of all others together the pure loss."""
    deviations = [part.gaussian_deviation for part in noise.each(lattice.axes)]
    normal = [(reach, sigma) for reach, sigma in zip(neighbours.reach, deviations, strict=True) if sigma]
    others = [axis for axis, sigma in enumerate(deviations) if not sigma]
    mu = hypot(*(_ratio(distance, deviation) for distance, deviation in normal)) * (1 + 8 * UNIT)
    if not normal:
        return noise.neighbour_loss(neighbours, lattice).upper, 0.0
    if not others:
        return 0.0, mu
    rest = lattice.restricted(others)
    return noise.on(others).neighbour_loss(neighbours.on(others, rest.steps), rest).upper, mu


def _ratio(distance: Fraction, deviation: float) -> float:
    """The distance over σ, rounded up."""
    return nextafter(float(distance / Fraction(deviation)), inf)
