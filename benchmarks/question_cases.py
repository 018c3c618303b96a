"""What the benchmark of several questions calls."""

from benchmarks.cases import FOURS
from dalenius import (
    Count,
    Geometric,
    Groups,
    Households,
    InferentialPrivacy,
    InformationPrivacy,
    Laplace,
    Release,
    Several,
)
from dalenius.calibration import calibrate
from dalenius.models import GroupType
from dalenius.noise import Noise, separate
from dalenius.notions import audit

VALUES = ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3), (0, 1, 2, 3))


def three_counts(people: int) -> tuple[float, ...]:
    """What counts of three values leak together: lower and upper ends, inferential and information."""
    return _leaks(_three(people, separate([Geometric(scale=8.0), Laplace(scale=8.0), Geometric(scale=12.0)])))


def twelve_counts(people: int) -> tuple[float, ...]:
    """What twelve noised counts of the same people leak together."""
    homes = Households(count=people // 4, infected=FOURS)
    return _leaks(Release(homes, Several(queries=(Count(),) * 12), Geometric(scale=12.0)))


def calibrated(people: int) -> tuple[float, ...]:
    """Scales by one common factor; the first question has two shares."""
    release = _three(people, separate([Geometric(), Laplace(), Geometric()], [0.5, 1.0, 1.0]))
    found = calibrate(release, InferentialPrivacy(epsilon=1.0)).noise
    return tuple(part.known_scale() for part in found.by_coordinate(3))


def _three(people: int, noise: Noise) -> Release:
    homes = Groups(types=(GroupType(count=people // 4, records=VALUES, probabilities=(0.8, 0.05, 0.05, 0.05, 0.05)),))
    return Release(homes, Several(queries=tuple(Count(values=(value,)) for value in (1, 2, 3))), noise)


def _leaks(release: Release) -> tuple[float, ...]:
    found = audit(release, [InferentialPrivacy(), InformationPrivacy()])
    return tuple(end for leakage in found.values() for end in (leakage.lower, leakage.upper))
