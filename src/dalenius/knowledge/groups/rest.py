"""The law of an additive answer over independent groups of records, given as tables and how many groups have each."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import prod
from typing import Final, TypeVar, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.channel.finite.effort import Effort
from dalenius.errors import TooLarge
from dalenius.laws.integrals.profile import FAINT
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.transform import Transform
from dalenius.laws.transforms.characteristic import ComplexArray, Cumulant, Cumulants, Evaluations, Values
from dalenius.laws.transforms.coefficients import Coefficients, law_of
from dalenius.laws.transforms.ranges import Extents
from dalenius.laws.transforms.tilting import Wanted, laws_by_tilting

Element = TypeVar("Element")

QUICK: Final = 0.3
"""Up to this many seconds a convolution is preferred to a sweep of tilted transforms."""
SLOW: Final = 100.0
MOST_POINTS: Final = 1 << 23
MOST_CELLS: Final = 1 << 25


@final
@dataclass(frozen=True)
class Source:
    """One type of group: log_weights (rows,), and in each row how many records take each slot, counts (rows, slots);
    slots: their numbers among the query's scores."""

    log_weights: Array
    slots: IntArray
    counts: IntArray

    def totals(self, indices: IntArray) -> IntArray:
        """Each row's contribution to the answer, in lattice steps (rows, axes)."""
        return np.asarray(self.counts @ indices[self.slots])


@final
@dataclass(frozen=True)
class Rest:
    """log Pr[sum = start + v] on a box; -inf where it underflows. error: of every log; missing: the mass left out."""

    start: tuple[int, ...]
    logs: Array
    error: float
    missing: float


def rest_of(sources: Sequence[Source], powers: Sequence[int], indices: IntArray) -> Rest:
    """The sum of all their groups; powers: how many groups each source has. TooLarge where its law is too large."""
    used = [(source, power) for source, power in zip(sources, powers, strict=True) if power > 0]
    groups, powers = [source for source, _ in used], [power for _, power in used]
    return _windowed(_law(groups, powers, indices))


def _law(groups: Sequence[Source], powers: Sequence[int], indices: IntArray) -> Law:
    extents, effort = Extents(indices), Effort(indices)
    extent = _product(extents, groups, powers)
    if extent.points > MOST_POINTS:
        raise TooLarge("what the others add to the answer", f"a box of {extent.points:.2g} points", "ask fewer at once")
    _product(effort, groups, powers)
    if indices.shape[1] > 1 or effort.seconds <= QUICK:
        if effort.seconds > SLOW:
            raise TooLarge("what the others add to the answer", f"{effort.seconds:.2g} s", "ask fewer at once")
        return law_of([_product(Coefficients(indices), groups, powers)])
    flat = indices[:, 0]
    circle: dict[tuple[int, int], ComplexArray] = {}

    def cumulant_at(tilt: float) -> Cumulant:
        return _product(Cumulants(flat, tilt), groups, powers)

    def evaluate(tilt: float, points: int) -> Iterator[Sequence[Values]]:
        yield [_product(Evaluations(flat, tilt, points, circle), groups, powers)]

    widest = max(int(np.ptp(group.totals(indices))) for group in groups)
    return laws_by_tilting(cumulant_at, evaluate, [Wanted((extent,), np.zeros(1))], widest)[0]


def _product(transform: Transform[Element], groups: Sequence[Source], powers: Sequence[int]) -> Element:
    elements = [transform.mean(group.log_weights, group.slots, group.counts) for group in groups]
    return transform.product(elements, powers)


def _windowed(law: Law) -> Rest:
    logs = law.base + law.relative[0]
    missing = 0.0
    if law.floor is not None:
        open_ = law.floor > -np.inf
        missing += float(np.sum(np.exp(law.base[open_] + law.floor[open_]) + np.exp(logs[open_])))
        logs = np.where(open_, -np.inf, logs)
    faint = (logs > -np.inf) & (logs <= FAINT)
    missing += float(np.count_nonzero(faint)) * float(np.exp(FAINT))
    logs = np.where(faint, -np.inf, logs)
    places = np.argwhere(logs > -np.inf)
    low, high = places.min(axis=0), places.max(axis=0)
    inside = logs[tuple(slice(a, b + 1) for a, b in zip(low, high, strict=True))]
    deepest = float(np.max(np.abs(inside), where=inside > -np.inf, initial=0.0))
    # The common part of the logs, kept separate until here, is rounded to their size.
    error = law.error + (8 + 4 * deepest) * UNIT
    return Rest(tuple(int(a) + s for a, s in zip(low, law.start, strict=True)), inside, error, missing)


def beside(rest: Rest, own: IntArray, log_given: Array) -> Law:
    """The law of the rest plus one more, independent group, given each secret of it; TooLarge where it is too large.

    own (rows, axes): the rows' contributions to the answer; log_given (secrets, rows): their log-probabilities."""
    totals, place = np.unique(own, axis=0, return_inverse=True)
    low, high = totals.min(axis=0), totals.max(axis=0)
    box = tuple(int(n + b - a) for n, a, b in zip(rest.logs.shape, low, high, strict=True))
    if (cells := len(log_given) * prod(box)) > MOST_CELLS:
        raise TooLarge("the laws of the answer", f"{cells:,} numbers", "ask for coarser values")
    logs = np.full((len(log_given), *box), -np.inf)
    for given, total in zip(log_given, logs, strict=True):
        for number, offset in enumerate(totals - low):
            weights = given[place.ravel() == number]
            weight = float(np.logaddexp.reduce(weights))
            if weight > -np.inf:
                here = tuple(slice(int(o), int(o) + n) for o, n in zip(offset, rest.logs.shape, strict=True))
                total[here] = np.logaddexp(total[here], rest.logs + weight)
    deepest = float(np.max(np.abs(logs), where=logs > -np.inf, initial=0.0))
    error = rest.error + (4 * len(totals) + 16 + 8 * deepest) * UNIT
    base = np.max(logs, axis=0)
    base = np.where(base > -np.inf, base, 0.0)
    start = tuple(int(a) + s for a, s in zip(low, rest.start, strict=True))
    return Law(start, base, logs - base, error)
