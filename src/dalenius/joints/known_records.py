"""Records that an adversary knows: their places among the possible values, and the error for impossible ones."""

from collections.abc import Mapping, Sequence

from dalenius.errors import InputError
from dalenius.fields import RecordValue


def known_places(known: Mapping[int, RecordValue], universes: Mapping[int, Sequence[RecordValue]]) -> dict[int, int]:
    """Returns each known person's value as an index into their universe. InputError where it is not in it.

    `known` has the values, and `universes` the possible values, both by the people's numbers.
    """
    places = {}
    for person, value in known.items():
        # Because a universe may be all salaries, at most twenty values are shown.
        universe = list(universes[person])
        if value not in universe:
            raise InputError(f"adversary.known.{person}", value, f"a value that record can have {universe[:20]}")
        places[person] = universe.index(value)
    return places


def impossible(known: Mapping[int, RecordValue]) -> InputError:
    """Returns the error for `known` records, by the people's numbers, of probability 0."""
    shown = ", ".join(f"{person} = {value}" for person, value in known.items())
    return InputError("adversary.known", shown, "values that can occur together")
