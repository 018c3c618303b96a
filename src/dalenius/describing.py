"""What `help` says of a section's class."""

import inspect
from inspect import Parameter, Signature
from typing import Any


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
    """own: the class's docstring, to which its fields are added, and what its bases say of theirs."""
    lines = [f"{name}{_default(field)}" for name, field in section.model_fields.items() if name != "kind"]
    bases = [inspect.cleandoc(each.__dict__.get("__doc__") or "") for each in section.__mro__[1:] if _declares(each)]
    fields = ["Fields: " + ", ".join(lines) + "."] if lines else []
    return "\n\n".join([inspect.cleandoc(own), *(each for each in bases if each), *fields])


def _declares(base: type) -> bool:
    return bool(set(inspect.get_annotations(base)) & set(getattr(base, "model_fields", ())) - {"kind"})


def _default(field: Any) -> str:
    if field.is_required():
        return ""
    default = field.get_default(call_default_factory=True)
    return " (may be left out)" if default is None else f" (default {default!r})"
