"""A matrix of probabilities from exact answers to outputs, as a table with names of its rows and columns."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import log
from typing import final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.laws.lattice import index_of
from dalenius.laws.limits import LARGEST_INDEX


@final
@dataclass(frozen=True, eq=False)
class Matrix:
    """A stochastic matrix from answers to outputs.

    Attributes:
        answers: The exact answers, a number in the query's unit for each row.
        outputs: Names or numbers of the columns; None for 0, 1, ..
        chances: The probabilities, of shape (answers, outputs).
    """

    answers: Sequence[float]
    outputs: Sequence[RecordValue] | None
    chances: Array

    @cached_property
    def deepest(self) -> float:
        """The depth of the matrix: -log of its least positive probability, in nats."""
        return -log(float(np.min(self.chances, where=self.chances > 0, initial=1.0)))

    @cached_property
    def exact(self) -> tuple[Fraction, ...]:
        """The answers as the decimals they are written as."""
        return tuple(Fraction(str(answer)) for answer in self.answers)

    @property
    def names(self) -> Sequence[RecordValue]:
        """The names of the columns."""
        return self.outputs if self.outputs is not None else tuple(range(self.chances.shape[1]))

    @cached_property
    def numbers(self) -> Array | None:
        """The outputs as numbers; None where one is a word."""
        words = any(isinstance(name, str) for name in self.names)
        return None if words else np.array(self.names, dtype=np.float64)

    @property
    def in_order(self) -> list[int]:
        """The columns, in the order of their outputs where all are numbers."""
        columns = list(range(len(self.names)))
        return (
            columns if self.numbers is None else sorted(columns, key=lambda column: Fraction(str(self.names[column])))
        )

    def rows(self, indices: Sequence[int] | IntArray, step: Fraction) -> IntArray:
        """Returns the row of each lattice index of `indices`, of steps of size `step`; -1 where there is none."""
        known, rows = self.by_index(step)
        wanted = np.array(indices, dtype=np.int64)
        if not len(known):
            return np.full(len(wanted), -1)
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.where(known[places] == wanted, rows[places], -1)

    def by_index(self, step: Fraction) -> tuple[IntArray, IntArray]:
        """Returns the lattice indices, for steps of size `step`, that have rows, in order, and their rows."""
        if step not in self._indexed:
            # The usual case of whole answers: without a fraction for each of 10^5 rows.
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
        """The results of `by_index`, by the lattice's step."""
        return {}

    def no_row(self, answer: float) -> InputError:
        """Makes the error for an answer that can occur and has no row."""
        wanted = f"a row for every answer that can occur ({answer:g} has none)"
        return InputError("noise.answers", list(self.answers), wanted)
