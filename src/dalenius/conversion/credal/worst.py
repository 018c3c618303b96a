"""The most that any law of a box lets leak, enclosed by branch and bound on its faces (Results 21.25 and 21.26)."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, inf
from typing import Final, final

import numpy as np

from dalenius.bounds import Enclosure
from dalenius.conversion.credal.asked import Asked
from dalenius.conversion.credal.cells import Cell
from dalenius.conversion.credal.faces import faces_at_most, simplices
from dalenius.conversion.credal.measures import Measure
from dalenius.conversion.credal.rays import rays
from dalenius.conversion.credal.rough import anyhow, rough, tried
from dalenius.laws.credal.quotients import Quotients
from dalenius.laws.credal.supremum import supremum
from dalenius.laws.law import Array

MOST_FACES: Final = 100
"""Simplices that are looked at, of all questions; beyond, all laws are bounded at once."""
MOST_CELLS: Final = 200
MOST_KEPT: Final = 200
CLOSE: Final = 1e-4
"""How far the ends may be apart, relatively."""
LEAST: Final = 1e-9
WIDEST: Final = 1e3
AT_ONCE: Final = 512
"""Rays whose ratios are bounded together."""
OFF: Final = 1e-12


@final
@dataclass(frozen=True, eq=False)
class Worst:
    """The value; and the question, with a law that attains the lower end."""

    value: Enclosure
    asked: Asked
    law: Array


def pure_worst(asked: Asked, nats: float) -> Worst | None:
    """The largest ε′ at δ′ = 0 where changing a record is worth so many nats; None where a test can flag in too many
    ways."""
    ways = rays(asked.apart)
    if ways is None or nats * (asked.size + 1) > 600:
        return None
    flags = np.exp(nats * (ways - ways.max(axis=1, keepdims=True)))
    best = None
    for first in range(0, len(flags), AT_ONCE):
        part = flags[first : first + AT_ONCE]
        found = supremum(asked.box, _quotients(asked, part, exp(nats)))
        ends = max(found.lower, 0.0) * (1 - OFF), max(found.upper, 0.0) * (1 + OFF)
        value = Enclosure(min(ends), max(ends))
        if best is None:
            best = Worst(value, asked, found.law)
            continue
        law = found.law if value.lower > best.value.lower else best.law
        joined = Enclosure(max(value.lower, best.value.lower), max(value.upper, best.value.upper))
        best = Worst(joined, asked, law)
    return best


def _quotients(asked: Asked, flags: Array, fold: float) -> Quotients:
    """Of tests that flag in proportion to `flags` (tests, n), and fold times as often where the record has the
    secret."""
    shape = (len(flags), len(asked.box))
    own = np.broadcast_to(asked.own, shape)
    gain, cost = fold * (flags @ asked.gain), flags @ asked.cost
    if asked.against is None:
        return Quotients(gain, own, np.broadcast_to(asked.own + asked.other, shape), gain + cost)
    return Quotients(gain, own, np.broadcast_to(asked.other, shape), cost)


def worst_of(asked: Sequence[Asked], measure: Measure, close: float = CLOSE) -> Worst:
    """Over all questions, by branch and bound, to `close`, relatively, where that is not too much effort. Where a
    box has too many faces, what bounds all laws at once."""
    cells = _cells(asked)
    if cells is None:
        return _roughly(asked, measure)
    return _Search(measure, cells, close).found(asked[0])


def _cells(asked: Sequence[Asked]) -> list[Cell] | None:
    """All faces, cut into simplices; None where they are too many."""
    found: list[Cell] = []
    for each in asked:
        if faces_at_most(each.box, each.dimension) > 4 * MOST_FACES:
            return None
        cells = (Cell(each, laws) for laws in simplices(each.box, each.dimension))
        found += [cell for cell in cells if not cell.is_empty]
        if len(found) > MOST_FACES:
            return None
    return found


def _roughly(asked: Sequence[Asked], measure: Measure) -> Worst:
    """Between some laws and what bounds all."""
    search = _Search(measure, [], 0.0)
    upper = 0.0
    for each in asked:
        upper = max(upper, min(measure.of(bound, upper).upper for bound in (rough(each), anyhow(each))))
        for law in tried(each):
            search.look(each, law)
    best = search.found(asked[0])
    return Worst(Enclosure(min(best.value.lower, upper), upper), best.asked, best.law)


def keeps(asked: Sequence[Asked], measure: Measure, most: float) -> bool:
    """Whether no law leaks more, for certain."""
    cells = _cells(asked)
    if cells is None:
        bounds = ((rough(each), anyhow(each)) for each in asked)
        return all(any(measure.is_within(each, most) for each in pair) for pair in bounds)
    return _Search(measure, cells, CLOSE).keeps(most)


@final
class _Search:
    def __init__(self, measure: Measure, cells: Sequence[Cell], close: float) -> None:
        self._measure, self._cells, self._close = measure, list(cells), close
        self._lower, self._upper = 0.0, 0.0
        self._at: tuple[Asked, Array] | None = None
        self._looked = set[tuple[int, bytes]]()

    def found(self, default: Asked) -> Worst:
        """Both ends."""
        for cell in self._cells:
            for law in cell.laws:
                self.look(cell.asked, law)
        alone = all(len(cell.laws) == 1 for cell in self._cells)
        upper = self._upper if alone else self._settled()
        asked, law = self._at or (default, default.box.point)
        return Worst(Enclosure(min(self._lower, upper), upper), asked, law)

    def keeps(self, most: float) -> bool:
        """Whether all are at most that."""
        for cell in self._cells:
            for law in cell.laws:
                each = cell.asked.at(law)
                if each is not None and not self._measure.is_within(each, most):
                    return False
        waiting, left = list(self._cells), MOST_KEPT
        while waiting:
            cell = waiting.pop()
            left -= 1
            if all(self._measure.is_within(each, most) for each in cell.around()):
                continue
            middle, *halves = cell.halves()
            each = cell.asked.at(middle)
            if left <= 0 or (each is not None and not self._measure.is_within(each, most)):
                return False
            waiting += halves
        return True

    def look(self, asked: Asked, law: Array) -> None:
        """What leaks under one law."""
        key = id(asked), law.tobytes()
        each = None if key in self._looked else asked.at(law)
        self._looked.add(key)
        if each is None:
            return
        value = self._measure.of(each, self._lower)
        self._upper = max(self._upper, value.upper)
        if self._at is None or value.lower > self._lower:
            self._lower, self._at = max(value.lower, self._lower), (asked, law)

    def _settled(self) -> float:
        """An upper end that is proved, near the largest that was found."""
        wider = self._close
        while wider < WIDEST:
            if self._settles(wider):
                return self._most(wider)
            wider *= 8
        return inf

    def _most(self, wider: float) -> float:
        return self._upper * (1 + wider) + LEAST * wider / CLOSE

    def _settles(self, wider: float) -> bool:
        """Whether no law leaks more than is found, and so much more."""
        waiting, left = list(self._cells), MOST_CELLS
        while waiting:
            cell = waiting.pop()
            left -= 1
            if all(self._measure.is_within(each, self._most(wider)) for each in cell.around()):
                continue
            if left <= 0:
                return False
            if len(cell.laws) > 1:
                middle, *halves = cell.halves()
                self.look(cell.asked, middle)
                waiting += halves
                continue
            return False
        return True
