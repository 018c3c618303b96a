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


class ImpossibleTogether(InputError):
    """Known records have probability 0 together.

    Args:
        known: The values by the people's numbers, or names.
    """

    def __init__(self, known: Mapping[int, RecordValue] | Mapping[str, RecordValue]) -> None:
        shown = ", ".join(f"{person} = {value}" for person, value in known.items())
        super().__init__("adversary.known", shown, "values that can occur together")
