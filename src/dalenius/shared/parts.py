"""Independent parts of a group of people, put together."""

from collections import Counter
from collections.abc import Sequence
from typing import Generic, TypeAlias, final

import numpy as np

from dalenius.joints.joint import Joint
from dalenius.laws.law import log_sum
from dalenius.laws.transform import Element, Transform
from dalenius.schema import RecordValue
from dalenius.shared.classes import Collection
from dalenius.shared.functions import State

Key: TypeAlias = tuple[RecordValue, ...] | State
"""What the records are, in the order of the people; or the state of the function."""
Law: TypeAlias = dict[Key, tuple[float, Element]]


@final
class Rests(Generic[Element]):
    """The averages over all groups but those of some parts; what all of these have in common is computed once."""

    def __init__(self, joint: Joint, transform: Transform[Element], collections: Sequence[Collection]) -> None:
        self._transform: Transform[Element] = transform
        self._factors = joint.factors()
        most = [Counter(factor for factor, _ in each.parts) for each in collections]
        self._spare = [max(own[number] for own in most) for number in range(len(self._factors))]
        self._alone = [joint.one_of(number).total(transform) for number in range(len(self._factors))]
        common = [factor.count - spare for factor, spare in zip(self._factors, self._spare, strict=True)]
        self._common = transform.product(self._alone, common) if any(common) else None
        self._found: dict[tuple[int, ...], Element] = {}

    def without(self, factors: Sequence[int]) -> tuple[Element] | None:
        """One group fewer of each of these factors; None where no group is left."""
        taken = Counter(factors)
        left = tuple(spare - taken[number] for number, spare in enumerate(self._spare))
        if not any(left) and self._common is None:
            return None
        if left not in self._found:
            own = [self._common] if self._common is not None else []
            several = [(element, power) for element, power in zip(self._alone, left, strict=True) if power]
            elements = [*own, *(element for element, _ in several)]
            powers = [1] * len(own) + [power for _, power in several]
            self._found[left] = self._transform.product(elements, powers)
        return (self._found[left],)


def gathered(transform: Transform[Element], parts: Sequence[tuple[Key, tuple[float, Element]]]) -> Law[Element]:
    """Those of one key together."""
    by_key: dict[Key, list[tuple[float, Element]]] = {}
    for key, part in parts:
        by_key.setdefault(key, []).append(part)
    found: Law[Element] = {}
    for key, own in by_key.items():
        logs = np.array([log for log, _ in own])
        total = log_sum(logs) if len(own) > 1 else float(logs[0])
        elements = [element for _, element in own]
        found[key] = total, elements[0] if len(own) == 1 else transform.mix(np.minimum(logs - total, 0.0), elements)
    return found


def normalised(law: Law[Element]) -> Law[Element]:
    total = log_sum(np.array([log for log, _ in law.values()]))
    return {key: (min(log - total, 0.0), element) for key, (log, element) in law.items()}
