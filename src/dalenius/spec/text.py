"""The text of a spec, from a file or from standard input, and its sections."""

import json
import re
import sys
import tomllib
from codecs import BOM_UTF8, BOM_UTF16_BE, BOM_UTF16_LE
from functools import cache
from pathlib import Path
from typing import Any, Final

from dalenius.errors import InputError

STANDARD_INPUT: Final = Path("-")
_PLACE: Final = re.compile(r"(?P<what>.*) \(at line (?P<line>\d+), column (?P<column>\d+)\)", re.DOTALL)
_KEYS: Final = re.compile(r"\('(.*?)',?\)")
"""A table, in the words of Python's reader."""
_SECRET: Final = re.compile(r"(?i):/|postgres|passw|pwd")
"""What a line that may hold a password has in it."""
MOST: Final = 60
"""Characters of a line that are shown."""


def text_of(path: Path, key: str = "spec") -> str:
    """The spec as it is written, without a byte order mark; "-" is standard input. InputError where it is no text."""
    try:
        content = _standard_input() if path == STANDARD_INPUT else path.read_bytes()
    except OSError as error:
        raise InputError(key, str(path), f"a file that can be read ({error.strerror})") from None
    try:
        return content.removeprefix(BOM_UTF8).decode("utf-8")
    except UnicodeDecodeError:
        wide = content.startswith((BOM_UTF16_LE, BOM_UTF16_BE))
        raise InputError(key, str(path), "text in UTF-8" + (", which this is not: UTF-16" if wide else "")) from None


@cache
def _standard_input() -> bytes:
    """It can be read once only."""
    return sys.stdin.buffer.read()


def sections_of(path: Path, key: str = "spec") -> Any:
    """The sections in nested dictionaries. What does not end in .json or .toml is JSON where it begins with a brace.

    key: what messages call it. InputError where it is neither.
    """
    text = text_of(path, key)
    suffix = path.suffix.lower()
    if suffix == ".json" or (suffix != ".toml" and text.lstrip().startswith("{")):
        try:
            return json.loads(text)
        except json.JSONDecodeError as error:
            shown = _shown(error.msg, text, error.lineno, error.colno)
            raise InputError(key, str(path), f"JSON ({shown})") from None
        except RecursionError:
            raise InputError(key, str(path), "JSON (it is nested too deeply)") from None
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _PLACE.fullmatch(str(error))
        shown = str(error) if found is None else _shown(found["what"], text, int(found["line"]), int(found["column"]))
        raise InputError(key, str(path), f"TOML ({shown})") from None
    except RecursionError:
        raise InputError(key, str(path), "TOML (it is nested too deeply)") from None


def _shown(what: str, text: str, line: int, column: int) -> str:
    """The line with a caret before the place, and what is likely meant there."""
    lines = text.split("\n")
    whole = lines[line - 1] if line <= len(lines) else ""
    before, after = whole[: column - 1], whole[column - 1 :].rstrip()
    hint = _meant(before, after)
    if _SECRET.search(whole):  # of a line cut short nobody could tell where a password begins
        return f"{what[:1].lower()}{what[1:]} in line {line}, column {column}"
    before = "…" + before[-MOST:] if len(before) > MOST else before
    after = after[:MOST] + "…" if len(after) > MOST else after
    named = _KEYS.sub(lambda found: "[" + found[1].replace("', '", ".") + "]", what)
    problem = (named[:1].lower() + named[1:]).rstrip()
    return f"{problem} at the ^ in line {line}: {before.lstrip()}^{after}{hint}"


def _meant(before: str, after: str) -> str:
    if re.match(r"[+-]?\.\d", after):
        return "; a number begins with a digit: 0.9"
    if re.search(r"[=\[,]\s*[+-]?\d+$", before) and re.match(r",\d", after):
        return "; a decimal point: 0.9"
    if word := re.match(r"(True|False)\b", after):
        return f"; {word[1].lower()}"
    return ""
