"""What records that depend on each other leak of a sum at the outermost outputs, and at most (Theory §20)."""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf
from typing import ClassVar, final

import numpy as np
from numpy.typing import NDArray

from dalenius.joints.factors import Numbering
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class Outermost:
    """Of every record, under one noise.

    ends (m, n, k): log W(y|s) as y → -∞ and as y → ∞, up to a constant of each record and end, 0 where s is impossible;
    then averages of W over outputs, with the same weights for all s. error: the most by which the difference of two of
    one record and end is off. most (n, k, k): at (s, s') at least log W(y|s)/W(y|s') at any y, all errors counted; 0
    where either is impossible. apart (2, n, k, k): log W(y|s)/W(y|s') where y is so far out that only one of the two
    has it, or hardly both; None where it is the difference of `ends`.
    """

    ends: Array
    error: float
    most: Array
    apart: Array | None = None


class Ends(abc.ABC):
    """Records of up to k values each that depend on each other and on no others, and what each adds to one sum.

    Records with fewer values have impossible ones behind them.
    """

    exact: ClassVar[bool] = False
    """Whether `exactly` knows more than that the exact answer may rule out any value."""

    def __len__(self) -> int:
        """How many records there are."""
        return len(self.people)

    @property
    @abc.abstractmethod
    def people(self) -> Sequence[int]:
        """The records' numbers in the joint law (n,)."""

    @property
    @abc.abstractmethod
    def stratum(self) -> IntArray:
        """Each record's stratum (n,)."""

    @property
    @abc.abstractmethod
    def scores(self) -> IntArray:
        """What each value adds to the answer (n, k), in lattice steps."""

    @property
    @abc.abstractmethod
    def possible(self) -> NDArray[np.bool_]:
        """Which values each record can have (n, k)."""

    @property
    @abc.abstractmethod
    def log_marginals(self) -> Array:
        """The logs of every record's law (n, k): -inf where a value cannot occur."""

    @property
    @abc.abstractmethod
    def what(self) -> str:
        """What they are, in a word: a chain."""

    @property
    @abc.abstractmethod
    def longest(self) -> int:
        """The most records that depend on each other."""

    @property
    @abc.abstractmethod
    def settled(self) -> bool:
        """Whether no output can leak more about two values than the outermost do."""

    @property
    @abc.abstractmethod
    def above(self) -> str:
        """How what outputs leak is bounded where it is not settled, in words."""

    @property
    def variety(self) -> int:
        """How many of the records differ, so that laws for each would be as many; 1 where that is not known."""
        return 1

    def by_law(self, quick: Callable[[], bool]) -> bool:
        """Whether the law of the sum is to be preferred; quick: whether all records' laws take seconds. Never by
        default."""
        return False

    @abc.abstractmethod
    def outermost(self, rate: float) -> Outermost:
        """rate: nats per lattice step by which the noise's density falls."""

    def exactly(self) -> Outermost:
        """Where the answer goes out as it is, or with noise whose density falls faster than any exponential."""
        shape = self.scores.shape
        apart = np.where(np.eye(shape[1], dtype=np.bool_), 0.0, inf)
        return Outermost(np.zeros((2, *shape)), 0.0, np.broadcast_to(apart, (*shape, shape[1])))

    def reached(self, end: int, place: int | None = None, state: int | None = None) -> int | None:
        """The least (end 0) or the greatest (1) sum of all scores that can occur, of a record with one of its values
        where these are given; None where it is not known: by default."""
        return None

    @abc.abstractmethod
    def within(self, numbering: Numbering) -> "Ends":
        """The same as a part of a larger law."""
