"""Functions of the records of a group that may be its secret: a closed grammar.

Each is a homomorphism of multisets of values: what one record contributes is a state, and states of disjoint groups of
records are joined, in any order. So the function of a group of any size is graded along with the answer (`Graded`),
and no assignment of its records is listed.

The transform that grades another one by a function of the records: its averages given each of the function's values.

A law that can average a product of per-record factors so yields Pr[F = s] and E[prod factor | F = s] for a function F
of all its records, whatever their number: E[ prod_j factor(X_j) w^F ] as a polynomial in w.
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Generic, TypeAlias, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Element, Transform
from dalenius.schema import RecordValue

GRAMMAR: Final = "any member V, all members V, number V, share V (V a value of records), or total"
MOST_PAIRS: Final = 1 << 17


State: TypeAlias = int | Fraction


class Function(abc.ABC):
    """start: the state of no record; adds: whether states of disjoint groups add."""

    words: str
    value: str | None
    start: State
    adds: bool

    @abc.abstractmethod
    def of(self, value: RecordValue) -> State:
        """The state of one record."""

    @abc.abstractmethod
    def join(self, one: State, other: State) -> State:
        """The state of two disjoint groups together."""

    @abc.abstractmethod
    def shown(self, state: State, people: int) -> RecordValue:
        """The function's value of so many people's records."""

    def all_of(self, values: Sequence[RecordValue]) -> State:
        """The state of these records together."""
        state = self.start
        for value in values:
            state = self.join(state, self.of(value))
        return state

    def times(self, state: State, count: int) -> State:
        """The state of so many groups of that state each."""
        if self.adds:
            return state * count
        return state if count else self.start

    def check(self, values: Sequence[RecordValue]) -> None:
        """InputError where no record has the value that is named, or where a total is of texts."""
        if self.value is not None and self.value not in map(str, values):
            known = ", ".join(dict.fromkeys(map(str, values)))
            raise InputError("secrets.function", self.words, f"a value that some record can have: {known}")
        texts = [value for value in values if isinstance(value, str)]
        if self.value is None and texts:
            raise InputError("secrets.function", self.words, f"records that are numbers, which {texts[0]!r} is not")


@final
@dataclass(frozen=True)
class AnyMember(Function):
    """Whether some record has that value."""

    words: str
    value: str
    start: State = 0
    adds: bool = False

    def of(self, value: RecordValue) -> State:
        return int(str(value) == self.value)

    def join(self, one: State, other: State) -> State:
        return max(one, other)

    def shown(self, state: State, people: int) -> RecordValue:
        return "yes" if state else "no"


@final
@dataclass(frozen=True)
class AllMembers(Function):
    """Whether all records have that value."""

    words: str
    value: str
    start: State = 1
    adds: bool = False

    def of(self, value: RecordValue) -> State:
        return int(str(value) == self.value)

    def join(self, one: State, other: State) -> State:
        return min(one, other)

    def shown(self, state: State, people: int) -> RecordValue:
        return "yes" if state else "no"


@final
@dataclass(frozen=True)
class NumberOf(Function):
    """How many records have that value; share: as a fraction of all of the group's."""

    words: str
    value: str
    share: bool
    start: State = 0
    adds: bool = True

    def of(self, value: RecordValue) -> State:
        return int(str(value) == self.value)

    def join(self, one: State, other: State) -> State:
        return one + other

    def shown(self, state: State, people: int) -> RecordValue:
        return float(Fraction(state) / people) if self.share else int(state)


@final
@dataclass(frozen=True)
class Total(Function):
    """The sum of the records, each as the decimal it is written as."""

    words: str
    value: None = None
    start: State = 0
    adds: bool = True

    def of(self, value: RecordValue) -> State:
        return Fraction(str(value))

    def join(self, one: State, other: State) -> State:
        return one + other

    def shown(self, state: State, people: int) -> RecordValue:
        exact = Fraction(state)
        return int(exact) if exact.denominator == 1 else float(exact)


_NAMED: Final[dict[str, Callable[[str, str], Function]]] = {
    "any member ": AnyMember,
    "all members ": AllMembers,
    "number ": lambda words, value: NumberOf(words, value, False),
    "share ": lambda words, value: NumberOf(words, value, True),
}


def function_of(words: str) -> Function:
    """The function in these words. ValueError, with the grammar, for any others."""
    if words == "total":
        return Total(words)
    for start, made in _NAMED.items():
        if words.startswith(start) and (value := words.removeprefix(start).strip()):
            return made(words, value)
    raise ValueError(GRAMMAR)


Grades: TypeAlias = dict[State, tuple[float, Element]]
"""By value of the function: the log of its mass, and the average given it."""


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
