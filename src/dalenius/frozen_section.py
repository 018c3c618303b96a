"""The frozen pydantic base of every spec object; it refuses a wrong field in one line with its key path.

The refusal is the same whether a spec file or Python has the field:

>>> import dalenius as dl
>>> try:
...     dl.Laplace(scal=1.0)
... except InputError as error:
...     print(error)
Laplace.scal: 1.0, wanted one of the keys of Laplace: kind, scale (did you mean scale?)
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from inspect import Parameter, Signature
from reprlib import Repr
from typing import TYPE_CHECKING, Any, ClassVar, Final, Self, cast

from pydantic import BaseModel, ConfigDict, GetCoreSchemaHandler, ValidationError, model_validator
from pydantic_core import CoreSchema, PydanticCustomError

from dalenius.errors import InputError, meant


def _plain(value: Any) -> Any:
    """Returns arrays and series as lists, also as rows of a list, and numbers of other libraries as Python's."""
    if isinstance(value, list | tuple):
        return type(value)(map(_listed, value)) if type(value) in (list, tuple) else value
    return _listed(value)


def _listed(value: Any) -> Any:
    return value.tolist() if hasattr(value, "tolist") else value


def shown(value: object) -> str:
    """Writes a number or a text `value` as it is, and names the type of anything else: it may hold data."""
    if isinstance(value, bool | int | float | str):
        return repr(value)
    if isinstance(value, type):
        return f"the class {value.__name__} itself"
    return "nothing" if value is None else type(value).__name__


_SECTIONS: Final = ("model", "query")
"""Sections that every spec has."""
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
"""Pydantic's kinds of error, and what each means to somebody who writes a spec."""


def first_problem(error: ValidationError, root: str, data: object, whole: str = "spec") -> InputError:
    """Returns the first problem of a pydantic error as one line: key path, value, and what was wanted.

    Args:
        error: The error that pydantic raised.
        root: The first part of the key path: a section's or a class's name; empty for a spec.
        data: What was validated. It separates keys from the names of union members, which pydantic puts in the path
            too.
        whole: What is named where the problem is of no key alone.
    """
    problem = error.errors(include_url=False)[0]
    key = _path(root, problem["loc"], data) or whole
    kind, message, value, details = problem["type"], problem["msg"], problem["input"], problem.get("ctx", {})
    # The case of a pair with one value: the missing one has no name, only a place.
    if kind == "missing" and isinstance(problem["loc"][-1], int):
        return InputError(_path(root, problem["loc"][:-1], data), value, f"{problem['loc'][-1] + 1} or more entries")
    if kind == "missing":
        section = not root and key in _SECTIONS
        return InputError(key, "missing", f"a section [{key}]" if section else "a value")
    if kind == "unknown_key":
        return _unknown_key(_path(root, (*problem["loc"], details["key"]), data), details)
    # Because pydantic's words are about tags and unions where the user wrote `kind = "laplas"`, or no kind at all.
    if kind in ("union_tag_invalid", "union_tag_not_found"):
        known = f"one of {details['expected_tags']}" if "expected_tags" in details else "the name of a kind"
        near = "" if "tag" not in details else meant(details["tag"], re.findall(r"'([^']*)'", known))
        given = value.get("kind", "missing") if isinstance(value, dict) else details.get("tag", "missing")
        return InputError(_path(root, (*problem["loc"], "kind"), data), given, known + near)
    wanted = _WANTED[kind].format(**details) if kind in _WANTED else message.removeprefix("Value error, ")
    # The case n = "100", as a form or a CSV would have it.
    if kind == "int_type" and isinstance(value, str):
        wanted += ", not a text"
    return InputError(key, value, wanted.removeprefix("Input should be "))


def _unknown_key(path: str, details: dict[str, Any]) -> InputError:
    """Refuses a typing error in a key; the message lists the keys and the one that was likely meant."""
    section = path.rpartition(".")[0]
    keys = f"one of the keys of {section}" if section else "one of the sections"
    wanted = f"{keys}: {', '.join(details['keys'])}{meant(details['key'], details['keys'])}"
    return InputError(path, details["value"], wanted)


def _path(root: str, location: tuple[int | str, ...], data: object) -> str:
    """Writes a key path, such as `model.transition row 2` or `model.types 1.count`; rows count from 1."""
    path, here, last = root, data, len(location) - 1
    for place, part in enumerate(location):
        # So that rows are counted from 1, and the last one is called a row.
        if isinstance(part, int):
            path += f" row {part + 1}" if place == last else f" {part + 1}"
            here = here[part] if isinstance(here, list | tuple) and part < len(here) else None
        elif isinstance(here, list | tuple | str | int | float):
            continue  # the name of the shape it was taken for
        elif isinstance(here, dict) and "[" in part and part not in here:
            continue  # the same, where the value has keys
        # Because a kind may have a field of its own name, as steps: a kind is followed by a key, the field by a row.
        elif not (
            isinstance(here, dict)
            and here.get("kind") == part
            and (part not in here or (place < last and isinstance(location[place + 1], str)))
        ):
            path = f"{path}.{part}" if path else part
            here = here.get(part) if isinstance(here, dict) else None
    return path


_SCALARS: Final = ("bool", "float", "int")


def _strict(schema: Any, of_field: bool = False) -> Any:
    """Returns a section's core schema so that its fields take no text for a number, and no number for true or false.

    A value that a field's own validator looks at first is left to it: a probability may be a fraction.
    """
    if isinstance(schema, list | tuple):
        return type(schema)(_strict(each, of_field) for each in schema)
    if not isinstance(schema, dict) or (of_field and schema.get("type") in _LOOKED_AT):
        return schema
    inside = of_field or schema.get("type") == "model-field"
    found = {key: _strict(value, inside) for key, value in schema.items() if key not in _AS_THEY_ARE}
    return {**schema, **found, **({"strict": True} if schema.get("type") in _SCALARS else {})}


_LOOKED_AT: Final = ("function-before", "function-plain", "function-wrap")
_AS_THEY_ARE: Final = ("default", "metadata", "serialization", "cls", "function")
"""Keys of a core schema whose values are no schemas."""

if TYPE_CHECKING:
    from pydantic._internal._model_construction import ModelMetaclass as _Meta
else:
    _Meta = type(BaseModel)


class _OneLine(_Meta):
    """The metaclass of sections: Python refuses a wrong field in the same one line as a spec file.

    Fields that the class calls `leading` may be given without their names. `dir` leaves out what pydantic adds to every
    class.
    """

    def __call__(cls, *values: Any, **fields: Any) -> Any:  # noqa: N805
        """Makes the object; raises InputError in place of pydantic's ValidationError."""
        given = {name: _plain(value) for name, value in {**_led(cls, values, fields), **fields}.items()}
        try:
            return _Meta.__call__(cls, **given)
        except ValidationError as error:
            raise first_problem(error, cls.__name__, given) from None

    def __dir__(cls) -> list[str]:  # noqa: N805
        return _own(super().__dir__())

    @property
    def __signature__(cls) -> Signature:  # noqa: N805
        return _signature_of(cls)

    @__signature__.setter
    def __signature__(cls, given: object) -> None:  # noqa: N805
        """Ignores pydantic's signature, which has no leading fields."""


def _led(cls: Any, values: tuple[Any, ...], fields: Mapping[str, Any]) -> dict[str, Any]:
    """Names the values that were given without names, by the fields that lead."""
    # Because Laplace(2.0) is clear, and in Chain(100, [...], [...]) nobody knows which is which.
    if len(values) > len(cls.leading):
        known = ", ".join(name for name in cls.model_fields if name != "kind")
        last = values[len(cls.leading)]
        raise InputError(cls.__name__, shown(last), f"fields by their names: {known}")
    named = dict(zip(cls.leading, values, strict=False))
    for name in named.keys() & fields.keys():
        raise InputError(f"{cls.__name__}.{name}", shown(fields[name]), "it once")
    return named


@dataclass(frozen=True)
class _Brief:
    value: Any

    def __repr__(self) -> str:
        return _BRIEF.repr(self.value)


def _own(names: Iterable[str]) -> list[str]:
    """Leaves out the names that pydantic adds."""
    return sorted(name for name in names if not (name in _PYDANTIC or name.startswith("__pydantic")))


_BRIEF: Final = Repr()
_BRIEF.maxtuple = _BRIEF.maxlist = _BRIEF.maxdict = 6
_BRIEF.maxlevel, _BRIEF.maxother, _BRIEF.maxstring = 4, 400, 80

_PYDANTIC: Final = frozenset(
    set(dir(BaseModel)).difference(dir(object)).union(vars(BaseModel))
    | {"__abstractmethods__", "__annotations__", "__class_vars__", "__final__", "__private_attributes__"}
    | {"__dir__", "__hash__", "__weakref__"}
) - {"model_copy"}
"""Names that every pydantic class has; they are no part of a section."""


class Frozen(BaseModel, metaclass=_OneLine):
    """A section of a spec: immutable, and closed to unknown keys. The same class is the Python object."""

    # Because most sections are never used between an import and the end of a command, a section is built at first use.
    model_config = ConfigDict(frozen=True, extra="forbid", validate_default=True, defer_build=True)

    leading: ClassVar[tuple[str, ...]] = ()
    """Fields that may be given without their names, in this order."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        """Returns the schema of the fields, which take no text for a number, and no number for true or false."""
        return cast("CoreSchema", _strict(handler(source)))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Returns a copy with some fields changed, checked as a new section is.

        Args:
            update: The new values, by the fields' names; None, or no field, for an unchanged copy.
            deep: Whether to copy the fields' values too; by default the copy shares them.

        Returns:
            A section of the same class.

        Raises:
            InputError: If the changed fields make no such section.
        """
        # Because a copy of a checked section needs no second check.
        if not update:
            return self.altered({}, deep)
        same = {name: value for name, value in self.as_given().items() if name not in update}
        checked = type(self)(**same, **update)
        return self.altered({name: getattr(checked, name) for name in update}, deep)

    def as_given(self) -> dict[str, Any]:
        """Returns the fields that were given, by name: they make the same section again."""
        return {name: getattr(self, name) for name in self.model_fields_set}

    def altered(self, fields: Mapping[str, Any], deep: bool = False) -> Self:
        """Returns a copy with some fields changed, without a check. `model_copy` checks.

        Args:
            fields: The new values, by the fields' names, which are known to make such a section.
            deep: Whether to copy the other fields' values too; by default the copy shares them.

        Returns:
            A section of the same class. It keeps nothing that was computed from the old values.
        """
        made = super().model_copy(update=fields, deep=deep)
        # So that nothing computed from the old values is kept, as the matrix of a kernel whose probabilities are new.
        for name in [name for name in vars(made) if name not in type(self).model_fields]:
            del vars(made)[name]
        return made

    def __setattr__(self, name: str, value: Any) -> None:
        """Refuses a new value, as sections do not change, and a name that is no attribute, as it is a typing error."""
        if name in type(self).model_fields or (name not in dir(type(self)) and not name.startswith("_")):
            raise InputError(name, shown(value), "no change: model_copy(update={...}) makes another")
        super().__setattr__(name, value)

    def __dir__(self) -> list[str]:
        return _own(super().__dir__())

    def __str__(self) -> str:
        """Returns the same as `repr`, so that an object without settings has a text too."""
        return repr(self)

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        """Yields the fields that differ from their defaults; long lists are cut."""
        for name, field in type(self).model_fields.items():
            value = getattr(self, name)
            usual = not field.is_required() and value == field.get_default(call_default_factory=True)
            if field.repr and name != "kind" and not usual:
                yield name, _Brief(value)

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, given: Any) -> Any:
        """Returns the section as given; refuses the first unknown key with a message of our own."""
        # Because pydantic's complaint does not say which keys there are: checked before it looks.
        if isinstance(given, dict):
            fields = cls.model_fields
            shown = [field.alias or name for name, field in fields.items()]
            for key, value in given.items():
                if key not in fields and key not in shown:
                    raise PydanticCustomError("unknown_key", "unknown", {"key": key, "value": value, "keys": shown})
        return given


def _signature_of(section: Any) -> Signature:
    """Returns the fields as parameters: those that lead may go without names."""
    required = {name: field.is_required() for name, field in section.model_fields.items() if name != "kind"}
    # Because in a signature no parameter without default follows one with, and no leading one follows a named one.
    order = [*section.leading, *(name for name in required if name not in section.leading)]
    return Signature([_parameter(section, name, name in section.leading) for name in order])


def _parameter(section: Any, name: str, leads: bool) -> Parameter:
    """Returns one field as a parameter of the signature that `help` and editors show."""
    field = section.model_fields[name]
    default = Parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
    return Parameter(name, Parameter.POSITIONAL_OR_KEYWORD if leads else Parameter.KEYWORD_ONLY, default=default)
