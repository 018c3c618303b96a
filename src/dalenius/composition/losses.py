"""What releases lose between data sets that differ in one record, added up record by record.

A record is counted in the releases that ask it only, so that releases of different records cost their maximum: the
parallel rule of differential privacy. Pure losses add, and Gaussian noise of μ_1, .., μ_k together has √(Σ μ_i²) (Dong,
Roth and Su 2022), whatever is asked later given what came out before.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import fsum, hypot, inf, nextafter
from typing import final

from dalenius.bounds import UNIT
from dalenius.channel import Release
from dalenius.composition.releases import Releases


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


def record_losses(releases: Releases) -> tuple[RecordLoss, ...]:
    """Of every stratum of every law of the model; different ones only. InputError where records are real numbers, or
    the secret is who is absent."""
    each = [list(_of_strata(release)) for release in releases.about_everybody]
    found = [_together(losses) for losses in zip(*each, strict=True)]
    return tuple(dict.fromkeys(found))


def differential_sum(releases: Releases) -> float:
    """The pure differential loss of all of them: of the record that loses most, rounded up."""
    return max((loss.total for loss in record_losses(releases)), default=0.0)


def _together(losses: tuple[tuple[float, float], ...]) -> RecordLoss:
    pure = tuple(sorted(loss for loss, _ in losses if loss))
    mu = hypot(*(mu for _, mu in losses)) * (1 + 8 * UNIT)
    return RecordLoss(pure, mu)


def _of_strata(release: Release) -> Iterator[tuple[float, float]]:
    """Pure loss and μ of a record of each stratum, law by law; one of them is 0 or the loss is infinite."""
    for world, joint in zip(release.record_worlds, release.joints, strict=True):
        strata = len(joint.strata())
        found = [(0.0, 0.0)] * strata
        for place, (spread, lattice, axes) in enumerate(world.spreads()):
            if spread.neighbours is None or not any(spread.reach):
                continue
            noise = release.noise.on(axes)
            deviations = [part.gaussian_deviation for part in noise.each(len(axes))]
            loss, mu = 0.0, 0.0
            if all(deviations):
                pairs = zip(spread.reach, deviations, strict=True)
                mu = hypot(*(_ratio(distance, deviation) for distance, deviation in pairs)) * (1 + 8 * UNIT)
            else:  # infinite where Gaussian noise is beside another
                loss = noise.neighbour_loss(spread.neighbours, lattice).upper
            before = found[place % strata]
            found[place % strata] = (before[0] + loss, hypot(before[1], mu))
        yield from found


def _ratio(distance: Fraction, deviation: float) -> float:
    """The distance over σ, rounded up."""
    return nextafter(float(distance / Fraction(deviation)), inf)
