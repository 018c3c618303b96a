"""Laws within the boxes under which a chain leaks much at outputs far above or below all answers: what bounds must not
fall below. Found by changing one row at a time; which law is found decides nothing but how narrow an enclosure is.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias, final

import numpy as np

from dalenius.bounds import UNIT
from dalenius.laws.imprecise.boxes import Boxes, toward
from dalenius.laws.imprecise.rows import corners
from dalenius.laws.law import Array

WINDOW: Final = 25
"""Records on either side of one whose rows are chosen; beyond, records keep their values as often as they can."""
SWEEPS: Final = 4
GAIN: Final = 1e-9
"""A row is changed for no less: smaller differences may be roundings."""
PARTS: Final = (0.5, 0.1)

Quantity: TypeAlias = Callable[[Array, Array], Array]
"""Of laws of the record (m, k) and log-likelihoods of the output given each value (m, k), up to a constant of each: the
value of each, -inf where it has none."""


@final
@dataclass(frozen=True, eq=False)
class Point:
    """One law's: the record's law (k,), the log-likelihoods of the output (k,) up to a constant, and by how much each
    of these may be off."""

    prior: Array
    logs: Array
    error: float


@final
class Search:
    """Around one record, from 0. tilts (n, k): the logs by which each record's values weigh at the output."""

    def __init__(self, boxes: Boxes, tilts: Array, place: int) -> None:
        self._weights = np.exp(tilts - tilts.max(axis=1, keepdims=True))
        self._start, self._end = max(0, place - WINDOW), min(len(boxes) - 1, place + WINDOW)
        self._place = place - self._start
        self._boxes = boxes
        which = boxes.which[self._start : self._end]
        self._low, self._high = boxes.rows[which, 0], boxes.rows[which, 1]
        self._own = self._weights[self._start : self._end + 1]
        self._mid = toward(boxes.rows[:, 0], boxes.rows[:, 1], np.eye(boxes.size)[None])
        self._before = self._entering()
        self._beyond = self._leaving()
        self._log_own = tilts[place]
        self._error = 8 * (len(boxes) + 4) * (boxes.size + 2) * UNIT
        self._corners: dict[tuple[int, int], Array] = {}

    def best(self, quantity: Quantity) -> tuple[float, Point]:
        """The largest value that was found, and where."""
        found = [self._climbed(*start, quantity) for start in self._starts]
        values = np.array([value for value, _ in found])
        return found[int(np.argmax(values >= values.max() - GAIN))]

    def _entering(self) -> tuple[Array, Array]:
        """The law of the window's first record and the same weighed by all before it, each up to a factor."""
        law = self._boxes.middle_first
        tilted = law.copy()
        for place in range(self._start):
            rows = self._mid[self._boxes.which[place]]
            law, tilted = law @ rows, (tilted * self._weights[place]) @ rows
            tilted = tilted / tilted.sum()
        return law / law.sum(), tilted

    def _leaving(self) -> Array:
        message = np.ones(self._boxes.size)
        for place in range(len(self._boxes) - 2, self._end - 1, -1):
            message = self._mid[self._boxes.which[place]] @ (self._weights[place + 1] * message)
            message = message / message.max()
        return np.asarray(message)

    @cached_property
    def _starts(self) -> list[tuple[Array, Array | None]]:
        """Rows (steps, k, k) that stay where they are, rise, fall, or lie inside their boxes."""
        low, high, k = self._low, self._high, self._boxes.size
        order = np.argsort(self._own, axis=1).argsort(axis=1).astype(np.float64)[1:, None, :]
        chosen = [
            toward(low, high, np.eye(k)[None]),
            toward(low, high, np.broadcast_to(order, low.shape)),
            toward(low, high, np.broadcast_to(-order, low.shape)),
            toward(low, high, -np.eye(k)[None]),
        ]
        first = self._boxes.middle_first if self._start == 0 else None
        return [(rows, first) for rows in chosen]

    def _climbed(self, rows: Array, first: Array | None, quantity: Quantity) -> tuple[float, Point]:
        value = -np.inf
        for _ in range(SWEEPS):
            before = value
            value, rows, first = self._past(rows, first, quantity)
            value, rows = self._future(rows, first, quantity)
            if value <= before + GAIN:
                break
        return self._at(rows, first, quantity)

    def _at(self, rows: Array, first: Array | None, quantity: Quantity) -> tuple[float, Point]:
        law, tilted = self._forward(rows, first)
        message = self._backward(rows)[self._place]
        prior, logs = self._read(law[self._place], tilted[self._place], message)
        return float(quantity(prior[None], logs[None])[0]), Point(prior, logs, self._error)

    def _read(self, law: Array, tilted: Array, message: Array) -> tuple[Array, Array]:
        with np.errstate(divide="ignore", invalid="ignore"):
            logs = np.log(tilted) - np.log(law) + np.log(message) + self._log_own
            prior = law / law.sum(axis=-1, keepdims=True)
        return prior, np.where(law > 0, logs, -np.inf)

    def _forward(self, rows: Array, first: Array | None) -> tuple[Array, Array]:
        law, tilted = self._before if first is None else (first, first)
        laws, tilts = [law], [tilted]
        for step in range(self._place):
            law, tilted = law @ rows[step], (tilted * self._own[step]) @ rows[step]
            laws.append(law)
            tilts.append(tilted)
        return np.array(laws), np.array(tilts)

    def _backward(self, rows: Array) -> Array:
        found = np.empty((len(rows) + 1, self._boxes.size))
        found[-1] = self._beyond
        for step in range(len(rows) - 1, -1, -1):
            found[step] = rows[step] @ (self._own[step + 1] * found[step + 1])
        return found

    def _past(self, rows: Array, first: Array | None, quantity: Quantity) -> tuple[float, Array, Array | None]:
        rows, k = rows.copy(), self._boxes.size
        message = self._backward(rows)[self._place]
        ends = self._unweighed(rows, k)
        law, tilt = self._before if first is None else (first, first)
        value = -np.inf
        if first is not None:
            options = _options(corners(*self._boxes.first), first)
            plain, weighed = ends[0]
            value, chosen = self._choose(options @ plain, options @ weighed, message, quantity, options)
            first = law = tilt = chosen
        for step in range(self._place):
            plain, weighed = ends[step + 1]
            for x in range(k):
                options = _options(self._vertices(step, x), rows[step, x])
                others = np.arange(k) != x
                laws = law[others] @ rows[step][others] + law[x] * options
                heavy = tilt * self._own[step]
                tilts = heavy[others] @ rows[step][others] + heavy[x] * options
                value, rows[step, x] = self._choose(laws @ plain, tilts @ weighed, message, quantity, options)
            law, tilt = law @ rows[step], (tilt * self._own[step]) @ rows[step]
        if value == -np.inf:
            value = self._value(law @ ends[-1][0], tilt @ ends[-1][1], message, quantity)
        return value, rows, first

    def _unweighed(self, rows: Array, k: int) -> list[tuple[Array, Array]]:
        """From a record's law, and its law weighed by what lies before it, to those at the place: by step."""
        found = [(np.eye(k), np.eye(k))]
        for step in range(self._place - 1, -1, -1):
            plain, weighed = found[-1]
            found.append((rows[step] @ plain, self._own[step][:, None] * (rows[step] @ weighed)))
        return found[::-1]

    def _future(self, rows: Array, first: Array | None, quantity: Quantity) -> tuple[float, Array]:
        rows, k = rows.copy(), self._boxes.size
        laws, tilts = self._forward(rows, first)
        law, tilted = laws[self._place], tilts[self._place]
        messages = self._backward(rows)
        through = [np.eye(k)]
        for step in range(self._place, len(rows)):
            through.append(through[-1] @ (rows[step] * self._own[step + 1]))
        value = self._value(law, tilted, messages[self._place], quantity)
        ahead = self._beyond
        for step in range(len(rows) - 1, self._place - 1, -1):
            weighed = self._own[step + 1] * ahead
            current = rows[step] @ weighed
            for x in range(k):
                options = _options(self._vertices(step, x), rows[step, x])
                each = np.repeat(current[None], len(options), axis=0)
                each[:, x] = options @ weighed
                there = each @ through[step - self._place].T
                value, rows[step, x] = self._choose(law[None], tilted[None], there, quantity, options)
                current[x] = rows[step, x] @ weighed
            ahead = current
        return value, rows

    def _value(self, law: Array, tilted: Array, message: Array, quantity: Quantity) -> float:
        prior, logs = self._read(law, tilted, message)
        return float(quantity(prior[None], logs[None])[0])

    def _choose(
        self, laws: Array, tilts: Array, messages: Array, quantity: Quantity, options: Array
    ) -> tuple[float, Array]:
        """The first option, unless another is better by more than roundings."""
        laws, tilts, messages = np.broadcast_arrays(laws, tilts, np.atleast_2d(messages))
        laws, tilts, messages = (_repeated(each, len(options)) for each in (laws, tilts, messages))
        prior, logs = self._read(laws, tilts, messages)
        values = quantity(prior, logs)
        best = int(np.argmax(values >= values.max() - GAIN))
        place = best if values[best] > values[0] + GAIN else 0
        return float(values[place]), options[place]

    def _vertices(self, step: int, x: int) -> Array:
        key = int(self._boxes.which[self._start + step]), x
        if key not in self._corners:
            self._corners[key] = corners(self._low[step, x], self._high[step, x])
        return self._corners[key]


def _options(vertices: Array, current: Array) -> Array:
    """The current row, the vertices, and rows between."""
    between = [(1 - part) * current + part * vertices for part in PARTS]
    return np.concatenate([current[None], vertices, *between])


def _repeated(each: Array, count: int) -> Array:
    return each if len(each) == count else np.repeat(each, count, axis=0)
