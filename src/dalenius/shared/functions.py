"""Functions of the records of a group that may be its secret: a closed grammar, and laws graded by them.

Each is a homomorphism of multisets of values: what one record contributes is a state, and states of disjoint groups of
records are joined, in any order. So the function of a group of any size is graded along with the answer (`Graded`),
and no assignment of its records is listed.

A law that can average a product of per-record factors so yields Pr[F = s] and E[prod factor | F = s] for a function F
of all its records, whatever their number: E[ prod_j factor(X_j) w^F ] as a polynomial in w.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Generic, Literal, TypeAlias, final

import numpy as np

from dalenius.errors import InputError, TooLarge
from dalenius.laws.law import Array, IntArray, log_sum
from dalenius.laws.transform import Element, Transform
from dalenius.schema import RecordValue

State: TypeAlias = int | Fraction
Key: TypeAlias = tuple[RecordValue, ...] | State
"""What the records of a group are, in the order of the people; or the state of a function of them."""
Law: TypeAlias = dict[Key, tuple[float, Element]]
"""By what the secret may be: the log of its mass, and an average given it."""
Kind: TypeAlias = Literal["any member", "all members", "number", "share"]
KINDS: Final[tuple[Kind, ...]] = ("any member", "all members", "number", "share")
GRAMMAR: Final = "any member V, all members V, number V, share V (V a value of records), or total"
MOST_PAIRS: Final = 1 << 17


@final
@dataclass(frozen=True)
class Function:
    """words: as it was written. kind: whether some record has the value, whether all have, how many, or which share of
    them; None: the sum of all records, each as the decimal it is written as (value: None)."""

    words: str
    kind: Kind | None = None
    value: str | None = None

    @property
    def start(self) -> int:
        """The state of no record."""
        return int(self.kind == "all members")

    @property
    def adds(self) -> bool:
        """Whether states of disjoint groups add."""
        return self.kind not in ("any member", "all members")

    def of(self, value: RecordValue) -> State:
        """The state of one record."""
        return Fraction(str(value)) if self.kind is None else int(str(value) == self.value)

    def join(self, one: State, other: State) -> State:
        """The state of two disjoint groups together."""
        if self.adds:
            return one + other
        return max(one, other) if self.kind == "any member" else min(one, other)

    def all_of(self, values: Iterable[RecordValue]) -> State:
        """The state of these records together."""
        state: State = self.start
        for value in values:
            state = self.join(state, self.of(value))
        return state

    def times(self, state: State, count: int) -> State:
        """The state of so many groups of that state each."""
        if self.adds:
            return state * count
        return state if count else self.start

    def shown(self, state: State, people: int) -> RecordValue:
        """The function's value of so many people's records."""
        if not self.adds:
            return "yes" if state else "no"
        exact = Fraction(state) / (people if self.kind == "share" else 1)
        return int(exact) if exact.denominator == 1 and self.kind != "share" else float(exact)

    def check(self, values: Sequence[RecordValue]) -> None:
        """InputError where no record has the value that is named, or where a total is of texts."""
        if self.value is not None and self.value not in map(str, values):
            known = ", ".join(dict.fromkeys(map(str, values)))
            raise InputError("secrets.function", self.words, f"a value that some record can have: {known}")
        texts = [value for value in values if isinstance(value, str)]
        if self.value is None and texts:
            raise InputError("secrets.function", self.words, f"records that are numbers, which {texts[0]!r} is not")


def function_of(words: str) -> Function:
    """The function in these words. ValueError, with the grammar, for any others."""
    if words == "total":
        return Function(words)
    for kind in KINDS:
        if words.startswith(f"{kind} ") and (value := words.removeprefix(f"{kind} ").strip()):
            return Function(words, kind, value)
    raise ValueError(GRAMMAR)


@final
class Graded(Transform[Law[Element]], Generic[Element]):
    """inner: what is graded; states: of each slot. TooLarge where the function has too many values."""

    def __init__(self, inner: Transform[Element], function: Function, states: Sequence[State]) -> None:
        self._inner = inner
        self._function = function
        self._states = states

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> Law[Element]:
        rows: dict[State, list[int]] = {}
        for row, number in enumerate(counts.tolist()):
            if log_weights[row] > -np.inf:
                rows.setdefault(self._row(slots, number), []).append(row)
        found: Law[Element] = {}
        for state, own in rows.items():
            logs = log_weights[own]
            total = log_sum(logs)
            found[state] = total, self._inner.mean(np.minimum(logs - total, 0.0), slots, counts[own])
        return found

    def _row(self, slots: IntArray, numbers: Sequence[int]) -> State:
        state: State = self._function.start
        for slot, number in zip(slots.tolist(), numbers, strict=True):
            if number:
                state = self._function.join(state, self._function.times(self._states[slot], number))
        return state

    def product(self, elements: Sequence[Law[Element]], powers: Sequence[int]) -> Law[Element]:
        found: Law[Element] | None = None
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: len(pair[0])):
            if power:
                raised = self._power(element, power)
                found = raised if found is None else together(self._inner, self._function, found, raised)
        if found is None:
            some = next(iter(elements[0].values()))[1]
            return {self._function.start: (0.0, self._inner.product([some], [0]))}
        return found

    def _power(self, element: Law[Element], power: int) -> Law[Element]:
        if len(element) == 1:
            ((state, (log, own)),) = element.items()
            assert not isinstance(state, tuple)
            return {self._function.times(state, power): (power * log, self._inner.product([own], [power]))}
        found: Law[Element] | None = None
        while power:
            if power % 2:
                found = element if found is None else together(self._inner, self._function, found, element)
            power //= 2
            if power:
                element = together(self._inner, self._function, element, element)
        assert found is not None
        return found

    def mix(self, log_weights: Array, elements: Sequence[Law[Element]]) -> Law[Element]:
        weighed = [each for each in zip(log_weights.tolist(), elements, strict=True) if each[0] > -np.inf]
        parts = [(key, (weight + log, own)) for weight, law in weighed for key, (log, own) in law.items()]
        return gathered(self._inner, parts)


def together(
    transform: Transform[Element], function: Function | None, one: Law[Element], other: Law[Element]
) -> Law[Element]:
    """Of two independent parts of a group; function: None for the records themselves."""
    if function is not None and len(one) * len(other) > MOST_PAIRS:
        size = f"{len(one):,} by {len(other):,} values of {function.words}"
        raise TooLarge("the law of the secret", size, "use any member V or all members V, or fewer people")

    def joined(key: Key, further: Key) -> Key:
        if isinstance(key, tuple) and isinstance(further, tuple):
            return (*key, *further)
        assert function is not None
        assert not isinstance(key, tuple)
        assert not isinstance(further, tuple)
        return function.join(key, further)

    parts = [
        (joined(key, further), (log + more, transform.product([own, others], [1, 1])))
        for key, (log, own) in one.items()
        for further, (more, others) in other.items()
    ]
    return gathered(transform, parts)


def gathered(transform: Transform[Element], parts: Sequence[tuple[Key, tuple[float, Element]]]) -> Law[Element]:
    """Those of one key together."""
    by_key: dict[Key, list[tuple[float, Element]]] = {}
    for key, part in parts:
        by_key.setdefault(key, []).append(part)
    return {key: own[0] if len(own) == 1 else _mixed(transform, own) for key, own in by_key.items()}


def _mixed(transform: Transform[Element], parts: Sequence[tuple[float, Element]]) -> tuple[float, Element]:
    logs = np.array([log for log, _ in parts])
    total = log_sum(logs)
    return total, transform.mix(np.minimum(logs - total, 0.0), [element for _, element in parts])


def normalised(law: Law[Element]) -> Law[Element]:
    """With masses that sum to 1."""
    total = log_sum(np.array([log for log, _ in law.values()]))
    return {key: (min(log - total, 0.0), element) for key, (log, element) in law.items()}


@final
class Masses(Transform[None]):
    """Nothing but the masses: what is graded is thrown away."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> None:
        return None

    def product(self, elements: Sequence[None], powers: Sequence[int]) -> None:
        return None

    def mix(self, log_weights: Array, elements: Sequence[None]) -> None:
        return None
