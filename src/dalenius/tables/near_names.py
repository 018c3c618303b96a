"""Names that are likely one name, written in two ways: they differ in blanks, capitals or their form only.

In a table of households one name is written in three ways; the commonest way is taken for the meant one:

>>> found = near_names({"Elm 1": 4, "elm 1": 1, "Elm 1 ": 2, "Oak 2": 3})
>>> sorted(found.rarer), found.kinds
(['Elm 1 ', 'elm 1'], {'blanks': 1, 'capitals': 1})
"""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Final, final
from unicodedata import normalize

_NUMBER: Final = re.compile(r"[-+]?\d{1,300}(\.\d{0,300})?")


@final
@dataclass(frozen=True)
class NearNames:
    """Names that are likely one name.

    Attributes:
        rarer: Every name that has a commoner one next to it.
        kinds: In what they differ, and how many do so.
    """

    rarer: tuple[str, ...]
    kinds: Mapping[str, int]

    def words(self, role: str, column: str) -> str:
        """Returns the numbers as a clause, without a name; role: of the column, empty where it has none."""
        kinds = ", ".join(f"{kind} ({count:,})" for kind, count in self.kinds.items())
        one, *more = {
            "household": ("household name", "household names"),
            "person": ("id of a person", "ids of people"),
            "label": ("label", "labels"),
        }.get(role, ("text", "texts"))
        what = many(len(self.rarer), one, *more)
        verb = "differs" if len(self.rarer) == 1 else "differ"
        return f"{what} in column {column} {verb} from another one only in {kinds}"


def many(count: int, one: str, several: str | None = None) -> str:
    """Returns a count with its noun, `one` or `several` (by default with an s): "1 row", "1,000 rows"."""
    return f"{count:,} {one if count == 1 else several or f'{one}s'}"


def are(count: int, one: str = "is", several: str = "are") -> str:
    """Returns the verb that goes with a count: `one` or `several`."""
    return one if count == 1 else several


def out_of(count: int, size: int, one: str, several: str) -> str:
    """Returns a share with what is said of `one` or `several`: "1 of 60 is missing", "2 of 60 are missing".

    Args:
        count: How many.
        size: Of how many.
        one: The verb and what follows, for one.
        several: The same for none or several.
    """
    return f"{count} of {size} {are(count, one, several)}"


def near_names(rows: Mapping[str, int]) -> NearNames:
    """Returns the names that differ from another one only in blanks, capitals, Unicode form, or as 1, 1.0 and 01 do.

    Args:
        rows: How many rows have each name.
    """
    alike: dict[str, list[str]] = {}
    for name in rows:
        alike.setdefault(_folded(name), []).append(name)
    rarer, kinds = list[str](), dict[str, int]()
    for names in alike.values():
        if len(names) > 1:
            common, *others = sorted(names, key=lambda name: (-rows[name], name))
            rarer += others
            for other in others:
                kind = _kind(common, other)
                kinds[kind] = kinds.get(kind, 0) + 1
    return NearNames(tuple(rarer), dict(sorted(kinds.items())))


def near_cells(texts: Collection[str], cells: Iterable[str]) -> dict[str, str]:
    """Returns the cells that miss all of these texts by blanks, capitals, form or zeros only, and what they differ in.

    Args:
        texts: The texts that a condition asks for.
        cells: The different cells of the column.

    Example:
        >>> near_cells(["ja"], ["ja", "Ja", "ja ", "nein"])
        {'Ja': 'capitals', 'ja ': 'blanks'}
    """
    meant = {_folded(text): text for text in texts}
    found = dict[str, str]()
    for cell in cells:
        if cell not in texts and (text := meant.get(_folded(cell))) is not None:
            found[cell] = _kind(text, cell)
    return found


def _folded(name: str) -> str:
    """Returns one text for all names that are likely the same."""
    # Because most of a million names are ASCII, which has one form only.
    plain = name if name.isascii() else normalize("NFKC", name)
    return _as_number("".join(plain.casefold().split()))


def _as_number(text: str) -> str:
    """Returns a number without zeros that say nothing; any other text as it is."""
    if not text[:1].isdigit() and text[:1] not in ("+", "-"):
        return text
    if not _NUMBER.fullmatch(text) or not text.isascii():
        return text
    units, _, decimals = text.lstrip("+").partition(".")
    sign = "-" if units.startswith("-") else ""
    digits, rest = units.lstrip("-").lstrip("0") or "0", decimals.rstrip("0")
    return f"{sign}{digits}.{rest}" if rest else f"{sign}{digits}"


_STEPS: Final[tuple[tuple[str, Callable[[str], str]], ...]] = (
    ("blanks", lambda name: "".join(name.split())),
    ("capitals", str.casefold),
    ("Unicode form", lambda name: normalize("NFKC", name)),
    ("zeros, as 1, 1.0 and 01 do", _as_number),
)


def _kind(one: str, other: str) -> str:
    """Returns in what two names differ: the first single step that makes them equal, else several of them."""
    return next((kind for kind, fold in _STEPS if fold(one) == fold(other)), "several of blanks, capitals and form")
