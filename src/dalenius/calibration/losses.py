"""Reported with every promise: the privacy loss to an adversary who knows all other records, or any of them, the
expected error; and which promise would add noise, where the one that was made adds none."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import fsum, nan

import numpy as np

from dalenius import wings
from dalenius.bounds import Enclosure, down_to_digits
from dalenius.calibration.method import Calibration, default_noise
from dalenius.channel import Release, leaves_exact
from dalenius.channel.record_channels import RecordWorld
from dalenius.laws.law import Array
from dalenius.noise import Noise
from dalenius.notions import Notion, differential_loss


def judged_beside(calibration: Calibration, release: Release) -> Calibration:
    """The calibration with its noise's differential and Bayesian losses, and whether the noise leaves some answer
    exact. A promise that is of any background knowledge has computed the latter."""
    chosen = release.with_noise(calibration.noise)
    loss = differential_loss(chosen)
    known = [each.leakage for each in calibration.promises if each.notion.any_knowledge]
    bayesian = Enclosure(known[0].lower, known[0].upper) if known else wings.found(wings.PARTS["bayesian loss"])(chosen)
    differential = None if loss is None else loss.upper
    return replace(calibration, differential=differential, bayesian=bayesian, exact=leaves_exact(chosen))


def expected_error(release: Release) -> float:
    """E|output - answer|, averaged over the coordinates, in the query's unit: the largest over the laws of the model.
    nan where outputs are words."""
    noise, lattice = release.noise, release.lattice
    if noise.additive:
        return noise.expected_error(lattice)
    if not release.is_finite:
        return nan
    return max(fsum(_by_coordinate(noise, world)) / lattice.axes for world in release.finite_worlds)


def _by_coordinate(noise: Noise, world: RecordWorld) -> Iterator[float]:
    for law in world.marginals():
        yield _mean(noise, law.masses, law.start, law.step)
    for column, how, step in zip(world.scores.indices.T, world.scores.combine, world.scores.lattice.steps, strict=True):
        if not column.any() or (how != "sum" and np.ptp(column) == 0):  # nobody's record touches it
            yield _mean(noise, np.ones(1), int(column[0]), step)


def _mean(noise: Noise, masses: Array, start: int, step: Fraction) -> float:
    there = np.flatnonzero(masses)
    return float(masses[there] @ noise.mean_moves(start + there, step) / np.sum(masses)) * float(step)


def noised_by(release: Release, notion: Notion, calibration: Calibration) -> str:
    """The cheapest promise under which no answer goes out exactly, in words: of the same notion, one of less than the
    exact answer leaks, where noise is calibrated and it leaks at all; or the differential one of the same epsilon,
    whose noise is never none."""
    epsilon = notion.epsilon or 1.0
    noise = default_noise(release.lattice)
    scale = noise.scale_for(release.sensitivity, epsilon)
    differential = f"differential epsilon = {epsilon:g} ({noise.kind}, scale {scale:.6g})"
    own = down_to_digits(calibration.leakage.lower, 6)
    if release.noise.is_complete:
        return f"the cheapest promise that adds noise, without that section [noise], is {differential}"
    if own <= 0:
        return f"the cheapest promise that adds noise is {differential}"
    return f"the cheapest promise that adds noise is {notion.kind} epsilon below {own:g}, or {differential}"
