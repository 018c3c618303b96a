"""Which engine computes the laws of an answer, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.extents import Extent
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Transform
from dalenius.models import Joint
from dalenius.queries import Scores

Engine = Literal["enumeration", "convolution", "tilting"]
FEW_OUTCOMES: Final = 1 << 10
MOST_OUTCOMES: Final = 1 << 22
QUICK: Final = 3e7
MOST_OPERATIONS: Final = 2e11
MOST_POINTS: Final = 2e8


@final
@dataclass(frozen=True)
class Plan:
    """The chosen engine, why it was chosen, and the box of all answers."""

    engine: Engine
    why: str
    extent: Extent


@final
class Effort(Transform[int]):
    """How many terms a positive convolution multiplies by, group after group."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> int:
        return int(np.count_nonzero(log_weights > -np.inf))

    def product(self, elements: Sequence[int], powers: Sequence[int]) -> int:
        return sum(element * power for element, power in zip(elements, powers, strict=True))

    def mix(self, log_weights: Array, elements: Sequence[int]) -> int:
        return sum(elements)


def plan(joint: Joint, scores: Scores, extent: Extent, engine: str | None) -> Plan:
    """The engine asked for, or else the best for the size. TooLarge says the size and what to use instead."""
    outcomes, cells = joint.outcome_count(), outcome_cells(joint)
    operations = joint.total(Effort()) * float(extent.points)
    chosen, why = _choice(outcomes, operations, extent, scores.lattice.axes)
    if engine is not None:
        chosen, why = _named(engine, scores.lattice.axes), "asked for"
    if chosen == "enumeration" and cells > MOST_OUTCOMES:
        raise TooLarge("enumeration", f"{_size(outcomes)} assignments of the records", "use the factor engine")
    points = extent.points * sum(len(subject.secrets) for subject in joint.subjects())
    if chosen != "enumeration" and points > MOST_POINTS:
        raise TooLarge("the laws of the answer", f"a box of {_size(points)} points over all secrets", SMALLER)
    if chosen == "convolution" and operations > MOST_OPERATIONS:
        raise TooLarge("the laws of the answer", f"{_size(operations)} operations", SMALLER)
    return Plan(chosen, why, extent)


SMALLER: Final = "ask fewer answers at once or coarser values, or use the group method, which needs no law"


def outcome_cells(joint: Joint) -> int:
    """How many numbers an enumeration would write down."""
    return joint.outcome_count() * sum(int(group.sum()) for group in joint.group_strata())


def _choice(outcomes: int, operations: float, extent: Extent, axes: int) -> tuple[Engine, str]:
    if outcomes <= FEW_OUTCOMES:
        return "enumeration", f"only {outcomes} assignments of the records"
    if operations <= QUICK or axes > 1:
        return "convolution", f"{_size(outcomes)} assignments, but {_size(operations)} operations group by group"
    return (
        "tilting",
        f"{_size(extent.points)} answers: tilted FFTs cost n log n, convolution {_size(operations)} operations",
    )


def _named(engine: str, axes: int) -> Engine:
    if engine == "enumeration":
        return "enumeration"
    if engine == "tilting" and axes > 1:
        raise InputError("engine", engine, "a single answer: several go by convolution")
    if engine in ("convolution", "factor"):
        return "convolution"
    if engine == "tilting":
        return "tilting"
    raise InputError("engine", engine, "enumeration, factor, convolution or tilting")


def _size(number: float) -> str:
    return f"{number:,}" if isinstance(number, int) and number < 10**6 else f"{float(number):.2g}"
