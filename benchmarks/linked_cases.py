"""What the benchmark of linked data sets calls."""

from benchmarks.cases import FOURS
from dalenius import Count, Households, InferentialPrivacy, InformationPrivacy, Laplace, Linked, Release, Several, Stage
from dalenius.notions import audit

STAGES = ("spring", "autumn")


def copies(households: int) -> tuple[float, ...]:
    """What two counts leak together: lower and upper ends, inferential and information."""
    return _leaks(_linked(households, coupling="copies"))


def chain(households: int) -> tuple[float, ...]:
    """The same where four fifths of the records stay."""
    return _leaks(_linked(households, coupling="chain", persistence=0.8))


def _linked(households: int, **coupling: object) -> Release:
    within = Households(count=households, infected=FOURS)
    asked = Several(queries=tuple(Stage(stage=name, query=Count()) for name in STAGES))
    return Release(Linked(stages=STAGES, within=within, **coupling), asked, Laplace(scale=4.0))


def _leaks(release: Release) -> tuple[float, ...]:
    found = audit(release, [InferentialPrivacy(), InformationPrivacy()])
    return tuple(end for leakage in found.values() for end in (leakage.lower, leakage.upper))
