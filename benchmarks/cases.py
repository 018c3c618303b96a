"""The releases that are measured, and the calls: each is named "benchmarks.cases:NAME" and returns plain numbers."""

from collections.abc import Sequence
from typing import Final

from dalenius import (
    Count,
    Geometric,
    Households,
    InferentialPrivacy,
    InformationPrivacy,
    Laplace,
    MutualInformationPrivacy,
    Release,
    Rounding,
    TooLarge,
    audit,
    calibrate,
)
from dalenius.notions import Notion

FOURS: Final = (0.9, 0.04, 0.0, 0.0, 0.06)
"""Households of four: nobody, one or all of them infected."""
PROMISES: Final[dict[str, Notion]] = {
    "inferential": InferentialPrivacy(epsilon=1.0),
    "information": InformationPrivacy(epsilon=1.0),
}
NOISES: Final = {"laplace": Laplace(scale=1.0), "geometric": Geometric(scale=1.0), "rounding": Rounding(base=3)}


def release(
    people: int, noise: str = "laplace", infected: Sequence[float] = FOURS, engine: str | None = None
) -> Release:
    """How many of so many people, in households of four, are infected."""
    model = Households(count=people // 4, infected=tuple(infected))
    return Release(model, Count(), NOISES[noise], engine=engine)


def audited(people: int, noise: str) -> dict[str, float]:
    """Every notion's leakage, in nats, by the notion's kind."""
    return {kind: leakage.epsilon for kind, leakage in audit(release(people, noise)).items()}


def calibrated(people: int, notion: str) -> dict[str, float]:
    """The least Laplace scale at which the notion's leakage is at most 1 nat."""
    found = calibrate(release(people), PROMISES[notion])
    return {"scale": found.expected_error, "leakage": found.leakage.epsilon}


def audited_by(people: int, infected: Sequence[float], engine: str) -> float | None:
    """The inferential leakage of an audit by the engine; None where the engine refuses the size."""
    try:
        return audit(release(people, "laplace", infected, engine))["inferential"].epsilon
    except TooLarge:
        return None


def enclosed(people: int) -> dict[str, tuple[float, float]]:
    """The enclosures of the worst and of the average leakage."""
    notions = (InferentialPrivacy(), MutualInformationPrivacy())
    found = audit(release(people), notions)
    return {kind: (leakage.lower, leakage.upper) for kind, leakage in found.items()}
