"""Which engine computes the laws of an answer, and why: the cheapest, by a dry run of the model's own products.

enumeration   all assignments of the records, where these are at most about a thousand
convolution   group by group, every tail to full relative accuracy: nearly always
tilting       n log n for one long sum, where convolution would take much longer
window        where one sum usually lies, of so many people that all of its range is too long; and, chosen before this
              table is asked (`channel/large`), where outputs lie that leak most, of one sum over a long chain, or over
              a network or a product of which one part has more than 2,000 nodes
recursion     likewise: limits at ±∞ and ranges of messages, of chains and networks for which windows decline
bounds        of what one group adds, where no law of the answer can be had
group         one group alone, whose answers are its own, as are reports in order

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
from dalenius.channel.limits import (
    MOST_ENUMERATED,
    MOST_POINTS_OF_ONE,
    MOST_RANK_CELLS,
    MOST_SECONDS,
    MOST_SECONDS_OVER_BOUNDS,
    MOST_TILTED_GROUPS,
    MOST_TILTED_POINTS,
    MOST_WHOLE_ANSWERS,
    MOST_WINDOWED_POINTS,
)
from dalenius.errors import InputError, TooLarge
from dalenius.joints import Joint, Subject, count_outcomes
from dalenius.joints.factor import MANY
from dalenius.laws.characteristic import Cumulants, Evaluations, Moduli, Values
from dalenius.laws.generating_function_algebra import Element, Extent, Extents, Transform
from dalenius.laws.law import Law, Window
from dalenius.laws.progressions import Progressions
from dalenius.laws.sums import extreme_axes
from dalenius.laws.tilted_window import TILT_DEPTH, TiltedSums, windows_by_tilting
from dalenius.laws.tilting import REACH, STRIDE, WantedWindow
from dalenius.limits import Limit
from dalenius.memory_budget import allowed, enough, or_more
from dalenius.queries import Scores

_CALL: Final = SECONDS_PER_CALL
_WAVE: Final = 2e-8
"""Seconds of one frequency of one tilted transform, on the scale of `Effort`."""


def _effort_of(joint: Joint, scores: Scores) -> Effort:
    """Returns the cost of the positive convolution of every subject's laws."""
    extreme = extreme_axes(scores.combine)
    # Because an extreme axis takes three products for each of its ranks.
    cells = float(np.prod([3.0 * len(np.unique(scores.indices[:, axis])) for axis in extreme]))
    effort = Effort(np.delete(scores.indices, extreme, axis=1), cells)
    for _ in joint.mean_product(effort):
        pass
    return effort


def _tilting_seconds(joint: Joint, scores: Scores, extent: Extent, calls: int) -> float:
    """Returns the seconds of a sweep of tilted transforms, for one sum; calls: array operations for one tilt."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    tilts = 3 + 1.6 * extent.points / (STRIDE * deviation)
    points = 2.5 * REACH * deviation + 64
    laws = sum(len(subject.secrets) for subject in joint.subjects())
    # Because each tilt is found by several cumulants, each as many operations on short arrays.
    return tilts * (calls * (4 * _CALL + _WAVE * points) + laws * (4 * _CALL + 3 * _WAVE * points))


Engine = Literal["enumeration", "convolution", "tilting", "window", "bounds", "group", "none"]
_FEW_OUTCOMES: Final = 1 << 10
FEW_TERMS: Final = 1 << 11
"""Most answers times people for which convolution is chosen without an estimate."""
MOST_WINDOW_POINTS: Final = 1 << 23
"""Most points of windows in memory at once, over all secrets: some 100 MB."""


@final
@dataclass(frozen=True)
class Plan:
    """The chosen engine, the reason, and the box of all answers.

    With `bounds` the law is too large, and only the part that one person's group adds has a law; with `window` the
    law is also known around the usual answers. With `none` it is too large and nothing stands for it. refusal: the
    error where the law itself is wanted, for bounds and none. exceeded: the limit that it is above.
    """

    engine: Engine
    why: str
    extent: Extent
    refusal: TooLarge | None = None
    exceeded: Limit | None = None


def _refused(what: str, size: str, instead: str, extent: Extent, limit: Limit) -> Plan:
    return Plan("none", f"too large: {size}", extent, TooLarge(what, size, instead, limit), limit)


def plan(joint: Joint, scores: Scores, extent: Extent, engine: str | None, bounded: bool, spanned: int) -> Plan:
    """Chooses the requested engine, or else the best for the size. Its refusal gives the size and an alternative.

    Args:
        joint: The law of the records.
        scores: The query's scores.
        extent: The box of all answers.
        engine: The name of the requested engine; None to choose. InputError for one that cannot serve the query.
        bounded: Whether the part of one person's group is a bound, which then stands for laws that are too large.
        spanned: How many groups the records of one secret belong to.
    """
    outcomes = count_outcomes(joint.factors())
    people = sum(factor.count * factor.size for factor in joint.factors())
    few = scores.additive and extent.points * people <= FEW_TERMS
    # The case of examples, and of most tests.
    if engine is None and few and outcomes > _FEW_OUTCOMES:
        # Because estimating the effort would take longer than it could save.
        return Plan("convolution", f"{_listed(joint, outcomes)}, but {_size(extent.points)} answers", extent)
    chosen: Engine
    effort = None
    if engine is not None:
        chosen, why, effort = _named(engine, scores), "asked for", _effort_of(joint, scores)
    elif outcomes <= _FEW_OUTCOMES:
        # Because so few are listed at once, however long another engine takes.
        chosen, why = "enumeration", f"only {outcomes} assignments of the records"
    else:
        effort = _effort_of(joint, scores)
        chosen, why = _choice(joint, scores, extent, outcomes, effort)
    # The case of an engine that somebody has asked for by name.
    if chosen == "enumeration" and not joint.is_listed:
        raise InputError("engine", engine or "", "convolution or tilting: noised reports do not say the records")
    if chosen == "enumeration" and (outcomes > MOST_ENUMERATED or outcomes * people > MOST_ENUMERATED):
        size = f"{_size(outcomes)} assignments of the records"
        return _refused("enumeration", size, "use the factor engine", extent, MOST_ENUMERATED)
    # Because a group's part bounds several answers about very many people in a moment, they get a minute at most.
    seconds = MOST_SECONDS_OVER_BOUNDS if bounded and scores.lattice.axes > 1 else MOST_SECONDS
    large = too_large(joint, extent)
    long = _too_long(effort, scores, seconds) if effort is not None and chosen == "convolution" else None
    # Because more memory alone would not help where time is short too.
    instead = or_more(_SMALLER, _budget_of(joint, extent)) if large and not long else _SMALLER
    exceeded = large or long
    if exceeded and bounded:
        why = f"too large: {exceeded[0]}; what each person's own group adds bounds it"
        refusal = TooLarge("the laws of the answer", exceeded[0], instead, exceeded[1])
        return Plan("bounds", why, extent, refusal, exceeded[1])
    if exceeded:
        return _refused("the laws of the answer", exceeded[0], instead, extent, exceeded[1])
    # Because given a secret of many groups a sum lies too far from its usual place for tilted transforms.
    if chosen == "tilting" and engine is None and spanned > MOST_TILTED_GROUPS:
        size = f"{why}, and everybody's records are the secret: that"
        return _refused("the laws of the answer", size, "ask for a secret of fewer people", extent, MOST_TILTED_GROUPS)
    return Plan(chosen, why, extent)


_SMALLER: Final = "ask fewer answers at once or coarser values, or use calibrate --method group, which needs no law"


def too_large(joint: Joint, extent: Extent) -> tuple[str, Limit] | None:
    """Returns the size of the laws of `joint` that does not fit the memory, in words, and the limit.

    It holds for any engine; `extent` is the box of all answers. None where all fit.
    """
    over_all, over_one = _points(joint, extent)
    if over_all > allowed(MOST_TILTED_POINTS):
        return f"a box of {_size(over_all)} points over all secrets", MOST_TILTED_POINTS
    over = over_one > allowed(MOST_POINTS_OF_ONE)
    return (f"{_size(extent.points)} answers given each value", MOST_POINTS_OF_ONE) if over else None


def _points(joint: Joint, extent: Extent) -> tuple[int, int]:
    """Returns the points of the laws given every value of every record, and of those given one record's values."""
    secrets = [len(subject.secrets) for subject in joint.subjects()]
    return extent.points * sum(secrets), extent.points * max(secrets, default=0)


def _budget_of(joint: Joint, extent: Extent) -> int:
    """Returns the memory, in bytes, with which these points fit."""
    over_all, over_one = _points(joint, extent)
    return max(enough(over_all, MOST_TILTED_POINTS), enough(over_one, MOST_POINTS_OF_ONE))


def _too_long(effort: Effort, scores: Scores, most_seconds: Limit) -> tuple[str, Limit] | None:
    """Returns the part of the convolution that takes too long, or too much memory, in words, and the limit.

    None where none does.
    """
    if effort.seconds > most_seconds:
        return f"some {_span(effort.seconds)} of convolution", most_seconds
    over = not scores.additive and effort.largest > MOST_RANK_CELLS
    return (f"a table of {_size(effort.largest)} ranks and sums", MOST_RANK_CELLS) if over else None


def windowed(joint: Joint, scores: Scores, extent: Extent, engine: str | None) -> Plan | None:
    """Plans a single sum's law on a window, where that is asked for or the range is wide.

    None elsewhere, and where the window itself would be too long.

    Args:
        joint: The law of the records.
        scores: The query's scores.
        extent: The box of all answers.
        engine: The name of the requested engine; None to choose.
    """
    one_sum = scores.additive and scores.lattice.axes == 1
    if engine == "window" and not one_sum:
        raise InputError("engine", engine, "a single answer that is a sum")
    # Because up to some ten thousand people the whole law takes a second at most.
    if engine not in (None, "window") or not one_sum or (engine is None and extent.points < MOST_WHOLE_ANSWERS):
        return None
    points = window_length(joint, scores, extent) * sum(len(subject.secrets) for subject in joint.subjects())
    if engine == "window":
        if points > MOST_WINDOWED_POINTS:
            size = f"a window of {_size(points)} points over all secrets"
            return _refused("the laws of the answer", size, _SMALLER, extent, MOST_WINDOWED_POINTS)
        return Plan("window", "asked for", extent)
    if points > MOST_WINDOWED_POINTS:
        return None
    return Plan("window", f"{_size(extent.points)} answers: averages from a window of them", extent)


def window_length(joint: Joint, scores: Scores, extent: Extent) -> float:
    """Estimates how many answers a single sum's window has, for the law `joint`, its `scores` and the box `extent`."""
    deviation = sqrt(max(joint.total(Cumulants(scores.indices[:, 0], 0.0)).variance, 1.0))
    return min(2 * sqrt(2 * TILT_DEPTH) * deviation + TILT_DEPTH, extent.points)


def _choice(joint: Joint, scores: Scores, extent: Extent, outcomes: int, effort: Effort) -> tuple[Engine, str]:
    """Chooses convolution where it takes a moment, or at most twice as long as tilting.

    Tilting leaves tails unresolved.
    """
    one_sum = scores.lattice.axes == 1 and scores.additive
    tilting = _tilting_seconds(joint, scores, extent, effort.calls) if one_sum and effort.seconds > 0.2 else inf
    # Because a law by tilting has unresolved tails, which widen the enclosures of suprema.
    if effort.seconds <= max(0.2, 2 * tilting):
        taken = f"about {_span(effort.seconds)} group by group"
        return "convolution", f"{_listed(joint, outcomes)}, but {taken}"
    longer = f"convolution would take about {_span(effort.seconds)}"
    return "tilting", f"{_size(extent.points)} answers: tilted FFTs cost n log n, {longer}"


def _named(engine: str, scores: Scores) -> Engine:
    """Returns the engine of a name in a spec. InputError for an unknown name, and for an unsuitable engine."""
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


def _listed(joint: Joint, outcomes: int) -> str:
    """Returns how many assignments there are, in words."""
    return f"{_size(outcomes)} assignments" if joint.is_listed else "reports noised one by one"


def _size(number: float) -> str:
    """Writes a number; assignments are counted up to MANY."""
    if number >= MANY:
        return f"more than {Decimal(MANY):.2g}"
    return f"{number:,}" if isinstance(number, int) and number < 10**6 else f"{Decimal(number):.2g}"


def _span(seconds: float) -> str:
    return f"{seconds:.2g} s" if seconds < 1000 else f"{seconds / 3600:.2g} h"


@final
@dataclass(frozen=True)
class AnswerLaw:
    """The ways to compute the law of the whole answer.

    Args:
        points: How many points it has.
        window: Computes it on a window.
        complete: Computes all of it; None where it is too long.
    """

    points: int
    window: Callable[[], Window]
    complete: Callable[[], Law] | None


def windows_of(joint: Joint, scores: Scores, spread: int, people: Collection[int]) -> Iterator[tuple[Subject, Window]]:
    """Yields the windows of the subjects whose numbers are in `people`.

    Args:
        joint: The law of the records.
        scores: The scores of a single sum.
        spread: How far, at most, a secret may move the sum, in lattice steps.
        people: The numbers of the first of each class.
    """
    flat = scores.indices[:, 0]

    def given(transform: Transform[Element]) -> Iterator[Sequence[Element]]:
        for subject, elements in joint.mean_product(transform):
            if subject.person in people:
                yield elements

    def evaluate(tilt: float, points: int, frequencies: IntArray) -> Iterator[Sequence[Values]]:
        return given(Evaluations(flat, tilt, points, {}, frequencies))

    # Because each window takes a transform, people whose records nobody asks about get none.
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
