"""One language of the sheet, read from a file of sentences; a third language is a third file.

A file has a table `[form]` (how numbers and dates are written), a table `[sheet]` with the sentences that the sheet
alone has, and a table `[sentences]` with those that the whole package says in English (`sentences.sentence`). Words
that have no key, such as those of a plugin, stay English and are marked.

>>> german = language("de")
>>> german.number("1,234.5"), str(german.say("from_to", low="3", high="4"))
('1.234,5', '3 bis 4')
>>> from dalenius.sentences.sentence import English, said
>>> str(german.of(said("each_label", question=said("how_many", values=Name("ill")))))
'bei wie vielen Personen der Wert ill ist, eine Antwort für jede Gruppe'
>>> str(german.of(English("what nobody has translated")))
'<i lang="en">what nobody has translated</i>'
"""

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import Any, Final, final

from markupsafe import Markup, escape

from dalenius.errors import InputError
from dalenius.sentences.sentence import FOLDER, Figure, Name, Phrase, Sentence, Series

_ENGLISH: Final = "en"
_NUMBER: Final = re.compile(r"[0-9][0-9,]*(?:\.[0-9]+)?(?:e[-+]?[0-9]+)?")


@final
@dataclass(frozen=True)
class Language:
    """The sentences in one language.

    Attributes:
        form: How numbers and dates are written, and the language's code.
        sheet: The sentences of the sheet, by their keys.
        sentences: The sentences of the package, by their keys.
    """

    form: Mapping[str, str]
    sheet: Mapping[str, str]
    sentences: Mapping[str, str]

    @property
    def code(self) -> str:
        """The language's code, as in HTML."""
        return self.form["code"]

    def say(self, key: str, **values: object) -> Markup:
        """Writes the sheet's sentence under `key`, with its `values`, which are escaped."""
        return _filled(self.sheet[key], values)

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

    def of(self, words: Phrase) -> Markup:
        """Says a phrase in this language; English words that have no key are marked."""
        match words:
            case Sentence():
                return _filled(self.sentences[words.key], {name: self.of(part) for name, part in words.parts.items()})
            case Series():
                return escape(self.sentences[words.between]).join(self.of(each) for each in words.phrases)
            case Figure():
                return escape(self.number(words))
            case Name():
                return escape(str(words))
        return escape(str(words)) if self.code == _ENGLISH else Markup('<i lang="en">{}</i>').format(str(words))


def _filled(sentence: str, values: Mapping[str, object]) -> Markup:
    # So that no line ends between a number and its unit, there is a blank that does not break.
    return escape(sentence.replace(" %", "\u00a0%")).format(**values)


def language(name: str) -> Language:
    """Reads a language: one that the package has, by its code, or a file of sentences.

    Args:
        name: A code, such as `de`, or the path of a TOML file.

    Raises:
        InputError: For a name that is neither, and for a file that lacks a sentence or changes a part in braces.
    """
    path = Path(name) if name.endswith(".toml") else FOLDER / f"{name}.toml"
    there = sorted(each.stem for each in FOLDER.glob("*.toml"))
    if not (name.endswith(".toml") or name in there) or not path.is_file():
        raise InputError("--language", name, f"one of {', '.join(there)}, or a .toml file of sentences")
    read, wanted = _read(path), _read(FOLDER / f"{_ENGLISH}.toml")
    # Because a sheet with a gap must not be signed, a file is compared with the English one.
    for section, needs in wanted.items():
        for key, sentence in needs.items():
            given = read[section].get(key)
            if not isinstance(given, str):
                raise InputError("--language", name, f"a text {section}.{key}")
            if section != "form" and (holes := _holes(sentence)) != _holes(given):
                raise InputError("--language", name, f"the parts {sorted(holes)} in braces in {section}.{key}")
    return Language(**read)


def _read(path: Path) -> dict[str, dict[str, Any]]:
    """Reads the tables of a file of sentences; InputError where it is none."""
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
        return {section: dict(read[section]) for section in ("form", "sheet", "sentences")}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError("--language", str(path), f"a file like en.toml ({error})") from None


def _holes(sentence: str) -> set[str]:
    """Returns the names in braces in a sentence; one that no sentence has where the braces do not fit."""
    try:
        return {name for _, name, _, _ in Formatter().parse(sentence) if name is not None}
    except ValueError:
        return {"braces that close"}
