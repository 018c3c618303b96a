"""Reads a section into the class that its `kind` names: the package's own, an author's, or an installed plugin's.

`wings` lists the project's own classes; each is imported where a section names it. Plugins of others come from
installed packages, by an entry point in the room's group (`dalenius.models`, `dalenius.queries`, `dalenius.noises`,
`dalenius.notions`, `dalenius.methods`), or from modules named for one command (`plugged`). Importing a module registers
nothing.
"""

import importlib
import inspect
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, reduce
from operator import or_
from types import ModuleType
from typing import Annotated, Any, Final, final

from pydantic import (
    Field,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    TypeAdapter,
    ValidationError,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from dalenius import wings
from dalenius.errors import InputError
from dalenius.frozen_section import first_problem, shown

_MODULES: Final[ContextVar[tuple[ModuleType, ...]]] = ContextVar("modules", default=())


@final
@dataclass(frozen=True)
class Kinds:
    """A field type that reads a section into the class its `kind` names.

    An object of the base stays as it is, also if a plugin has its class. A JSON schema says only that there is a kind.

    Args:
        section: The spec's section, by which `wings` lists the project's own classes.
        base: The base of all of them, as `module:name`.
        group: The group of entry points in which packages offer theirs.
    """

    section: str
    base: str
    group: str

    def classes(self) -> tuple[type[Any], ...]:
        """Returns the project's own classes, then those of installed packages and of plugged modules, each once.

        InputError where two of them have a kind in common.
        """
        found = tuple(dict.fromkeys((*self.own, *authored(self.group, self._base()))))
        _check_distinct(found)
        return found

    def given(self, value: Any, key: str) -> Any:
        """Returns an object of the base as it is, or makes one from the name of a kind or from a section.

        Args:
            value: The object, name or section. InputError for anything else.
            key: The key that the error names.
        """
        # The case of an author's own object in Python, of a class that no list has.
        if isinstance(value, self._base()):
            return value
        if not isinstance(value, str | dict):
            raise InputError(key, shown(value), f"a {self.section}: an object, or the name of its kind")
        section = {"kind": value} if isinstance(value, str) else value
        try:
            return self._read(section)
        except ValidationError as error:
            raise first_problem(error, key, section) from None

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_plain_validator_function(self._read)

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {"type": "object", "properties": {"kind": {"type": "string"}}, "required": ["kind"]}

    def _read(self, given: Any) -> Any:
        """Makes the object that a section describes. ValidationError, with the section's path, if none."""
        if isinstance(given, self._base()):
            return given
        named = self._named_class(given)
        if named is not None:
            with suppress(ValidationError):  # which says the same of all kinds, below
                return _adapter((named,)).validate_python(given)
        # Because pydantic puts the path to here before it, a complaint of the adapter is one of the section.
        return _adapter(self.classes()).validate_python(given)

    def _named_class(self, given: Any) -> type[Any] | None:
        """Returns the class of the project's own that a section names, without a look at the others.

        None for another kind, and where modules were plugged in, which may claim it. Reading one class instead of all
        saves the import of thirteen models, and of all installed packages.
        """
        if not isinstance(given, dict) or _MODULES.get():
            return None
        kind, own = given.get("kind"), wings.ROOMS[self.section]
        return _class(own[kind]) if isinstance(kind, str) and kind in own else None

    @property
    def own(self) -> tuple[type[Any], ...]:
        """The project's own classes, in the order in which they are listed, each once."""
        return tuple(map(_class, dict.fromkeys(wings.ROOMS[self.section].values())))

    def _base(self) -> type[Any]:
        return _class(self.base)


def _class(place: str) -> type[Any]:
    found: type[Any] = wings.found(place)
    return found


def authored(group: str, base: type[Any]) -> tuple[type[Any], ...]:
    """Returns the classes of other authors. InputError for an entry point that names none.

    Args:
        group: The group of entry points.
        base: The base that the classes have.
    """
    modules = (found for module in _MODULES.get() for found in _made_there(module, base))
    installed = (_loaded(point, base) for point in _points(group))
    return tuple(dict.fromkeys((*installed, *modules)))


@contextmanager
def plugged(names: Sequence[str]) -> Iterator[None]:
    """Makes the classes of the modules `names` known for as long as it lasts.

    InputError for a module that cannot be imported.
    """
    token = _MODULES.set((*_MODULES.get(), *map(_imported, names)))
    try:
        yield
    finally:
        _MODULES.reset(token)


def _imported(name: str) -> ModuleType:
    """Imports a module by its name. InputError with whatever its own lines raise."""
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever the author's own lines may raise
        shown = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise InputError("--plugin", name, f"a module that can be imported ({shown})") from error


def _made_there(module: ModuleType, base: type[Any]) -> Iterator[type[Any]]:
    """Yields the classes that the module defines, or that a package gathers from its own modules.

    Classes imported from elsewhere are left out.
    """
    for found in vars(module).values():
        is_kind = isinstance(found, type) and issubclass(found, base) and not inspect.isabstract(found)
        if is_kind and f"{found.__module__}.".startswith(f"{module.__name__}."):
            yield found


@cache
def _points(group: str) -> tuple[Any, ...]:
    return tuple(sorted(_installed().select(group=group), key=lambda each: each.name))


@cache
def _installed() -> Any:
    """Reads the entry points of all packages and groups, once, because there are as many files as packages.

    Their class depends on Python's version; how one selects from them does not.
    """
    # Because a command whose kinds are all the project's own never asks, the import waits until here.
    from importlib.metadata import entry_points

    return entry_points()


def _loaded(point: Any, base: type[Any]) -> type[Any]:
    """Returns the class that an installed package offers. InputError for what cannot be imported, or is none."""
    try:
        found = point.load()
    except Exception as error:
        wanted = f"something that can be imported ({type(error).__name__}: {error})"
        raise InputError(f"entry point {point.group}", point.value, wanted) from error
    if not (isinstance(found, type) and issubclass(found, base)) or inspect.isabstract(found):
        raise InputError(f"entry point {point.group}", point.value, f"a {base.__name__.lower()}'s class")
    return found


def _names(found: type[Any]) -> tuple[str, ...]:
    """Returns the kinds that a spec may name the class by. InputError for an author's class that does not say them."""
    names = getattr(found.model_fields["kind"].annotation, "__args__", ())
    if not names:
        raise InputError(
            "kind", f"{found.__module__}.{found.__qualname__}", 'a class with kind: Literal["..."] = "..."'
        )
    return tuple(names)


def _check_distinct(classes: Sequence[type[Any]]) -> None:
    """Raises InputError where an author's class takes a kind that another has."""
    taken: dict[str, type[Any]] = {}
    for found in classes:
        for name in _names(found):
            if taken.setdefault(name, found) is not found:
                raise InputError("kind", name, f"a kind that {taken[name].__module__} does not have already")


@cache
def _adapter(classes: tuple[type[Any], ...]) -> TypeAdapter[Any]:
    """Returns the reader of a section into one of these classes, by its `kind`; built once for each set."""
    if len(classes) == 1:
        return TypeAdapter(classes[0])
    union: Any = reduce(or_, classes)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])
