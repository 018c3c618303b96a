"""What records that depend on each other leak of a sum at the outermost outputs, and at most (Theory §20)."""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import final

import numpy as np
from numpy.typing import NDArray

from dalenius.joints.factors import Numbering
from dalenius.laws.law import Array, IntArray


@final
@dataclass(frozen=True)
class Outermost:
    """Of every record, under one noise.

    ends (2, n, k): log W(y|s) as y → -∞ and as y → ∞, up to a constant of each record and end, 0 where s is impossible;
    error: the most by which the difference of two of one record and end is off. most (n, k, k): at (s, s') at least
    log W(y|s)/W(y|s') at any y, all errors counted; 0 where either is impossible.
    """

    ends: Array
    error: float
    most: Array


class Ends(abc.ABC):
    """Records of up to k values each that depend on each other and on no others, and what each adds to one sum.

    Records with fewer values have impossible ones behind them.
    """

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
    def outermost(self, rate: float, places: IntArray | None = None) -> Outermost:
        """rate: nats per lattice step by which the noise's density falls; places: of the records, from 0, whose bounds
        matter; None for all."""

    @abc.abstractmethod
    def within(self, numbering: Numbering) -> "Ends":
        """The same as a part of a larger law."""
