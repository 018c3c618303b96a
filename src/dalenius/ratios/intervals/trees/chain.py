"""A chain whose probabilities are known to lie in intervals: a set of laws, and no one law of it."""

from collections.abc import Mapping, Sequence
from typing import ClassVar, NoReturn, final

import numpy as np

from dalenius.errors import InputError
from dalenius.joints.chain.law import ChainLaw
from dalenius.joints.joint import Belief, Stratum, Subject
from dalenius.laws.law import Array, IntArray
from dalenius.laws.masses import Masses
from dalenius.ratios.intervals.trees.boxes import Boxes
from dalenius.schema import RecordValue


@final
class CredalChain(Belief):
    """Every law of n records under which the first record's law and each row of each transition lie in their boxes,
    whatever the other rows are. values: every record's universe; labels: one public label per record."""

    nature: ClassVar[str] = "chain with intervals"

    def __init__(self, values: Sequence[RecordValue], boxes: Boxes, labels: Sequence[str] | None = None) -> None:
        self.values = tuple(values)
        self.boxes = boxes
        self._labels = tuple(labels) if labels is not None else ("",) * len(boxes)
        self._kinds = list(dict.fromkeys(self._labels))
        number = {label: kind for kind, label in enumerate(self._kinds)}
        self.stratum = np.array([number[label] for label in self._labels], dtype=np.int64)

    @property
    def is_set(self) -> bool:
        return True

    def strata(self) -> tuple[Stratum, ...]:
        return tuple(Stratum(label, self.values, self._labels.count(label)) for label in self._kinds)

    def labelled(self) -> dict[str, int]:
        return {stratum.label: stratum.people for stratum in self.strata()}

    def subject_of(self, person: int) -> Subject:
        count = len(self.boxes)
        if not 1 <= person <= count:
            raise InputError("secrets.people", person, f"a person's number from 1 to {count}")
        possible = self.possible(person)
        secrets = tuple(self.values[i] for i in possible)
        unknown = np.full(len(secrets), np.nan)
        who = f"record {person} of a chain of {count}"
        return Subject(person, 1, int(self.stratum[person - 1]), secrets, unknown, count, who)

    def possible(self, person: int) -> list[int]:
        """Which values that person's record has under some law, by their indices."""
        return [int(i) for i in np.flatnonzero(self.boxes.priors[person - 1, 1] > 0)]

    def given(self, known: Mapping[int, RecordValue]) -> NoReturn:
        for person in known:
            self.subject_of(person)
        wanted = "no known records beside intervals: they are conditioned on under one law"
        raise InputError("adversary.known", str(dict(known)), wanted)

    def law(self, first: Array, rows: Array) -> ChainLaw:
        """One law of the set: the first record's (k,), and the distinct transitions (m, k, k)."""
        return ChainLaw(self.values, Masses.of(first), Masses.of(rows), self.boxes.which, self._labels)


def chain_in_intervals(
    values: Sequence[RecordValue], first: Array, rows: Array, which: IntArray, labels: Sequence[str] | None
) -> CredalChain:
    """The set of laws of a chain as a model gives it: see `Boxes`."""
    return CredalChain(values, Boxes(first, rows, which), labels)
