"""What `import dalenius as dl` offers, and what each name's docstring says of its parameters."""

import dataclasses
import inspect
import re
from collections.abc import Iterator
from typing import Any

import dalenius
from dalenius.frozen_section import Frozen

_SECTION = re.compile(r"^(Args|Attributes|Returns|Raises|Example|Notes):$", re.MULTILINE)
_IMPLICIT = {"self", "cls", "kind"}


def public_names() -> list[str]:
    """The names that the package offers, in order."""
    return sorted(name for name in dir(dalenius) if not name.startswith("_"))


def sections_of(documented: Any) -> dict[str, str]:
    """The docstring's sections by their heads; the text before them by the empty name."""
    text = inspect.getdoc(documented) or ""
    heads = [("", 0, 0), *((found[1], found.start(), found.end()) for found in _SECTION.finditer(text))]
    ends = [start for _, start, _ in heads[1:]] + [len(text)]
    return {name: text[after:end] for (name, _, after), end in zip(heads, ends, strict=True)}


def parameters_of(named: Any) -> set[str]:
    """What a caller gives: the fields of a section or of a dataclass, else the parameters."""
    if inspect.isclass(named) and issubclass(named, Frozen):
        return {name for name in named.model_fields if name not in _IMPLICIT}
    if dataclasses.is_dataclass(named):
        return {field.name for field in dataclasses.fields(named) if field.init and not field.name.startswith("_")}
    if hasattr(named, "_fields"):
        return set(named._fields)
    # An exception without a constructor of its own takes a message: Python gives it no signature.
    if inspect.isclass(named) and issubclass(named, Exception) and "__init__" not in vars(named):
        return set()
    return {
        name
        for name, each in inspect.signature(named).parameters.items()
        if name not in _IMPLICIT
        and not name.startswith("_")
        and each.kind not in (each.VAR_POSITIONAL, each.VAR_KEYWORD)
    }


def named_in(text: str) -> set[str]:
    """The parameters that a section explains: `name: …`, at the left or indented once."""
    return set(re.findall(r"^ {4}(\w+)(?: \([^)]*\))?:", text, re.MULTILINE))


def undocumented(named: Any) -> set[str]:
    """The parameters that neither Args nor Attributes explains."""
    found = sections_of(named)
    return parameters_of(named) - named_in(found.get("Args", "") + found.get("Attributes", ""))


def methods_of(named: type[Any]) -> Iterator[tuple[str, Any]]:
    """The public methods and properties that the package itself defines for the class."""
    for name, each in inspect.getmembers(named):
        function = each.fget if isinstance(each, property) else getattr(each, "func", each)
        module = getattr(function, "__module__", "") or ""
        if not name.startswith("_") and module.startswith("dalenius") and callable(function):
            yield name, function
