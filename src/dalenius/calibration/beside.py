"""Reported with every promise: the privacy loss to an adversary who knows all other records, and the expected error."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import fsum, nan

import numpy as np

from dalenius.calibration.method import Calibration
from dalenius.channel import Release, leaves_exact
from dalenius.channel.finite.records import RecordWorld
from dalenius.laws.law import Array, log_mix
from dalenius.noise import Noise
from dalenius.notions import differential_loss


def judged_beside(calibration: Calibration, release: Release) -> Calibration:
    """The calibration with its noise's differential-privacy loss, and whether the noise leaves some answer exact."""
    chosen = release.with_noise(calibration.noise)
    loss = differential_loss(chosen)
    return replace(calibration, differential=None if loss is None else loss.upper, exact=leaves_exact(chosen))


def expected_error(release: Release) -> float:
    """E|output - answer|, averaged over the coordinates, in the query's unit: the largest over the laws of the model.
    nan where outputs are words."""
    noise, lattice = release.noise, release.lattice
    if noise.additive:
        return noise.expected_error(lattice)
    if release.real or release.absences:
        return nan
    return max(fsum(_by_coordinate(noise, world)) / lattice.axes for world in release.record_worlds)


def _by_coordinate(noise: Noise, world: RecordWorld) -> Iterator[float]:
    for component in world.components:
        subject, law = next(iter(component.laws()))
        masses = np.exp(law.base + log_mix(subject.log_prior, law.relative))
        for axis, step in enumerate(component.scores.lattice.steps):
            others = tuple(other for other in range(masses.ndim) if other != axis)
            yield _mean(noise, np.sum(masses, axis=others), law.start[axis], step)
    for column, how, step in zip(world.scores.indices.T, world.scores.combine, world.scores.lattice.steps, strict=True):
        if not column.any() or (how != "sum" and np.ptp(column) == 0):  # nobody's record touches it
            yield _mean(noise, np.ones(1), int(column[0]), step)


def _mean(noise: Noise, masses: Array, start: int, step: Fraction) -> float:
    there = np.flatnonzero(masses)
    return float(masses[there] @ noise.mean_moves(start + there, step) / np.sum(masses)) * float(step)
