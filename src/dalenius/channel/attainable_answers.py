"""The exact answers of a release that are possible, for any records, and whether the noise reveals one of them.

Two people are each ill or not: a count is 0, 1 or 2, whatever the model says about them.

>>> import dalenius as dl
>>> count = dl.Release(dl.Independent(n=2, probabilities=[0.3]), dl.Count(), dl.NoNoise())
>>> possible_range(count, 0), leaves_exact(count)
((Fraction(0, 1), Fraction(2, 1)), True)
"""

from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from dalenius.channel.release import Release
from dalenius.channel.world import World
from dalenius.laws.lattice import Lattice
from dalenius.laws.sums import Sums, attainable_sums, upwards
from dalenius.queries import Scores


def leaves_exact(release: Release) -> bool:
    """Says whether the noise of `release` releases some possible answer exactly, with certainty.

    An adversary who knows all other records then learns the last one. It depends on the records' universes, not on
    their values.
    """
    return any(
        release.noise.on([axis]).mechanism(Lattice((step,))).leaves_exact(answers)
        for axis, answers, step in possible_answers(release)
    )


def possible_range(release: Release, axis: int) -> tuple[Fraction, Fraction] | None:
    """Returns the least and the greatest possible answer of the coordinate `axis` of `release`, in the query's unit.

    None where that is not known.
    """
    found = [_of_world(world, world.scores, axis) for world in release.worlds if world.scores is not None]
    known = [sums for sums in found if sums is not None]
    # The case of a model by intervals, or of one whose sums are too many to list.
    if not known or len(known) < len(release.worlds):
        return None
    step = release.lattice.steps[axis]
    return min(int(sums[0]) for sums in known) * step, max(int(sums[-1]) for sums in known) * step


def never_negative(release: Release, axis: int) -> bool:
    """Says whether the coordinate `axis` of `release` is a sum of scores, none below 0, as a count is.

    It depends on what values records may have, and on no number of people. False where that is not known.
    """
    every = [world.scores for world in release.worlds]
    known = [scores for scores in every if scores is not None and scores.combine[axis] == "sum"]
    return len(known) == len(every) and all(bool((scores.indices[:, axis] >= 0).all()) for scores in known)


def possible_answers(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    """Yields each coordinate of `release` under each law, with its possible answers in lattice steps, and the step.

    The answers are for any records. None where any may be possible, or they are too many to list.
    """
    yield from _of_records(release)
    if release.secret != "record":
        yield from ((axis, None, step) for axis, step in enumerate(release.lattice.steps))


def _of_records(release: Release) -> Iterator[tuple[int, Sums | None, Fraction]]:
    for world in release.worlds:
        if (scores := world.scores) is not None:
            for axis, step in enumerate(scores.lattice.steps):
                yield axis, _of_world(world, scores, axis), step


def _of_world(world: World, scores: Scores, axis: int) -> Sums | None:
    strata = world.strata
    # So that one recursion does both, minima are maxima of the negatives.
    turned = upwards(scores.indices, scores.combine)[:, axis]
    parts = np.split(turned, np.cumsum([len(each.values) for each in strata])[:-1])
    found = attainable_sums(
        [(part, each.people) for part, each in zip(parts, strata, strict=True)], scores.combine[axis]
    )
    return found if found is None or scores.combine[axis] != "min" else np.sort(-np.asarray(found))
