"""Values as they are given: made plain, and named in messages."""

from typing import Any


def plain(value: Any) -> Any:
    """Arrays and series as lists, also as the rows of one; numbers of other libraries as Python's."""
    if isinstance(value, list | tuple):
        return type(value)(map(_listed, value)) if type(value) in (list, tuple) else value
    return _listed(value)


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def shown(value: object) -> str:
    """A number or a text as it is written, anything else by its type: it may be long, and hold data."""
    if isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    return "nothing" if value is None else type(value).__name__
