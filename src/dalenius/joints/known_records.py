"""Records that an adversary knows: their places among the possible values, and the error for impossible ones.

Given known records every step of a chain is another one. What it was still repeats, which windows of long chains need.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

from dalenius.arrays import IntArray
from dalenius.errors import InputError
from dalenius.fields import RecordValue
from dalenius.laws.extended_range import Masses


@final
@dataclass(frozen=True, eq=False)
class Unconditioned:
    """The law of a chain before some of its records became known, and these.

    Args:
        initial: The law of the first record (k,).
        matrices: The distinct transition matrices (m, k, k), by rows.
        which: The number of each step's matrix (n - 1,).
        known: The places of the known records, from 0, in order, and their states.
    """

    initial: Masses
    matrices: Masses
    which: IntArray
    known: tuple[tuple[int, int], ...]


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
