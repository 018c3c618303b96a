"""A secret that is not one person's record, as a set of the rows in which all assignments are listed."""

import abc
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.joints.joint import Subject


class SecretOfSeveral(abc.ABC):
    """A secret that is not one person's record."""

    @property
    @abc.abstractmethod
    def counting(self) -> IntArray | None:
        """The number that each slot's record adds to the secret (slots,), where it is a number of everybody; else
        None."""

    @property
    @abc.abstractmethod
    def spanned(self) -> int:
        """The number of independent groups, at most, that the records of one secret belong to."""

    @abc.abstractmethod
    def rows_given(self, slots: IntArray) -> Iterator[tuple[Subject, list[NDArray[np.bool_]]]]:
        """Yields, for every subject, the mask of rows of `slots` (rows, people) that each of its secrets has
        (rows,).
        """
