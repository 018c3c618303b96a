"""Which engine computes the laws of an answer, and why."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.extents import Extent, Extents
from dalenius.laws.law import Array, IntArray
from dalenius.laws.transform import Transform
from dalenius.models import Joint
from dalenius.queries import Scores

Engine = Literal["enumeration", "convolution", "tilting"]
FEW_OUTCOMES: Final = 1 << 10
MOST_CELLS: Final = 1 << 25
QUICK: Final = 1e8
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
@dataclass(frozen=True)
class Size:
    """How large a grid would be: the box it fills, and how many of its points are not 0 at most."""

    extent: Extent
    terms: float

    @property
    def points(self) -> float:
        return float(self.extent.points)


@final
class Effort(Transform[Size]):
    """A dry run of the positive convolution: `operations` adds up what it would multiply."""

    def __init__(self, scores: IntArray) -> None:
        self._extents = Extents(scores)
        self.operations = 0.0

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Size:
        terms = float(np.count_nonzero(log_weights > -np.inf))
        self.operations += terms
        return Size(self._extents.mean(log_weights, slots, counts), terms)

    def product(self, elements: Sequence[Size], powers: Sequence[int]) -> Size:
        running = Size(self._extents.product([], []), 1.0)
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: pair[0].points):
            extent = self._extents.product([running.extent, element.extent], [1, power])
            if power > 0 and element.points > 1:
                # Each of `power` steps passes over the box once per term of the sparser side; boxes grow linearly.
                passes = min(element.terms, running.terms) if power == 1 else element.terms
                self.operations += power * passes * (running.points + extent.points) / 2
            terms = running.terms * min(element.terms, 1e6) ** min(power, 40)
            running = Size(extent, min(float(extent.points), terms))
        return running

    def mix(self, log_weights: Array, elements: Sequence[Size]) -> Size:
        extent = self._extents.mix(log_weights, [element.extent for element in elements])
        used = [element for weight, element in zip(log_weights, elements, strict=True) if weight > -np.inf]
        self.operations += 4 * sum(element.points for element in used)
        return Size(extent, min(float(extent.points), sum(element.terms for element in used)))


def plan(joint: Joint, scores: Scores, extent: Extent, engine: str | None) -> Plan:
    """The engine asked for, or else the best for the size. TooLarge says the size and what to use instead."""
    outcomes = joint.outcome_count()
    operations = operations_of(joint, scores)
    chosen, why = _choice(outcomes, operations, extent, scores.lattice.axes)
    if engine is not None:
        chosen, why = _named(engine, scores.lattice.axes), "asked for"
    if chosen == "enumeration" and (outcomes > MOST_CELLS or outcomes * len(joint.people()) > MOST_CELLS):
        raise TooLarge("enumeration", f"{_size(outcomes)} assignments of the records", "use the factor engine")
    points = extent.points * sum(len(subject.secrets) for subject in joint.subjects())
    if points > MOST_POINTS:
        raise TooLarge("the laws of the answer", f"a box of {_size(points)} points over all secrets", SMALLER)
    if chosen == "convolution" and operations > MOST_OPERATIONS:
        raise TooLarge("the laws of the answer", f"{_size(operations)} operations", SMALLER)
    return Plan(chosen, why, extent)


SMALLER: Final = "ask fewer answers at once or coarser values, or use the group method, which needs no law"


def operations_of(joint: Joint, scores: Scores) -> float:
    """What the positive convolution of every subject's laws would cost, in multiplications."""
    effort = Effort(scores.indices)
    for _ in joint.mean_product(effort):
        pass
    return effort.operations


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
