"""What pydantic complains of, as one line with its key path."""

import re
from typing import Any, Final

from pydantic import ValidationError

from dalenius.errors import InputError, meant

SECTIONS: Final = ("model", "query")
"""What every spec has."""
_WANTED: Final = {
    "bool_type": "true or false",
    "dict_type": "a section of keys",
    "float_parsing": "a number",
    "float_type": "a number",
    "greater_than": "a number above {gt}",
    "greater_than_equal": "a number of at least {ge}",
    "int_from_float": "a whole number",
    "int_type": "a whole number",
    "less_than": "a number below {lt}",
    "less_than_equal": "a number of at most {le:,}",
    "literal_error": "{expected}",
    "model_attributes_type": "a section of keys",
    "model_type": "a section of keys",
    "path_type": "a path",
    "string_type": "a text",
    "too_long": "{max_length} or fewer entries",
    "too_short": "{min_length} or more entries",
    "string_too_short": "a text of {min_length} or more letters",
    "string_too_long": "a text of at most {max_length} letters",
    "tuple_type": "a list",
}
"""What pydantic's complaints mean to somebody who writes a spec."""


def first_problem(error: ValidationError, root: str, data: object) -> InputError:
    """The first problem of a pydantic error, as one line with its key path, the value and what was wanted.

    data: what was validated; separates keys from the names of union members, which pydantic puts in the path too.
    """
    problem = error.errors(include_url=False)[0]
    key = _path(root, problem["loc"], data) or "spec"
    kind, message, value, details = problem["type"], problem["msg"], problem["input"], problem.get("ctx", {})
    if kind == "missing" and isinstance(problem["loc"][-1], int):
        return InputError(_path(root, problem["loc"][:-1], data), value, f"{problem['loc'][-1] + 1} or more entries")
    if kind == "missing":
        section = not root and key in SECTIONS
        return InputError(key, "missing", f"a section [{key}]" if section else "a value")
    if kind == "unknown_key":
        return _unknown_key(_path(root, (*problem["loc"], details["key"]), data), details)
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        known = f"one of {details['expected_tags']}" if "expected_tags" in details else "the name of a kind"
        near = "" if "tag" not in details else meant(details["tag"], re.findall(r"'([^']*)'", known))
        given = value.get("kind", "missing") if isinstance(value, dict) else details.get("tag", "missing")
        return InputError(_path(root, (*problem["loc"], "kind"), data), given, known + near)
    wanted = _WANTED[kind].format(**details) if kind in _WANTED else message.removeprefix("Value error, ")
    if kind == "int_type" and isinstance(value, str):
        wanted += ", not a text"
    return InputError(key, value, wanted.removeprefix("Input should be "))


def _unknown_key(path: str, details: dict[str, Any]) -> InputError:
    section = path.rpartition(".")[0]
    keys = f"one of the keys of {section}" if section else "one of the sections"
    wanted = f"{keys}: {', '.join(details['keys'])}{meant(details['key'], details['keys'])}"
    return InputError(path, details["value"], wanted)


def _path(root: str, location: tuple[int | str, ...], data: object) -> str:
    """model.transition row 2, model.types 1.count: rows are counted from 1, as people do."""
    path, here, last = root, data, len(location) - 1
    for place, part in enumerate(location):
        if isinstance(part, int):
            path += f" row {part + 1}" if place == last else f" {part + 1}"
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
        elif isinstance(here, list | tuple | str):
            continue  # the name of the shape it was taken for
        elif not (isinstance(here, dict) and here.get("kind") == part and (part not in here or place < last)):
            path = f"{path}.{part}" if path else part
            here = here.get(part) if isinstance(here, dict) else None
    return path
