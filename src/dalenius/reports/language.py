"""The sentences of the sheet in one language, read from a file of their own; a third language is a third file.

A file has a table `[form]` (how numbers and dates are written), a table `[sheet]` with the sentences, and
`[[words]]`: what stands for the package's own English words. Words that no row knows stay English and are marked.

>>> german = language("de")
>>> german.number("1,234.5"), str(german.say("from_to", low="3", high="4"))
('1.234,5', '3 bis 4')
>>> str(german.of("how many records are ill, one answer for each label"))
'bei wie vielen Personen der Wert ill ist, eine Antwort für jede Gruppe'
>>> str(german.of("what nobody has translated"))
'<i lang="en">what nobody has translated</i>'
"""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from string import Formatter
from typing import Final, final

from markupsafe import Markup, escape

from dalenius.errors import InputError

_FOLDER: Final = Path(__file__).with_name("languages")
_HOLE: Final = re.compile("<([A-Za-z])([0-9]*)>")
_NUMBER: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")
_TRANSLATED, _LISTED, _CONDITION, _NUMERIC, _PERIOD = "Q", "L", "C", "n", "p"
_FITS: Final = {_NUMERIC: "-?[0-9][0-9,.e+-]*", _PERIOD: "[0-9]{4}(?:-[QW]?[0-9]{1,2}){0,2}"}


@final
@dataclass(frozen=True)
class Language:
    """The sentences in one language.

    Attributes:
        form: How numbers and dates are written, and the language's code.
        sheet: The sentences, by their keys.
        words: English words of the package with holes, each with what stands for it.
        comparisons: Words between a column and its cells, such as "at least", each with what stands for it.
    """

    form: Mapping[str, str]
    sheet: Mapping[str, str]
    words: tuple[tuple[str, str], ...] = ()
    comparisons: Mapping[str, str] = field(default_factory=dict)

    @property
    def code(self) -> str:
        """The language's code, as in HTML."""
        return self.form["code"]

    def say(self, key: str, **values: object) -> Markup:
        """Writes the sentence under `key`, with its `values`, which are escaped."""
        return escape(self.sheet[key].replace(" %", "\u00a0%")).format(**values)

    def number(self, text: str) -> str:
        """Writes the numbers in a `text` in the language's form."""
        swapped = str.maketrans({".": self.form["decimal"], ",": self.form["thousands"]})
        # So that no line ends between a number and its unit, there is a blank that does not break.
        return _NUMBER.sub(lambda found: found[0].translate(swapped), text).replace(" %", "\u00a0%")

    def date(self, moment: str) -> str:
        """Writes a `moment`, an ISO time, in the language's form; a text that is no time stays as it is."""
        try:
            return datetime.fromisoformat(moment).astimezone(UTC).strftime(self.form["date"])
        except ValueError:
            return moment

    def of(self, english: str) -> Markup:
        """Translates `english` words of the package; what no row knows stays as it is, and is marked as English."""
        return self._joined(english, "; ")

    def _joined(self, english: str, between: str) -> Markup:
        """Translates each part of a text by a row, or marks it as English."""
        # Because a hole takes any text, it must not reach over the next part.
        return Markup(between).join(self._part(part) for part in english.split(between))

    def _part(self, english: str) -> Markup:
        known = self._whole(english)
        if known is not None:
            return known
        return Markup('<i lang="en">{}</i>').format(english) if self._rows else escape(english)

    def _whole(self, english: str) -> Markup | None:
        """Translates a text by the first row that it is of; None where it is of none."""
        for pattern, here in self._rows:
            found = pattern.fullmatch(english)
            if found is not None:
                filled = {name: self._hole(name, text) for name, text in found.groupdict().items()}
                pieces = [
                    filled[each] if place % 2 else escape(each.replace(" %", "\u00a0%"))
                    for place, each in enumerate(here)
                ]
                return Markup("").join(pieces)
        return None

    def _hole(self, name: str, text: str) -> Markup:
        """Writes what stands in a hole of that name."""
        fill: Mapping[str, Callable[[str], object]] = {
            _TRANSLATED: self.of,
            _LISTED: lambda listed: self._joined(listed, ", "),
            _CONDITION: self._condition,
            _NUMERIC: self.number,
        }
        return escape(fill.get(name[0], str)(text))

    def _condition(self, english: str) -> str:
        """Writes a condition on columns: its comparisons in the language, names and cells as they are."""
        for word, here in self.comparisons.items():
            english = english.replace(f" {word} ", f" {here} ")
        return english

    @cached_property
    def _rows(self) -> tuple[tuple[re.Pattern[str], list[str]], ...]:
        """The rows as patterns, each with the pieces of its translation: text, hole, text, .."""
        return tuple((_pattern(english), _pieces(here)) for english, here in self.words)


def _pattern(english: str) -> re.Pattern[str]:
    """Returns the pattern of a row's English words: a number fits where a number stands, a text elsewhere."""
    parts = []
    for place, piece in enumerate(_pieces(english)):
        inside = _FITS.get(piece[:1], ".+?")
        parts.append(f"(?P<{piece}>{inside})" if place % 2 else re.escape(piece))
    return re.compile("".join(parts), re.DOTALL)


def _pieces(text: str) -> list[str]:
    """Splits a row at its holes: what is between them stands at even places, their names at odd ones.

    >>> _pieces("of <n> people")
    ['of ', 'n', ' people']
    """
    found, start = [], 0
    for hole in _HOLE.finditer(text):
        found += [text[start : hole.start()], hole[1] + hole[2]]
        start = hole.end()
    return [*found, text[start:]]


def language(name: str) -> Language:
    """Reads a language: one that the package has, by its code, or a file of sentences.

    Args:
        name: A code, such as `de`, or the path of a TOML file.

    Raises:
        InputError: For a name that is neither, and for a file that lacks a sentence or changes a part in braces.
    """
    path = Path(name) if name.endswith(".toml") else _FOLDER / f"{name}.toml"
    there = sorted(each.stem for each in _FOLDER.glob("*.toml"))
    if not (name.endswith(".toml") or name in there) or not path.is_file():
        raise InputError("--language", name, f"one of {', '.join(there)}, or a .toml file of sentences")
    found = _read(path)
    # Because a sheet with a gap must not be signed, a file is compared with the English one.
    wanted = _read(_FOLDER / "en.toml")
    for section, has, needs in (("form", found.form, wanted.form), ("sheet", found.sheet, wanted.sheet)):
        for key, sentence in needs.items():
            if not isinstance(has.get(key), str):
                raise InputError("--language", name, f"a text {section}.{key}")
            if section == "sheet" and (holes := _holes(sentence)) != _holes(has[key]):
                raise InputError("--language", name, f"the parts {sorted(holes)} in braces in {section}.{key}")
    return found


def _read(path: Path) -> Language:
    """Reads a file of sentences; InputError where it is none."""
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        rows = tuple((str(row["english"]), str(row["here"])) for row in read.get("words", ()))
        return Language(dict(read["form"]), dict(read["sheet"]), rows, dict(read.get("comparisons", {})))
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("--language", str(path), f"a file like en.toml ({error})") from None


def _holes(sentence: str) -> set[str]:
    """Returns the names in braces in a sentence; one that no sentence has where the braces do not fit."""
    try:
        return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
    except ValueError:
        return {"braces that close"}
