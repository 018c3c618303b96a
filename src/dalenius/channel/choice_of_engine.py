"""Which engine computes the laws of an answer, and why: the cheapest, by a dry run of the model's own products.

enumeration   all assignments of the records, where these are at most about a thousand
convolution   group by group, every tail to full relative accuracy: nearly always
tilting       n log n for one long sum, where convolution would take much longer
window        where one sum usually lies, of so many people that all of its range is too long; and, chosen before this
              table is asked (`channel/large`), where outputs lie that leak most, of one sum over a long chain, or over
              a network or a product of which one part has more than 2,000 nodes
recursion     likewise: limits at ±∞ and ranges of messages, of chains and networks for which windows decline
bounds        of what one group adds, where no law of the answer can be had

A chain of 8 days is enumerated (256 histories), one of 200 days goes by convolution: 2^200 histories, but 201 answers.

>>> import dalenius as dl
>>> days = [dl.Chain(n=n, initial=[0.5, 0.5], transition=[[0.9, 0.1], [0.1, 0.9]]) for n in (8, 200)]
>>> [dl.Release(each, dl.Count(), dl.Laplace(scale=2.0)).worlds[0].engines[0][0] for each in days]
['enumeration', 'convolution']
"""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from math import inf, sqrt
from typing import Final, Literal, final

import numpy as np

from dalenius.arrays import IntArray
from dalenius.channel.effort import SECONDS_PER_CALL, Effort
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint, Subject, count_outcomes
from dalenius.joints.joint import MANY
from dalenius.laws.characteristic import Cumulants, Evaluations, Moduli, Values
from dalenius.laws.generating_function_algebra import Element, Extent, Extents, Transform
from dalenius.laws.law import Law, Window
from dalenius.laws.progressions import Progressions
from dalenius.laws.sums import extreme_axes
from dalenius.laws.tilted_window import TILT_DEPTH, TiltedSums, windows_by_tilting
from dalenius.laws.tilting import REACH, STRIDE, WantedWindow
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.queries import Scores

_CALL: Final = SECONDS_PER_CALL
_WAVE: Final = 2e-8
"""Seconds for one frequency of one tilted transform, on the scale of `Effort`."""


def _effort_of(joint: Joint, scores: Scores) -> Effort:
    """The cost of the positive convolution of every subject's laws."""
    extreme = extreme_axes(scores.combine)
    # Per extreme axis three products for each of its ranks.
    cells = float(np.prod([3.0 * len(np.unique(scores.indices[:, axis])) for axis in extreme]))
    effort = Effort(np.delete(scores.indices, extreme, axis=1), cells)
    for _ in joint.mean_product(effort):
        pass
    return effort


def _tilting_seconds(joint: Joint, scores: Scores, extent: Extent, calls: int) -> float:
    """The seconds of a sweep of tilted transforms, for one sum; calls: array operations for one tilt."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    tilts = 3 + 1.6 * extent.points / (STRIDE * deviation)
    points = 2.5 * REACH * deviation + 64
    laws = sum(len(subject.secrets) for subject in joint.subjects())
    # Each tilt is found by several cumulants, each as many operations on short arrays.
    return tilts * (calls * (4 * _CALL + _WAVE * points) + laws * (4 * _CALL + 3 * _WAVE * points))


Engine = Literal["enumeration", "convolution", "tilting", "window", "bounds", "none"]
_FEW_OUTCOMES: Final = 1 << 10
FEW_TERMS: Final = 1 << 11
"""Answers times people."""
_MOST_CELLS: Final = 1 << 25
_MOST_SECONDS: Final = 1000.0
_MOST_SECONDS_OVER_BOUNDS: Final = 60.0
"""Seconds, at most, for what bounds in a fraction of one may answer."""
MOST_TILTED_POINTS: Final = 2e8
_MOST_OF_ONE: Final = 1 << 24
"""Points of the laws given one record's values: some 1 GB and a minute."""
MOST_WINDOW_POINTS: Final = 1 << 23
"""Of windows that are there at once, over all secrets: some 100 MB."""
_MOST_WINDOWED: Final = 1 << 27
"""Of all windows, which are computed some after others: some minutes."""


@final
@dataclass(frozen=True)
class Plan:
    """The chosen engine, why it was chosen, and the box of all answers. bounds: the law is too large, and what is
    computed is that of the part which one person's group adds; window: beside that, the law where the answer usually
    lies; none: it is too large and nothing stands for it: refusal says so."""

    engine: Engine
    why: str
    extent: Extent
    refusal: TooLarge | None = None


def _refused(what: str, size: str, instead: str, extent: Extent) -> Plan:
    return Plan("none", f"too large: {size}", extent, TooLarge(what, size, instead))


def plan(joint: Joint, scores: Scores, extent: Extent, engine: str | None, bounded: bool, spanned: int) -> Plan:
    """The requested engine, or else the best for the size; bounded: whether what one person's group adds is a bound,
    which then stands for laws that are too large; spanned: of how many groups the records of one secret are. Its
    refusal gives the size and an alternative. InputError for an engine that cannot serve the query."""
    outcomes = count_outcomes(joint.factors())
    people = sum(factor.count * factor.size for factor in joint.factors())
    few = scores.additive and extent.points * people <= FEW_TERMS
    # Examples, and most tests.
    if engine is None and few and outcomes > _FEW_OUTCOMES:
        # Estimating the effort would take longer than it could save.
        return Plan("convolution", f"{_size(outcomes)} assignments, but {_size(extent.points)} answers", extent)
    chosen: Engine
    effort = None
    if engine is not None:
        chosen, why, effort = _named(engine, scores), "asked for", _effort_of(joint, scores)
    elif outcomes <= _FEW_OUTCOMES:
        # So few are listed, whatever else would take.
        chosen, why = "enumeration", f"only {outcomes} assignments of the records"
    else:
        effort = _effort_of(joint, scores)
        chosen, why = _choice(joint, scores, extent, outcomes, effort)
    # Only where somebody has asked for it by name.
    if chosen == "enumeration" and (outcomes > _MOST_CELLS or outcomes * people > _MOST_CELLS):
        size = f"{_size(outcomes)} assignments of the records"
        return _refused("enumeration", size, "use the factor engine", extent)
    # Several answers about very many people: a minute at most, since a group's part bounds them in a moment.
    seconds = _MOST_SECONDS_OVER_BOUNDS if bounded and scores.lattice.axes > 1 else _MOST_SECONDS
    size = too_large(joint, extent)
    long = _too_long(effort, scores, seconds) if effort is not None and chosen == "convolution" else ""
    # Where time is short too, more memory alone would not help.
    instead = or_more(_SMALLER, _budget_of(joint, extent)) if size and not long else _SMALLER
    size = size or long
    if size and bounded:
        return Plan("bounds", f"too large: {size}; what each person's own group adds bounds it", extent)
    if size:
        return _refused("the laws of the answer", size, instead, extent)
    # Independent groups of one secret: given more, a sum lies too far from where it usually does for tilted transforms.
    if chosen == "tilting" and engine is None and spanned > 1000:
        size = f"{why}, and everybody's records are the secret: that"
        return _refused("the laws of the answer", size, "ask for a secret of fewer people", extent)
    return Plan(chosen, why, extent)


_SMALLER: Final = "ask fewer answers at once or coarser values, or use calibrate --method group, which needs no law"


def too_large(joint: Joint, extent: Extent) -> str:
    """What of the laws does not fit the memory, whatever the engine; nothing where all does."""
    over_all, over_one = _points(joint, extent)
    if over_all > allowed(MOST_TILTED_POINTS):
        return f"a box of {_size(over_all)} points over all secrets"
    return f"{_size(extent.points)} answers given each value" if over_one > allowed(_MOST_OF_ONE) else ""


def _points(joint: Joint, extent: Extent) -> tuple[int, int]:
    """Of the laws given every value of every record, and given those of one."""
    secrets = [len(subject.secrets) for subject in joint.subjects()]
    return extent.points * sum(secrets), extent.points * max(secrets, default=0)


def _budget_of(joint: Joint, extent: Extent) -> int:
    """The memory, in bytes, with which these points fit."""
    over_all, over_one = _points(joint, extent)
    return max(enough(over_all, MOST_TILTED_POINTS), enough(over_one, _MOST_OF_ONE))


def _too_long(effort: Effort, scores: Scores, most_seconds: float) -> str:
    """What of the convolution takes too long, or too much memory."""
    if effort.seconds > most_seconds:
        return f"some {_span(effort.seconds)} of convolution"
    over = not scores.additive and effort.largest > _MOST_CELLS
    return f"a table of {_size(effort.largest)} ranks and sums" if over else ""


def windowed(joint: Joint, scores: Scores, extent: Extent, engine: str | None) -> Plan | None:
    """The plan of a single sum's law on a window, where that is asked for or the range is wide; None elsewhere, and
    where the window itself would be too long."""
    one_sum = scores.additive and scores.lattice.axes == 1
    if engine == "window" and not one_sum:
        raise InputError("engine", engine, "a single answer that is a sum")
    # Answers from which a single sum's law is computed on a window only: below it all of it takes a second at most.
    # From some ten thousand people on.
    if engine not in (None, "window") or not one_sum or (engine is None and extent.points < 1 << 14):
        return None
    points = window_length(joint, scores, extent) * sum(len(subject.secrets) for subject in joint.subjects())
    if engine == "window":
        if points > _MOST_WINDOWED:
            size = f"a window of {_size(points)} points over all secrets"
            return _refused("the laws of the answer", size, _SMALLER, extent)
        return Plan("window", "asked for", extent)
    if points > _MOST_WINDOWED:
        return None
    return Plan("window", f"{_size(extent.points)} answers: averages from a window of them", extent)


def window_length(joint: Joint, scores: Scores, extent: Extent) -> float:
    """How many answers a single sum's window has, about."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    return min(2 * sqrt(2 * TILT_DEPTH) * deviation + TILT_DEPTH, extent.points)


def _choice(joint: Joint, scores: Scores, extent: Extent, outcomes: int, effort: Effort) -> tuple[Engine, str]:
    """Convolution where it takes a moment, or no more than twice as long as tilting, which leaves tails unresolved."""
    one_sum = scores.lattice.axes == 1 and scores.additive
    tilting = _tilting_seconds(joint, scores, extent, effort.calls) if one_sum and effort.seconds > 0.2 else inf
    # A law by tilting has unresolved tails, which widen what suprema are known to.
    if effort.seconds <= max(0.2, 2 * tilting):
        taken = f"about {_span(effort.seconds)} group by group"
        return "convolution", f"{_size(outcomes)} assignments, but {taken}"
    longer = f"convolution would take about {_span(effort.seconds)}"
    return "tilting", f"{_size(extent.points)} answers: tilted FFTs cost n log n, {longer}"


def _named(engine: str, scores: Scores) -> Engine:
    """The engine by the name in a spec. InputError for a name there is not, and for one that cannot serve the query."""
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


@final
@dataclass(frozen=True)
class AnswerLaw:
    """What computes the law of the whole answer, of so many points: on a window; and all of it, None where it is too
    long."""

    points: int
    window: Callable[[], Window]
    complete: Callable[[], Law] | None


def windows_of(joint: Joint, scores: Scores, spread: int, people: Collection[int]) -> Iterator[tuple[Subject, Window]]:
    """The windows of the subjects with these numbers; spread: how far, at most, a secret may move the sum, in lattice
    steps."""
    flat = scores.indices[:, 0]

    def given(transform: Transform[Element]) -> Iterator[Sequence[Element]]:
        for subject, elements in joint.mean_product(transform):
            if subject.person in people:
                yield elements

    def evaluate(tilt: float, points: int, frequencies: IntArray) -> Iterator[Sequence[Values]]:
        return given(Evaluations(flat, tilt, points, {}, frequencies))

    # People whose records nobody asks about get no window: each takes a transform.
    ranges = [each for each in joint.mean_product(Extents(scores.indices)) if each[0].person in people]
    sums = TiltedSums(
        lambda tilt: joint.total(Cumulants(flat, tilt)),
        lambda tilt: given(Cumulants(flat, tilt)),
        lambda tilt: given(Moduli(flat, tilt)),
        evaluate,
        sum(factor.count for factor in joint.factors()),
        spread,
    )
    lattices = given(Progressions(flat))
    wanted = [
        WantedWindow(tuple(extents), subject.log_prior, tuple(each))
        for (subject, extents), each in zip(ranges, lattices, strict=True)
    ]
    laws = windows_by_tilting(sums, wanted)
    yield from ((subject, law) for (subject, _), law in zip(ranges, laws, strict=True))
