"""What `help` says of a section's class: its fields with their meanings and defaults, read where they are declared."""

import ast
import inspect
from collections.abc import Iterator, Mapping
from functools import cache
from inspect import Parameter, Signature
from itertools import pairwise
from textwrap import dedent, fill
from typing import Any, Final

WIDTH: Final = 76


def signature_of(section: Any) -> Signature:
    """The fields by their names, those that lead without."""
    required = {name: field.is_required() for name, field in section.model_fields.items() if name != "kind"}
    # A signature has no default before none, and no leading field after one that must be named.
    order = [*section.leading, *(name for name in required if name not in section.leading)]
    return Signature([_parameter(section, name, name in section.leading) for name in order])


def _parameter(section: Any, name: str, leads: bool) -> Parameter:
    field = section.model_fields[name]
    default = Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD if leads else Parameter.KEYWORD_ONLY, default=default)


def described(section: Any, own: str) -> str:
    """own: the class's docstring, to which its fields are added."""
    meanings = _meanings(section)
    lines = [
        f"{name}{_default(field)}{_indented(meanings.get(name, ''))}"
        for name, field in section.model_fields.items()
        if name != "kind"
    ]
    return "\n\n".join([inspect.cleandoc(own), *(["Fields", "\n".join(lines)] if lines else [])])


def _default(field: Any) -> str:
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    return " (may be left out)" if default is None else f" (default {default!r})"


def _indented(meaning: str) -> str:
    shown = fill(" ".join(meaning.split()), WIDTH, initial_indent="    ", subsequent_indent="    ")
    return f"\n{shown}" if meaning else ""


def _meanings(section: Any) -> Mapping[str, str]:
    """By field the text that stands below its declaration, in the class or the nearest base that has one."""
    found: dict[str, str] = {}
    for each in section.__mro__:
        if each.__module__.partition(".")[0] == section.__module__.partition(".")[0]:
            found = {**_below(each), **found}
    return found


@cache
def _below(declared: type) -> Mapping[str, str]:
    """Empty where the source is not at hand."""
    try:
        body = ast.parse(dedent(inspect.getsource(declared))).body[0]
    except (OSError, TypeError, SyntaxError):
        return {}
    return dict(_pairs(body.body)) if isinstance(body, ast.ClassDef) else {}


def _pairs(lines: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for line, below in pairwise(lines):
        named = isinstance(line, ast.AnnAssign) and isinstance(line.target, ast.Name)
        if named and isinstance(below, ast.Expr) and isinstance(below.value, ast.Constant):
            yield line.target.id, str(below.value.value)  # type: ignore[union-attr]
