"""Columns with one name, which no table may have: nobody can say which of two is meant.

Capitals do not tell two columns apart, as engines do not agree about them:

>>> twins(["home", "ill", "Ill", "ward", "ill"])
[[2, 3, 5]]
"""

from collections.abc import Iterable, Sequence

from dalenius.errors import InputError


def twins(names: Iterable[str]) -> list[list[int]]:
    """Returns the places, from 1, of columns whose `names` are one but for capitals and blanks around them."""
    places: dict[str, list[int]] = {}
    for place, name in enumerate(names, 1):
        if name.strip():  # nothing can be read from a column without a name, as an index has none
            places.setdefault(name.strip().casefold(), []).append(place)
    return [each for each in places.values() if len(each) > 1]


def check_columns(names: Sequence[str], key: str, where: object) -> None:
    """Raises InputError where two columns have one name.

    Places are named and not the names: a file without names in its first line has a person's cells there.

    Args:
        names: The names of the columns.
        key: The spec's key of the table.
        where: What the spec says there.
    """
    found = twins(names)
    if found:
        said = "; ".join(f"columns {' and '.join(map(str, places))} have the same one" for places in found[:5])
        raise InputError(key, where, f"a name of its own for each column, whatever its capitals ({said})")
