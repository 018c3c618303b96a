"""What a benchmark of any number of people runs."""

from time import perf_counter

from dalenius import Count, Geometric, Households, Laplace, Release, TooLarge, calibrate
from dalenius.absent.notions import DifferentialIdentifiability
from dalenius.calibration import ExactMethod
from dalenius.knowledge.bayesian import BayesianPrivacy
from dalenius.models.households import HouseholdType
from dalenius.notions import (
    DifferentialPrivacy,
    InferentialPrivacy,
    InformationPrivacy,
    RelativeEntropyPrivacy,
    audit,
    leakages,
)

LAWS = ((0.9, 0.1), (0.8, 0.1, 0.1), (0.7, 0.15, 0.1, 0.05), (0.9, 0.04, 0, 0, 0.06), (0.6, 0.2, 0.1, 0.05, 0.03, 0.02))
"""Of households of one to five."""
SUPREMA = (
    DifferentialPrivacy(),
    InferentialPrivacy(),
    InformationPrivacy(),
    RelativeEntropyPrivacy(),
    BayesianPrivacy(),
    DifferentialIdentifiability(alpha=0.3, beta=0.5),
)
ONE = InferentialPrivacy(epsilon=1.0)


def suprema(people: int, regions: int = 0) -> tuple[float, float]:
    """Seconds of all suprema of a count under a model of so many people, and the inferential leakage."""
    release = Release(_model(people, regions), Count(per_label=regions > 0), Laplace(scale=2.0))
    start = perf_counter()
    found = leakages(release, SUPREMA)
    return perf_counter() - start, found[1].upper


def notions(people: int, regions: int = 0) -> tuple[float, float]:
    """Seconds of all notions, the averages included, and the mutual information."""
    release = Release(_model(people, regions), Count(per_label=regions > 0), Laplace(scale=2.0))
    start = perf_counter()
    found = audit(release)
    return perf_counter() - start, found["mutual_information"].upper


def calibrated(people: int, regions: int = 0) -> tuple[float, float]:
    """Seconds of the least scale that keeps inferential privacy of 1, and that scale."""
    release = Release(_model(people, regions), Count(per_label=regions > 0), Laplace())
    start = perf_counter()
    found = ExactMethod().calibrate(release, ONE)
    return perf_counter() - start, found.noise.known_scale()


def optimum(people: int) -> tuple[float, float | None]:
    """Seconds of the least error that any mechanism with inferential privacy of 1 has, and that error; None where it is
    refused as too large."""
    release = Release(_model(people, 0), Count(), Geometric())
    start = perf_counter()
    try:
        error = calibrate(release, ONE, "optimal").expected_error
    except TooLarge:
        error = None
    return perf_counter() - start, error


def _model(people: int, regions: int) -> Households:
    """Households of all five sizes: of two labels, together and apart, or of one of the regions each."""
    kinds = []
    for size, law in enumerate(LAWS, 1):
        if regions:
            homes = [{f"region {number}": size} for number in range(1, regions + 1)]
        else:
            homes = [{"a": size}, {"b": size}, *([{"a": size - 1, "b": 1}] if size > 1 else [])]
        each = max(people // (len(LAWS) * len(homes) * size), 1)
        kinds += [HouseholdType(members=home, infected=law, count=each + place) for place, home in enumerate(homes)]
    return Households(types=tuple(kinds))
