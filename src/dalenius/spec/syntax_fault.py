"""The fault of a line of a spec that is no TOML or JSON, in words: the key, the line, and what was wanted.

The line itself is not shown, because it may hold a password.

>>> fault = toml_fault('[noise]\\nkind = "laplace"\\nscale = 1,0\\n', "Expected newline (at line 3, column 10)")
>>> fault.line, fault.key, fault.wanted
(3, 'noise.scale', 'a number with a point before its decimals, as 1.0')
"""

import json
import re
from typing import Any, Final, NamedTuple, final


@final
class SyntaxFault(NamedTuple):
    """The fault of a line.

    line: from 1, None at the end of the text; key: as in `noise.scale`, "" where the line has none; wanted: the
    correct form, None where only the reader's own words are known.
    """

    line: int | None
    key: str
    wanted: str | None


_AT: Final = re.compile(r"\bline (\d+)")
_HEADER: Final = re.compile(r"\s*\[\[?\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY: Final = r"""[A-Za-z0-9_.-]+|"[^"]*"|'[^']*'"""
_STATEMENT: Final = re.compile(rf"\s*({_KEY})\s*=\s*(.*)$")
_JSON_STATEMENT: Final = re.compile(r'\s*[{,]?\s*"([^"]*)"\s*:\s*(.*)$')
_COLON: Final = re.compile(rf"\s*({_KEY})\s*:\s*\S")
_END: Final = r"\s*,?\s*(#.*)?$"

_DECIMAL: Final = "a number with a point before its decimals, as 1.0"
_TRUTH: Final = "true or false, in small letters"
_EMPTY: Final = "a value after the key"
_TEXT: Final = 'a text in quotes, as "laplace", a number, true or false'
_VALUES: Final = (
    (re.compile(r"[-+]?\d+,\d+([eE][-+]?\d+)?" + _END), _DECIMAL),
    (re.compile(r"(?i:true|false|yes|no|on|off)" + _END), _TRUTH),
    (re.compile(r"(?i:none|null|nil)" + _END), "a value: a key without one is left out"),
    (re.compile(r"[-+]?\.\d"), "a digit before the point, as 0.5"),
    (re.compile(r"[-+]?\d+\.(?!\d)"), "a digit after the point, as 1.0"),
    (re.compile(r"[-+]?\d[\d_.]*\s*%"), "a number without %, as 0.05"),
    (
        re.compile(r"[-+]?\d{1,3}([ '.,_]\d{3})+([.,]\d+)?" + _END),
        "a number without marks or blanks between its digits",
    ),
    (re.compile(r"[-+]?[\d.]+\s+[-+\d.]"), "a comma between two values"),
    (re.compile(r'"[^"]*$'), "a quote at the end of the text too"),
    (re.compile(r"0\d"), "a number without a leading 0, or a text in quotes"),
    (re.compile(r"[\u2018-\u201f\u00ab\u00bb]"), 'straight quotes, as in "laplace"'),
    (re.compile(r"\{[^}]*(#.*)?$"), "all of { … } in one line"),
    (re.compile(r"(#.*)?$"), _EMPTY),
    (re.compile(r"[^\W\d]|[/\\~]|\.\."), _TEXT),
)
"""Patterns of wrong values, and the wanted ones. The first that fits counts."""
_QUOTED: Final = re.compile(r""""(?:[^"\\]|\\.)*"|'[^']*'""")
_FINE: Final = re.compile(r"true|false|[-+]?(inf|nan)")
_PATH: Final = "a path in 'single quotes', or with / in place of each backslash"


def toml_fault(text: str, said: str) -> SyntaxFault:
    """Returns the fault in a TOML text.

    Args:
        text: The whole of it.
        said: What Python's reader says, with the number of the line.
    """
    lines = text.splitlines()
    found = _AT.search(said)
    if found is None or int(found[1]) > len(lines):
        return SyntaxFault(None, "", None)
    number = int(found[1])
    line, section = lines[number - 1], _section(lines[: number - 1])
    if re.search(r"(?i)overwrite|twice|already|redefine|mutate|duplicate", said):
        return _twice(lines, number, section)
    statement = _STATEMENT.match(line)
    if statement is None:
        colon = _COLON.match(line)
        key = "" if colon is None else _dotted(section, colon[1])
        return SyntaxFault(number, key, None if colon is None else "an equals sign after the key, not a colon")
    key, value = _dotted(section, statement[1]), statement[2]
    if re.search(r"(?i)unescaped|escape|hex", said) and "\\" in value:
        return SyntaxFault(number, key, _PATH)
    return SyntaxFault(number, key, _wanted(value))


def json_fault(text: str, line: int) -> SyntaxFault:
    """Returns the fault in the JSON text `text`, whose `line` number the reader gives."""
    lines = text.splitlines()
    if line > len(lines):
        return SyntaxFault(None, "", None)
    statement = _JSON_STATEMENT.match(lines[line - 1])
    if statement is None:
        return SyntaxFault(line, "", None)
    return SyntaxFault(line, statement[1], _wanted(statement[2].rstrip("}] \t")))


@final
class Twice(ValueError):
    """A key that an object of JSON has twice."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


def each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Returns an object of JSON from its `pairs`. Twice where a key occurs twice: Python would take the last."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        raise Twice(next(name for place, name in enumerate(names) if name in names[:place]))
    return found


def twice_in_json(text: str, key: str) -> SyntaxFault:
    """Returns the fault of a `key` that an object of `text` has twice; its line if the key is in exactly two lines."""
    form = re.compile(re.escape(json.dumps(key, ensure_ascii=False)) + r"\s*:")
    lines = [number for number, line in enumerate(text.splitlines(), 1) for _ in form.finditer(line)]
    return SyntaxFault(lines[1] if len(lines) == 2 else None, key, "each key once in an object")


def _wanted(value: str) -> str | None:
    """Returns the wanted form of a value, or of the first wrong one within a list or an inline table."""
    found = next((wanted for form, wanted in _VALUES if form.match(value)), None)
    if found is not None or value[:1] not in ("[", "{"):
        return found
    bare = _QUOTED.sub('""', value)
    within = re.findall(r"=\s*([^,{}\[\]]+)", bare) if value[0] == "{" else re.split(r"[\[\],]", bare)
    parts = [part.strip() for part in within if part.strip() and not _FINE.fullmatch(part.strip())]
    return next((wanted for part in parts for form, wanted in _VALUES if form.match(part)), None)


def _twice(lines: list[str], number: int, section: str) -> SyntaxFault:
    """Returns the fault of a key, or a section, that occurs twice, with its earlier line if it has its own."""
    header = _HEADER.match(lines[number - 1])
    if header is not None:
        before = [place for place, line in enumerate(lines[: number - 1], 1) if _name_of(line) == header[1]]
        return SyntaxFault(number, header[1], f"each section once{_there(before)}")
    statement = _STATEMENT.match(lines[number - 1])
    key = "" if statement is None else _dotted(section, statement[1])
    own = [
        place
        for place, line in enumerate(lines[: number - 1], 1)
        if (one := _STATEMENT.match(line)) and _dotted(_section(lines[: place - 1]), one[1]) == key
    ]
    return SyntaxFault(number, key, f"each key once in a section{_there(own)}")


def _there(before: list[int]) -> str:
    return f" (it is in line {before[-1]} already)" if before else ""


def _section(lines: list[str]) -> str:
    """Returns the section that the line after these is in; "" above the first."""
    return next((name for line in reversed(lines) if (name := _name_of(line))), "")


def _name_of(line: str) -> str:
    header = _HEADER.match(line)
    return "" if header is None else header[1]


def _dotted(section: str, key: str) -> str:
    return f"{section}.{key}" if section else key
