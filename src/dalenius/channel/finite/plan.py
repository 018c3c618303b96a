"""Which engine computes the laws of an answer, and why."""

from dataclasses import dataclass
from decimal import Decimal
from math import inf, sqrt
from typing import Final, Literal, final

from dalenius.channel.finite.effort import effort_of, tilting_seconds
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint
from dalenius.joints.factors import MANY
from dalenius.laws.transforms.characteristic import Cumulants
from dalenius.laws.transforms.ranges import Extent
from dalenius.laws.transforms.windowing import FAINT
from dalenius.queries import Scores

Engine = Literal["enumeration", "convolution", "tilting", "window", "bounds"]
FEW_OUTCOMES: Final = 1 << 10
FEW_TERMS: Final = 1 << 11
"""Answers times people."""
MOST_CELLS: Final = 1 << 25
PATIENCE: Final = 0.2
MOST_SECONDS: Final = 1000.0
BESIDE_BOUNDS: Final = 60.0
"""Seconds, at most, for what bounds in a fraction of one may answer."""
MOST_POINTS: Final = 2e8
MOST_AT_ONCE: Final = 1 << 24
"""Of the laws given one record's values: some 1 GB and a minute."""
MOST_SEEN: Final = 1 << 23
"""Of windows that are there at once, over all secrets: some 100 MB."""
MOST_WINDOWED: Final = 1 << 27
"""Of all windows, which are computed some after others: some minutes."""
WIDE: Final = 1 << 14
"""Answers from which a single sum's law is computed on a window only: below it all of it takes a second at most."""


@final
@dataclass(frozen=True)
class Plan:
    """The chosen engine, why it was chosen, and the box of all answers. bounds: the law is too large, and what is
    computed is that of the part which one person's group adds; window: beside that, the law where the answer usually
    lies."""

    engine: Engine
    why: str
    extent: Extent


def plan(joint: Joint, scores: Scores, extent: Extent, engine: str | None, most_seconds: float = MOST_SECONDS) -> Plan:
    """The requested engine, or else the best for the size. TooLarge gives the size and an alternative."""
    outcomes = joint.outcome_count()
    people = sum(factor.count * factor.size for factor in joint.factors())
    few = scores.additive and extent.points * people <= FEW_TERMS
    if engine is None and few and outcomes > FEW_OUTCOMES:
        # Estimating the effort would take longer than it could save.
        return Plan("convolution", f"{_size(outcomes)} assignments, but {_size(extent.points)} answers", extent)
    effort = effort_of(joint, scores)
    one_sum = scores.lattice.axes == 1 and scores.additive
    tilting = tilting_seconds(joint, scores, extent, effort.calls) if one_sum else inf
    chosen, why = _choice(outcomes, effort.seconds, tilting, extent)
    if engine is not None:
        chosen, why = _named(engine, scores), "asked for"
    if chosen == "enumeration" and (outcomes > MOST_CELLS or outcomes * people > MOST_CELLS):
        raise TooLarge("enumeration", f"{_size(outcomes)} assignments of the records", "use the factor engine")
    points = extent.points * sum(len(subject.secrets) for subject in joint.subjects())
    if points > MOST_POINTS:
        raise TooLarge("the laws of the answer", f"a box of {_size(points)} points over all secrets", SMALLER)
    if extent.points * max((len(subject.secrets) for subject in joint.subjects()), default=0) > MOST_AT_ONCE:
        raise TooLarge("the laws of the answer", f"{_size(extent.points)} answers given each value", SMALLER)
    if chosen == "convolution" and effort.seconds > most_seconds:
        raise TooLarge("the laws of the answer", f"some {_span(effort.seconds)} of convolution", SMALLER)
    if chosen == "convolution" and not scores.additive and effort.largest > MOST_CELLS:
        raise TooLarge("the laws of the answer", f"a table of {_size(effort.largest)} ranks and sums", SMALLER)
    return Plan(chosen, why, extent)


SMALLER: Final = "ask fewer answers at once or coarser values, or use the group method, which needs no law"


def windowed(joint: Joint, scores: Scores, extent: Extent, engine: str | None) -> Plan | None:
    """The plan of a single sum's law on a window, where that is asked for or the range is wide; None elsewhere, and
    where the window itself would be too long. TooLarge where one that is asked for is."""
    one_sum = scores.additive and scores.lattice.axes == 1
    if engine == "window" and not one_sum:
        raise InputError("engine", engine, "a single answer that is a sum")
    if engine not in (None, "window") or not one_sum or (engine is None and extent.points < WIDE):
        return None
    points = window_length(joint, scores, extent) * sum(len(subject.secrets) for subject in joint.subjects())
    if engine == "window":
        if points > MOST_WINDOWED:
            raise TooLarge("the laws of the answer", f"a window of {_size(points)} points over all secrets", SMALLER)
        return Plan("window", "asked for", extent)
    if points > MOST_WINDOWED:
        return None
    return Plan("window", f"{_size(extent.points)} answers: averages from a window of them", extent)


def window_length(joint: Joint, scores: Scores, extent: Extent) -> float:
    """How many answers a single sum's window has, about."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    return min(2 * sqrt(2 * FAINT) * deviation + FAINT, extent.points)


def _choice(outcomes: int, seconds: float, tilting: float, extent: Extent) -> tuple[Engine, str]:
    if outcomes <= FEW_OUTCOMES:
        return "enumeration", f"only {outcomes} assignments of the records"
    # Convolution resolves every tail: it may take a little longer.
    if seconds <= max(PATIENCE, 2 * tilting):
        return "convolution", f"{_size(outcomes)} assignments, but about {_span(seconds)} group by group"
    longer = f"convolution would take about {_span(seconds)}"
    return "tilting", f"{_size(extent.points)} answers: tilted FFTs cost n log n, {longer}"


def _named(engine: str, scores: Scores) -> Engine:
    if engine == "window":
        raise InputError("engine", engine, "one record of several groups as the secret, of no single stage")
    if engine == "enumeration":
        return "enumeration"
    if engine == "tilting" and not scores.additive:
        raise InputError("engine", engine, "an answer that is a sum: maxima and minima go by convolution")
    if engine == "tilting" and scores.lattice.axes > 1:
        raise InputError("engine", engine, "a single answer: several go by convolution")
    if engine in ("convolution", "factor"):
        return "convolution"
    if engine == "tilting":
        return "tilting"
    raise InputError("engine", engine, "enumeration, factor, convolution, tilting or window")


def _size(number: float) -> str:
    """Assignments are counted up to MANY."""
    if number >= MANY:
        return f"more than {Decimal(MANY):.2g}"
    return f"{number:,}" if isinstance(number, int) and number < 10**6 else f"{Decimal(number):.2g}"


def _span(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 1000 else f"{seconds / 3600:.2g} h"
