"""What some methods find besides a noise."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, final

from dalenius.notions import Leakage, Notion

SAME: Final = "whoever is absent, the answer is the same: it says nothing of who, so that it needs no noise"
"""Why a constant query may go out as it is."""


@final
@dataclass(frozen=True)
class Kept:
    """One promise, and what the noise really leaks of it."""

    notion: Notion
    leakage: Leakage


def kept_by(notions: Iterable[Notion], leakages: Iterable[Leakage]) -> tuple[Kept, ...]:
    """Each promise with its leakage, in the order promised."""
    return tuple(Kept(notion, leakage) for notion, leakage in zip(notions, leakages, strict=True))


@final
@dataclass(frozen=True)
class Optimum:
    """lower_bound: no mechanism that keeps the promise has a smaller error of that objective (`absolute`, `squared` or
    `worst`); achieved: the one found has this; error_given_answer: E|output - answer| by the true answer. All in the
    query's unit, or its square. None, or empty, where the method does not say."""

    lower_bound: float
    objective: str = "absolute"
    achieved: float | None = None
    error_given_answer: Mapping[int | float, float] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        if self.achieved is None:
            return {"lower_bound": self.lower_bound}
        found = {"objective": self.objective, "achieved": self.achieved, "lower_bound": self.lower_bound}
        return found | ({"error_given_answer": self.error_given_answer} if self.error_given_answer else {})


@final
@dataclass(frozen=True)
class Translation:
    """Where the secret is who is absent. theta: Θ of this table, in the query's unit; apart: Θ/λ, by how many nats two
    people's likelihoods may differ. Where the query's own bounds say what tables there could be also the worst Θ over
    them (theta_worst), the global sensitivity Δ (sensitivity) and the ε of differential privacy, Δ/λ (DI Thm 4)."""

    theta: float
    apart: float
    theta_worst: float | None = None
    sensitivity: float | None = None
    differential: float | None = None

    def as_json(self) -> dict[str, float]:
        numbers = {"theta": self.theta, "apart": self.apart, "theta_worst": self.theta_worst}
        numbers |= {"sensitivity": self.sensitivity, "differential": self.differential}
        return {name: value for name, value in numbers.items() if value is not None}
