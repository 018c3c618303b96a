"""Any published mechanism: an explicit stochastic matrix from exact answers to outputs."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import fsum, inf, nan
from typing import Annotated, Final, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.arrays import Array, IntArray
from dalenius.bounds import UNIT, ZERO, Enclosure
from dalenius.errors import InputError
from dalenius.fields import Finite, Probabilities, RecordValue
from dalenius.laws.integrals.cumulative_probability import Sides, of_points, sides
from dalenius.laws.lattice import Lattice, index_of
from dalenius.laws.law import Law
from dalenius.laws.matrix_ratios import pushed, ratio_between, settled_after, widest_ratio
from dalenius.laws.neighbours import Neighbours
from dalenius.laws.sums import Sums
from dalenius.memory_budget import allowed
from dalenius.noise.error_law import ErrorLaw, accepted, answers_listed, largest_chance, missed, rounded_outward
from dalenius.noise.finite_mechanism_base import FiniteMechanism
from dalenius.noise.limits import MOST_RATIOS
from dalenius.noise.losses_between_neighbours import of_logs, of_pairs
from dalenius.noise.matrix import Matrix
from dalenius.noise.mechanism import Mechanism
from dalenius.noise.noise import Noise
from dalenius.noise.place_of_given_output import Answer, at_index, cannot_occur, is_possible, number_of, output_in_words
from dalenius.noise.reports import ReportError, ReportMechanism, Reports, no_draw, rows_of
from dalenius.noise.sampling import drawn_place
from dalenius.noise.shape import Shape
from dalenius.sentences.sentence import said

_SUMS: Final = 4 * UNIT
"""Relative error of a row: it sums to 1 to 2^-52, and draws are of the row over its sum."""


@final
@dataclass(frozen=True)
class KernelMechanism(FiniteMechanism):
    """Mechanism that sends every coordinate through the matrix on its own.

    InputError for an answer that can occur and has no row.
    """

    matrix: Matrix

    def likelihood(self, law: Law) -> Law:
        matrices = []
        for axis, length in enumerate(law.box):
            # Because points of the box between two answers, such as 2 in a sum of fives, have no row and no mass.
            rows = self.matrix.rows(range(law.start[axis], law.start[axis] + length), self.lattice.steps[axis])
            self._check_rows(law, axis, rows)
            matrices.append(np.where((rows >= 0)[:, None], self.matrix.chances[rows], 0.0))
        found = pushed(law, matrices)
        return Law(found.start, found.base, found.relative, found.error + _SUMS * len(matrices))

    def at(self, likelihood: Law, output: Sequence[Answer]) -> Law:
        there = at_index(likelihood, self._columns(output))
        if is_possible(there):
            return there
        raise self._cannot_occur(likelihood, output)

    def sides(self, likelihood: Law, output: Sequence[Answer], log_prior: Array) -> tuple[Sides | None, ...]:
        # Because outputs such as "low" and "high" have no sides.
        names = self.matrix.numbers
        if names is None:
            return (None,) * len(output)
        return sides(likelihood, log_prior, [of_points(names, names[column]) for column in self._columns(output)])

    def output(self, index: Sequence[int]) -> tuple[RecordValue, ...]:
        return tuple(self.matrix.names[column] for column in index)

    def index(self, output: Sequence[RecordValue]) -> tuple[float, ...]:
        return tuple(float(self.matrix.names.index(name)) for name in output)

    def neighbour_loss(self, neighbours: Neighbours) -> Enclosure:
        """Encloses the loss over those answers of `neighbours` that have rows."""
        return of_pairs(neighbours, self.lattice, self._pair_loss, self.noise.privacy_loss(neighbours.reach))

    def alike_beyond(self, extent: tuple[int, int]) -> tuple[int, int] | None:
        """Returns the answers from which outwards no row has twice as much of any output as one before it.

        `extent` is the least and the greatest answer, in lattice steps. None where a lattice point between them has
        no row, which may be right where it cannot be the answer.
        """
        step = self.lattice.steps[0]
        ends = self.matrix.rows(extent, step)
        if (ends < 0).any():
            raise self.matrix.no_row(float(extent[int(np.argmax(ends < 0))] * step))
        indices, rows = self.matrix.by_index(step)
        first, last = np.searchsorted(indices, extent)
        # The case of a kernel of even answers only.
        if last - first != extent[1] - extent[0]:
            return None
        matrix = self.matrix.chances[rows[first : last + 1]]
        return int(indices[last]) - settled_after(matrix[::-1]), int(indices[first]) + settled_after(matrix)

    def leaves_exact(self, answers: Sums | None) -> bool:
        """Says whether one of `answers` that can occur has a single output, unless all rows have that one."""
        matrix = self.matrix.chances
        if answers is not None:
            indices = [index_of(answer, self.lattice.steps[0]) for answer in self.matrix.answers]
            matrix = matrix[[index is not None and index in answers for index in indices]]
        sure = np.count_nonzero(matrix, axis=1) == 1
        return bool(sure.any() and not (sure.all() and len(np.unique(np.argmax(matrix, axis=1))) == 1))

    def _columns(self, output: Sequence[Answer]) -> list[int]:
        """Returns the column of each coordinate, by word or by number. InputError where there is none."""
        names, found = self.matrix.names, []
        for each in output:
            if isinstance(each, str) and each in names:
                found.append(names.index(each))
                continue
            numbers = [(Fraction(str(name)), column) for column, name in enumerate(names) if not isinstance(name, str)]
            if not numbers:
                raise InputError("answers", str(each), f"one of {_some(names)}")
            number = number_of(each)
            nearest, column = min(numbers, key=lambda own: (abs(own[0] - number), own[1]))
            if float(number) != float(nearest):
                raise cannot_occur([each], [names[column]])
            found.append(column)
        return found

    def _cannot_occur(self, law: Law, output: Sequence[Answer]) -> InputError:
        possible = np.argwhere(np.max(law.relative, axis=0) > -inf)
        outputs = [tuple(self.matrix.names[column] for column in row) for row in possible]
        if self.matrix.numbers is None:
            return InputError(
                "answers",
                output_in_words(output),
                f"one that can occur: {_some([output_in_words(o) for o in outputs])}",
            )
        here = [float(self.matrix.names[column]) for column in self._columns(output)]
        distances = [sum(abs(float(a) - b) for a, b in zip(each, here, strict=True)) for each in outputs]
        return cannot_occur(output, outputs[int(np.argmin(distances))])

    def _pair_loss(self, pairs: IntArray, step: Fraction) -> Enclosure:
        rows = self.matrix.rows(pairs.ravel().tolist(), step).reshape(-1, 2)
        rows = np.unique(rows[(rows >= 0).all(axis=1)], axis=0)
        # The case of 10^5 pairs of rows with 10^4 columns: the bound over any answers remains.
        if len(rows) * self.matrix.chances.shape[1] > allowed(MOST_RATIOS):
            return Enclosure(0.0, inf)
        loss = ratio_between(self.matrix.chances, rows)
        return ZERO if loss is None else of_logs(loss, self.matrix.deepest)

    def _check_rows(self, law: Law, axis: int, rows: IntArray) -> None:
        """Raises InputError unless every answer that can occur has a row."""
        likeliest = np.max(law.relative, axis=0) if law.floor is None else np.max([*law.relative, law.floor], axis=0)
        others = tuple(other for other in range(len(law.box)) if other != axis)
        missing = np.flatnonzero((np.max(likeliest, axis=others) > -inf) & (rows < 0))
        if len(missing):
            raise self.matrix.no_row(float((law.start[axis] + int(missing[0])) * self.lattice.steps[axis]))


@final
@dataclass(frozen=True)
class KernelError(ErrorLaw):
    """The distance of a matrix's output from the answer, on a lattice of that step, for any answer that has a row."""

    matrix: Matrix
    step: Fraction

    @property
    def expected(self) -> float:
        """The worst E|output - answer| over the answers, in the query's unit; nan where an output is a word."""
        if self.matrix.numbers is None:
            return nan
        distances = np.abs(self.matrix.numbers - np.array(self.matrix.answers)[:, None])
        return float(np.max(np.sum(self.matrix.chances * distances, axis=1)))

    def mean_moves(self, indices: IntArray) -> Array:
        if self.matrix.numbers is None:
            return np.full(len(indices), nan)
        rows = self.matrix.rows(indices.tolist(), self.step)
        if (rows < 0).any():
            raise self.matrix.no_row(float(int(indices[np.argmax(rows < 0)]) * self.step))
        distances = np.abs(self.matrix.numbers / float(self.step) - indices[:, None])
        return np.asarray(np.sum(self.matrix.chances[rows] * distances, axis=1))

    def interval(self, output: Fraction | str, confidence: float) -> Enclosure | None:
        """Returns the range of the answers that a test of `output` at `confidence` leaves, in column order."""
        rest = missed(confidence)
        columns = self.matrix.in_order
        place = next((i for i, column in enumerate(columns) if _same(self.matrix.names[column], output)), None)
        rows = [
            (index, row)
            for row, answer in enumerate(self.matrix.answers)
            if (index := index_of(answer, self.step)) is not None
        ]
        # The case of an output that is none of its columns, or of answers off this lattice.
        if place is None or not rows:
            return None
        own = self.matrix.chances[[row for _, row in rows]][:, columns]
        at_most, at_least = np.sum(own[:, : place + 1], axis=1), np.sum(own[:, place:], axis=1)
        left = [rows[i][0] for i in accepted(at_most, at_least, rest, (len(columns) + 8) * UNIT)]
        return rounded_outward(min(left) * self.step, max(left) * self.step)

    def beyond(self, distance: Fraction, answers: Sums | None) -> Enclosure | None:
        if self.matrix.numbers is None:
            return None
        known = answers_listed(answers)
        places = self.matrix.exact if known is None else [int(each) * self.step for each in known]
        rows = np.arange(len(self.matrix.answers)) if known is None else self.matrix.rows(known.tolist(), self.step)
        # The case of a possible answer without a row: the kernel is not for this query.
        if (rows < 0).any():
            raise self.matrix.no_row(float(places[int(np.argmax(rows < 0))]))
        outputs = [Fraction(str(name)) for name in self.matrix.names]
        far = np.array([[abs(output - place) >= distance for output in outputs] for place in places])
        return largest_chance(np.sum(self.matrix.chances[rows], axis=1, where=far), (len(outputs) + 8) * UNIT)


@final
class Kernel(Noise):
    """A table of probabilities Pr[output | answer], with a row per answer: any published mechanism.

    Every coordinate of the answer goes through the table independently. A zero and a non-zero in one column give an
    infinite log-ratio.

    Args:
        answers: The exact answers that the table takes, distinct numbers in the query's unit, one for each row.
        outputs: Distinct names or numbers of the columns; None (the default) for 0, 1, .., or, with `each` and as many
            columns as rows, for the values themselves.
        probabilities: The table, of shape (answers, outputs); each row sums to 1.
        scale: None, always: a table has no scale to choose.
        each: Whether each record goes through the table before the query is asked, and not the answer; `answers` are
            then the values of a record. False by default.

    Example:
        Randomised response, which tells the truth three times of four, leaks ln 3 nats:

        >>> honest = Kernel(answers=(0, 1), probabilities=((0.75, 0.25), (0.25, 0.75)))
        >>> round(honest.privacy_loss([Fraction(1)]), 6)
        1.098612
    """

    kind: Literal["kernel"] = "kernel"
    answers: Annotated[tuple[Finite, ...], Field(min_length=1)]
    outputs: tuple[RecordValue, ...] | None = None
    probabilities: tuple[Probabilities, ...]
    each: Annotated[bool, Field(strict=True)] = False

    @model_validator(mode="after")
    def _check(self) -> "Kernel":
        # The case of a user who took a kernel for a shape that is scaled.
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

    @property
    def shape(self) -> Shape:
        outcome = "answer made of noised reports" if self.each else "output of the kernel"
        return Shape(scaled=False, on_records=self.each, outcome=outcome)

    def among(self, universes: Sequence[Sequence[RecordValue]]) -> "Kernel":
        for values in universes if self.each else ():
            # Because a row too few would leave a value without a report, and one too many is of another column.
            if set(values) != set(self.answers):
                wanted = f"the values of a record, {list(values)}, a row for each"
                raise InputError("noise.answers", list(self.answers), wanted)
        return self

    def reports(self, values: Sequence[RecordValue]) -> Reports | None:
        if not self.each:
            return None
        rows = rows_of(self.probabilities)
        square = self.outputs is None and len(rows[0]) == len(self.answers)
        outputs = tuple(self.answers) if square else tuple(self.matrix.names)
        return Reports(outputs, tuple(rows[self.answers.index(float(value))] for value in values))

    def mechanism(self, lattice: Lattice) -> Mechanism:
        if self.each:
            return ReportMechanism(self, lattice, lambda size: self.matrix.chances)
        return KernelMechanism(self, lattice, self.matrix)

    def error(self, step: Fraction) -> ErrorLaw:
        return ReportError() if self.each else KernelError(self.matrix, step)

    @cached_property
    def matrix(self) -> Matrix:
        """The matrix that the mechanism computes with."""
        return Matrix(self.answers, self.outputs, np.array(self.probabilities))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Returns the worst log-ratio over all pairs of rows whose answers are within these distances, rounded up.

        Args:
            distances: The most that each coordinate moves, in the query's unit, one number for each coordinate.

        Returns:
            Nats; the losses of the coordinates are added up. Infinite for noise on records: how many of them move is
            not seen from the answer.
        """
        matrix = self.matrix
        if self.each:
            return inf if any(distances) else 0.0
        # The case of equal rows: the output says nothing, however rarely some column occurs.
        if not np.ptp(matrix.chances, axis=0).any():
            return 0.0
        found = (widest_ratio(matrix.exact, matrix.chances, distance) for distance in distances if distance)
        return fsum(of_logs(loss, matrix.deepest).upper for loss in found)

    def loss_of_group(self, moved: tuple[Fraction, int], axes: int) -> float:
        if not self.each:
            return self.group_loss(moved[0], axes)
        most, least = self.matrix.chances.max(axis=0), self.matrix.chances.min(axis=0)
        with np.errstate(divide="ignore"):
            apart = np.log(most[most > 0]) - np.log(least[most > 0])
        return moved[1] * float(np.max(apart)) * (1 + 64 * UNIT) if moved[0] else 0.0

    @property
    def words(self) -> str:
        if self.each:
            return said("kernel_on_records", count=len(self.answers))
        return said("kernel", count=len(self.answers))

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Draws one release, exactly.

        Every probability is a multiple of a power of 1/2, so that a random whole number picks the column.

        Args:
            answer: The exact answer, one whole number of lattice steps for each coordinate.
            lattice: The lattice of the answers.

        Returns:
            One output for each coordinate: a word, or a number in the query's unit.

        Raises:
            InputError: An answer has no row, or noise is on records.
        """
        if self.each:
            raise no_draw(self.kind)
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            row = int(self.matrix.rows([index], step)[0])
            if row < 0:
                raise self.matrix.no_row(float(index * step))
            name = self.matrix.names[drawn_place(list(map(Fraction, self.probabilities[row])))]
            drawn.append(name if isinstance(name, str) else Fraction(str(name)))
        return tuple(drawn)


def _same(name: RecordValue, output: Fraction | str) -> bool:
    return name == output if isinstance(name, str) else not isinstance(output, str) and Fraction(str(name)) == output


def _some(names: Sequence[RecordValue]) -> str:
    listed = ", ".join(map(str, names[:20]))
    return listed if len(names) <= 20 else f"{listed}, .."
