"""The transform that grades another one by a function of the records: its averages given each of the function's values.

A law that can average a product of per-record factors so yields Pr[F = s] and E[prod factor | F = s] for a function F
of all its records, whatever their number: E[ prod_j factor(X_j) w^F ] as a polynomial in w.
"""

from collections.abc import Sequence
from typing import Final, Generic, TypeAlias, final

import numpy as np

from dalenius.errors import TooLarge
from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Element, Transform
from dalenius.shared.functions import Function, State

Grades: TypeAlias = dict[State, tuple[float, Element]]
"""By value of the function: the log of its mass, and the average given it."""
MOST_PAIRS: Final = 1 << 17


@final
class Graded(Transform[Grades[Element]], Generic[Element]):
    """inner: what is graded; states: of each slot. TooLarge where the function has too many values."""

    def __init__(self, inner: Transform[Element], function: Function, states: Sequence[State]) -> None:
        self._inner = inner
        self._function = function
        self._states = states

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Grades[Element]:
        rows: dict[State, list[int]] = {}
        for row, number in enumerate(counts.tolist()):
            if log_weights[row] > -np.inf:
                rows.setdefault(self._row(slots, number), []).append(row)
        found = {}
        for state, own in rows.items():
            logs = log_weights[own]
            total = log_sum(logs)
            found[state] = total, self._inner.mean(np.minimum(logs - total, 0.0), slots, counts[own])
        return found

    def _row(self, slots: IntArray, numbers: Sequence[int]) -> State:
        state = self._function.start
        for slot, number in zip(slots.tolist(), numbers, strict=True):
            if number:
                state = self._function.join(state, self._function.times(self._states[slot], number))
        return state

    def product(self, elements: Sequence[Grades[Element]], powers: Sequence[int]) -> Grades[Element]:
        found: Grades[Element] | None = None
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: len(pair[0])):
            if power:
                raised = self._power(element, power)
                found = raised if found is None else self._times(found, raised)
        if found is None:
            some = next(iter(elements[0].values()))[1]
            return {self._function.start: (0.0, self._inner.product([some], [0]))}
        return found

    def _power(self, element: Grades[Element], power: int) -> Grades[Element]:
        if len(element) == 1:
            ((state, (log, own)),) = element.items()
            return {self._function.times(state, power): (power * log, self._inner.product([own], [power]))}
        found: Grades[Element] | None = None
        while power:
            if power % 2:
                found = element if found is None else self._times(found, element)
            power //= 2
            if power:
                element = self._times(element, element)
        assert found is not None
        return found

    def _times(self, one: Grades[Element], other: Grades[Element]) -> Grades[Element]:
        if len(one) * len(other) > MOST_PAIRS:
            size = f"{len(one):,} by {len(other):,} values of {self._function.words}"
            raise TooLarge("the law of the secret", size, "use any member V or all members V, or fewer people")
        parts: dict[State, list[tuple[float, Element]]] = {}
        for state, (log, own) in one.items():
            for further, (other_log, others) in other.items():
                joined = self._function.join(state, further)
                parts.setdefault(joined, []).append((log + other_log, self._inner.product([own, others], [1, 1])))
        return {state: self._mixed(own) for state, own in parts.items()}

    def mix(self, log_weights: Array, elements: Sequence[Grades[Element]]) -> Grades[Element]:
        parts: dict[State, list[tuple[float, Element]]] = {}
        for weight, element in zip(log_weights.tolist(), elements, strict=True):
            if weight > -np.inf:
                for state, (log, own) in element.items():
                    parts.setdefault(state, []).append((weight + log, own))
        return {state: self._mixed(own) for state, own in parts.items()}

    def _mixed(self, parts: Sequence[tuple[float, Element]]) -> tuple[float, Element]:
        if len(parts) == 1:
            return parts[0]
        logs = np.array([log for log, _ in parts])
        total = log_sum(logs)
        return total, self._inner.mix(np.minimum(logs - total, 0.0), [element for _, element in parts])


@final
class Masses(Transform[None]):
    """Nothing but the masses: what is graded is thrown away."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> None:
        return None

    def product(self, elements: Sequence[None], powers: Sequence[int]) -> None:
        return None

    def mix(self, log_weights: Array, elements: Sequence[None]) -> None:
        return None
