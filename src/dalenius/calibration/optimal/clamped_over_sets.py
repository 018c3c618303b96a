"""Clamped geometric noise under every law of a set: a range for some laws, the worst law for it, again."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from dalenius.calibration.found import Optimum, kept_by
from dalenius.calibration.method import Calibration, promised
from dalenius.calibration.optimal.answer_laws import AnswerLaws
from dalenius.calibration.optimal.audited import unconfirmed
from dalenius.calibration.optimal.bound import quick_bound
from dalenius.calibration.optimal.over_sets import LawsOfSets
from dalenius.channel import Release
from dalenius.laws.law import Array, Law
from dalenius.noise import Noise
from dalenius.notions import Notion

MOST_ROUNDS: Final = 40
WHY: Final = "the worst laws within the intervals were added until an audit over all of them confirmed the best range"
Choose = Callable[[AnswerLaws, float], Noise]
"""The noise that keeps the promises under these laws, with epsilon lowered by that relative margin."""


def clamped_over_sets(
    name: str, release: Release, notions: Sequence[Notion], margins: Sequence[float], choose: Choose
) -> Calibration:
    """Audited over the whole set; the error is the largest over it. DaleniusError where no margin suffices."""
    sets, left = LawsOfSets(release, notions), list(margins)
    sets.add(sets.violations(np.eye(sets.count), 0.0)[1])
    for _ in range(MOST_ROUNDS):
        noise = choose(sets.known, left[0])
        leakages = [notion.leakage(release.with_noise(noise)) for notion in notions]
        broken = [each for each in zip(notions, leakages, strict=True) if each[1].upper > promised(each[0])]
        if not broken:
            break
        if not sets.add(sets.violations(_rows(noise, sets), left[0])[1]):
            left = left[1:]
            if not left:
                raise unconfirmed(broken)
    else:
        raise unconfirmed(broken)
    points, step = sets.start + np.arange(sets.count), sets.lattice.steps[0]
    error = sets.error(noise.mean_moves(points, step) * float(step), worst=False)
    bound = (quick_bound(sets.known, notions) or 0.0) * float(step)
    optimum = Optimum(min(bound, error))
    kept, details = kept_by(notions, leakages), optimum.as_json()
    return Calibration(name, True, WHY, noise, error, leakages[0], details, optimum=optimum, promises=kept)


def _rows(noise: Noise, sets: LawsOfSets) -> Array:
    """Of every answer from the least on (answers, outputs)."""
    with np.errstate(divide="ignore"):
        points = np.log(np.eye(sets.count))
    return np.exp(noise.likelihood(Law((sets.start,), np.zeros(sets.count), points, 0.0), sets.lattice).log_mass())
