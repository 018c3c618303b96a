"""The exact answers that are possible, for any records; and whether a release reveals one of them exactly."""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dalenius.channel.release import Release
from dalenius.channel.world import World
from dalenius.laws.lattice import Sums, attained, upwards
from dalenius.queries import Scores


def leaves_exact(release: Release) -> bool:
    """Whether the noise releases some possible answer exactly, with certainty: an adversary who knows all other records
    then learns the last one. Depends on the records' universes, not on their values."""
    noise = release.noise
    return any(noise.on([axis]).leaves_exact(answers, step) for axis, answers, step in _possible(release))


def possible_range(release: Release, axis: int) -> tuple[Fraction, Fraction] | None:
    """The least and the greatest possible answer of a coordinate, in the query's unit; None where that is not known."""
    found = [_of_world(world, world.scores, axis) for world in release.worlds if world.scores is not None]
    known = [sums for sums in found if sums is not None]
    if not known or len(known) < len(release.worlds):
        return None
    step = release.lattice.steps[axis]
    return min(int(sums[0]) for sums in known) * step, max(int(sums[-1]) for sums in known) * step


def possible_answers(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    """Each coordinate under each law of the model: its possible answers, for any records, in lattice steps, and the
    step; None where any may be possible, or they are too many to list."""
    yield from _of_records(release)
    if release.secret != "record":
        yield from ((axis, None, step) for axis, step in enumerate(release.lattice.steps))


def _possible(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    """Each coordinate, its possible answers, in lattice steps, and the step; None where any may be possible."""
    yield from _of_records(release)
    if release.secret == "number":
        yield from ((axis, None, step) for axis, step in enumerate(release.lattice.steps))
    for world in release.worlds if release.secret == "absence" else ():
        yield 0, (None if world.reach else range(1)), release.lattice.steps[0]


def _of_records(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    for world in release.worlds:
        if (scores := world.scores) is not None:
            for axis, step in enumerate(scores.lattice.steps):
                yield axis, _of_world(world, scores, axis), step


def _of_world(world: World, scores: Scores, axis: int) -> Sums | None:
    strata = world.strata
    turned = upwards(scores.indices, scores.combine)[:, axis]
    parts = np.split(turned, np.cumsum([len(each.values) for each in strata])[:-1])
    found = attained([(part, each.people) for part, each in zip(parts, strata, strict=True)], scores.combine[axis])
    return found if found is None or scores.combine[axis] != "min" else np.sort(-np.asarray(found))
