"""The least expected error under every law of a set, as a calibration (Results 21.21 to 21.23)."""

from collections.abc import Sequence
from typing import Final

import numpy as np

from dalenius.calibration.found import Optimum, kept_by
from dalenius.calibration.method import Calibration, promised
from dalenius.calibration.optimal.audited import unconfirmed
from dalenius.calibration.optimal.generation import Generation, Mechanism
from dalenius.calibration.optimal.program import Objective
from dalenius.channel import Release
from dalenius.laws.law import IntArray
from dalenius.noise import Kernel
from dalenius.notions import Notion

MARGINS: Final = (1e-12, 1e-11, 1e-10, 1e-9, 1e-8, 1e-7, 1e-6)
"""Relative margins below epsilon that the kernel keeps, for the roundings that an audit must count."""
WHY: Final = (
    "the worst laws within the intervals were added until none was violated, and the kernel audited over all of them; "
    "no mechanism's error is below the dual bound under all laws"
)


def optimum_over_sets(name: str, release: Release, notions: Sequence[Notion], objective: Objective) -> Calibration:
    """The kernel audited over the whole set; errors are the largest over the set. DaleniusError where no margin
    suffices, TooLarge for many groups."""
    generation = Generation(release, notions, objective)
    step = float(release.lattice.steps[0])
    for margin in MARGINS:
        made = generation.repaired(margin)
        kernel = _kernel(release, generation, made)
        leakages = [notion.leakage(release.with_noise(kernel)) for notion in notions]
        broken = [each for each in zip(notions, leakages, strict=True) if each[1].upper > promised(each[0])]
        if broken:
            continue
        unit = step**2 if objective == "squared" else step
        absolute = generation.errors(made) * step
        expected = generation.laws.error(absolute, worst=False)
        answers = (int(place) for place in np.flatnonzero(generation.laws.possible))
        given = {kernel.answers[place]: float(absolute[place]) for place in answers}
        reached = made.error * unit
        optimum = Optimum(min(generation.bound * unit, reached), objective, reached, given)
        kept = kept_by(notions, leakages)
        details = optimum.as_json()
        return Calibration(
            name, True, WHY, kernel, expected, leakages[0], details, solved=True, optimum=optimum, promises=kept
        )
    raise unconfirmed(broken)


def _kernel(release: Release, generation: Generation, made: Mechanism) -> Kernel:
    step = release.lattice.steps[0]

    def values(points: IntArray) -> tuple[int | float, ...]:
        exact = [int(point) * step for point in points]
        return tuple(int(value) if value.denominator == 1 else float(value) for value in exact)

    points = generation.laws.start + np.arange(generation.laws.count)
    rows = tuple(tuple(row) for row in made.rows.tolist())
    return Kernel(answers=values(points), outputs=values(made.outputs), probabilities=rows)
