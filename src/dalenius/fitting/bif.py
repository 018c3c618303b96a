"""Bayesian networks in the Interchange Format (BIF), as the repositories of the field publish them.

The standard subset: network, variable with `type discrete`, probability with a table, rows by parent assignment or a
default row. Comments, commas and properties are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as assignments
from math import fsum, isfinite
from pathlib import Path
from typing import Final, NamedTuple, NoReturn, TypeAlias, final

from dalenius.errors import InputError

_TOKEN: Final = re.compile(
    r'//[^\n]*|/\*.*?\*/|"(?P<quoted>[^"]*)"|(?P<bare>[{}()\[\]|;]|(?:(?!//|/\*)[^\s{}()\[\]|,;"])+|/\*|")', re.DOTALL
)

_Key: TypeAlias = tuple[str, ...]
"""The values of a variable's parents."""


@final
@dataclass(frozen=True)
class BifNode:
    """A variable; rows: one per assignment of the parents, the last parent fastest."""

    name: str
    values: tuple[int | float | str, ...]
    parents: tuple[str, ...]
    rows: tuple[tuple[float, ...], ...]


def read_bif(path: Path) -> tuple[BifNode, ...]:
    """The variables of a BIF file, in order. InputError names the file, the line, the token and what is wanted."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError("model.file", str(path), f"a file that can be read ({error.strerror})") from None
    except UnicodeDecodeError:
        raise InputError("model.file", str(path), "text in UTF-8") from None
    return _Reader(path.name, text).nodes()


class _Token(NamedTuple):
    """A word, or a mark: the name of a block, a brace, a word of the format."""

    text: str
    line: int
    quoted: bool = False

    def is_mark(self, text: str) -> bool:
        return self.text == text and not self.quoted


@final
class _Reader:
    """A file is blocks: words, and in braces statements that end with a semicolon."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._tokens = _split(text)
        self._end = _Token("the end of the file", text.count("\n") + 1)
        self._heads: dict[str, _Token] = {}
        self._values: dict[str, tuple[str, ...]] = {}
        self._nodes: dict[str, BifNode] = {}

    def nodes(self) -> tuple[BifNode, ...]:
        for first in self._tokens:
            head, statements = [first, *self._until("{")], list(self._statements())
            if first.is_mark("variable"):
                self._variable(head, statements)
            elif first.is_mark("probability"):
                self._probability(head, statements)
            elif not first.is_mark("network"):
                self._refuse(first, "network, variable or probability")
        if not self._values:
            self._refuse(self._end, "a variable")
        for name, token in self._heads.items():
            if name not in self._nodes:
                self._refuse(token, "a probability block for this variable")
        return tuple(self._nodes[name] for name in self._values)

    def _refuse(self, token: _Token, wanted: str) -> NoReturn:
        raise InputError(f"model.file {self._file} line {token.line}", token.text, wanted) from None

    def _until(self, mark: str, stop: str = "") -> list[_Token]:
        """Up to this mark, which is taken, but for those in braces; [stop] where this mark comes first."""
        found, depth = list[_Token](), 0
        for token in self._tokens:
            if not depth and (token.is_mark(mark) or (not found and stop and token.is_mark(stop))):
                return found if token.text == mark else [token]
            depth += token.is_mark("{") - token.is_mark("}")
            if depth < 0:
                self._refuse(token, mark)
            found.append(token)
        self._refuse(self._end, mark)

    def _statements(self) -> Iterator[list[_Token]]:
        """Those of a block, but for properties."""
        while not (statement := self._until(";", stop="}")) or not statement[0].is_mark("}"):
            if statement and not statement[0].is_mark("property"):
                yield statement

    def _variable(self, head: list[_Token], statements: list[list[_Token]]) -> None:
        if len(head) != 2:
            self._refuse(head[-1], "variable, its name and {")
        name = head[1]
        if name.text in self._values:
            self._refuse(name, f"each variable once (line {self._heads[name.text].line} has it too)")
        if len(statements) != 1:
            self._refuse(name, "one type discrete for this variable")
        match [token.text for token in statements[0]]:
            case ["type", "discrete", "[", count, "]", "{", *values, "}"] if count == f"{len(set(values))}":
                self._heads[name.text], self._values[name.text] = name, tuple(values)
            case _:
                self._refuse(statements[0][0], "type discrete [ k ] { so many values, each once }")

    def _probability(self, head: list[_Token], statements: list[list[_Token]]) -> None:
        if len(head) < 4 or not (head[1].is_mark("(") and head[-1].is_mark(")")):
            self._refuse(head[0], "probability ( a variable | its parents )")
        name, *parents = (token for token in head[2:-1] if not token.is_mark("|"))
        for place, token in enumerate((name, *parents)):
            if token.text not in self._values:
                self._refuse(token, "a variable declared above")
            if token.text in [other.text for other in (name, *parents)[:place]]:
                self._refuse(token, "each variable once in a probability block")
        if name.text in self._nodes:
            self._refuse(name, "one probability block for each variable")
        values, above = self._values[name.text], tuple(parent.text for parent in parents)
        keys = dict.fromkeys(assignments(*(self._values[parent] for parent in above)))
        rows = self._rows(statements, list(keys), len(values))
        for key in keys:
            if key not in rows:
                self._refuse(name, f"a row for every assignment of its parents ({', '.join(key) or 'it'} has none)")
        self._nodes[name.text] = BifNode(name.text, _read(values), above, tuple(rows[key] for key in keys))

    def _rows(self, statements: list[list[_Token]], keys: list[_Key], size: int) -> dict[_Key, tuple[float, ...]]:
        """By the parents' values; of assignments without a row of their own that of the table, or the default."""
        rows, spare, known = dict[_Key, tuple[float, ...]](), dict[_Key, tuple[float, ...]](), {*keys}
        for start, *rest in statements:
            texts = [token.text for token in rest]
            if start.is_mark("(") and ")" in texts:
                key, numbers = tuple(texts[: texts.index(")")]), rest[texts.index(")") + 1 :]
                if key not in known or key in rows:
                    self._refuse(start, f"values of its parents, each row once (here {', '.join(key)})")
                rows[key] = self._scaled(start, self._numbers(start, numbers, size))
            elif start.is_mark("table") and not spare:
                table = self._numbers(start, rest, size * len(keys))
                spare = {key: self._scaled(start, table[row :: len(keys)]) for row, key in enumerate(keys)}
            elif start.is_mark("default") and not spare:
                spare = dict.fromkeys(keys, self._scaled(start, self._numbers(start, rest, size)))
            else:
                self._refuse(start, "a row of probabilities, one table or one default")
        return spare | rows

    def _numbers(self, start: _Token, tokens: Sequence[_Token], count: int) -> list[float]:
        found = [_number(token.text) for token in tokens]
        for token, number in zip(tokens, found, strict=True):
            if not (isfinite(number) and number >= 0):
                self._refuse(token, "a probability of at least 0")
        if len(found) != count:
            self._refuse(start, f"{count} probabilities here (there are {len(found)})")
        return found

    def _scaled(self, start: _Token, row: Sequence[float]) -> tuple[float, ...]:
        total = fsum(row)
        # How far, per entry, a row's sum may be from 1: published files round to six digits or more. Rows are rescaled.
        if abs(total - 1) > 1e-6 * len(row):
            self._refuse(start, f"probabilities that sum to 1 (a row sums to {total:.12g})")
        return tuple(p / total for p in row)


def _split(text: str) -> Iterator[_Token]:
    """Words and marks with their lines."""
    line, last = 1, 0
    for match in _TOKEN.finditer(text):
        line, last = line + text.count("\n", last, match.start()), match.start()
        if (word := match["quoted"]) is not None or (word := match["bare"]) is not None:
            yield _Token(word, line, quoted=match["quoted"] is not None)


def _number(text: str) -> float:
    """NaN for what is none."""
    try:
        return float(text)
    except ValueError:
        return float("nan")


def _read(values: tuple[str, ...]) -> tuple[int | float | str, ...]:
    """The values as numbers, so that they can be summed, if all are whole or decimal numbers; else as texts."""
    if not all(re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", value) for value in values):
        return values
    numbers = tuple(float(value) if "." in value else int(value) for value in values)
    return numbers if len(set(numbers)) == len(numbers) else values
