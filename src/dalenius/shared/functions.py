"""Functions of the records of a group that may be its secret: a closed grammar.

Each is a homomorphism of multisets of values: what one record contributes is a state, and states of disjoint groups of
records are joined, in any order. So the function of a group of any size is graded along with the answer (`Graded`),
and no assignment of its records is listed.
"""

import abc
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, final

from dalenius.errors import InputError
from dalenius.schema import RecordValue

State: TypeAlias = int | Fraction

GRAMMAR: Final = "any member V, all members V, number V, share V (V a value of records), or total"


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
