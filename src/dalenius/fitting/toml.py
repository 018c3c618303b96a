"""A section of a spec as TOML text."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


def toml_section(name: str, section: Mapping[str, Any], comments: Sequence[str] = ()) -> str:
    """`[name]` with its keys, then its sections and lists of sections; comments come first, a line each."""
    lines = [f"# {_one_line(comment)}" for comment in comments]
    plain = {key: value for key, value in section.items() if not _is_section(value) and not _are_sections(value)}
    lines += [f"[{name}]", *(f"{_key(key)} = {_value(value)}" for key, value in plain.items())]
    for key, value in section.items():
        inner = f"{name}.{_key(key)}"
        if _is_section(value):
            lines += ["", toml_section(inner, value).rstrip("\n")]
        elif _are_sections(value):
            for each in value:
                text = toml_section(inner, each).rstrip("\n")
                lines += ["", text.replace(f"[{inner}]", f"[[{inner}]]", 1)]
    return "\n".join(lines) + "\n"


def _is_section(value: Any) -> bool:
    return isinstance(value, Mapping)


def _are_sections(value: Any) -> bool:
    return isinstance(value, list | tuple) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _value(value: Any, outermost: bool = True) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case list() | tuple() if outermost and value and all(isinstance(each, list | tuple) for each in value):
            return "[\n" + "".join(f"    {_value(each, outermost=False)},\n" for each in value) + "]"
        case list() | tuple():
            return "[" + ", ".join(_value(each, outermost=False) for each in value) + "]"
        case _:
            raise TypeError(f"TOML has no form for {value!r} here: a truth value, a number, a text or a list of them")


def _text(text: str) -> str:
    """JSON's escapes are TOML's, but for the one control character JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    return "".join(letter if letter.isprintable() else " " for letter in text)
