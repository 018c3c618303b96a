"""What the benchmark of long chains calls."""

from dalenius import Chain, InferentialPrivacy, Laplace, Release, Sum, calibrate
from dalenius.notions import DifferentialPrivacy, InformationPrivacy, RelativeEntropyPrivacy, audit

STAYS = [[0.99, 0.01], [0.01, 0.99]]
THREE = [[0.99, 0.005, 0.005], [0.005, 0.99, 0.005], [0.005, 0.005, 0.99]]


def bits(days: int) -> tuple[float, ...]:
    """What a count leaks: lower and upper ends, inferential and information."""
    return _leaks(Chain(n=days, transition=STAYS, initial=[0.5, 0.5]))


def three(days: int) -> tuple[float, ...]:
    """The same of three values."""
    return _leaks(Chain(n=days, transition=THREE, initial=[0.25, 0.25, 0.5]))


def uneven(days: int) -> tuple[float, ...]:
    """The same of values 0 and 7, where every step is its own."""
    steps = [[[0.9, 0.1], [0.5 - 0.4 * day / days, 0.5 + 0.4 * day / days]] for day in range(days - 1)]
    return _leaks(Chain(n=days, transition=steps, initial=[0.5, 0.5], values=[0, 7]))


def calibrated(days: int) -> tuple[float, ...]:
    """The scale that hides a day at inferential 1, and what it leaks."""
    model = Chain(n=days, transition=STAYS, initial=[0.5, 0.5])
    found = calibrate(Release(model, Sum(), Laplace()), InferentialPrivacy(epsilon=1.0))
    assert found.noise.scale is not None
    return found.noise.scale, found.leakage.upper


def _leaks(model: Chain) -> tuple[float, ...]:
    notions = [DifferentialPrivacy(), InferentialPrivacy(), InformationPrivacy(), RelativeEntropyPrivacy()]
    found = audit(Release(model, Sum(), Laplace(scale=100.0)), notions)
    return tuple(end for kind in ("inferential", "information") for end in (found[kind].lower, found[kind].upper))
