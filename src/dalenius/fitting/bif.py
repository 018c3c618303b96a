"""Bayesian networks in the Interchange Format (BIF), as the repositories of the field publish them.

The standard subset: network, variable with `type discrete`, probability with a table, rows by parent assignment or a
default row. Comments, commas and properties are skipped. A whole file of one variable and one that depends on it:

    variable rain { type discrete [ 2 ] { yes, no }; }
    variable wet { type discrete [ 2 ] { 1, 0 }; }
    probability ( rain ) { table 0.2, 0.8; }
    probability ( wet | rain ) { (yes) 0.9, 0.1; default 0.0, 1.0; }

Its second variable has the values 1 and 0, as numbers that can be summed, and the rows (0.9, 0.1) where it rains and
(0, 1) where it does not. Values stay texts where some are, or where two would be the same number:

>>> _read(("1", "0")), _read(("0.5", "2")), _read(("1", "1.0"))
((1, 0), (0.5, 2), ('1', '1.0'))
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as assignments
from math import fsum
from pathlib import Path
from typing import Final, NamedTuple, NoReturn, TypeAlias, final

import numpy as np

from dalenius.errors import InputError

# A property's text may have anything in quotes, braces and semicolons too.
_SKIPPED: Final = r'//[^\n]*|/\*.*?\*/|\bproperty\b(?:[^;"]|"[^"]*")*;'
_TOKEN: Final = re.compile(
    rf'{_SKIPPED}|"(?P<quoted>[^"]*)"|(?P<bare>[{{}}()\[\]|;]|(?:(?!//|/\*)[^\s{{}}()\[\]|,;"])+|/\*|")', re.DOTALL
)

_Row: TypeAlias = tuple[float, ...]
_Key: TypeAlias = tuple[str, ...]
"""The values of a variable's parents."""


@final
@dataclass(frozen=True)
class BifNode:
    """A variable; rows: one per assignment of the parents, the last parent fastest."""

    name: str
    values: tuple[int | float | str, ...]
    parents: tuple[str, ...]
    rows: tuple[_Row, ...]


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
    """A word, or a mark: a brace, a semicolon."""

    text: str
    line: int


@final
class _Reader:
    """A file is blocks: words, and in braces statements that end with a semicolon. One reader reads one file, once;
    what it refuses, it refuses with the line and the token."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self._tokens = _split(text)
        self._end = _Token("the end of the file", text.count("\n") + 1)
        self._values: dict[str, tuple[str, ...]] = {}
        self._nodes: dict[str, BifNode] = {}

    def nodes(self) -> tuple[BifNode, ...]:
        """The variables in the order in which they are declared. InputError for what is not of the standard subset."""
        for first in self._tokens:
            head, statements = [first, *self._head()], self._statements()
            if first.text == "variable":
                self._variable(head, statements)
            elif first.text == "probability":
                self._probability(head, statements)
            elif first.text != "network":
                self._refuse(first, "network, variable or probability")
        # A variable that is declared, and whose probabilities were cut off at the end of the file.
        lacking = [name for name in self._values if name not in self._nodes]
        if lacking or not self._values:
            self._refuse(
                self._end, f"a probability block for each variable ({lacking[0] if lacking else 'none is there'})"
            )
        return tuple(self._nodes[name] for name in self._values)

    def _refuse(self, token: _Token, wanted: str) -> NoReturn:
        """InputError that names the file, the line, the token and what was wanted instead."""
        raise InputError(f"model.file {self._file} line {token.line}", token.text, wanted)

    def _head(self) -> Iterator[_Token]:
        """Up to the brace that opens a block."""
        for token in self._tokens:
            if token.text == "{":
                return
            yield token
        self._refuse(self._end, "{")

    def _statements(self) -> list[list[_Token]]:
        """Those of a block, up to the brace that closes it."""
        found: list[list[_Token]] = [[]]
        depth = 0
        for token in self._tokens:
            # The end of the block; what is left before it has lost its semicolon.
            if token.text == "}" and not depth:
                if found[-1]:
                    self._refuse(token, ";")
                return [each for each in found if each]
            # Braces within a statement list a variable's values.
            depth += (token.text == "{") - (token.text == "}")
            if token.text == ";" and not depth:
                found.append([])
            else:
                found[-1].append(token)
        self._refuse(self._end, "}")

    def _variable(self, head: list[_Token], statements: list[list[_Token]]) -> None:
        """Notes a variable's values. InputError where it is there twice, or has not as many values as it says."""
        match [token.text for token in head], [[token.text for token in each] for each in statements]:
            case [_, name], [["type", "discrete", "[", count, "]", "{", *values, "}"]] if (
                name not in self._values and count == f"{len(set(values))}" == f"{len(values)}"
            ):
                self._values[name] = tuple(values)
            case _:
                self._refuse(head[-1], "each variable once, with type discrete [ k ] { so many values, each once };")

    def _probability(self, head: list[_Token], statements: list[list[_Token]]) -> None:
        """Notes a variable's parents and rows. InputError where a variable is not declared above, where it has
        probabilities already, or where an assignment of its parents has no row."""
        name, *parents = (token.text for token in head[2:-1] if token.text != "|") if len(head) > 3 else ("",)
        known = {name, *parents} <= self._values.keys() and len({name, *parents}) == 1 + len(parents)
        if not known or name in self._nodes or (head[1].text, head[-1].text) != ("(", ")"):
            self._refuse(head[0], "one probability ( a variable | its parents ) for each variable declared above it")
        keys = list(assignments(*(self._values[parent] for parent in parents)))
        rows = self._rows(statements, keys, len(self._values[name]))
        for key in keys:
            if key not in rows:
                self._refuse(head[2], f"a row for every assignment of its parents ({', '.join(key) or 'it'} has none)")
        self._nodes[name] = BifNode(name, _read(self._values[name]), tuple(parents), tuple(rows[key] for key in keys))

    def _rows(self, statements: list[list[_Token]], keys: Sequence[_Key], size: int) -> dict[_Key, _Row]:
        """By the parents' values; of assignments without a row of their own that of the table, or the default."""
        rows, spare, known = dict[_Key, _Row](), dict[_Key, _Row](), {*keys}
        for start, *rest in statements:
            texts = [token.text for token in rest]
            # A row by its parents' values, or one table of all rows, or one row for all that have none.
            if start.text == "(" and ")" in texts:
                key = tuple(texts[: texts.index(")")])
                if key not in known or key in rows:
                    self._refuse(start, f"values of its parents, each row once (here {', '.join(key)})")
                rows |= self._chances(start, texts[len(key) + 1 :], [key], size)
            elif start.text == "table" and not spare:
                spare = self._chances(start, texts, keys, size)
            elif start.text == "default" and not spare:
                spare = dict.fromkeys(keys, self._chances(start, texts, [()], size)[()])
            else:
                self._refuse(start, "a row of probabilities, one table or one default")
        return spare | rows

    def _chances(self, start: _Token, texts: list[str], keys: Sequence[_Key], size: int) -> dict[_Key, _Row]:
        """The row of each key from a statement's numbers, rescaled to sum to 1. A table's first variable is the
        slowest.

        InputError for numbers that are too few or many, negative, or far from a sum of 1.
        """
        # A word among the numbers: there are none then, and the count below refuses them.
        try:
            numbers = np.array(texts, dtype=np.float64)
        except ValueError:
            numbers = np.array([])
        if len(numbers) != size * len(keys) or not (numbers >= 0).all():
            self._refuse(start, f"{size * len(keys)} probabilities here (there is {' '.join(texts)})")
        rows = numbers.reshape(size, len(keys)).T.tolist()
        for total in map(fsum, rows):
            # How far, per entry, a row's sum may be from 1: published files round to six digits or more.
            if abs(total - 1) > 1e-6 * size:
                self._refuse(start, f"probabilities that sum to 1 (a row sums to {total:.12g})")
        return {key: tuple(p / fsum(row) for p in row) for key, row in zip(keys, rows, strict=True)}


def _split(text: str) -> Iterator[_Token]:
    """Words and marks with their lines."""
    line, last = 1, 0
    for match in _TOKEN.finditer(text):
        line, last = line + text.count("\n", last, match.start()), match.start()
        if (word := match["quoted"]) is not None or (word := match["bare"]) is not None:
            yield _Token(word, line)


def _read(values: tuple[str, ...]) -> tuple[int | float | str, ...]:
    """The values as numbers, so that they can be summed, if all are whole or decimal numbers; else as texts."""
    if not all(re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", value) for value in values):
        return values
    numbers = tuple(float(value) if "." in value else int(value) for value in values)
    return numbers if len(set(numbers)) == len(numbers) else values
