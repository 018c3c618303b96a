"""Background knowledge: the records that the adversary knows for certain."""

from collections.abc import Mapping
from typing import final

from dalenius.errors import InputError
from dalenius.joints import Belief
from dalenius.schema import Frozen, RecordValue


@final
class Adversary(Frozen):
    """known: records by their person's number, from 1, or name. The model is conditioned on them."""

    known: Mapping[str, RecordValue] = {}

    def conditioned(self, belief: Belief) -> Belief:
        """The law given the known records. InputError for an unknown person, or values of probability 0."""
        if not self.known:
            return belief
        numbers: dict[int, RecordValue] = {}
        for name, value in self.known.items():
            number = number_of(belief, name, f"adversary.known.{name}")
            if number in numbers:
                raise InputError(f"adversary.known.{name}", value, f"person {number} once")
            numbers[number] = value
        return belief.given(numbers)


def number_of(belief: Belief, person: int | str, key: str) -> int:
    """A person's number, from number or name. InputError, under the key, for an unknown person."""
    number = belief.number_of(person) if isinstance(person, str) else person
    if number is None and isinstance(person, str) and person.isdecimal():
        number = int(person)
    if number is None:
        raise InputError(key, person, "a person's number or name")
    try:
        belief.subject_of(number)
    except InputError as error:
        raise InputError(key, person, error.wanted) from None
    return number
