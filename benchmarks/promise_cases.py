"""What the benchmark of promises calls."""

from math import log

from benchmarks.cases import FOURS
from dalenius import (
    Count,
    DifferentialPrivacy,
    Geometric,
    Households,
    InferentialPrivacy,
    InformationPrivacy,
    Release,
    calibrate,
)
from dalenius.reports.plots_of_leakage import tail_curve

DELTA = 1e-6
EPSILON = 0.01


def calibrated(people: int) -> tuple[float, float]:
    """The least geometric scale of information (EPSILON, DELTA), and its expected error."""
    release = Release(Households(count=people // 4, infected=FOURS), Count(), Geometric())
    found = calibrate(release, InformationPrivacy(epsilon=EPSILON, delta=DELTA))
    return found.noise.known_scale(), found.expected_error


def tail(people: int, scale: float) -> tuple[float, float]:
    """The ε that all outputs but one in a million stay below, and how wide its enclosure is: of a curve of 200."""
    release = Release(Households(count=people // 4, infected=FOURS), Count(), Geometric(scale=scale))
    (channel, *_) = release.all_channels()
    found = channel.tail()
    tail_curve(found)
    mark = found.law.quantile(1e-6)
    return mark.middle, mark.upper - mark.lower


def optimum(people: int) -> tuple[float, float]:
    """The least expected error under three promises, and its dual bound."""
    release = Release(Households(count=people // 4, infected=FOURS), Count(), Geometric())
    promises = [
        InformationPrivacy(epsilon=log(2), delta=DELTA),
        InferentialPrivacy(epsilon=1.0),
        DifferentialPrivacy(epsilon=1.0),
    ]
    found = calibrate(release, promises, "optimal")
    return found.expected_error, found.details["lower_bound"]
