"""Sentences: English text that knows by which key and from which parts it was made, so that it can be said again.

The English sentences stand in `en.toml`, under `[sentences]`; a translation has the same keys and the same parts. The
text of a sentence is what all the package prints. Its key and parts are what a page in another language is made from.

>>> asked = said("among_labels", question=said("how_many", values=value_phrase(("ill", "dead"))), labels=Name("home"))
>>> asked
'how many records are ill or dead, of people labelled home only'
>>> asked.key, asked.parts["labels"], type(asked.parts["labels"]).__name__
('among_labels', 'home', 'Name')
"""

import tomllib
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final, TypeAlias, final

FOLDER: Final = Path(__file__).parent
"""The folder of the languages, a TOML file each."""
_FEW: Final = 6
"""Most entries of a list that words name."""


@final
class Name(str):
    """Text of the user, such as a column or a label: it stays as it is in every language."""

    __slots__ = ()


@final
class Figure(str):
    """Numbers as English writes them: a translation changes the marks only."""

    __slots__ = ()


@final
class English(str):
    """Words that no table has, such as those of a plugin: a page in another language marks them as English."""

    __slots__ = ()


@final
class Sentence(str):
    """The English text of the sentence under a key.

    Attributes:
        key: Its key in the tables of sentences.
        parts: What stands in its braces, by the names there.
    """

    key: str
    parts: Mapping[str, "Phrase"]

    def __new__(cls, key: str, parts: Mapping[str, "Phrase"]) -> "Sentence":
        made = super().__new__(cls, english()[key].format(**parts))
        made.key, made.parts = key, parts
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets a sentence go to another process, or be copied, with its parts."""
        return Sentence, (self.key, dict(self.parts))


@final
class Series(str):
    """Several phrases, with what stands under a key between any two: English text too.

    Attributes:
        between: The key.
        phrases: The phrases.
    """

    between: str
    phrases: tuple["Phrase", ...]

    def __new__(cls, between: str, phrases: Iterable["Phrase"]) -> "Series":
        listed = tuple(phrases)
        made = super().__new__(cls, english()[between].join(listed))
        made.between, made.phrases = between, listed
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        """Lets a series go to another process, or be copied, with its phrases."""
        return Series, (self.between, self.phrases)


Phrase: TypeAlias = Sentence | Series | Name | Figure | English


@cache
def english() -> Mapping[str, str]:
    """Returns the English sentences by their keys, read once."""
    found: dict[str, str] = tomllib.loads((FOLDER / "en.toml").read_text(encoding="utf-8"))["sentences"]
    return found


def said(key: str, /, **parts: Phrase | int | float) -> Sentence:
    """Makes the sentence under a key.

    Args:
        key: The key of the sentence.
        parts: What stands in its braces. A whole number gets marks between thousands; another one at most six digits.

    Raises:
        TypeError: For a plain text, which would be neither translated nor marked.
    """
    return Sentence(key, {name: _part(name, part) for name, part in parts.items()})


def _part(name: str, part: Phrase | int | float) -> Phrase:
    if isinstance(part, int | float):
        return Figure(f"{part:,}" if isinstance(part, int) else f"{part:g}")
    if not isinstance(part, Phrase):
        raise TypeError(f"{name} is a plain text: Name, Figure, English or said() says what it is")
    return part


def phrase(words: str) -> Phrase:
    """Returns `words` as a phrase; a plain text, such as a plugin's, as English."""
    return words if isinstance(words, Phrase) else English(words)


def semicolons(phrases: Iterable[Phrase]) -> Phrase:
    """Returns phrases with semicolons between them; one alone as it is."""
    listed = tuple(phrases)
    return listed[0] if len(listed) == 1 else Series("between_clauses", listed)


def commas(phrases: Iterable[Phrase]) -> Phrase:
    """Returns phrases with commas between them; one alone as it is."""
    listed = tuple(phrases)
    return listed[0] if len(listed) == 1 else Series("between_items", listed)


def few_listed(phrases: Iterable[Phrase], between: str = "between_items") -> Series:
    """Lists the first few `phrases`, with what is under `between` in between, and says how many more there are."""
    every = list(phrases)
    more = len(every) - _FEW
    return Series(between, [*every[:_FEW], *([said("and_more", count=more)] if more > 0 else [])])


def counted(one: str, several: str, count: int, **parts: Phrase | int) -> Sentence:
    """Makes the sentence under `one` for a count of 1, and that under `several`, with the count, for another."""
    return said(one, **parts) if count == 1 else said(several, count=count, **parts)


def value_phrase(value: object) -> Phrase:
    """Writes the value of a record or of a setting: lists with "or", settings by their names.

    >>> value_phrase(("ill", "dead")), value_phrase({"home": 2.0})
    ('ill or dead', 'home 2.0')
    """
    if isinstance(value, Mapping):
        return Series(
            "between_items",
            (said("setting", name=Name(name), value=value_phrase(each)) for name, each in value.items()),
        )
    if isinstance(value, list | tuple):
        return Series("between_choices", map(value_phrase, value))
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return Figure(f"{value}") if number else Name(f"{value}")


def clip_range(lower: float | None, upper: float | None) -> Sentence | None:
    """Says that values are clipped to the range from `lower` to `upper`; None where they are not."""
    if lower is not None and upper is not None:
        return said("clip_range", low=Figure(f"{lower:g}"), high=Figure(f"{upper:g}"))
    if lower is not None:
        return said("clip_low", low=Figure(f"{lower:g}"))
    return None if upper is None else said("clip_high", high=Figure(f"{upper:g}"))


def kind_name(what: str, kind: str) -> Phrase:
    """Returns the name of a kind of `what`, such as noise; of a plugin's kind, the kind itself.

    >>> kind_name("noise", "laplace"), kind_name("noise", "my_own")
    ('laplace', 'my_own')
    """
    key = f"{what}_{kind}"
    return said(key) if key in english() else Name(kind)
