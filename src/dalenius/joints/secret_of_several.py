"""A secret that is not one person's record, as a set of the rows in which all assignments are listed."""

import abc
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from dalenius.arrays import IntArray
from dalenius.joints.joint import Joint, Subject, people_of, slots_by_stratum


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


def rows_of_records(joint: Joint, slots: IntArray) -> Iterator[tuple[Subject, list[NDArray[np.bool_]]]]:
    """Does `SecretOfSeveral.rows_given` where each secret is one person's record of `joint`; `slots` (rows, people)."""
    # Because the law is enumerated, a secret is a set of rows, whatever kind of law it is.
    column = {person: place for place, person in enumerate(people_of(joint))}
    universes = [dict(zip(values, own.tolist(), strict=True)) for (_, values), own in slots_by_stratum(joint).items()]
    for subject in joint.subjects():
        own = slots[:, column[subject.person]]
        yield subject, [own == universes[subject.stratum][secret] for secret in subject.secrets]
