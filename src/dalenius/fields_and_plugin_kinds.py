"""Checked fields of a spec: numbers, probabilities alone and in rows, each a number or an interval, values of records;
and sections, of which `kind` names the class: one of the project's, or of an author outside it.

The project's own are listed in `wings`; each is imported where a section names it. Those of others come from installed
packages, by an entry point in the room's group (`dalenius.models`, `dalenius.queries`, `dalenius.noises`,
`dalenius.notions`, `dalenius.methods`), or from modules named for one command (`plugged`). Importing a module registers
nothing.
"""

import importlib
import inspect
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, reduce
from numbers import Integral, Real
from operator import or_
from types import ModuleType
from typing import Annotated, Any, Final, Self, TypeAlias, final

from pydantic import (
    AfterValidator,
    BeforeValidator,
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


def _finite(value: float) -> float:
    """The number; ValueError for an infinity or NaN, which TOML can write."""
    if not math.isfinite(value):
        raise ValueError("a finite number")
    return value


def _positive(value: float) -> float:
    """The number; ValueError unless it is a scale or a size: finite, and above 0."""
    if not (math.isfinite(value) and value > 0):
        raise ValueError("a finite number above 0")
    return value


def _level(value: float) -> float:
    """A confidence, which is neither 0 nor 1."""
    if not 0 < value < 1:
        raise ValueError("a number above 0 and below 1")
    return value


def _number(value: Any) -> Any:
    """The value. ValueError for a truth or a text, which pydantic would read as a number."""
    # `epsilon = true` would be 1 to pydantic.
    if isinstance(value, bool):
        raise ValueError("a number, not true or false")
    if isinstance(value, str):
        raise ValueError(f"a number, not a text{_logarithm(value)}")
    return value


def _logarithm(text: str) -> str:
    """What a logarithm is, so that it can be written."""
    found = re.fullmatch(r"\s*(?:ln|log)\s*\(?\s*(\d{1,9}(?:\.\d{1,9})?)\s*\)?\s*", text)
    return f" ({text.strip()} is {math.log(float(found[1])):.10g})" if found and float(found[1]) > 0 else ""


def _integer(value: Any) -> Any:
    """Whole numbers of other libraries, such as numpy's, are whole numbers."""
    return int(value) if isinstance(value, Integral) and not isinstance(value, bool) else value


Finite = Annotated[float, BeforeValidator(_number), AfterValidator(_finite)]
Positive = Annotated[float, BeforeValidator(_number), AfterValidator(_positive)]
Level = Annotated[float, BeforeValidator(_number), AfterValidator(_level)]
Probability = Annotated[float, BeforeValidator(_number)]
LARGEST_COUNT: Final = 10**12
"""People, groups or steps: beyond it sums of records are no longer whole numbers of 64 bits or doubles."""
AnyCount = Annotated[int, BeforeValidator(_integer), Field(gt=0, strict=True)]
"""However many: of what is bounded by moments, no law is computed."""
Count = Annotated[AnyCount, Field(le=LARGEST_COUNT)]


Chance: TypeAlias = float | tuple[float, float]
"""A probability: a number, or an interval [lo, hi] that it lies in."""


def distribution(values: tuple[float, ...]) -> tuple[float, ...]:
    """Probabilities as given, checked: none negative or NaN, sum 1 to 1e-9; scaled to sum 1 to the last digit.

    What was scaled stays as it is when it is read again.
    """
    for place, value in enumerate(values, 1):
        if not (math.isfinite(value) and value >= 0):
            raise ValueError(f"probabilities of at least 0 (number {place} is {value})")
    total = math.fsum(values)
    if not values or abs(total - 1) > 1e-9:
        raise ValueError(f"probabilities that sum to 1 (these sum to {total:.12g})")
    # What was scaled sums to 1 but for a rounding: scaled again it would change each time it is read.
    return values if abs(total - 1) <= 2**-52 else tuple(value / total for value in values)


def credal(row: tuple[Chance, ...]) -> tuple[Chance, ...]:
    """A row of probabilities, each a number or an interval [lo, hi]: as `distribution` where all are numbers, else as
    given, checked: ends in order and within [0, 1], and some law inside, to 1e-9.

    >>> credal(((0.1, 0.2), 0.8))
    ((0.1, 0.2), 0.8)
    >>> credal(((0.1, 0.2), 0.5))
    Traceback (most recent call last):
    ValueError: intervals with a law inside, of sum 1 (lower ends sum to 0.6, upper ends to 0.7: [0.1, 0.2], [0.5, 0.5])
    """
    points = tuple(each for each in row if not isinstance(each, tuple))
    if len(points) == len(row):
        return distribution(points)
    for place, (low, high) in enumerate(map(ends_of, row), 1):
        if low > high:
            raise ValueError(f"intervals [lo, hi] with lo at most hi (number {place} is [{low:.12g}, {high:.12g}])")
        if not (low >= 0 and high <= 1):
            shown = f"{low:.12g}" if low == high else f"[{low:.12g}, {high:.12g}]"
            raise ValueError(f"probabilities from 0 to 1 (number {place} is {shown})")
    least, most = (math.fsum(column) for column in zip(*map(ends_of, row), strict=True))
    if not least <= 1 + 1e-9 or not most >= 1 - 1e-9:
        shown = ", ".join(f"[{low:.6g}, {high:.6g}]" for low, high in map(ends_of, row))
        sums = f"lower ends sum to {least:.12g}, upper ends to {most:.12g}"
        raise ValueError(f"intervals with a law inside, of sum 1 ({sums}: {shown})")
    return row


def ends_of(chance: Chance) -> tuple[float, float]:
    """The interval's ends; a number is both.

    >>> ends_of(0.3), ends_of((0.1, 0.4))
    ((0.3, 0.3), (0.1, 0.4))
    """
    return chance if isinstance(chance, tuple) else (chance, chance)


def is_credal(row: Sequence[Chance]) -> bool:
    """Whether some entry is written as an interval."""
    return any(isinstance(each, tuple) for each in row)


def _chance(value: Any) -> Any:
    """A number, or two as an interval; whether they make sense is looked at with the whole row."""
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(value, list | tuple):
        if len(value) != 2 or any(isinstance(end, bool) or not isinstance(end, Real) for end in value):
            raise ValueError("a number, or an interval [lo, hi] of two numbers")
        return float(value[0]), float(value[1])
    # A section or a list of lists where a probability was wanted.
    if not hasattr(_number(value), "__float__"):
        raise ValueError("a number")
    return float(value)


def _inside(chance: Chance) -> Chance:
    """The same of one probability alone: within [0, 1], ends in order."""
    low, high = ends_of(chance)
    if low > high:
        raise ValueError("an interval [lo, hi] with lo at most hi")
    if not (low >= 0 and high <= 1):
        raise ValueError("a probability from 0 to 1")
    return chance


SingleChance = Annotated[Chance, BeforeValidator(_chance), AfterValidator(_inside)]
"""One probability that may be an interval of them."""
Probabilities = Annotated[tuple[Probability, ...], AfterValidator(distribution)]
Chances = Annotated[tuple[Annotated[Chance, BeforeValidator(_chance)], ...], AfterValidator(credal)]
"""A row of probabilities of which each may be an interval: a set of laws (Theory §21)."""


Value = bool | int | float | str
"""A value a record can take. True and False are 1 and 0."""


def _record_value(value: Any) -> Any:
    """Numbers and texts as they are, True and False as 1 and 0; ValueError for anything else."""
    # Read here, not left to the union: pydantic would name its members in the path.
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError("a finite number or a text")
    if not isinstance(value, Real | str):
        raise ValueError("a number or a text")
    return int(value) if isinstance(value, Integral) else value


def _stage(given: Any) -> Any:
    """Stages without names are numbered from 1."""
    return str(given) if isinstance(given, int) and not isinstance(given, bool) else given


RecordValue = Annotated[int | float | str, BeforeValidator(_record_value)]
StageName = Annotated[str, BeforeValidator(_stage)]


@final
class Process(str):
    """One person's values in several data sets as one value of their record: a text that lists them.

    stages: the data sets' names; values: one for each. It is a text, so that whatever shows a record's value shows it.

    >>> Process(("now", "then"), (0, 1))
    '0, 1'
    """

    stages: tuple[str, ...]
    values: tuple[int | float | str, ...]

    def __new__(cls, stages: tuple[str, ...], values: tuple[int | float | str, ...]) -> Self:
        found = str.__new__(cls, ", ".join(map(str, values)))
        found.stages, found.values = stages, values
        return found

    def __getnewargs__(self) -> tuple[Any, ...]:
        return self.stages, self.values


_MODULES: Final[ContextVar[tuple[ModuleType, ...]]] = ContextVar("modules", default=())


@final
@dataclass(frozen=True)
class Kinds:
    """Reads a section into the class its `kind` names; an object of the base, whoever wrote its class, stays as it is.

    section: of a spec, by which `wings` lists the project's own; base: the class of all of them, as `module:name`;
    group: of the entry points. A JSON schema says only that there is a kind.
    """

    section: str
    base: str
    group: str

    def classes(self) -> tuple[type[Any], ...]:
        """The project's own first, then those of installed packages, then those of plugged modules, each once.
        InputError where two of them have a kind in common."""
        found = tuple(dict.fromkeys((*self.own, *authored(self.group, self._base()))))
        _check_distinct(found)
        return found

    def given(self, value: Any, key: str) -> Any:
        """An object of the base as it is; made from the name of a kind, or from a section. InputError for anything
        else; key: what it was given for."""
        # An author's own object in Python, of a class that no list has.
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
        """The object that a section describes; ValidationError, with the section's path, for one that is none."""
        if isinstance(given, self._base()):
            return given
        named = self._named_class(given)
        if named is not None:
            with suppress(ValidationError):  # which says the same of all kinds, below
                return _adapter((named,)).validate_python(given)
        # Its complaints are those of the section: pydantic puts the path to here before theirs.
        return _adapter(self.classes()).validate_python(given)

    def _named_class(self, given: Any) -> type[Any] | None:
        """The class of the project's own that a section names, without a look at the others; None for another kind, and
        where modules were plugged in, which may claim it. Reading one class instead of all saves the import of thirteen
        models, and of whatever packages are installed."""
        if not isinstance(given, dict) or _MODULES.get():
            return None
        kind, own = given.get("kind"), wings.ROOMS[self.section]
        return _class(own[kind]) if isinstance(kind, str) and kind in own else None

    @property
    def own(self) -> tuple[type[Any], ...]:
        """The project's, in the order in which they are listed, each once."""
        return tuple(map(_class, dict.fromkeys(wings.ROOMS[self.section].values())))

    def _base(self) -> type[Any]:
        return _class(self.base)


def _class(place: str) -> type[Any]:
    found: type[Any] = wings.found(place)
    return found


def authored(group: str, base: type[Any]) -> tuple[type[Any], ...]:
    """The classes of that base by authors outside the project. InputError for an entry point that names none."""
    modules = (found for module in _MODULES.get() for found in _made_there(module, base))
    installed = (_loaded(point, base) for point in _points(group))
    return tuple(dict.fromkeys((*installed, *modules)))


@contextmanager
def plugged(names: Sequence[str]) -> Iterator[None]:
    """These modules' classes are known for as long as this lasts. InputError for one that cannot be imported."""
    token = _MODULES.set((*_MODULES.get(), *map(_imported, names)))
    try:
        yield
    finally:
        _MODULES.reset(token)


def _imported(name: str) -> ModuleType:
    """A module by its name; InputError with whatever its own lines raise."""
    try:
        return importlib.import_module(name)
    except Exception as error:  # whatever the author's own lines may raise
        shown = str(error) if isinstance(error, ImportError) else f"{type(error).__name__}: {error}"
        raise InputError("--plugin", name, f"a module that can be imported ({shown})") from error


def _made_there(module: ModuleType, base: type[Any]) -> Iterator[type[Any]]:
    """What the module defines, or a package gathers from its own modules: not what they import from elsewhere."""
    for found in vars(module).values():
        is_kind = isinstance(found, type) and issubclass(found, base) and not inspect.isabstract(found)
        if is_kind and f"{found.__module__}.".startswith(f"{module.__name__}."):
            yield found


@cache
def _points(group: str) -> tuple[Any, ...]:
    return tuple(sorted(_installed().select(group=group), key=lambda each: each.name))


@cache
def _installed() -> Any:
    """Of all packages and groups: they are read from as many files as there are packages, so once. Of what class they
    are depends on Python's version, how one selects from them does not."""
    # A command whose kinds are all the project's own never asks.
    from importlib.metadata import entry_points

    return entry_points()


def _loaded(point: Any, base: type[Any]) -> type[Any]:
    """The class that an installed package offers; InputError for what cannot be imported, or is none."""
    try:
        found = point.load()
    except Exception as error:
        wanted = f"something that can be imported ({type(error).__name__}: {error})"
        raise InputError(f"entry point {point.group}", point.value, wanted) from error
    if not (isinstance(found, type) and issubclass(found, base)) or inspect.isabstract(found):
        raise InputError(f"entry point {point.group}", point.value, f"a {base.__name__.lower()}'s class")
    return found


def _names(found: type[Any]) -> tuple[str, ...]:
    """The kinds a spec may name it by. InputError for an author's class that does not say them."""
    names = getattr(found.model_fields["kind"].annotation, "__args__", ())
    if not names:
        raise InputError(
            "kind", f"{found.__module__}.{found.__qualname__}", 'a class with kind: Literal["..."] = "..."'
        )
    return tuple(names)


def _check_distinct(classes: Sequence[type[Any]]) -> None:
    """InputError where an author's class takes a kind that another has."""
    taken: dict[str, type[Any]] = {}
    for found in classes:
        for name in _names(found):
            if taken.setdefault(name, found) is not found:
                raise InputError("kind", name, f"a kind that {taken[name].__module__} does not have already")


@cache
def _adapter(classes: tuple[type[Any], ...]) -> TypeAdapter[Any]:
    """What reads a section into one of these classes, by its `kind`; built once for each set."""
    if len(classes) == 1:
        return TypeAdapter(classes[0])
    union: Any = reduce(or_, classes)
    return TypeAdapter(Annotated[union, Field(discriminator="kind")])
