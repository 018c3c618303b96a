"""Any published mechanism: an explicit stochastic matrix from exact answers to outputs."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum, log
from typing import TYPE_CHECKING, Annotated, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.drawing import given_axes
from dalenius.errors import InputError, TooLarge
from dalenius.laws.lattice import LARGEST_INDEX, Lattice, index_of
from dalenius.laws.law import Array, IntArray
from dalenius.laws.neighbouring_data import widest_ratio
from dalenius.noise.kernel_mechanism import KernelError, KernelMechanism
from dalenius.noise.noise import Noise, Shape
from dalenius.noise.output import CELLS, draw_matrix
from dalenius.noise.sampling import drawn_place
from dalenius.noise.scaled import of_logs
from dalenius.schema import Finite, Probabilities, RecordValue

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@final
class Kernel(Noise):
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

    @property
    def shape(self) -> Shape:
        return Shape(scaled=False, outcome="output of the kernel")

    def mechanism(self, lattice: Lattice) -> KernelMechanism:
        return KernelMechanism(self, lattice)

    def error(self, step: Fraction) -> KernelError:
        return KernelError(self, step)

    @cached_property
    def matrix(self) -> Array:
        """(answers, outputs)."""
        return np.array(self.probabilities)

    @cached_property
    def deepest(self) -> float:
        """-log of the least positive probability."""
        return -log(float(np.min(self.matrix, where=self.matrix > 0, initial=1.0)))

    @cached_property
    def exact(self) -> tuple[Fraction, ...]:
        """The answers as the decimals they are written as."""
        return tuple(Fraction(str(answer)) for answer in self.answers)

    @property
    def names(self) -> tuple[RecordValue, ...]:
        """Of the columns."""
        return self.outputs if self.outputs is not None else tuple(range(self.matrix.shape[1]))

    @cached_property
    def numbers(self) -> Array | None:
        """The outputs; None where one is a word."""
        words = any(isinstance(name, str) for name in self.names)
        return None if words else np.array(self.names, dtype=np.float64)

    @property
    def in_order(self) -> list[int]:
        """The columns, in the order of their outputs where all are numbers."""
        columns = list(range(len(self.names)))
        return (
            columns if self.numbers is None else sorted(columns, key=lambda column: Fraction(str(self.names[column])))
        )

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Over all pairs of rows whose answers are within these distances."""
        found = (widest_ratio(self.exact, self.matrix, distance) for distance in distances if distance)
        return fsum(of_logs(loss, self.deepest).upper for loss in found) if np.ptp(self.matrix, axis=0).any() else 0.0

    @property
    def words(self) -> str:
        return f"kernel of {len(self.answers):,} answers (--json has its rows)"

    def plot(self, ax: "Axes | None" = None) -> "Axes":
        """Pr[output | answer], outputs that are numbers in their order. TooLarge for a matrix of too many rows or
        columns."""
        order = self.in_order
        # A matrix that a printer shows as grey.
        if max(self.matrix.shape) > CELLS:
            size = " x ".join(map(str, self.matrix.shape))
            raise TooLarge("a picture of the kernel", f"{size} probabilities", f"at most {CELLS} either way")
        axes, rows = given_axes(ax), np.argsort(self.answers)
        answers = [self.answers[row] for row in rows]
        outputs = [self.names[column] for column in order]
        draw_matrix(axes, self.matrix[rows][:, order], answers, outputs, self.words)
        return axes

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Exact: every probability is a multiple of a power of 1/2, so that a whole number picks the column."""
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            row = int(self.rows([index], step)[0])
            if row < 0:
                raise self.no_row(float(index * step))
            name = self.names[drawn_place(list(map(Fraction, self.probabilities[row])))]
            drawn.append(name if isinstance(name, str) else Fraction(str(name)))
        return tuple(drawn)

    def rows(self, indices: Sequence[int] | IntArray, step: Fraction) -> IntArray:
        """The row of each lattice index, -1 where there is none."""
        known, rows = self.by_index(step)
        wanted = np.array(indices, dtype=np.int64)
        if not len(known):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[places] == wanted, rows[places], -1)

    def by_index(self, step: Fraction) -> tuple[IntArray, IntArray]:
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
        """By the lattice's step, see `by_index`."""
        return {}

    def no_row(self, answer: float) -> InputError:
        """The error for an answer that can occur and has none."""
        wanted = f"a row for every answer that can occur ({answer:g} has none)"
        return InputError("noise.answers", list(self.answers), wanted)
