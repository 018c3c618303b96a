"""Any published mechanism: an explicit stochastic matrix from exact answers to outputs."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum, inf, log, nan
from typing import TYPE_CHECKING, Annotated, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.bounds import UNIT, ZERO, Enclosure
from dalenius.drawing import given_axes
from dalenius.errors import InputError, TooLarge
from dalenius.laws.integrals.one_sided_tails import Sides, of_points, sides
from dalenius.laws.lattice import LARGEST_INDEX, Lattice, Sums, index_of
from dalenius.laws.law import Array, IntArray, Law
from dalenius.laws.neighbouring_data import Neighbours, pushed, ratio_between, settled_after, widest_ratio
from dalenius.noise.answer_intervals import accepted, answers_listed, largest_chance, missed, rounded_outward
from dalenius.noise.finite import FiniteNoise
from dalenius.noise.output import (
    CELLS,
    Answer,
    at_index,
    cannot_occur,
    draw_matrix,
    is_possible,
    number_of,
    output_in_words,
)
from dalenius.noise.sampling import drawn_place
from dalenius.noise.scaled import of_logs, of_pairs
from dalenius.schema import Finite, Probabilities, RecordValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SUMS = 4 * 2.0**-53
"""Rows sum to 1 to 2^-52, and what is drawn is the row over its sum."""


@final
class Kernel(FiniteNoise):
    """A table of its own: Pr[output | answer], a row per answer; every coordinate goes through it independently.

    answers: the exact answers it takes, in the query's unit; outputs: names or numbers of the columns, by default 0, 1,
    ..; probabilities: (answers, outputs). No scale. A zero and a non-zero in one column give an infinite log-ratio.

    Randomised response, which tells the truth three times of four, leaks ln 3 nats:

    >>> honest = Kernel(answers=(0, 1), probabilities=((0.75, 0.25), (0.25, 0.75)))
    >>> round(honest.privacy_loss([Fraction(1)]), 6)
    1.098612
    """

    kind: Literal["kernel"] = "kernel"
    answers: Annotated[tuple[Finite, ...], Field(min_length=1)]
    outputs: tuple[RecordValue, ...] | None = None
    probabilities: tuple[Probabilities, ...]

    @model_validator(mode="after")
    def _check(self) -> "Kernel":
        # Somebody who took a kernel for a shape that is scaled.
        if self.scale is not None:
            raise ValueError("no scale beside kind = kernel")
        if len(set(self.answers)) < len(self.answers):
            raise ValueError("distinct answers")
        if len(self.probabilities) != len(self.answers):
            counts = f"there are {len(self.probabilities)} and {len(self.answers)}"
            raise ValueError(f"as many rows of probabilities as answers ({counts})")
        columns = len(self.probabilities[0])
        for number, row in enumerate(self.probabilities, 1):
            if len(row) != columns:
                raise ValueError(f"rows of one length (row {number} has {len(row)} probabilities, row 1 has {columns})")
        if self.outputs is not None and (len(self.outputs) != columns or len(set(self.outputs)) < columns):
            raise ValueError(f"{columns} distinct outputs, one per column of probabilities")
        return self

    @cached_property
    def _matrix(self) -> Array:
        return np.array(self.probabilities)

    @cached_property
    def _deepest(self) -> float:
        return -log(float(np.min(self._matrix, where=self._matrix > 0, initial=1.0)))

    @cached_property
    def _exact(self) -> tuple[Fraction, ...]:
        """The answers as the decimals they are written as."""
        return tuple(Fraction(str(answer)) for answer in self.answers)

    @property
    def _names(self) -> tuple[RecordValue, ...]:
        return self.outputs if self.outputs is not None else tuple(range(self._matrix.shape[1]))

    @cached_property
    def _numbers(self) -> Array | None:
        """The outputs; None where one is a word."""
        words = any(isinstance(name, str) for name in self._names)
        return None if words else np.array(self._names, dtype=np.float64)

    @property
    def _in_order(self) -> list[int]:
        """The columns, in the order of their outputs where all are numbers."""
        columns = list(range(len(self._names)))
        return (
            columns if self._numbers is None else sorted(columns, key=lambda column: Fraction(str(self._names[column])))
        )

    def likelihood(self, law: Law, lattice: Lattice) -> Law:
        matrices = []
        for axis, length in enumerate(law.box):
            # Points of the box between two answers, such as 2 of a sum of fives, have no row and no mass.
            rows = self._rows(range(law.start[axis], law.start[axis] + length), lattice.steps[axis])
            self._check_rows(law, lattice, axis, rows)
            matrices.append(np.where((rows >= 0)[:, None], self._matrix[rows], 0.0))
        found = pushed(law, matrices)
        return Law(found.start, found.base, found.relative, found.error + _SUMS * len(matrices))

    def at(self, likelihood: Law, lattice: Lattice, output: Sequence[Answer]) -> Law:
        there = at_index(likelihood, self._columns(output))
        if is_possible(there):
            return there
        raise self._cannot_occur(likelihood, output)

    def sides(
        self, likelihood: Law, lattice: Lattice, output: Sequence[Answer], log_prior: Array
    ) -> tuple[Sides | None, ...]:
        # Outputs such as "low" and "high" have no sides.
        names = self._numbers
        if names is None:
            return (None,) * len(output)
        return sides(likelihood, log_prior, [of_points(names, names[column]) for column in self._columns(output)])

    def output(self, index: Sequence[int], lattice: Lattice) -> tuple[RecordValue, ...]:
        return tuple(self._names[column] for column in index)

    def index(self, output: Sequence[RecordValue], lattice: Lattice) -> tuple[float, ...]:
        return tuple(float(self._names.index(name)) for name in output)

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Over all pairs of rows whose answers are within these distances."""
        found = (widest_ratio(self._exact, self._matrix, distance) for distance in distances if distance)
        return fsum(of_logs(loss, self._deepest).upper for loss in found) if np.ptp(self._matrix, axis=0).any() else 0.0

    def neighbour_loss(self, neighbours: Neighbours, lattice: Lattice) -> Enclosure:
        """Over the answers that have rows."""
        return of_pairs(neighbours, lattice, self._pair_loss, self.privacy_loss(neighbours.reach))

    def alike_beyond(self, step: Fraction, extent: tuple[int, int]) -> tuple[int, int] | None:
        """The answers from which outwards no row has twice as much of any output as one before it. None where a lattice
        point between the ends has no row, which may be right where it cannot be the answer."""
        ends = self._rows(extent, step)
        if (ends < 0).any():
            raise self._no_row(float(extent[int(np.argmax(ends < 0))] * step))
        indices, rows = self._by_index(step)
        first, last = np.searchsorted(indices, extent)
        # A kernel of even answers only.
        if last - first != extent[1] - extent[0]:
            return None
        matrix = self._matrix[rows[first : last + 1]]
        return int(indices[last]) - settled_after(matrix[::-1]), int(indices[first]) + settled_after(matrix)

    def leaves_exact(self, answers: Sums | None, step: Fraction) -> bool:
        """A row with a single output, of an answer that can occur, unless all rows have that one."""
        matrix = self._matrix
        if answers is not None:
            indices = [index_of(answer, step) for answer in self.answers]
            matrix = matrix[[index is not None and index in answers for index in indices]]
        sure = np.count_nonzero(matrix, axis=1) == 1
        return bool(sure.any() and not (sure.all() and len(np.unique(np.argmax(matrix, axis=1))) == 1))

    def mean_moves(self, indices: IntArray, step: Fraction) -> Array:
        if self._numbers is None:
            return np.full(len(indices), nan)
        rows = self._rows(indices.tolist(), step)
        if (rows < 0).any():
            raise self._no_row(float(int(indices[np.argmax(rows < 0)]) * step))
        distances = np.abs(self._numbers / float(step) - indices[:, None])
        return np.asarray(np.sum(self._matrix[rows] * distances, axis=1))

    def interval(self, output: Fraction | str, confidence: float, step: Fraction) -> Enclosure | None:
        """From the least to the greatest of the answers that a test leaves; words are in the order of their columns."""
        rest = missed(confidence)
        columns = self._in_order
        place = next((i for i, column in enumerate(columns) if _same(self._names[column], output)), None)
        rows = [
            (index, row) for row, answer in enumerate(self.answers) if (index := index_of(answer, step)) is not None
        ]
        # An output that is none of its columns, or answers off this lattice.
        if place is None or not rows:
            return None
        own = self._matrix[[row for _, row in rows]][:, columns]
        at_most, at_least = np.sum(own[:, : place + 1], axis=1), np.sum(own[:, place:], axis=1)
        left = [rows[i][0] for i in accepted(at_most, at_least, rest, (len(columns) + 8) * UNIT)]
        return rounded_outward(min(left) * step, max(left) * step)

    def beyond(self, distance: Fraction, step: Fraction, answers: Sums | None) -> Enclosure | None:
        if self._numbers is None:
            return None
        known = answers_listed(answers)
        places = self._exact if known is None else [int(each) * step for each in known]
        rows = np.arange(len(self.answers)) if known is None else self._rows(known.tolist(), step)
        # A possible answer without a row: the kernel is not for this query.
        if (rows < 0).any():
            raise self._no_row(float(places[int(np.argmax(rows < 0))]))
        outputs = [Fraction(str(name)) for name in self._names]
        far = np.array([[abs(output - place) >= distance for output in outputs] for place in places])
        return largest_chance(np.sum(self._matrix[rows], axis=1, where=far), (len(outputs) + 8) * UNIT)

    @property
    def outcome(self) -> str:
        return "output of the kernel"

    @property
    def words(self) -> str:
        return f"kernel of {len(self.answers):,} answers (--json has its rows)"

    def expected_error(self, lattice: Lattice) -> float:
        """The worst over the answers; nan where an output is a word."""
        if self._numbers is None:
            return nan
        distances = np.abs(self._numbers - np.array(self.answers)[:, None])
        return float(np.max(np.sum(self._matrix * distances, axis=1)))

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Pr[output | answer], outputs that are numbers in their order. TooLarge for a matrix of too many rows or
        columns."""
        order = self._in_order
        # A matrix that a printer shows as grey.
        if max(self._matrix.shape) > CELLS:
            size = " x ".join(map(str, self._matrix.shape))
            raise TooLarge("a picture of the kernel", f"{size} probabilities", f"at most {CELLS} either way")
        axes, rows = given_axes(ax), np.argsort(self.answers)
        answers = [self.answers[row] for row in rows]
        outputs = [self._names[column] for column in order]
        draw_matrix(axes, self._matrix[rows][:, order], answers, outputs, self.words)
        return axes

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Exact: every probability is a multiple of a power of 1/2, so that a whole number picks the column."""
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            row = int(self._rows([index], step)[0])
            if row < 0:
                raise self._no_row(float(index * step))
            name = self._names[drawn_place(list(map(Fraction, self.probabilities[row])))]
            drawn.append(name if isinstance(name, str) else Fraction(str(name)))
        return tuple(drawn)

    def simulated(
        self, answer: Sequence[int], lattice: Lattice, generator: np.random.Generator
    ) -> tuple[float | str, ...]:
        steps = zip(answer, lattice.steps, strict=True)
        rows = [self._matrix[self._rows([index], step)[0]] for index, step in steps]
        return tuple(self._names[int(generator.choice(len(row), p=row / row.sum()))] for row in rows)

    def _columns(self, output: Sequence[Answer]) -> list[int]:
        """The column of each coordinate: of that word, or that number. InputError where there is none."""
        found = []
        for each in output:
            same = [column for column, name in enumerate(self._names) if name == each and isinstance(name, str)]
            if not same and all(isinstance(name, str) for name in self._names):
                raise InputError("answers", str(each), f"one of {_some(self._names)}")
            if not same:
                number = number_of(each)
                places = [
                    (abs(Fraction(str(n)) - number), i) for i, n in enumerate(self._names) if not isinstance(n, str)
                ]
                distance, column = min(places)
                if distance > 0 and float(number) != float(self._names[column]):
                    raise cannot_occur([each], [self._names[column]])
                same = [column]
            found.append(same[0])
        return found

    def _cannot_occur(self, law: Law, output: Sequence[Answer]) -> InputError:
        possible = np.argwhere(np.max(law.relative, axis=0) > -inf)
        outputs = [tuple(self._names[column] for column in row) for row in possible]
        if self._numbers is None:
            return InputError(
                "answers",
                output_in_words(output),
                f"one that can occur: {_some([output_in_words(o) for o in outputs])}",
            )
        here = [float(self._names[column]) for column in self._columns(output)]
        distances = [sum(abs(float(a) - b) for a, b in zip(each, here, strict=True)) for each in outputs]
        return cannot_occur(output, outputs[int(np.argmin(distances))])

    def _pair_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        rows = self._rows(pairs.ravel().tolist(), step).reshape(-1, 2)
        rows = np.unique(rows[(rows >= 0).all(axis=1)], axis=0)
        # 10^5 pairs of rows with 10^4 columns: a gigabyte of ratios. The bound over any answers remains.
        if len(rows) * self._matrix.shape[1] > 2**27:
            return Enclosure(0.0, inf)
        loss = ratio_between(self._matrix, rows)
        return ZERO if loss is None else of_logs(loss, self._deepest)

    def _rows(self, indices: Sequence[int] | IntArray, step: Fraction) -> IntArray:
        """The row of each lattice index, -1 where there is none."""
        known, rows = self._by_index(step)
        asked = np.array(indices, dtype=np.int64)
        if not len(known):
            return np.full(len(asked), -1)
        places = np.minimum(np.searchsorted(known, asked), len(known) - 1)
        return np.where(known[places] == asked, rows[places], -1)

    def _by_index(self, step: Fraction) -> tuple[IntArray, IntArray]:
        """The lattice indices that have rows, in order, and their rows."""
        if step not in self._indexed:
            # Whole answers, the usual case, without a fraction for each of 10^5 rows.
            exact = np.array(self.answers) / step.numerator if step.denominator == 1 else np.array([np.nan])
            if np.all(exact == np.rint(exact)) and np.all(np.abs(exact) < LARGEST_INDEX):
                found, rows = exact.astype(np.int64), np.arange(len(exact))
            else:
                each = [(index_of(answer, step), row) for row, answer in enumerate(self.answers)]
                found, rows = np.array([pair for pair in each if pair[0] is not None], dtype=np.int64).reshape(-1, 2).T
            order = np.argsort(found, kind="stable")
            self._indexed[step] = found[order], rows[order]
        return self._indexed[step]

    @cached_property
    def _indexed(self) -> dict[Fraction, tuple[IntArray, IntArray]]:
        """By the lattice's step, see `_by_index`."""
        return {}

    def _check_rows(self, law: Law, lattice: Lattice, axis: int, rows: IntArray) -> None:
        """InputError unless every answer that can occur has a row."""
        likeliest = np.max(law.relative, axis=0) if law.floor is None else np.max([*law.relative, law.floor], axis=0)
        others = tuple(other for other in range(len(law.box)) if other != axis)
        missing = np.flatnonzero((np.max(likeliest, axis=others) > -inf) & (rows < 0))
        if len(missing):
            raise self._no_row(float((law.start[axis] + int(missing[0])) * lattice.steps[axis]))

    def _no_row(self, answer: float) -> InputError:
        wanted = f"a row for every answer that can occur ({answer:g} has none)"
        return InputError("noise.answers", list(self.answers), wanted)


def _same(name: RecordValue, output: Fraction | str) -> bool:
    return name == output if isinstance(name, str) else not isinstance(output, str) and Fraction(str(name)) == output


def _some(names: Sequence[RecordValue]) -> str:
    listed = ", ".join(map(str, names[:20]))
    return listed if len(names) <= 20 else f"{listed}, .."
