"""Bayesian networks in the Interchange Format (BIF), as the repositories of the field publish them.

The standard subset: network, variable with `type discrete`, probability with a table, rows by parent assignment or a
default row. Comments and properties are skipped.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product as assignments
from math import fsum, isfinite, prod
from pathlib import Path
from typing import Final, NamedTuple, NoReturn, final

from dalenius.errors import InputError

MARKS: Final = "{}()[]|,;"
_TOKEN: Final = re.compile(
    r'//[^\n]*|/\*.*?\*/|(?P<open>/\*)|"(?P<quoted>[^"]*)"|(?P<token>[{}()\[\]|,;]|(?:(?!//|/\*)[^\s{}()\[\]|,;"])+|")',
    re.DOTALL,
)


class Token(NamedTuple):
    """A word, quoted or not, or a mark."""

    text: str
    line: int
    quoted: bool = False


@final
class Tokens:
    """The file's tokens in order, without comments; every InputError names the file, the line and the token there."""

    def __init__(self, file: str, text: str) -> None:
        self._file = file
        self.end = Token("the end of the file", text.count("\n") + 1)
        self._tokens = list(self._split(text))
        self._place = 0

    def _split(self, text: str) -> Iterator[Token]:
        line, last = 1, 0
        for match in _TOKEN.finditer(text):
            line, last = line + text.count("\n", last, match.start()), match.start()
            if match["open"]:
                self.refuse(Token("/*", line), "a comment that is closed")
            if match["token"] == '"':
                self.refuse(Token('"', line), "a quoted text that is closed")
            if match["quoted"] is not None:
                yield Token(match["quoted"], line, quoted=True)
            elif match["token"] is not None:
                yield Token(match["token"], line)

    def refuse(self, token: Token, wanted: str) -> NoReturn:
        """InputError at this token."""
        raise InputError(f"model.file {self._file} line {token.line}", token.text, wanted) from None

    def peek(self) -> Token:
        """The next token; `end` at the end."""
        return self._tokens[self._place] if self._place < len(self._tokens) else self.end

    def next(self) -> Token:
        """The next token, taken."""
        token = self.peek()
        self._place += 1
        return token

    def sees(self, text: str) -> bool:
        """Whether this mark or unquoted word is next."""
        token = self.peek()
        return token.text == text and not token.quoted and token is not self.end

    def took(self, text: str) -> bool:
        """Whether this mark or unquoted word was next; if so it is taken."""
        seen = self.sees(text)
        self._place += seen
        return seen

    def expect(self, *texts: str) -> None:
        """These marks and unquoted words, taken. InputError at the first that is not there."""
        for text in texts:
            if not self.took(text):
                self.refuse(self.peek(), text)

    def word(self, wanted: str) -> Token:
        """A word, taken."""
        token = self.next()
        if token is self.end or not token.text or (token.text in MARKS and not token.quoted):
            self.refuse(token, wanted)
        return token

    def words(self, end: str, wanted: str) -> list[Token]:
        """Words up to a mark, with or without commas between them; all taken."""
        words = []
        while not self.took(end):
            words.append(self.word(f"{wanted} or {end}"))
            self.took(",")
        return words

    def skip_past(self, mark: str) -> None:
        """Everything up to a mark and the mark itself."""
        while not self.took(mark):
            if self.next() is self.end:
                self.refuse(self.end, mark)


ROUNDED: Final = 1e-6
"""How far, per entry, a row's sum may be from 1: published files round to six digits or more. Rows are rescaled."""


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
    return _Reader(Tokens(path.name, text)).nodes()


class _Table(NamedTuple):
    """A probability block as written: its rows by the parents' values, its table, its default row."""

    head: Token
    parents: tuple[Token, ...]
    rows: list[tuple[tuple[Token, ...], list[float]]]
    table: list[float] | None
    default: list[float] | None


class _Reader:
    def __init__(self, tokens: Tokens) -> None:
        self._tokens = tokens
        self._values: dict[str, tuple[str, ...]] = {}
        self._heads: dict[str, Token] = {}

    def nodes(self) -> tuple[BifNode, ...]:
        tables: dict[str, _Table] = {}
        while (token := self._tokens.next()) is not self._tokens.end:
            match token.text:
                case "network":
                    self._network()
                case "variable":
                    self._variable()
                case "probability":
                    found = self._probability()
                    if found.head.text in tables:
                        self._tokens.refuse(found.head, "one probability block for each variable")
                    tables[found.head.text] = found
                case _:
                    self._tokens.refuse(token, "network, variable or probability")
        if not self._values:
            self._tokens.refuse(self._tokens.end, "a variable")
        for name, head in self._heads.items():
            if name not in tables:
                self._tokens.refuse(head, "a probability block for this variable")
        return tuple(self._node(tables[name]) for name in self._values)

    def _skipped_property(self) -> bool:
        found = self._tokens.took("property")
        if found:
            self._tokens.skip_past(";")
        return found

    def _network(self) -> None:
        while not self._tokens.took("{"):
            self._tokens.word("{")
        while not self._tokens.took("}"):
            if not self._skipped_property():
                self._tokens.refuse(self._tokens.peek(), "property or }")

    def _variable(self) -> None:
        head = self._tokens.word("the name of a variable")
        if head.text in self._values:
            self._tokens.refuse(head, f"each variable once (line {self._heads[head.text].line} has it too)")
        self._tokens.expect("{")
        values: tuple[str, ...] | None = None
        while not self._tokens.took("}"):
            if not self._skipped_property():
                if values is not None:
                    self._tokens.refuse(self._tokens.peek(), "one type for each variable")
                values = self._type()
        if values is None:
            self._tokens.refuse(head, "a type discrete for this variable")
        self._values[head.text], self._heads[head.text] = values, head

    def _type(self) -> tuple[str, ...]:
        self._tokens.expect("type", "discrete", "[")
        said = self._tokens.word("how many values there are")
        self._tokens.expect("]", "{")
        values = [token.text for token in self._tokens.words("}", "a value")]
        self._tokens.expect(";")
        if not said.text.isdecimal() or int(said.text) != len(values) or not values:
            self._tokens.refuse(said, f"as many values as are listed ({len(values)}, and at least one)")
        if len(set(values)) != len(values):
            self._tokens.refuse(said, f"distinct values (not {values})")
        return tuple(values)

    def _probability(self) -> _Table:
        self._tokens.expect("(")
        head = self._known(self._tokens.word("the name of a variable"))
        if not self._tokens.took("|"):
            self._tokens.took(",")
        parents = tuple(self._known(parent) for parent in self._tokens.words(")", "a parent"))
        names = [head.text, *(parent.text for parent in parents)]
        for token in parents:
            if names.count(token.text) > 1:
                self._tokens.refuse(token, "each variable once in a probability block")
        self._tokens.expect("{")
        found = _Table(head, parents, [], None, None)
        while not self._tokens.took("}"):
            if not self._skipped_property():
                found = self._entry(found)
        return found

    def _known(self, token: Token) -> Token:
        if token.text not in self._values:
            self._tokens.refuse(token, "a variable declared above")
        return token

    def _entry(self, table: _Table) -> _Table:
        start, k = self._tokens.peek(), len(self._values[table.head.text])
        if self._tokens.took("("):
            given = tuple(self._tokens.words(")", "a parent's value"))
            table.rows.append((given, self._row(start, k)))
            return table
        if table.default is None and self._tokens.took("default"):
            return table._replace(default=self._row(start, k))
        if table.table is None and self._tokens.took("table"):
            rows = prod(len(self._values[parent.text]) for parent in table.parents)
            numbers = self._numbers(start, k * rows)
            return table._replace(table=[p for row in range(rows) for p in self._scaled(start, numbers[row::rows])])
        self._tokens.refuse(start, "a row of probabilities, one table or one default")

    def _row(self, start: Token, count: int) -> list[float]:
        return self._scaled(start, self._numbers(start, count))

    def _numbers(self, start: Token, count: int) -> list[float]:
        tokens = self._tokens.words(";", "a probability")
        for token in tokens:
            if not _is_number(token.text) or not isfinite(float(token.text)) or float(token.text) < 0:
                self._tokens.refuse(token, "a probability of at least 0")
        if len(tokens) != count:
            self._tokens.refuse(start, f"{count} probabilities here (there are {len(tokens)})")
        return [float(token.text) for token in tokens]

    def _scaled(self, start: Token, row: Sequence[float]) -> list[float]:
        total = fsum(row)
        if abs(total - 1) > ROUNDED * len(row):
            self._tokens.refuse(start, f"probabilities that sum to 1 (a row sums to {total:.12g})")
        return [p / total for p in row]

    def _node(self, table: _Table) -> BifNode:
        universe = self._values[table.head.text]
        possible = [self._values[parent.text] for parent in table.parents]
        rows: dict[tuple[str, ...], list[float]] = {}
        for given, row in table.rows:
            where = given[0] if given else table.head
            if len(given) != len(possible):
                self._tokens.refuse(where, f"{len(possible)} parents' values (there are {len(given)})")
            for token, values in zip(given, possible, strict=True):
                if token.text not in values:
                    self._tokens.refuse(token, f"a value of that parent {list(values)}")
            key = tuple(token.text for token in given)
            if key in rows:
                self._tokens.refuse(where, f"one row for each assignment of the parents ({', '.join(key)} has two)")
            rows[key] = row
        found = []
        for place, key in enumerate(assignments(*possible)):
            own = rows.get(key) or self._spare(table, place)
            if own is None:
                missing = f"a row for every assignment of its parents ({', '.join(key)} has none)"
                self._tokens.refuse(table.head, missing if key else "a row of probabilities for this variable")
            found.append(tuple(own))
        return BifNode(table.head.text, _read(universe), tuple(parent.text for parent in table.parents), tuple(found))

    def _spare(self, table: _Table, place: int) -> list[float] | None:
        """The row of an assignment without one of its own: from the table, or the default."""
        k = len(self._values[table.head.text])
        return table.table[place * k : (place + 1) * k] if table.table is not None else table.default


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _read(values: tuple[str, ...]) -> tuple[int | float | str, ...]:
    """The values as numbers, so that they can be summed, if all are whole or decimal numbers; else as texts."""
    if not all(re.fullmatch(r"-?\d{1,15}(\.\d{1,15})?", value) for value in values):
        return values
    numbers = tuple(float(value) if "." in value else int(value) for value in values)
    return numbers if len(set(numbers)) == len(numbers) else values
