"""Sums of records that depend on each other, of a chain or a network, as windows read them.

A *place* is a record's number from 0. Records with the same law in a window are one class, a row of the window.
"""

from collections.abc import Sequence
from typing import Protocol

from dalenius.arrays import Array, IntArray
from dalenius.joints.extended_precision import Long


class Sums(Protocol):
    """The lattice of a sum: from `least` on in steps of `stride`, up to `most` steps."""

    @property
    def least(self) -> int: ...

    @property
    def stride(self) -> int: ...

    @property
    def most(self) -> int: ...

    @property
    def states(self) -> int:
        """The most values that a record has."""

    def attainable(self, below: int) -> tuple[IntArray, IntArray]:
        """Lists the sums under `below` that can occur, and the distances from `most` under it that can."""


class Places(Protocol):
    """The classes of records that a window is of."""

    @property
    def firsts(self) -> Sequence[int]:
        """The place of each class's first record."""

    def row_of(self, place: int) -> int: ...

    def members(self, row: int) -> Sequence[int]: ...

    def __len__(self) -> int: ...


class TiltedSum(Protocol):
    """A sum whose law can be weighed by e^{θ·sum}, θ for each of its steps."""

    @property
    def most(self) -> int: ...

    @property
    def looked_at(self) -> int:
        """How many tilts are looked at before some are chosen."""

    def moments(self, tilts: Array) -> tuple[Array, Array, Array]:
        """Computes mean, variance and log-mass of the tilted sum (T,), about: they place windows, and bound nothing.

        tilts (T,): θ for each step of the sum.
        """

    def log_masses(self, tilts: Array) -> tuple[Long, float]:
        """Computes log E[e^{θ·sum}] at each θ of `tilts` (T,), and by how many nats each may be off."""
