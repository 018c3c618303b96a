"""Any published mechanism: an explicit stochastic matrix from exact answers to outputs."""

from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property
from math import fsum
from typing import Annotated, Literal, final

import numpy as np
from pydantic import Field, model_validator

from dalenius.field_types import Finite, Probabilities, RecordValue
from dalenius.laws.lattice import Lattice
from dalenius.laws.neighbouring_data import widest_ratio
from dalenius.noise.kernel_mechanism import KernelError, KernelMechanism, Matrix
from dalenius.noise.noise import Noise, Shape
from dalenius.noise.sampling import drawn_place
from dalenius.noise.scaled import of_logs


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
        return KernelMechanism(self, lattice, self.matrix)

    def error(self, step: Fraction) -> KernelError:
        return KernelError(self.matrix, step)

    @cached_property
    def matrix(self) -> Matrix:
        """As it is computed with."""
        return Matrix(self.answers, self.outputs, np.array(self.probabilities))

    def privacy_loss(self, distances: Sequence[Fraction]) -> float:
        """Over all pairs of rows whose answers are within these distances."""
        matrix = self.matrix
        # All rows are one: the output says nothing, however rarely some column occurs.
        if not np.ptp(matrix.chances, axis=0).any():
            return 0.0
        found = (widest_ratio(matrix.exact, matrix.chances, distance) for distance in distances if distance)
        return fsum(of_logs(loss, matrix.deepest).upper for loss in found)

    @property
    def words(self) -> str:
        return f"kernel of {len(self.answers):,} answers (--json has its rows)"

    def draw(self, answer: Sequence[int], lattice: Lattice) -> tuple[Fraction | str, ...]:
        """Exact: every probability is a multiple of a power of 1/2, so that a whole number picks the column."""
        drawn = []
        for index, step in zip(answer, lattice.steps, strict=True):
            row = int(self.matrix.rows([index], step)[0])
            if row < 0:
                raise self.matrix.no_row(float(index * step))
            name = self.matrix.names[drawn_place(list(map(Fraction, self.probabilities[row])))]
            drawn.append(name if isinstance(name, str) else Fraction(str(name)))
        return tuple(drawn)
