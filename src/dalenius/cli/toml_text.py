"""Sections of a spec as TOML text, as people write them.

>>> print(toml_section("model", {"kind": "chain", "n": 3, "transition": [[0.9, 0.1], [0.2, 0.8]]}, ["p value 0.76"]))
# p value 0.76
[model]
kind = "chain"
n = 3
transition = [
    [0.9, 0.1],
    [0.2, 0.8],
]
<BLANKLINE>
"""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any


def toml_section(name: str, section: Mapping[str, Any], comments: Sequence[str] = (), head: str = "[{}]") -> str:
    """Writes `[name]` with its keys, then its sections and lists of sections.

    Args:
        name: The section's name, as it stands between the brackets.
        section: Its values by key, as a model's; none of them is None.
        comments: Lines of comments, which come first.
        head: The form of its first line, in which `{}` stands for the name: `[[{}]]` for one of a list.
    """
    lines, inner = [f"# {_one_line(comment)}" for comment in comments] + [head.format(name)], []
    for key, value in section.items():
        place = f"{name}.{_key(key)}"
        # Because TOML wants a table's plain keys before its sections, those wait until the end.
        if isinstance(value, Mapping):
            inner.append(toml_section(place, value))
        elif isinstance(value, list | tuple) and value and all(isinstance(each, Mapping) for each in value):
            inner += [toml_section(place, each, head="[[{}]]") for each in value]
        else:
            lines.append(f"{_key(key)} = {_toml(value)}")
    return "\n\n".join(["\n".join(lines), *(text.rstrip("\n") for text in inner)]) + "\n"


def _key(key: str) -> str:
    """Writes a key as TOML does: in quotes where it has a blank, a dot or a letter beyond ASCII."""
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else _text(key)


def _toml(value: Any, outermost: bool = True) -> str:
    """Writes a value as TOML does; of the outermost list of lists, a matrix, a row stands on each line.

    TypeError for what no model has, such as None: TOML has no null.
    """
    match value:
        # Because to Python a truth value is a number, it comes before numbers.
        case bool():
            return "true" if value else "false"
        case str():
            return _text(value)
        case int() | float():
            return repr(value)
        case list() | tuple() if outermost and value and all(isinstance(each, list | tuple) for each in value):
            return "[\n" + "".join(f"    {_toml(each, outermost=False)},\n" for each in value) + "]"
        case list() | tuple():
            return "[" + ", ".join(_toml(each, outermost=False) for each in value) + "]"
        case Mapping():
            return "{ " + ", ".join(f"{_key(key)} = {_toml(each, False)}" for key, each in value.items()) + " }"
        case _:
            raise TypeError(f"TOML has no form for {value!r} here: a truth value, a number, a text or a list of them")


def _text(text: str) -> str:
    """Writes a text with JSON's escapes, which are TOML's but for the one control character JSON leaves as it is."""
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _one_line(text: str) -> str:
    """Writes a comment in one line: a file's name with a line break in it must not end it early."""
    return "".join(letter if letter.isprintable() else " " for letter in text)


def toml_in_lines(name: str, section: Mapping[str, Any]) -> str:
    """Writes `[name]` with each of its keys in one line, also where its value has keys.

    Args:
        name: The section's name, as it stands between the brackets.
        section: Its values by key; none of them is None.

    >>> print(toml_in_lines("data", {"value": {"column": "ill", "equals": "ja"}, "missing": "leave_out"}), end="")
    [data]
    value = { column = "ill", equals = "ja" }
    missing = "leave_out"
    """
    return "".join(
        [f"[{name}]\n", *(f"{_key(key)} = {_toml(value, outermost=False)}\n" for key, value in section.items())]
    )
