"""Functions of the records of a group that may be its secret: a closed grammar, and laws graded by them.

Each function is a homomorphism of multisets of values. One record contributes a state, and states of disjoint groups of
records are joined, in any order. So the function of a group of any size is graded along with the answer (`Graded`), and
no assignment of its records is listed.

So a law that can average a product of per-record factors yields Pr[F = s] and E[prod factor | F = s] for a function F
of all its records, whatever their number: E[ prod_j factor(X_j) w^F ] as a polynomial in w.

In a household of two, 0, 1, 2 are ill with probabilities 0.5, 0.2, 0.3. It has "any member 1" with probability 0.5 and
"all members 1" with 0.3; a count of it through Laplace(1) leaks at most 1.709 nats of the first and 1.801 of the
second.

>>> number, any_member = function_of("number 1"), function_of("any member 1")
>>> number.shown(number.all_of([1, 0, 1, 1])), any_member.shown(any_member.all_of([1, 0, 1, 1]))
(3, 'yes')
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Generic, Literal, TypeAlias, final

import numpy as np

from dalenius.arrays import Array, IntArray
from dalenius.errors import InputError, TooLarge
from dalenius.fields import RecordValue
from dalenius.laws.generating_function_algebra import Element, Transform
from dalenius.laws.law import log_sum
from dalenius.linked.limits import MOST_SECRET_PAIRS

State: TypeAlias = int | Fraction | tuple[RecordValue, ...]
"""The state of a function of a group's records; for the records themselves, their values in the order of the people."""
SecretLaw: TypeAlias = dict[State, tuple[float, Element]]
"""For each state that the secret may be: the log of its mass, and an average given it."""
_Kind: TypeAlias = Literal["any member", "all members", "number", "records"]
_KINDS: Final[tuple[_Kind, ...]] = ("any member", "all members", "number")
_GRAMMAR: Final = "any member V, all members V, number V (V a value of records), or total"


@final
@dataclass(frozen=True)
class Function:
    """A function of records.

    Attributes:
        words: The function as it was written.
        kind: Whether some record has the value, whether all have it, how many have it, or the records themselves. None
            is the sum of all records, each as the decimal it is written as.
        value: The value that is counted; None for the sum, and for the records themselves.
    """

    words: str
    kind: _Kind | None = None
    value: str | None = None

    @property
    def start(self) -> State:
        """The state of no record: all of nobody's records have the value, and none of them has."""
        return () if self.of_records else int(self.kind == "all members")

    @property
    def of_records(self) -> bool:
        """Whether the function is the records themselves, in a row."""
        return self.kind == "records"

    @property
    def adds(self) -> bool:
        """Whether states of disjoint groups add; rows of records are put together."""
        return self.kind not in ("any member", "all members")

    def of(self, value: RecordValue) -> State:
        """Returns the state of one record with this `value`."""
        if self.of_records:
            return (value,)
        return Fraction(str(value)) if self.kind is None else int(str(value) == self.value)

    def join(self, one: State, other: State) -> State:
        """Returns the state of two disjoint groups together, whose states are `one` and `other`."""
        # Numbers and totals add; whether any or all members are ill is a maximum or a minimum of 0 and 1.
        if self.adds:
            return one + other  # type: ignore[operator]
        return (max if self.kind == "any member" else min)(one, other)

    def all_of(self, values: Iterable[RecordValue]) -> State:
        """Returns the state of records with these `values` together."""
        state: State = self.start
        for value in values:
            state = self.join(state, self.of(value))
        return state

    def times(self, state: State, count: int) -> State:
        """Returns the state of `count` groups together; each has this `state`."""
        if self.adds:
            return state * count
        # Whether any of a thousand households' members is ill is what it is for one of that state.
        return state if count else self.start

    def shown(self, state: State) -> RecordValue:
        """Returns the function's value at this `state` as a witness shows it: a household is ill or not."""
        if not self.adds:
            return "yes" if state else "no"
        assert not isinstance(state, tuple)
        return int(state) if Fraction(state).denominator == 1 else float(state)

    def check(self, values: Sequence[RecordValue]) -> None:
        """Raises InputError if no record, of these `values`, has the value that is named, or if a total is of texts."""
        # "any member 2" of yes or no, or a total of names.
        if self.value is not None and self.value not in map(str, values):
            known = ", ".join(dict.fromkeys(map(str, values)))
            raise InputError("secrets.function", self.words, f"a value that some record can have: {known}")
        texts = [value for value in values if isinstance(value, str)]
        if self.value is None and texts:
            raise InputError("secrets.function", self.words, f"records that are numbers, which {texts[0]!r} is not")


RECORDS: Final = Function("records", "records")


def function_of(words: str) -> Function:
    """Returns the function in these `words`; ValueError, with the grammar, for any others."""
    # The only function that names no value.
    if words == "total":
        return Function(words)
    for kind in _KINDS:
        if words.startswith(f"{kind} ") and (value := words.removeprefix(f"{kind} ").strip()):
            return Function(words, kind, value)
    raise ValueError(_GRAMMAR)


@final
class Graded(Transform[SecretLaw[Element]], Generic[Element]):
    """Averages by state of a function: each is over the records that have that state together.

    Args:
        function: The function.
        inner: The transform that is graded.
        states: The state of each slot.

    Raises:
        TooLarge: If the function has too many values.
    """

    def __init__(self, inner: Transform[Element], function: Function, states: Sequence[State]) -> None:
        self._inner = inner
        self._function = function
        self._states = states

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> SecretLaw[Element]:
        rows: dict[State, list[int]] = {}
        for row, number in enumerate(counts.tolist()):
            if log_weights[row] > -np.inf:
                rows.setdefault(self._row(slots, number), []).append(row)
        found: SecretLaw[Element] = {}
        for state, own in rows.items():
            logs = log_weights[own]
            total = log_sum(logs)
            found[state] = total, self._inner.mean(np.minimum(logs - total, 0.0), slots, counts[own])
        return found

    def _row(self, slots: IntArray, numbers: Sequence[int]) -> State:
        """Returns the state of a group with so many records in each slot."""
        state: State = self._function.start
        for slot, number in zip(slots.tolist(), numbers, strict=True):
            if number:
                state = self._function.join(state, self._function.times(self._states[slot], number))
        return state

    def product(self, elements: Sequence[SecretLaw[Element]], powers: Sequence[int]) -> SecretLaw[Element]:
        found: SecretLaw[Element] | None = None
        # The shortest laws first, so that the long ones are joined with few states.
        for element, power in sorted(zip(elements, powers, strict=True), key=lambda pair: len(pair[0])):
            if power:
                raised = self._power(element, power)
                found = raised if found is None else of_both_parts(self._inner, self._function, found, raised)
        # No group at all: the state of no record, and the average of nothing.
        if found is None:
            some = next(iter(elements[0].values()))[1]
            return {self._function.start: (0.0, self._inner.product([some], [0]))}
        return found

    def _power(self, element: SecretLaw[Element], power: int) -> SecretLaw[Element]:
        """Returns the law of so many independent groups of one law, by repeated squaring."""
        # A group that has one state for certain: so has any number of them, and no squaring is needed.
        if len(element) == 1:
            ((state, (log, own)),) = element.items()
            return {self._function.times(state, power): (power * log, self._inner.product([own], [power]))}
        found: SecretLaw[Element] | None = None
        while power:
            if power % 2:
                found = element if found is None else of_both_parts(self._inner, self._function, found, element)
            power //= 2
            if power:
                element = of_both_parts(self._inner, self._function, element, element)
        assert found is not None
        return found

    def mix(self, log_weights: Array, elements: Sequence[SecretLaw[Element]]) -> SecretLaw[Element]:
        weighed = [each for each in zip(log_weights.tolist(), elements, strict=True) if each[0] > -np.inf]
        parts = [(key, (weight + log, own)) for weight, law in weighed for key, (log, own) in law.items()]
        return gathered(self._inner, parts)


def of_both_parts(
    transform: Transform[Element], function: Function, one: SecretLaw[Element], other: SecretLaw[Element]
) -> SecretLaw[Element]:
    """Returns the law of two independent parts of a group together; TooLarge for too many pairs of states.

    Args:
        transform: The transform of the averages.
        function: The function of the records.
        one: The law of the first part.
        other: The law of the second part.
    """
    # A total of incomes in cents has a state for nearly every combination; "any member V" has two.
    if not function.of_records and len(one) * len(other) > MOST_SECRET_PAIRS:
        size = f"{len(one):,} by {len(other):,} values of {function.words}"
        instead = "use any member V or all members V, or fewer people"
        raise TooLarge("the law of the secret", size, instead, MOST_SECRET_PAIRS)
    parts = [
        (function.join(key, further), (log + more, transform.product([own, others], [1, 1])))
        for key, (log, own) in one.items()
        for further, (more, others) in other.items()
    ]
    return gathered(transform, parts)


def gathered(transform: Transform[Element], parts: Sequence[tuple[State, tuple[float, Element]]]) -> SecretLaw[Element]:
    """Returns a law of cases: those of one state are mixed.

    Args:
        transform: The transform of the averages.
        parts: The cases: a state, the log of its mass and the average given it.
    """
    by_key: dict[State, list[tuple[float, Element]]] = {}
    for key, part in parts:
        by_key.setdefault(key, []).append(part)
    return {key: own[0] if len(own) == 1 else _mixed(transform, own) for key, own in by_key.items()}


def _mixed(transform: Transform[Element], parts: Sequence[tuple[float, Element]]) -> tuple[float, Element]:
    """Mixes several cases of one secret: returns their mass, and the average over them."""
    logs = np.array([log for log, _ in parts])
    total = log_sum(logs)
    return total, transform.mix(np.minimum(logs - total, 0.0), [element for _, element in parts])


def normalised_law(law: SecretLaw[Element]) -> SecretLaw[Element]:
    """Returns the `law` with masses that sum to 1."""
    total = log_sum(np.array([log for log, _ in law.values()]))
    return {key: (min(log - total, 0.0), element) for key, (log, element) in law.items()}


@final
class OnlyMasses(Transform[None]):
    """The transform that keeps nothing but the masses: what is graded is thrown away."""

    def mean(self, log_weights: Array, slots: IntArray, counts: IntArray) -> None:
        return None

    def product(self, elements: Sequence[None], powers: Sequence[int]) -> None:
        return None

    def mix(self, log_weights: Array, elements: Sequence[None]) -> None:
        return None
