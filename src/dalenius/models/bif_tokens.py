"""The words and marks of a BIF file, each with its line."""

import re
from collections.abc import Iterator
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
