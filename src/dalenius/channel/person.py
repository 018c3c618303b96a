"""A person of a model, named by number, from 1, or by name."""

from dalenius.errors import InputError
from dalenius.joints import Belief


def person_number(belief: Belief, person: int | str, key: str) -> int:
    """Returns the number of a `person`, given by number or name. A text of digits that is no name is that number.

    Args:
        belief: The law of everybody's records.
        person: The number, from 1, or the name.
        key: The key that the InputError for an unknown person names.
    """
    # Because a TOML key writes a number as a text. Names are those of network nodes or of model.people.
    number = belief.number_of(person) if isinstance(person, str) else person
    if number is None and isinstance(person, str) and person.isdecimal():
        number = int(person)
    if number is None:
        bare = str(person).strip()
        # Because " 1" and "Ann " look like somebody, and the mistake cannot be seen.
        near = bare != person and (belief.number_of(bare) is not None or bare.isdecimal())
        raise InputError(key, person, f"a person's number or name{', without the blanks around it' if near else ''}")
    try:
        belief.subject_of(number)
    except InputError as error:
        raise InputError(key, person, error.wanted) from None
    return number
